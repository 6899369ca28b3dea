package io.github.vicinal.stream;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.github.vicinal.boot.topic.TopicHeaders;
import io.github.vicinal.topic.BatchFailedException;
import io.github.vicinal.topic.DeadLetterHeaders;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.TopicFullException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicReport;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.stream.binding.BindingService;
import org.springframework.cloud.stream.binding.BindingsLifecycleController;
import org.springframework.cloud.stream.function.StreamBridge;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHandlingException;
import org.springframework.messaging.support.MessageBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Functions of applications that know nothing of topics. */
@Timeout(120)
class StreamBinderTests extends StreamTestSupport {

	/** Waits for a state that nobody announces; a test's timeout ends it. */
	private static void await(BooleanSupplier condition) {
		while (!condition.getAsBoolean()) {
			if (Thread.interrupted()) {
				throw new IllegalStateException("the test has taken too long");
			}
			Thread.yield();
		}
	}

	private static Collection<String> subscribers(ConfigurableApplicationContext application, String topic) {
		return application.getBean(Topics.class)
			.topics()
			.stream()
			.filter((report) -> report.topic().equals(topic))
			.flatMap((report) -> report.subscribers().stream())
			.map(TopicReport.Subscriber::name)
			.toList();
	}

	/**
	 * Waits until a publisher has been asked for a group's stream, or has attached it.
	 */
	private static void awaitGroup(ConfigurableApplicationContext application, String stream) {
		await(() -> application.getBean(Topics.class).awaitedStreams().contains(stream)
				|| !subscribers(application, stream).isEmpty());
	}

	private static String text(Message<?> message) {
		return new String((byte[]) message.getPayload(), StandardCharsets.UTF_8);
	}

	/** Starts applications. */
	interface Starter {

		ConfigurableApplicationContext start(Class<?> type, String name, String... properties);

	}

	static ConfigurableApplicationContext startPartitions(Starter starter, String... more) {
		List<String> properties = new ArrayList<>(List.of("spring.cloud.stream.output-bindings=orders-out-0",
				"spring.cloud.stream.bindings.orders-out-0.destination=orders",
				"spring.cloud.stream.bindings.orders-out-0.producer.partition-key-expression=headers['key']",
				"spring.cloud.stream.bindings.orders-out-0.producer.partition-count=2"));
		properties.addAll(List.of(more));
		return starter.start(Empty.class, "shop", properties.toArray(String[]::new));
	}

	static ConfigurableApplicationContext startPartition(Starter starter, int index) {
		return starter.start(Sink.class, "billing", "spring.cloud.stream.bindings.sink-in-0.destination=orders",
				"spring.cloud.stream.bindings.sink-in-0.group=billing",
				"spring.cloud.stream.bindings.sink-in-0.consumer.partitioned=true",
				"spring.cloud.stream.instance-count=2", "spring.cloud.stream.instance-index=" + index);
	}

	static void sendKeys(ConfigurableApplicationContext shop, int count) {
		for (int i = 0; i < count; i++) {
			shop.getBean(StreamBridge.class)
				.send("orders-out-0", MessageBuilder.withPayload("order " + i).setHeader("key", i).build());
		}
	}

	/** Each instance has the messages of its keys, in order. */
	static void requirePartitions(List<ConfigurableApplicationContext> instances, int count) {
		for (int index = 0; index < 2; index++) {
			BlockingQueue<Message<byte[]>> received = instances.get(index).getBean(Sink.class).received;
			await(() -> received.size() >= count / 2);
			int first = index;
			assertThat(received).extracting(StreamBinderTests::text)
				.containsExactlyElementsOf(
						IntStream.range(0, count).filter((i) -> i % 2 == first).mapToObj((i) -> "order " + i).toList());
			assertThat(received)
				.allSatisfy((message) -> assertThat(message.getHeaders()).containsEntry("scst_partition", first));
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Batches {

		private final BlockingQueue<List<Order>> lots = new LinkedBlockingQueue<>();

		private final CountDownLatch published = new CountDownLatch(1);

		@Bean
		Consumer<Message<List<Order>>> lots() {
			return (message) -> {
				List<Order> lot = message.getPayload();
				assertThat(message.getHeaders()).containsKey(TopicHeaders.TOPIC);
				assertThat(message.getHeaders().get(TopicHeaders.BATCH_HEADERS, List.class)).hasSameSizeAs(lot);
				this.lots.add(lot);
				awaitUninterruptibly(this.published);
				int index = lot.indexOf(new Order(13, "lot"));
				if (index >= 0) {
					throw new BatchFailedException(index, new IllegalStateException("not this one"));
				}
				if (lot.contains(new Order(99, "lot"))) {
					throw new IllegalStateException("none of them");
				}
			};
		}

		private static void awaitUninterruptibly(CountDownLatch latch) {
			try {
				latch.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	@Test
	void functionsOfTwoApplicationsTalk() throws Exception {
		ConfigurableApplicationContext shop = start(Shop.class, "shop", "spring.cloud.function.definition=orders;paid",
				"spring.cloud.stream.bindings.orders-out-0.destination=new-orders",
				"spring.cloud.stream.bindings.orders-out-0.producer.required-groups=billing",
				"spring.cloud.stream.bindings.paid-in-0.destination=bills");
		start(Billing.class, "billing", "spring.cloud.stream.bindings.bill-in-0.destination=new-orders",
				"spring.cloud.stream.bindings.bill-in-0.group=billing",
				"spring.cloud.stream.bindings.bill-out-0.destination=bills");
		Message<Bill> bill = shop.getBean(Shop.class).bills.poll(30, TimeUnit.SECONDS);
		assertThat(bill).isNotNull();
		assertThat(bill.getPayload().total()).isEqualTo(10 * bill.getPayload().order());
		assertThat(bill.getHeaders().get("contentType")).hasToString("application/json");
		assertThat(bill.getHeaders()).containsEntry(TopicHeaders.TOPIC, "bills")
			.containsEntry(TopicHeaders.REDELIVERED, false)
			.doesNotContainKey("scst_partition");
	}

	@Test
	void membersOfAGroupShareAndAllOthersGetEachMessage() {
		ConfigurableApplicationContext shop = start(Empty.class, "shop",
				"spring.cloud.stream.output-bindings=orders-out-0",
				"spring.cloud.stream.bindings.orders-out-0.destination=orders");
		List<ConfigurableApplicationContext> billing = List.of(
				start(Sink.class, "billing", "spring.cloud.stream.bindings.sink-in-0.destination=orders",
						"spring.cloud.stream.bindings.sink-in-0.group=billing"),
				start(Sink.class, "billing", "spring.cloud.stream.bindings.sink-in-0.destination=orders",
						"spring.cloud.stream.bindings.sink-in-0.group=billing"));
		List<ConfigurableApplicationContext> others = List.of(
				start(Sink.class, "audit", "spring.cloud.stream.bindings.sink-in-0.destination=orders",
						"spring.cloud.stream.bindings.sink-in-0.group=audit",
						"spring.cloud.stream.bindings.sink-in-0.consumer.concurrency=3"),
				start(Sink.class, "page", "spring.cloud.stream.bindings.sink-in-0.destination=orders"),
				start(Sink.class, "page", "spring.cloud.stream.bindings.sink-in-0.destination=orders"));
		awaitGroup(shop, "orders_.audit");
		awaitGroup(shop, "orders_.billing");
		await(() -> subscribers(shop, "orders").size() == 2);
		StreamBridge bridge = shop.getBean(StreamBridge.class);
		Set<String> all = new HashSet<>();
		bridge.send("orders-out-0", "first");
		all.add("first");
		await(() -> subscribers(shop, "orders_.billing").size() == 2);
		for (int i = 0; i < 1000; i++) {
			assertThat(bridge.send("orders-out-0", "order " + i)).isTrue();
			all.add("order " + i);
		}
		// A member whose threads get no processor may have had nothing of these.
		while (billing.stream().anyMatch((one) -> one.getBean(Sink.class).received.isEmpty())) {
			assertThat(bridge.send("orders-out-0", "more " + all.size())).isTrue();
			all.add("more " + all.size());
		}
		for (ConfigurableApplicationContext other : others) {
			BlockingQueue<Message<byte[]>> received = other.getBean(Sink.class).received;
			await(() -> received.size() >= all.size());
			assertThat(received).extracting(StreamBinderTests::text).containsExactlyInAnyOrderElementsOf(all);
		}
		await(() -> billing.stream().mapToInt((one) -> one.getBean(Sink.class).received.size()).sum() >= all.size());
		assertThat(billing.stream().flatMap((one) -> one.getBean(Sink.class).received.stream()))
			.extracting(StreamBinderTests::text)
			.containsExactlyInAnyOrderElementsOf(all);
		assertThat(billing).allMatch((one) -> !one.getBean(Sink.class).received.isEmpty());
	}

	@Test
	void eachPartitionHasItsInstance() {
		ConfigurableApplicationContext shop = startPartitions(this::start);
		List<ConfigurableApplicationContext> billing = List.of(startPartition(this::start, 0),
				startPartition(this::start, 1));
		ConfigurableApplicationContext audit = start(Sink.class, "audit",
				"spring.cloud.stream.bindings.sink-in-0.destination=orders",
				"spring.cloud.stream.bindings.sink-in-0.group=audit");
		awaitGroup(shop, "orders_.billing_-0");
		awaitGroup(shop, "orders_.billing_-1");
		awaitGroup(shop, "orders_.audit");
		sendKeys(shop, 100);
		requirePartitions(billing, 100);
		await(() -> audit.getBean(Sink.class).received.size() == 100);
	}

	@Test
	void partitionsOfARequiredGroupWaitForTheirInstances() {
		ConfigurableApplicationContext shop = startPartitions(this::start,
				"spring.cloud.stream.bindings.orders-out-0.producer.required-groups=billing");
		sendKeys(shop, 20);
		requirePartitions(List.of(startPartition(this::start, 0), startPartition(this::start, 1)), 20);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	void aFunctionOfBatchesGetsListsAndTheirDeadLetters(int attempts) throws Exception {
		ConfigurableApplicationContext shop = start(Empty.class, "shop",
				"spring.cloud.stream.output-bindings=orders-out-0",
				"spring.cloud.stream.bindings.orders-out-0.destination=orders",
				"spring.cloud.stream.bindings.orders-out-0.producer.required-groups=billing");
		ConfigurableApplicationContext billing = start(Batches.class, "billing",
				"spring.cloud.stream.bindings.lots-in-0.destination=orders",
				"spring.cloud.stream.bindings.lots-in-0.group=billing",
				"spring.cloud.stream.bindings.lots-in-0.consumer.batch-mode=true",
				"spring.cloud.stream.vicinal.bindings.lots-in-0.consumer.max-batch=7",
				"spring.cloud.stream.bindings.lots-in-0.consumer.max-attempts=" + attempts,
				"spring.cloud.stream.bindings.lots-in-0.consumer.back-off-initial-interval=1",
				"spring.cloud.stream.vicinal.bindings.lots-in-0.consumer.dead-letter=orders.dead");
		ConfigurableApplicationContext sink = start(Sink.class, "sink",
				"spring.cloud.stream.bindings.sink-in-0.destination=orders.dead",
				"spring.cloud.stream.vicinal.bindings.sink-in-0.consumer.single-stream=true");
		StreamBridge bridge = shop.getBean(StreamBridge.class);
		bridge.send("orders-out-0", new Order(0, "lot"));
		Batches beans = billing.getBean(Batches.class);
		BlockingQueue<List<Order>> lots = beans.lots;
		assertThat(lots.poll(30, TimeUnit.SECONDS)).containsExactly(new Order(0, "lot"));
		IntStream.rangeClosed(1, 3).forEach((i) -> bridge.send("orders-out-0", new Order(i, "lot")));
		bridge.send("orders-out-0", new Order(13, "lot"));
		IntStream.rangeClosed(4, 8).forEach((i) -> bridge.send("orders-out-0", new Order(i, "lot")));
		beans.published.countDown();
		assertThat(lots.poll(30, TimeUnit.SECONDS)).extracting(Order::number).containsExactly(1, 2, 3, 13, 4, 5, 6);
		for (int i = 1; i < attempts; i++) {
			assertThat(lots.poll(30, TimeUnit.SECONDS)).extracting(Order::number).containsExactly(13, 4, 5, 6);
		}
		assertThat(lots.poll(30, TimeUnit.SECONDS)).extracting(Order::number).containsExactly(4, 5, 6);
		assertThat(lots.poll(30, TimeUnit.SECONDS)).extracting(Order::number).containsExactly(7, 8);
		BlockingQueue<Message<byte[]>> letters = sink.getBean(Sink.class).received;
		Message<byte[]> letter = letters.poll(30, TimeUnit.SECONDS);
		assertThat(letter).isNotNull();
		assertThat(text(letter)).isEqualTo("{\"number\":13,\"what\":\"lot\"}");
		assertThat(letter.getHeaders()).containsEntry(DeadLetterHeaders.EXCEPTION_MESSAGE, "not this one")
			.containsEntry(DeadLetterHeaders.SEQUENCE, "5");
		bridge.send("orders-out-0", new Order(99, "lot"));
		for (int i = 0; i < attempts; i++) {
			assertThat(lots.poll(30, TimeUnit.SECONDS)).extracting(Order::number).containsExactly(99);
		}
		letter = letters.poll(30, TimeUnit.SECONDS);
		assertThat(letter).isNotNull();
		assertThat(letter.getHeaders()).containsEntry(DeadLetterHeaders.EXCEPTION_MESSAGE, "none of them");
		assertThat(letters).isEmpty();
	}

	@Test
	void aMaximumOfBatchesThatCannotBeIsRefusedWithItsProperty() {
		assertThatException()
			.isThrownBy(() -> start(Batches.class, "billing",
					"spring.cloud.stream.bindings.lots-in-0.consumer.batch-mode=true",
					"spring.cloud.stream.bindings.lots-in-0.group=billing",
					"spring.cloud.stream.vicinal.bindings.lots-in-0.consumer.max-batch=0"))
			.havingRootCause()
			.withMessage(
					"The consumer of topic 'lots-in-0' has max-batch=0, which must be from 1 to 1024: change spring.cloud.stream.vicinal.bindings.<name>.consumer.max-batch");
	}

	@Test
	void headersTravelWithTheirTypesUnlessTheyAreSwitchedOff() throws Exception {
		ConfigurableApplicationContext shop = start(Empty.class, "shop",
				"spring.cloud.stream.bindings.plain-out-0.producer.header-mode=none",
				"spring.cloud.stream.output-bindings=orders-out-0;plain-out-0");
		ConfigurableApplicationContext sink = start(Sink.class, "sink",
				"spring.cloud.stream.bindings.sink-in-0.destination=orders-out-0,plain-out-0");
		await(() -> subscribers(shop, "orders-out-0").size() == 1 && subscribers(shop, "plain-out-0").size() == 1);
		StreamBridge bridge = shop.getBean(StreamBridge.class);
		Message<String> message = MessageBuilder.withPayload("a")
			.setHeader("number", 7L)
			.setHeader("name", "x")
			.build();
		bridge.send("orders-out-0", message);
		Message<byte[]> received = sink.getBean(Sink.class).received.poll(30, TimeUnit.SECONDS);
		assertThat(received).isNotNull();
		assertThat(received.getHeaders()).containsEntry("number", 7L).containsEntry("name", "x");
		assertThat(received.getHeaders().getId()).isNotNull().isNotEqualTo(message.getHeaders().getId());
		bridge.send("plain-out-0", message);
		received = sink.getBean(Sink.class).received.poll(30, TimeUnit.SECONDS);
		assertThat(received).isNotNull();
		assertThat(text(received)).isEqualTo("a");
		assertThat(received.getHeaders()).doesNotContainKeys("number", "name");
	}

	@Test
	void aMessageThatAFunctionCannotHandleIsAttemptedAgainAndThenADeadLetter() throws Exception {
		ConfigurableApplicationContext shop = start(Empty.class, "shop",
				"spring.cloud.stream.output-bindings=orders-out-0",
				"spring.cloud.stream.bindings.orders-out-0.destination=orders",
				"spring.cloud.stream.bindings.orders-out-0.producer.required-groups=billing");
		ConfigurableApplicationContext billing = start(Failing.class, "billing",
				"spring.cloud.stream.bindings.fail-in-0.destination=orders",
				"spring.cloud.stream.bindings.fail-in-0.group=billing",
				"spring.cloud.stream.bindings.fail-in-0.consumer.max-attempts=2",
				"spring.cloud.stream.bindings.fail-in-0.consumer.back-off-initial-interval=1",
				"spring.cloud.stream.vicinal.bindings.fail-in-0.consumer.dead-letter=orders.dead");
		ConfigurableApplicationContext repair = start(Sink.class, "repair",
				"spring.cloud.stream.bindings.sink-in-0.destination=orders.dead",
				"spring.cloud.stream.vicinal.bindings.sink-in-0.consumer.single-stream=true");
		shop.getBean(StreamBridge.class)
			.send("orders-out-0", MessageBuilder.withPayload("bad").setHeader("number", 7L).build());
		Message<byte[]> letter = repair.getBean(Sink.class).received.poll(30, TimeUnit.SECONDS);
		assertThat(letter).isNotNull();
		assertThat(text(letter)).isEqualTo("bad");
		assertThat(letter.getHeaders()).containsEntry("number", 7L)
			.containsEntry(DeadLetterHeaders.TOPIC, "orders_.billing")
			.containsEntry(DeadLetterHeaders.SUBSCRIBER, "billing")
			.containsEntry(DeadLetterHeaders.SEQUENCE, "1")
			.containsEntry(DeadLetterHeaders.EXCEPTION, IllegalStateException.class.getName())
			.containsEntry(DeadLetterHeaders.EXCEPTION_MESSAGE, "cannot bill bad")
			.containsKey(DeadLetterHeaders.PUBLISHER);
		assertThat(billing.getBean(Failing.class).attempts).hasSize(2);
	}

	@Test
	void aMessageThatWaitsForItsNextAttemptGoesToAnotherMemberWhenItsConsumerIsClosed() throws Exception {
		ConfigurableApplicationContext shop = start(Empty.class, "shop",
				"spring.cloud.stream.output-bindings=orders-out-0",
				"spring.cloud.stream.bindings.orders-out-0.destination=orders",
				"spring.cloud.stream.bindings.orders-out-0.producer.required-groups=billing");
		ConfigurableApplicationContext billing = start(Failing.class, "billing",
				"spring.cloud.stream.bindings.fail-in-0.destination=orders",
				"spring.cloud.stream.bindings.fail-in-0.group=billing",
				"spring.cloud.stream.bindings.fail-in-0.consumer.back-off-initial-interval=90000",
				"spring.cloud.stream.bindings.fail-in-0.consumer.back-off-max-interval=90000");
		shop.getBean(StreamBridge.class).send("orders-out-0", "bad");
		assertThat(billing.getBean(Failing.class).attempts.take()).isEqualTo("bad");
		billing.close();
		Message<byte[]> again = start(Sink.class, "billing",
				"spring.cloud.stream.bindings.sink-in-0.destination=orders",
				"spring.cloud.stream.bindings.sink-in-0.group=billing")
			.getBean(Sink.class).received.poll(30, TimeUnit.SECONDS);
		assertThat(again).isNotNull();
		assertThat(text(again)).isEqualTo("bad");
		assertThat(again.getHeaders()).containsEntry(TopicHeaders.REDELIVERED, true);
	}

	@Test
	void aMessageThatNobodyElseGetsIsADeadLetterWhenItsConsumerIsClosed() throws Exception {
		ConfigurableApplicationContext shop = start(Empty.class, "shop",
				"spring.cloud.stream.output-bindings=orders-out-0",
				"spring.cloud.stream.bindings.orders-out-0.destination=orders");
		ConfigurableApplicationContext page = start(Failing.class, "page",
				"spring.cloud.stream.bindings.fail-in-0.destination=orders",
				"spring.cloud.stream.bindings.fail-in-0.consumer.back-off-initial-interval=90000",
				"spring.cloud.stream.bindings.fail-in-0.consumer.back-off-max-interval=90000",
				"spring.cloud.stream.vicinal.bindings.fail-in-0.consumer.dead-letter=orders.dead");
		ConfigurableApplicationContext repair = start(Sink.class, "repair",
				"spring.cloud.stream.bindings.sink-in-0.destination=orders.dead",
				"spring.cloud.stream.vicinal.bindings.sink-in-0.consumer.single-stream=true");
		await(() -> subscribers(shop, "orders").size() == 1);
		await(() -> subscribers(page, "orders.dead").size() == 1);
		shop.getBean(StreamBridge.class).send("orders-out-0", "bad");
		assertThat(page.getBean(Failing.class).attempts.take()).isEqualTo("bad");
		page.getBean(BindingsLifecycleController.class).stop("fail-in-0");
		Message<byte[]> letter = repair.getBean(Sink.class).received.poll(30, TimeUnit.SECONDS);
		assertThat(letter).isNotNull();
		assertThat(text(letter)).isEqualTo("bad");
		assertThat(page.getBean(Failing.class).attempts).isEmpty();
	}

	@Test
	void aConsumerThatIsStartedAgainAttemptsMessagesAgain() throws Exception {
		ConfigurableApplicationContext shop = start(Empty.class, "shop",
				"spring.cloud.stream.output-bindings=orders-out-0",
				"spring.cloud.stream.bindings.orders-out-0.producer.required-groups=billing");
		ConfigurableApplicationContext billing = start(Failing.class, "billing",
				"spring.cloud.stream.bindings.fail-in-0.destination=orders-out-0",
				"spring.cloud.stream.bindings.fail-in-0.group=billing",
				"spring.cloud.stream.bindings.fail-in-0.consumer.back-off-initial-interval=1");
		BindingsLifecycleController bindings = billing.getBean(BindingsLifecycleController.class);
		bindings.stop("fail-in-0");
		bindings.start("fail-in-0");
		shop.getBean(StreamBridge.class).send("orders-out-0", "bad");
		shop.getBean(StreamBridge.class).send("orders-out-0", "good");
		BlockingQueue<String> attempts = billing.getBean(Failing.class).attempts;
		List<String> seen = new ArrayList<>();
		while (!seen.contains("good")) {
			seen.add(attempts.take());
		}
		assertThat(seen).containsExactly("bad", "bad", "bad", "good");
	}

	@Test
	void aFunctionThatFailsDoesNotKeepTheNextMessageAway() throws Exception {
		ConfigurableApplicationContext shop = start(Empty.class, "shop",
				"spring.cloud.stream.output-bindings=orders-out-0");
		ConfigurableApplicationContext billing = start(Failing.class, "billing",
				"spring.cloud.stream.bindings.fail-in-0.destination=orders-out-0",
				"spring.cloud.stream.bindings.fail-in-0.consumer.max-attempts=1");
		await(() -> subscribers(shop, "orders-out-0").size() == 1);
		shop.getBean(StreamBridge.class).send("orders-out-0", "bad");
		shop.getBean(StreamBridge.class).send("orders-out-0", "good");
		BlockingQueue<String> attempts = billing.getBean(Failing.class).attempts;
		assertThat(attempts.poll(30, TimeUnit.SECONDS)).isEqualTo("bad");
		assertThat(attempts.poll(30, TimeUnit.SECONDS)).isEqualTo("good");
	}

	@Test
	void aRequiredGroupGetsWhatWasSentBeforeItsFirstConsumer() throws Exception {
		ConfigurableApplicationContext shop = start(Empty.class, "shop",
				"spring.cloud.stream.output-bindings=orders-out-0",
				"spring.cloud.stream.bindings.orders-out-0.producer.required-groups=billing");
		shop.getBean(StreamBridge.class).send("orders-out-0", "early");
		ConfigurableApplicationContext billing = start(Sink.class, "billing",
				"spring.cloud.stream.bindings.sink-in-0.destination=orders-out-0",
				"spring.cloud.stream.bindings.sink-in-0.group=billing");
		Message<byte[]> early = billing.getBean(Sink.class).received.poll(30, TimeUnit.SECONDS);
		assertThat(early).isNotNull();
		assertThat(text(early)).isEqualTo("early");
	}

	@Test
	void messagesWaitForAGroupThatIsAwayUntilItsStreamIsFull() throws Exception {
		ConfigurableApplicationContext shop = start(Empty.class, "shop",
				"spring.cloud.stream.output-bindings=orders-out-0",
				"spring.cloud.stream.bindings.orders-out-0.destination=orders",
				"vicinal.topics.named.orders.capacity=64KB", "vicinal.topics.named.orders.when-full=fail");
		StreamBridge bridge = shop.getBean(StreamBridge.class);
		String[] consumer = { "spring.cloud.stream.bindings.sink-in-0.destination=orders",
				"spring.cloud.stream.bindings.sink-in-0.group=billing" };
		ConfigurableApplicationContext billing = start(Sink.class, "billing", consumer);
		awaitGroup(shop, "orders_.billing");
		bridge.send("orders-out-0", "one");
		await(() -> !billing.getBean(Sink.class).received.isEmpty());
		billing.close();
		await(() -> subscribers(shop, "orders_.billing").isEmpty());
		bridge.send("orders-out-0", "two");
		ConfigurableApplicationContext again = start(Sink.class, "billing", consumer);
		Message<byte[]> waited = again.getBean(Sink.class).received.poll(30, TimeUnit.SECONDS);
		assertThat(waited).isNotNull();
		assertThat(text(waited)).isEqualTo("two");
		again.close();
		await(() -> subscribers(shop, "orders_.billing").isEmpty());
		byte[] large = new byte[20_000];
		for (int i = 0; i < 10; i++) {
			bridge.send("orders-out-0", large);
		}
		assertThat(shop.getBean(Topics.class).topics()).extracting(TopicReport::topic).containsExactly("orders");
		ConfigurableApplicationContext last = start(Sink.class, "billing", consumer);
		awaitGroup(shop, "orders_.billing");
		bridge.send("orders-out-0", "three");
		Message<byte[]> back = last.getBean(Sink.class).received.poll(30, TimeUnit.SECONDS);
		assertThat(back).isNotNull();
		assertThat(text(back)).isEqualTo("three");
	}

	@Test
	void aFullRequiredGroupFailsItsProducerButNotTheOthers() throws Exception {
		ConfigurableApplicationContext shop = start(Empty.class, "shop",
				"spring.cloud.stream.output-bindings=orders-out-0",
				"spring.cloud.stream.bindings.orders-out-0.destination=orders",
				"spring.cloud.stream.bindings.orders-out-0.producer.required-groups=billing",
				"vicinal.topics.named.orders.capacity=64KB", "vicinal.topics.named.orders.when-full=fail");
		ConfigurableApplicationContext page = start(Sink.class, "page",
				"spring.cloud.stream.bindings.sink-in-0.destination=orders");
		await(() -> subscribers(shop, "orders").size() == 1);
		StreamBridge bridge = shop.getBean(StreamBridge.class);
		BlockingQueue<Message<byte[]>> received = page.getBean(Sink.class).received;
		for (int i = 0; i < 3; i++) {
			bridge.send("orders-out-0", new byte[20_000]);
			assertThat(received.poll(30, TimeUnit.SECONDS)).isNotNull();
		}
		assertThatExceptionOfType(MessageHandlingException.class)
			.isThrownBy(() -> bridge.send("orders-out-0", new byte[20_000]))
			.withRootCauseInstanceOf(TopicFullException.class);
		assertThat(received.poll(30, TimeUnit.SECONDS)).isNotNull();
	}

	@Test
	void aBindingCanBeStoppedAndStarted() throws Exception {
		ConfigurableApplicationContext shop = start(Empty.class, "shop",
				"spring.cloud.stream.output-bindings=orders-out-0",
				"spring.cloud.stream.bindings.orders-out-0.producer.required-groups=billing");
		ConfigurableApplicationContext billing = start(Sink.class, "billing",
				"spring.cloud.stream.bindings.sink-in-0.destination=orders-out-0",
				"spring.cloud.stream.bindings.sink-in-0.group=billing");
		await(() -> subscribers(shop, "orders-out-0_.billing").size() == 1);
		BindingsLifecycleController bindings = billing.getBean(BindingsLifecycleController.class);
		bindings.stop("sink-in-0");
		await(() -> subscribers(shop, "orders-out-0_.billing").isEmpty());
		shop.getBean(StreamBridge.class).send("orders-out-0", "later");
		bindings.start("sink-in-0");
		Message<byte[]> later = billing.getBean(Sink.class).received.poll(30, TimeUnit.SECONDS);
		assertThat(later).isNotNull();
		shop.getBean(BindingsLifecycleController.class).stop("orders-out-0");
		assertThatExceptionOfType(MessageHandlingException.class)
			.isThrownBy(() -> shop.getBean(StreamBridge.class).send("orders-out-0", "stopped"))
			.withStackTraceContaining("The binding of destination 'orders-out-0' is stopped");
	}

	@Test
	void aDestinationEndsWithTheLastOfItsProducers() {
		ConfigurableApplicationContext shop = start(Empty.class, "shop",
				"spring.cloud.stream.output-bindings=a-out-0;b-out-0",
				"spring.cloud.stream.bindings.a-out-0.destination=orders",
				"spring.cloud.stream.bindings.b-out-0.destination=orders",
				"spring.cloud.stream.bindings.b-out-0.producer.required-groups=billing");
		assertThat(shop.getBean(Topics.class).topics()).extracting(TopicReport::topic)
			.containsExactlyInAnyOrder("orders", "orders_.billing");
		BindingService bindings = shop.getBean(BindingService.class);
		bindings.unbindProducers("b-out-0");
		shop.getBean(StreamBridge.class).send("a-out-0", "still there");
		bindings.unbindProducers("a-out-0");
		assertThat(shop.getBean(Topics.class).topics()).isEmpty();
	}

	@Test
	void listenersOfTopicsAndFunctionsShareAStream() throws Exception {
		ConfigurableApplicationContext shop = start(Empty.class, "shop",
				"spring.cloud.stream.output-bindings=jobs-out-0",
				"spring.cloud.stream.bindings.jobs-out-0.destination=jobs",
				"spring.cloud.stream.vicinal.default.producer.single-stream=true");
		BlockingQueue<byte[]> taken = new LinkedBlockingQueue<>();
		start(Empty.class, "worker").getBean(Topics.class)
			.subscribe(TopicSettings.of("jobs", TopicModel.STREAM, byte[].class), SubscriberSettings.of("worker"),
					(message) -> taken.add(message.payload()));
		shop.getBean(StreamBridge.class).send("jobs-out-0", "job");
		assertThat(taken.poll(30, TimeUnit.SECONDS)).isEqualTo("job".getBytes(StandardCharsets.UTF_8));
	}

	@Test
	void aBinderMayHaveAnEnvironmentOfItsOwn() throws Exception {
		String[] binder = { "spring.cloud.stream.binders.near.type=vicinal",
				"spring.cloud.stream.binders.near.environment.any=thing" };
		ConfigurableApplicationContext shop = start(Empty.class, "shop", binder[0], binder[1],
				"spring.cloud.stream.output-bindings=orders-out-0",
				"spring.cloud.stream.bindings.orders-out-0.binder=near");
		ConfigurableApplicationContext sink = start(Sink.class, "sink", binder[0], binder[1],
				"spring.cloud.stream.bindings.sink-in-0.destination=orders-out-0",
				"spring.cloud.stream.bindings.sink-in-0.binder=near");
		await(() -> subscribers(shop, "orders-out-0").size() == 1);
		shop.getBean(StreamBridge.class).send("orders-out-0", "a");
		assertThat(sink.getBean(Sink.class).received.poll(30, TimeUnit.SECONDS)).isNotNull();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			group=                        | A consumer group is required for a partitioned subscription
			consumer.instance-index-list=1,2 | set instance-index instead
			consumer.multiplex=true       | it binds each destination by itself, so remove consumer.multiplex
			consumer.concurrency=100      | The concurrency of subscriber 'billing_-0' must be from 1 to 64, not 100
			destination=new orders        | the destination 'new orders' has others
			""")
	void bindingsThatCannotBeServedAreRefused(String property, String reason) {
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> start(Sink.class, "sink", "spring.cloud.stream.bindings.sink-in-0.destination=orders",
					"spring.cloud.stream.bindings.sink-in-0.group=billing",
					"spring.cloud.stream.bindings.sink-in-0.consumer.partitioned=true",
					"spring.cloud.stream.bindings.sink-in-0." + property))
			.withStackTraceContaining(reason);
	}

	@Test
	void topicsThatAreSwitchedOffAreNamed() {
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> start(Sink.class, "sink", "vicinal.topics.enabled=false"))
			.withStackTraceContaining("set vicinal.enabled and vicinal.topics.enabled to true");
	}

	@Test
	void anApplicationWithoutAGrantGetsNoStream() {
		ConfigurableApplicationContext shop = start(Empty.class, "shop",
				"spring.cloud.stream.output-bindings=orders-out-0",
				"spring.cloud.stream.bindings.orders-out-0.destination=orders",
				"vicinal.topics.named.orders.subscribers=billing");
		start(Sink.class, "stranger", "spring.cloud.stream.bindings.sink-in-0.destination=orders",
				"spring.cloud.stream.bindings.sink-in-0.group=spies");
		start(Sink.class, "billing", "spring.cloud.stream.bindings.sink-in-0.destination=orders",
				"spring.cloud.stream.bindings.sink-in-0.group=billing");
		awaitGroup(shop, "orders_.billing");
		shop.getBean(StreamBridge.class).send("orders-out-0", "a");
		assertThat(shop.getBean(Topics.class).topics()).extracting(TopicReport::topic)
			.containsExactlyInAnyOrder("orders", "orders_.billing");
		assertThat(shop.getBean(Topics.class).awaitedStreams()).doesNotContain("orders_.spies");
	}

	record Order(int number, String what) {
	}

	record Bill(int order, int total) {
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Empty {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Shop {

		final BlockingQueue<Message<Bill>> bills = new LinkedBlockingQueue<>();

		private int last;

		@Bean
		Supplier<Order> orders() {
			return () -> new Order(++this.last, "book");
		}

		@Bean
		Consumer<Message<Bill>> paid() {
			return this.bills::add;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Billing {

		@Bean
		Function<Order, Bill> bill() {
			return (order) -> new Bill(order.number(), 10 * order.number());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Failing {

		final BlockingQueue<String> attempts = new LinkedBlockingQueue<>();

		@Bean
		Consumer<String> fail() {
			return (text) -> {
				this.attempts.add(text);
				if (text.equals("bad")) {
					throw new IllegalStateException("cannot bill " + text);
				}
			};
		}

	}

}
