package io.github.vicinal.boot.topic;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.boot.transport.LocalTopicAutoConfiguration;
import io.github.vicinal.topic.Acknowledgement;
import io.github.vicinal.topic.AffinityListener;
import io.github.vicinal.topic.BatchFailedException;
import io.github.vicinal.topic.DeadLetterHeaders;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.util.FileSystemUtils;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/** Listeners that take batches. */
@Timeout(60)
class BatchListenerTests {

	private Path directory;

	private ApplicationContextRunner runner;

	@BeforeEach
	void makeDirectory() throws Exception {
		this.directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
		this.runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, VicinalAutoConfiguration.class,
					LocalTopicAutoConfiguration.class, TopicAutoConfiguration.class))
			.withPropertyValues("vicinal.rendezvous.directory=" + this.directory);
	}

	@AfterEach
	void deleteDirectory() throws Exception {
		FileSystemUtils.deleteRecursively(this.directory);
	}

	private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
		T next = queue.poll(20, TimeUnit.SECONDS);
		assertThat(next).isNotNull();
		return next;
	}

	private static List<Order> orders(int from, int to) {
		return IntStream.range(from, to).mapToObj(Order::new).toList();
	}

	@Test
	void listenersTakeListsOfWhatThoseOfSingleMessagesTake() {
		this.runner.withUserConfiguration(Arguments.class).run((context) -> {
			Arguments beans = context.getBean(Arguments.class);
			Topic<Order> topic = context.getBean(TopicFactory.class).topic("orders", TopicModel.PUB_SUB, Order.class);
			while (topic.report().subscribers().size() < 4) {
				Thread.onSpinWait();
			}
			topic.publish(new Order(7), Map.of("origin", "shop"));
			String all = "[Order[number=7]] ";
			assertThat(List.of(next(beans.seen), next(beans.seen), next(beans.seen), next(beans.seen)))
				.containsExactlyInAnyOrder(all + "payloads", all + "[shop] orders 1", all + "[shop] messages",
						all + "[shop] of spring");
		});
	}

	@Test
	void aBatchHasWhatIsThereAndConcurrencyIsAsForSingleMessages() {
		this.runner.withUserConfiguration(Slow.class).run((context) -> {
			Slow beans = context.getBean(Slow.class);
			Topic<Order> topic = context.getBean(Topics.class)
				.topic(TopicSettings.of("orders", TopicModel.STREAM, Order.class));
			topic.publish(new Order(0));
			assertThat(next(beans.batches)).isEqualTo(orders(0, 1));
			orders(1, 8).forEach(topic::publish);
			beans.published.countDown();
			assertThat(next(beans.batches)).isEqualTo(orders(1, 6));
			assertThat(next(beans.batches)).isEqualTo(orders(6, 8));
		});
	}

	@Test
	void theMessageThatFailedGoesToTheErrorHandlerAndThenToTheDeadLetters() {
		this.runner.withUserConfiguration(Failing.class).run((context) -> {
			Failing beans = context.getBean(Failing.class);
			Topic<Order> topic = context.getBean(Topics.class)
				.topic(TopicSettings.of("orders", TopicModel.STREAM, Order.class));
			topic.publish(new Order(0));
			assertThat(next(beans.attempts)).isEqualTo(orders(0, 1));
			topic.publishAll(orders(1, 6), Map.of("origin", "shop"));
			beans.published.countDown();
			assertThat(next(beans.attempts)).isEqualTo(orders(1, 6));
			assertThat(next(beans.attempts)).isEqualTo(orders(3, 6));
			assertThat(next(beans.attempts)).isEqualTo(orders(4, 6));
			assertThat(next(beans.handled)).isEqualTo(new Order(3));
			Message<Order> letter = next(beans.letters);
			assertThat(letter.payload()).isEqualTo(new Order(3));
			assertThat(letter.headers()).containsEntry(DeadLetterHeaders.EXCEPTION_MESSAGE, "never 3")
				.containsEntry(DeadLetterHeaders.EXCEPTION, IllegalStateException.class.getName())
				.containsEntry("origin", "shop");
			assertThat(beans.letters).isEmpty();
		});
	}

	@Test
	void aBatchIsHandledWhenItIsAcknowledgedAndRejectedAtAMessage() {
		this.runner.withUserConfiguration(Manual.class).run((context) -> {
			Manual beans = context.getBean(Manual.class);
			Topic<Order> topic = context.getBean(Topics.class)
				.topic(TopicSettings.of("orders", TopicModel.STREAM, Order.class));
			topic.publish(new Order(0));
			assertThat(next(beans.batches)).isEqualTo(orders(0, 1));
			orders(1, 4).forEach(topic::publish);
			next(beans.acknowledgements).acknowledge();
			assertThat(next(beans.batches)).isEqualTo(orders(1, 4));
			next(beans.acknowledgements).reject(new BatchFailedException(1, new IllegalStateException("not yet")));
			assertThat(next(beans.batches)).isEqualTo(orders(2, 4));
			assertThat(topic.report().usedBytes()).isPositive();
			next(beans.acknowledgements).acknowledge();
			while (topic.report().usedBytes() > 0) {
				Thread.onSpinWait();
			}
		});
	}

	@Test
	void aBatchIsHandledWhenItsStageIsComplete() {
		this.runner.withUserConfiguration(Stages.class).run((context) -> {
			Stages beans = context.getBean(Stages.class);
			Topic<Order> topic = context.getBean(Topics.class)
				.topic(TopicSettings.of("orders", TopicModel.STREAM, Order.class));
			topic.publish(new Order(0));
			assertThat(next(beans.batches)).isEqualTo(orders(0, 1));
			orders(1, 4).forEach(topic::publish);
			next(beans.stages).complete(null);
			assertThat(next(beans.batches)).isEqualTo(orders(1, 4));
			next(beans.stages).completeExceptionally(new BatchFailedException(2, new IllegalStateException("later")));
			assertThat(next(beans.batches)).isEqualTo(orders(3, 4));
			next(beans.stages).complete(null);
		});
	}

	@Test
	void mistakesFailTheStartWithTheRuleAndTheRemedy() {
		failure(NoList.class).isEqualTo(
				"The listener NoList.handle is given batches of up to 10 messages, but takes io.github.vicinal.boot.topic.BatchListenerTests$Order: take a List of payloads or of Messages, or remove maxBatch from its annotation");
		failure(NoBatch.class).isEqualTo(
				"The listener NoBatch.handle takes a List of messages, but is given one message at a time: set maxBatch of its annotation to more than 1, or take a Message");
		failure(RawList.class).isEqualTo(
				"The listener RawList.handle takes a List of nothing in particular: name the type of its payloads, as in List<Order>");
		failure(RawMessages.class).isEqualTo(
				"The listener RawMessages.handle takes Messages of nothing in particular: name the type of their payloads, as in List<Message<Order>>");
		failure(OneHeader.class).isEqualTo(
				"The listener OneHeader.handle takes the header 'origin', but is given batches, each of whose messages has headers of its own: take a List of Messages, or the header vicinal_batchHeaders");
		failure(TooMany.class).isEqualTo(
				"The listener TooMany.handle cannot be used: The maximum batch of subscriber 'batchListenerTests.TooMany.handle' must be from 1 to 1024, not 1025");
		failure(Nothing.class).isEqualTo(
				"The listener Nothing.handle must have a parameter for the payload or a Message of it, in a List, of one type, but has none");
	}

	private AbstractStringAssert<?> failure(Class<?> configuration) {
		String[] message = new String[1];
		this.runner.withUserConfiguration(configuration).run((context) -> {
			assertThat(context).hasFailed();
			message[0] = context.getStartupFailure().getMessage();
		});
		return assertThat(message[0]);
	}

	@Test
	void withoutSpringMessagingListsAreThere() throws Exception {
		Method payloads = ReflectionUtils.findMethod(Plain.class, "payloads", List.class, Acknowledgement.class);
		Method messages = ReflectionUtils.findMethod(Plain.class, "messages", List.class);
		assertThat(payloads).isNotNull();
		assertThat(messages).isNotNull();
		List<Message<Object>> batch = List
			.of(new Message<>("orders", new Order(3), Map.of(), "publisher", 1, 0, false));
		assertThat(new PlainInvoker(new Plain(), payloads).invokeAll(batch, new PendingAcknowledgement()))
			.isEqualTo("[Order[number=3]]");
		assertThat(new PlainInvoker(new Plain(), messages).invokeAll(batch, null)).isEqualTo("1");
	}

	@Test
	void nativeImagesKeepThePayloadsOfBatches() {
		DefaultListableBeanFactory factory = new DefaultListableBeanFactory();
		factory.registerBeanDefinition("slow", new RootBeanDefinition(Slow.class));
		BeanRegistrationAotContribution contribution = new ListenerAotProcessor()
			.processAheadOfTime(RegisteredBean.of(factory, "slow"));
		assertThat(contribution).isNotNull();
		RuntimeHints hints = new RuntimeHints();
		GenerationContext context = mock();
		given(context.getRuntimeHints()).willReturn(hints);
		contribution.applyTo(context, mock());
		assertThat(RuntimeHintsPredicates.reflection().onType(Order.class)).accepts(hints);
	}

	record Order(int number) {
	}

	@Configuration(proxyBeanMethods = false)
	static class Arguments {

		private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

		@AffinityListener(topic = "orders", maxBatch = 10)
		void payloads(List<Order> orders) {
			this.seen.add(orders + " payloads");
		}

		@AffinityListener(topic = "orders", maxBatch = 10)
		void annotated(@Payload List<Order> orders, @Header(TopicHeaders.TOPIC) String topic,
				@Header(TopicHeaders.BATCH_HEADERS) List<Map<String, Object>> each, MessageHeaders headers) {
			assertThat(headers).containsKey(TopicHeaders.BATCH_HEADERS);
			this.seen.add("%s %s %s %s".formatted(orders, each.stream().map((all) -> all.get("origin")).toList(), topic,
					each.get(0).get(TopicHeaders.SEQUENCE)));
		}

		@AffinityListener(topic = "orders", maxBatch = 10)
		void messages(List<Message<Order>> messages) {
			this.seen.add("%s %s messages".formatted(messages.stream().map(Message::payload).toList(),
					messages.stream().map((message) -> message.headers().get("origin")).toList()));
		}

		@AffinityListener(topic = "orders", maxBatch = 10)
		void ofSpring(List<org.springframework.messaging.Message<Order>> messages) {
			this.seen.add("%s %s of spring".formatted(
					messages.stream().map(org.springframework.messaging.Message::getPayload).toList(),
					messages.stream().map((message) -> message.getHeaders().get("origin")).toList()));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Slow {

		private final BlockingQueue<List<Order>> batches = new LinkedBlockingQueue<>();

		private final CountDownLatch published = new CountDownLatch(1);

		@AffinityListener(topic = "orders", model = TopicModel.STREAM, maxBatch = 5)
		void handle(List<Order> orders) throws InterruptedException {
			this.batches.add(orders);
			this.published.await();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Failing {

		private final BlockingQueue<List<Order>> attempts = new LinkedBlockingQueue<>();

		private final BlockingQueue<Object> handled = new LinkedBlockingQueue<>();

		private final BlockingQueue<Message<Order>> letters = new LinkedBlockingQueue<>();

		private final CountDownLatch published = new CountDownLatch(1);

		@AffinityListener(topic = "orders", model = TopicModel.STREAM, maxBatch = 5, maxAttempts = 2, backOffMillis = 0,
				errorHandler = "handler", deadLetter = "orders.dead")
		void handle(List<Order> orders) throws InterruptedException {
			this.attempts.add(orders);
			this.published.await();
			int index = orders.indexOf(new Order(3));
			if (index >= 0) {
				throw new BatchFailedException(index, new IllegalStateException("never 3"));
			}
		}

		@AffinityListener(topic = "orders.dead", model = TopicModel.STREAM)
		void bury(Message<Order> message) {
			this.letters.add(message);
		}

		@Bean
		TopicErrorHandler handler() {
			return (message, cause) -> {
				this.handled.add(message.payload());
				throw cause;
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Manual {

		private final BlockingQueue<List<Order>> batches = new LinkedBlockingQueue<>();

		private final BlockingQueue<Acknowledgement> acknowledgements = new LinkedBlockingQueue<>();

		@AffinityListener(topic = "orders", model = TopicModel.STREAM, maxBatch = 5, maxAttempts = 2, backOffMillis = 0)
		void handle(List<Order> orders, Acknowledgement acknowledgement) {
			this.batches.add(orders);
			this.acknowledgements.add(acknowledgement);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Stages {

		private final BlockingQueue<List<Order>> batches = new LinkedBlockingQueue<>();

		private final BlockingQueue<CompletableFuture<Void>> stages = new LinkedBlockingQueue<>();

		@AffinityListener(topic = "orders", model = TopicModel.STREAM, maxBatch = 5, maxAttempts = 2, backOffMillis = 0)
		CompletableFuture<Void> handle(List<Order> orders) {
			CompletableFuture<Void> stage = new CompletableFuture<>();
			this.batches.add(orders);
			this.stages.add(stage);
			return stage;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NoList {

		@AffinityListener(topic = "orders", maxBatch = 10)
		void handle(Order order) {
			throw new AssertionError(order);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NoBatch {

		@AffinityListener(topic = "orders")
		void handle(List<Message<Order>> orders) {
			throw new AssertionError(orders);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class RawList {

		@AffinityListener(topic = "orders", maxBatch = 10)
		@SuppressWarnings("rawtypes")
		void handle(List orders) {
			throw new AssertionError(orders);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class RawMessages {

		@AffinityListener(topic = "orders", maxBatch = 10)
		@SuppressWarnings("rawtypes")
		void handle(List<Message> orders) {
			throw new AssertionError(orders);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OneHeader {

		@AffinityListener(topic = "orders", maxBatch = 10)
		void handle(List<Order> orders, @Header("origin") String origin) {
			throw new AssertionError(orders + origin);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TooMany {

		@AffinityListener(topic = "orders", maxBatch = 1025)
		void handle(List<Order> orders) {
			throw new AssertionError(orders);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Nothing {

		@AffinityListener(topic = "orders", maxBatch = 10)
		void handle(MessageHeaders headers) {
			throw new AssertionError(headers);
		}

	}

	static class Plain {

		String payloads(List<Order> orders, Acknowledgement acknowledgement) {
			acknowledgement.acknowledge();
			return orders.toString();
		}

		String messages(List<Message<Order>> messages) {
			return Long.toString(messages.get(0).sequence());
		}

	}

}
