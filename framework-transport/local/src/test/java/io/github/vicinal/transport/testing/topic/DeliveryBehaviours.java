package io.github.vicinal.transport.testing.topic;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicFullException;
import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.UnreadableMessageException;
import io.github.vicinal.topic.observation.TopicObservations;
import io.github.vicinal.topic.observation.TopicProcessContext;
import io.github.vicinal.topic.observation.TopicPublishContext;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.topic.SubscriberForm.Shape;
import io.github.vicinal.transport.testing.topic.TopicKitEnvironment.Application;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Messages arrive as they were published. */
abstract class DeliveryBehaviours extends TopicBehaviours {

	@ParameterizedTest
	@MethodSource("formsAndModels")
	@DisplayName("messages arrive once, in order, with their headers and where they come from")
	void orderAndHeaders(SubscriberForm form, TopicModel model) throws Exception {
		Topic<byte[]> topic = shop().topic(numbers(model));
		Topics billing = billing();
		Recorder recorder = new Recorder();
		try (AutoCloseable subscription = form.subscribe(billing, numbers(model), "bills", Shape.SINGLE, recorder)) {
			assertThat(subscription).isNotNull();
			awaitAttached(billing, "bills", 1);
			long before = System.nanoTime();
			for (int i = 0; i < 300; i++) {
				topic.publish(number(i), Map.of("number", String.valueOf(i), "Ünïcode", "€ \n", "empty", ""));
			}
			await(() -> recorder.handled().size() == 300);
			assertThat(recorder.numbers()).isEqualTo(range(0, 300));
			List<Message<byte[]>> messages = recorder.handled();
			for (Message<byte[]> message : messages) {
				assertThat(message.topic()).isEqualTo("numbers");
				assertThat(message.headers()).containsOnly(Map.entry("number", String.valueOf(number(message))),
						Map.entry("Ünïcode", "€ \n"), Map.entry("empty", ""));
				assertThat(message.redelivered()).isFalse();
				// Durable messages have the time of a clock that is compared once a
				// second.
				assertThat(message.publishedNanos()).isBetween(before - 1_000_000_000L,
						System.nanoTime() + 1_000_000_000L);
			}
			assertThat(messages).extracting(Message::publisher).hasSize(300).containsOnly(messages.get(0).publisher());
			assertThat(messages).extracting(Message::sequence).isSorted().doesNotHaveDuplicates();
			if (!differs(TopicDifference.SEQUENCE_IS_INDEX)) {
				assertThat(messages.get(299).sequence()).isEqualTo(300);
			}
			await(() -> report(billing, "bills").handled() == 300);
		}
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@DisplayName("messages of several publishers keep the order of each")
	void severalPublishers(TopicModel model) throws Exception {
		List<Topics> publishers = List.of(environment().publisher(new Application("one")),
				environment().publisher(new Application("two")));
		List<Topic<byte[]>> topics = publishers.stream().map((each) -> each.topic(numbers(model))).toList();
		Topics billing = billing();
		Recorder recorder = new Recorder();
		billing.subscribe(numbers(model), SubscriberSettings.of("bills"), recorder);
		// A durable topic has one queue, whatever the number of publishers.
		int attached = (differs(TopicDifference.ONE_APPLICATION) || differs(TopicDifference.DECLARED_ONCE)) ? 1 : 2;
		awaitAttached(billing, "bills", attached);
		List<CompletableFuture<Boolean>> publishing = topics.stream().map((topic) -> Async.call(() -> {
			for (int i = 0; i < 500; i++) {
				topic.publish(number(i), Map.of("by", String.valueOf(topics.indexOf(topic))));
			}
			return true;
		})).toList();
		for (CompletableFuture<Boolean> each : publishing) {
			each.get();
		}
		await(() -> recorder.handled().size() == 1000);
		Map<String, List<Integer>> byPublisher = recorder.handled()
			.stream()
			.collect(Collectors.groupingBy(Message::publisher,
					Collectors.mapping(TopicBehaviours::number, Collectors.toList())));
		if (differs(TopicDifference.ONE_APPLICATION)) {
			assertThat(byPublisher).hasSize(1);
		}
		else {
			assertThat(byPublisher).hasSize(2);
			assertThat(byPublisher.values()).allSatisfy((numbers) -> assertThat(numbers).isEqualTo(range(0, 500)));
		}
	}

	@ParameterizedTest
	@MethodSource("formsAndModels")
	@DisplayName("payloads of no bytes, 16 bytes, 100 KB and others arrive byte by byte")
	void sizes(SubscriberForm form, TopicModel model) throws Exception {
		Topic<byte[]> topic = shop().topic(numbers(model));
		Topics billing = billing();
		Recorder recorder = new Recorder();
		List<byte[]> sent = new ArrayList<>();
		Random random = new Random(19);
		try (AutoCloseable subscription = form.subscribe(billing, numbers(model), "bills", Shape.SINGLE, recorder)) {
			assertThat(subscription).isNotNull();
			awaitAttached(billing, "bills", 1);
			for (int size : new int[] { 0, 16, 100_000, 1, 7, 8, 9, 0, 4096, 65_536, 100_001, 0 }) {
				byte[] payload = new byte[size];
				random.nextBytes(payload);
				sent.add(payload);
				topic.publish(payload.clone());
			}
			await(() -> recorder.handled().size() == sent.size());
		}
		List<Message<byte[]>> messages = recorder.handled();
		for (int i = 0; i < sent.size(); i++) {
			assertThat(messages.get(i).payload()).isEqualTo(sent.get(i));
			assertThat(messages.get(i).headers()).isEmpty();
		}
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@DisplayName("a message that is too large, by its payload or its headers, is refused with the limit, and nothing else")
	void oversize(TopicModel model) {
		Topic<byte[]> topic = shop().topic(numbers(model));
		Topics billing = billing();
		Recorder recorder = new Recorder();
		billing.subscribe(numbers(model), SubscriberSettings.of("bills"), recorder);
		awaitAttached(billing, "bills", 1);
		publish(topic, 0, 1);
		int oversize = environment().oversizeBytes();
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topic.publish(new byte[oversize]))
			.isNotInstanceOf(TopicFullException.class)
			.withMessageContaining("'numbers'")
			.withMessageContaining("with its headers")
			.withMessageContaining(String.valueOf(oversize).substring(0, 3))
			.withMessageContaining("set ");
		Map<String, String> headers = new HashMap<>();
		for (int i = 0; i <= oversize / 60_000; i++) {
			headers.put("large" + i, "€".repeat(20_000));
		}
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topic.publish(new byte[1], headers))
			.isNotInstanceOf(TopicFullException.class)
			.withMessageContaining("with its headers");
		assertThatExceptionOfType(TopicException.class)
			.isThrownBy(() -> topic.publish(new byte[1], Map.of("large", "€".repeat(22_000))))
			.isNotInstanceOf(TopicFullException.class)
			.withMessageContaining("value of the header 'large'")
			.withMessageContaining("'numbers'")
			.withMessageContaining("65535 bytes")
			.withMessageContaining("66000");
		assertThatExceptionOfType(TopicException.class)
			.isThrownBy(() -> topic.publishAll(List.of(number(1), new byte[oversize], number(9)), Map.of()))
			.withMessageContaining("with its headers");
		publish(topic, 2, 3);
		await(() -> recorder.handled().size() == 3);
		assertThat(recorder.numbers()).containsExactly(0, 1, 2);
		assertThat(topic.report().published()).isEqualTo(3);
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@DisplayName("null as a payload, a header or its name is refused, and nothing else")
	@SuppressWarnings("DataFlowIssue") // What is not allowed is what is tested.
	void nulls(TopicModel model) {
		Topics shop = shop();
		Topic<byte[]> bytes = shop.topic(numbers(model));
		Topic<String> text = shop.topic(TopicSettings.of("text", model, String.class));
		Topic<Order> orders = shop.topic(TopicSettings.of("orders", model, Order.class));
		Topics billing = billing();
		Recorder recorder = new Recorder();
		billing.subscribe(numbers(model), SubscriberSettings.of("bills"), recorder);
		awaitAttached(billing, "bills", 1);
		for (Topic<?> topic : List.of(bytes, text, orders)) {
			assertThatExceptionOfType(TopicException.class).as(topic.settings().name())
				.isThrownBy(() -> topic.publish(null))
				.withMessageContaining("payload is null");
		}
		Map<String, String> value = new HashMap<>();
		value.put("origin", null);
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> bytes.publish(number(1), value))
			.withMessageContaining("'origin'")
			.withMessageContaining("null");
		Map<String, String> name = new HashMap<>();
		name.put(null, "shop");
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> bytes.publish(number(1), name))
			.withMessageContaining("null");
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> bytes.publishWritten(number(1), name))
			.withMessageContaining("null");
		publish(bytes, 2, 3);
		await(() -> recorder.handled().size() == 1);
		assertThat(recorder.numbers()).containsExactly(2);
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@DisplayName("text and objects arrive as what they were, and what cannot be read is given away once")
	void types(TopicModel model) {
		Topics shop = shop();
		TopicSettings<String> texts = TopicSettings.of("text", model, String.class);
		TopicSettings<Order> orders = TopicSettings.of("orders", model, Order.class);
		Topic<String> text = shop.topic(texts);
		Topic<Order> order = shop.topic(orders);
		Topics billing = billing();
		List<Object> received = Collections.synchronizedList(new ArrayList<>());
		billing.subscribe(texts, SubscriberSettings.of("texts"), (message) -> received.add(message.payload()));
		billing.subscribe(orders, new SubscriberSettings("orders", 1, 3, Shape.backOff()), new MessageHandler<>() {

			@Override
			public void handle(Message<Order> message) {
				received.add(message.payload());
			}

			@Override
			public void unreadable(Message<byte[]> message, UnreadableMessageException cause) {
				received.add(new String(message.payload(), StandardCharsets.UTF_8) + message.headers());
			}

		});
		awaitAttached(billing, "texts", 1);
		awaitAttached(billing, "orders", 1);
		text.publish("");
		text.publish("€ 1\0");
		await(() -> received.size() == 2);
		order.publishWritten("{\"number\":".getBytes(StandardCharsets.UTF_8), Map.of("is", "cut off"));
		order.publish(new Order(7, "bücher", List.of(1, 2)));
		await(() -> received.size() == 4);
		assertThat(received).containsExactly("", "€ 1\0", "{\"number\":{is=cut off}",
				new Order(7, "bücher", List.of(1, 2)));
		await(() -> report(billing, "orders").handled() == 1);
		assertThat(report(billing, "orders").failed()).isEqualTo(1);
	}

	@ParameterizedTest
	@MethodSource("formsAndModels")
	@DisplayName("messages that are published together arrive in order")
	void publishedTogether(SubscriberForm form, TopicModel model) throws Exception {
		Topic<byte[]> topic = shop().topic(numbers(model));
		Topics billing = billing();
		Recorder recorder = new Recorder();
		try (AutoCloseable subscription = form.subscribe(billing, numbers(model), "bills", Shape.SINGLE, recorder)) {
			assertThat(subscription).isNotNull();
			awaitAttached(billing, "bills", 1);
			for (int i = 0; i < 10; i++) {
				topic.publishAll(range(30 * i, 30 * i + 30).stream().map(TopicBehaviours::number).toList(),
						Map.of("of", String.valueOf(i)));
			}
			await(() -> recorder.handled().size() == 300);
		}
		assertThat(recorder.numbers()).isEqualTo(range(0, 300));
		assertThat(recorder.handled())
			.allMatch((message) -> message.headers().equals(Map.of("of", String.valueOf(number(message) / 30))));
	}

	@ParameterizedTest
	@MethodSource("batchForms")
	@DisplayName("batches have what is there, in order and no more than their maximum")
	void batches(SubscriberForm form, TopicModel model) throws Exception {
		Topic<byte[]> topic = shop().topic(numbers(model));
		Topics billing = billing();
		Recorder recorder = new Recorder(false);
		try (AutoCloseable subscription = form.subscribe(billing, numbers(model), "bills", Shape.BATCHED, recorder)) {
			assertThat(subscription).isNotNull();
			awaitAttached(billing, "bills", 1);
			publish(topic, 0, 1);
			await(() -> recorder.batches().size() == 1);
			publish(topic, 1, 100);
			recorder.open();
			await(() -> recorder.handled().size() == 100);
			await(() -> report(billing, "bills").handled() == 100);
		}
		assertThat(recorder.numbers()).isEqualTo(range(0, 100));
		assertThat(recorder.batches().get(0)).isEqualTo(1);
		assertThat(recorder.batches()).allMatch((size) -> size >= 1 && size <= Shape.BATCHED.maxBatch())
			.anyMatch((size) -> size > 1);
	}

	@ParameterizedTest
	@MethodSource("formsAndModels")
	@DisplayName("the trace of the publisher goes on at the subscriber")
	void traces(SubscriberForm form, TopicModel model) throws Exception {
		Traces traces = new Traces();
		ObservationRegistry registry = ObservationRegistry.create();
		registry.observationConfig().observationHandler(traces);
		TopicObservations observations = new TopicObservations(registry, null, null);
		Topic<byte[]> topic = environment().publisher(new Application("shop", TopicGrants.all(), observations))
			.topic(numbers(model));
		Topics billing = environment().subscriber(new Application("billing", TopicGrants.all(), observations));
		Recorder recorder = new Recorder();
		try (AutoCloseable subscription = form.subscribe(billing, numbers(model), "bills", Shape.SINGLE, recorder)) {
			assertThat(subscription).isNotNull();
			awaitAttached(billing, "bills", 1);
			for (int i = 0; i < 20; i++) {
				topic.publish(number(i), Map.of("origin", "shop"));
			}
			await(() -> recorder.handled().size() == 20);
		}
		List<String> ids = range(0, 20).stream().map((i) -> "trace-" + i).toList();
		assertThat(recorder.handled()).allMatch((message) -> message.headers()
			.equals(Map.of("origin", "shop", "traceparent", "trace-" + number(message))));
		assertThat(traces.published()).isEqualTo(ids);
		assertThat(traces.processed()).isEqualTo(form.isObserved() ? ids : List.of());
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@DisplayName("each subscriber gets each message, and those of a stream share them")
	void severalSubscribers(TopicModel model) {
		Topic<byte[]> topic = shop().topic(numbers(model));
		List<Recorder> recorders = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			Recorder recorder = new Recorder();
			recorders.add(recorder);
			Topics application = environment().subscriber(new Application("billing" + i));
			application.subscribe(numbers(model),
					new SubscriberSettings("bills" + i, (model == TopicModel.STREAM) ? 2 : 1, 1, Shape.backOff()),
					recorder);
			awaitAttached(application, "bills" + i, 1);
		}
		publish(topic, 0, 1000);
		int all = (model == TopicModel.STREAM) ? 1000 : 3000;
		await(() -> recorders.stream().mapToInt((recorder) -> recorder.handled().size()).sum() == all);
		if (model == TopicModel.PUB_SUB) {
			assertThat(recorders).allSatisfy((recorder) -> assertThat(recorder.numbers()).isEqualTo(range(0, 1000)));
			return;
		}
		int[] numbers = recorders.stream()
			.flatMap((recorder) -> recorder.numbers().stream())
			.mapToInt(Integer::intValue)
			.sorted()
			.toArray();
		assertThat(Arrays.stream(numbers).boxed().toList()).isEqualTo(range(0, 1000));
		assertThat(recorders.stream().flatMap((recorder) -> recorder.handled().stream()))
			.noneMatch(Message::redelivered);
	}

	/** A payload that travels as JSON. */
	record Order(int number, String name, List<Integer> lines) {
	}

	/** A tracer that puts a number into each message, and notes what arrives. */
	private static final class Traces implements ObservationHandler<Observation.Context> {

		private final List<String> published = new ArrayList<>();

		private final List<String> processed = new ArrayList<>();

		@Override
		public synchronized void onStart(Observation.Context context) {
			if (context instanceof TopicPublishContext publish) {
				String id = "trace-" + this.published.size();
				this.published.add(id);
				publish.getSetter().set(publish.getCarrier(), "traceparent", id);
			}
			else if (context instanceof TopicProcessContext process) {
				this.processed.add(String.valueOf(process.getGetter().get(process.getCarrier(), "traceparent")));
			}
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

		synchronized List<String> published() {
			return List.copyOf(this.published);
		}

		synchronized List<String> processed() {
			return List.copyOf(this.processed);
		}

	}

}
