package io.github.vicinal.transport.shm.topic;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicReader;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.transport.testing.Async;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Readers and flows, and what they hold when they are closed. */
@Timeout(60)
class SubscriberFormsTests {

	private static final TopicSettings<String> STREAM = TopicSettings.of("jobs", TopicModel.STREAM, String.class);

	private static final TopicSettings<String> ALL = TopicSettings.of("news", TopicModel.PUB_SUB, String.class);

	private Path directory;

	private final List<ShmTopics> all = new ArrayList<>();

	@BeforeEach
	void makeDirectory() throws Exception {
		this.directory = TopicFixture.memoryDirectory();
	}

	@AfterEach
	void closeAndLeaveNothing() throws Exception {
		this.all.forEach(ShmTopics::close);
		TopicFixture.assertEmptyAndDelete(this.directory);
	}

	private ShmTopics application(String name) {
		ShmTopics topics = TopicFixture.topics(this.directory, name);
		this.all.add(topics);
		return topics;
	}

	private static void awaitSubscribers(Topic<?> topic, int count) {
		TopicFixture.await(() -> topic.report().subscribers().size() == count);
	}

	@Test
	void aReaderTakesMessagesOfSeveralPublishersAndFreesTheirRoom() throws Exception {
		Topic<String> one = application("one").topic(ALL);
		Topic<String> other = application("other").topic(ALL);
		try (TopicReader<String> reader = application("reader").reader(ALL, "reader")) {
			awaitSubscribers(one, 1);
			awaitSubscribers(other, 1);
			assertThat(reader.poll(Duration.ZERO)).isNull();
			int count = 1000;
			IntStream.range(0, count).forEach((i) -> {
				one.publish("one " + i);
				other.publish("other " + i);
			});
			List<String> ones = new ArrayList<>();
			List<String> others = new ArrayList<>();
			for (int i = 0; i < 2 * count; i++) {
				String payload = payload(reader.take());
				(payload.startsWith("one") ? ones : others).add(payload);
			}
			assertThat(ones).isEqualTo(IntStream.range(0, count).mapToObj((i) -> "one " + i).toList());
			assertThat(others).isEqualTo(IntStream.range(0, count).mapToObj((i) -> "other " + i).toList());
			assertThat(one.report().usedBytes() + other.report().usedBytes()).isPositive();
			reader.acknowledge();
			TopicFixture.await(() -> one.report().usedBytes() + other.report().usedBytes() == 0);
			assertThat(reader.report().handled()).isEqualTo(2 * count);
		}
	}

	private static String payload(@Nullable Message<String> message) {
		assertThat(message).isNotNull();
		return message.payload();
	}

	@Test
	void aMessageThatAReaderHasNotAcknowledgedGoesToAnotherOne() throws Exception {
		Topic<String> topic = application("boss").topic(STREAM);
		List.of("a", "b", "c").forEach(topic::publish);
		try (TopicReader<String> first = application("first").reader(STREAM, "first")) {
			assertThat(payload(first.take())).isEqualTo("a");
			assertThat(payload(first.take())).isEqualTo("b");
		}
		try (TopicReader<String> second = application("second").reader(STREAM, "second")) {
			List<String> received = new ArrayList<>();
			for (int i = 0; i < 2; i++) {
				Message<String> message = second.take();
				assertThat(message).isNotNull();
				received.add(message.payload() + message.redelivered());
			}
			assertThat(received).containsExactly("btrue", "cfalse");
			second.acknowledge();
			TopicFixture.await(() -> topic.report().usedBytes() == 0);
			assertThat(second.poll(Duration.ofMillis(10))).isNull();
		}
	}

	@Test
	void aReaderTakesAllThatIsThere() throws Exception {
		Topic<String> topic = application("boss").topic(STREAM);
		IntStream.range(0, 25).forEach((i) -> topic.publish("job " + i));
		try (TopicReader<String> reader = application("reader").reader(STREAM, "reader", 10)) {
			List<Integer> sizes = new ArrayList<>();
			List<String> received = new ArrayList<>();
			while (received.size() < 25) {
				List<Message<String>> messages = reader.takeAll();
				sizes.add(messages.size());
				messages.forEach((message) -> received.add(message.payload()));
			}
			assertThat(sizes).containsExactly(10, 10, 5);
			assertThat(received).isEqualTo(IntStream.range(0, 25).mapToObj((i) -> "job " + i).toList());
			assertThat(topic.report().usedBytes()).isPositive();
			assertThat(reader.pollAll(Duration.ZERO)).isEmpty();
			TopicFixture.await(() -> topic.report().usedBytes() == 0);
			assertThat(reader.report().handled()).isEqualTo(25);
			topic.publish("one more");
			assertThat(payload(reader.take())).isEqualTo("one more");
		}
	}

	@Test
	void messagesOfABatchThatAReaderHasNotAcknowledgedGoToAnotherOne() throws Exception {
		Topic<String> topic = application("boss").topic(STREAM);
		IntStream.range(0, 5).forEach((i) -> topic.publish("job " + i));
		try (TopicReader<String> first = application("first").reader(STREAM, "first", 10)) {
			assertThat(payload(first.take())).isEqualTo("job 0");
			assertThat(payload(first.take())).isEqualTo("job 1");
			first.acknowledge();
			assertThat(first.takeAll()).hasSize(3);
		}
		try (TopicReader<String> second = application("second").reader(STREAM, "second", 10)) {
			List<String> received = new ArrayList<>();
			while (received.size() < 3) {
				second.takeAll().forEach((message) -> received.add(message.payload() + message.redelivered()));
			}
			assertThat(received).containsExactlyInAnyOrder("job 2true", "job 3true", "job 4true");
			second.acknowledge();
			TopicFixture.await(() -> topic.report().usedBytes() == 0);
		}
	}

	@Test
	void aReaderOfSingleMessagesTakesOneAtATimeInLists() throws Exception {
		Topic<String> topic = application("boss").topic(STREAM);
		List.of("a", "b").forEach(topic::publish);
		TopicReader<String> reader = application("reader").reader(STREAM, "reader");
		assertThat(reader.takeAll()).singleElement().extracting(Message::payload).isEqualTo("a");
		assertThat(reader.pollAll(Duration.ofSeconds(20))).singleElement().extracting(Message::payload).isEqualTo("b");
		reader.close();
		assertThat(reader.takeAll()).isEmpty();
	}

	@Test
	void aReaderThatWaitsEndsWhenItsTopicsAreClosed() throws Exception {
		ShmTopics topics = application("reader");
		TopicReader<String> reader = topics.reader(STREAM, "reader");
		CompletableFuture<Message<String>> taken = Async.call(reader::take);
		TopicFixture.await(() -> Async.isSomebodyIn("HandOverReader.await"));
		topics.close();
		assertThat(taken.join()).isNull();
		assertThat(reader.isClosed()).isTrue();
		assertThat(reader.poll(Duration.ZERO)).isNull();
		reader.close();
	}

	@Test
	void closingDoesNotWaitForAReaderThatHasItsMessageOrHasNotAskedForIt() throws Exception {
		Topic<String> topic = application("boss").topic(ALL);
		ShmTopics topics = application("readers");
		TopicReader<String> lazy = topics.reader(ALL, "lazy");
		TopicReader<String> busy = topics.reader(ALL, "busy");
		awaitSubscribers(topic, 2);
		topic.publish("a");
		topic.publish("b");
		assertThat(payload(busy.take())).isEqualTo("a");
		topics.close();
		busy.acknowledge();
		assertThat(busy.report().handled() + lazy.report().handled()).isZero();
		assertThat(busy.report().failed() + lazy.report().failed()).isZero();
		awaitSubscribers(topic, 0);
	}

	@Test
	void closingDoesNotWaitForTheBackOffOfAMessageThatAnotherSubscriberGets() {
		Topic<String> topic = application("boss").topic(STREAM);
		topic.publish("a");
		CountDownLatch attempted = new CountDownLatch(1);
		Subscription first = application("first").subscribe(STREAM,
				new SubscriberSettings("first", 1, 3, Duration.ofHours(1)), (message) -> {
					attempted.countDown();
					throw new IllegalStateException("not yet");
				});
		TopicFixture.await(() -> attempted.getCount() == 0);
		first.close();
		assertThat(first.report().failed()).isZero();
		AtomicReference<Message<String>> received = new AtomicReference<>();
		application("second").subscribe(STREAM, SubscriberSettings.of("second"), received::set);
		TopicFixture.await(() -> received.get() != null);
		assertThat(received.get().redelivered()).isTrue();
	}

	@Test
	void aFlowGivesAsManyMessagesAsWereAskedFor() throws Exception {
		Topic<String> topic = application("boss").topic(STREAM);
		IntStream.range(0, 100).forEach((i) -> topic.publish("job " + i));
		ShmTopics topics = application("worker");
		Recorder recorder = new Recorder((subscription, payload) -> {
		});
		topics.flow(STREAM, "worker").subscribe(recorder);
		recorder.subscription.request(3);
		TopicFixture.await(() -> recorder.signals.size() == 3);
		TopicFixture.await(() -> Async.isSomebodyIn("SubscriberFlow.awaitDemand"));
		assertThat(recorder.signals).containsExactly("job 0", "job 1", "job 2");
		assertThat(topic.report().usedBytes()).isPositive();
		recorder.subscription.request(Long.MAX_VALUE);
		recorder.subscription.request(1);
		TopicFixture.await(() -> topic.report().usedBytes() == 0);
		topics.close();
		assertThat(recorder.signals).hasSize(101).last().isEqualTo("complete");
	}

	@Test
	void aFlowThatIsCancelledInTheMiddleLeavesTheRestToOthers() throws Exception {
		Topic<String> topic = application("boss").topic(STREAM);
		IntStream.range(0, 10).forEach((i) -> topic.publish("job " + i));
		Recorder first = new Recorder((subscription, payload) -> {
			if (payload.equals("job 4")) {
				subscription.cancel();
			}
		});
		application("first").flow(STREAM, "first").subscribe(first);
		first.subscription.request(100);
		TopicFixture.await(() -> first.signals.size() == 5);
		Recorder second = new Recorder((subscription, payload) -> {
		});
		application("second").flow(STREAM, "second").subscribe(second);
		second.subscription.request(100);
		TopicFixture.await(() -> topic.report().usedBytes() == 0);
		assertThat(first.signals).containsExactly("job 0", "job 1", "job 2", "job 3", "job 4");
		// What the first one already had is given back, and comes whenever it is back.
		assertThat(second.signals).containsExactlyInAnyOrder("job 5", "job 6", "job 7", "job 8", "job 9");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aFlowWhoseSubscriberThrowsLeavesTheRestToOthers(boolean error) throws Exception {
		Topic<String> topic = application("boss").topic(STREAM);
		IntStream.range(0, 10).forEach((i) -> topic.publish("job " + i));
		Recorder first = new Recorder((subscription, payload) -> {
			if (error) {
				throw new AssertionError("on purpose");
			}
			throw new IllegalStateException("on purpose");
		});
		ShmTopics topics = application("first");
		topics.flow(STREAM, "first").subscribe(first);
		first.subscription.request(100);
		TopicFixture.await(() -> first.signals.size() > 0 && topics.subscriptions().isEmpty());
		Recorder second = new Recorder((subscription, payload) -> {
		});
		application("second").flow(STREAM, "second").subscribe(second);
		second.subscription.request(100);
		TopicFixture.await(() -> topic.report().usedBytes() == 0);
		assertThat(first.signals).containsExactly("job 0");
		assertThat(second.signals).hasSize(9).startsWith("job 1").endsWith("job 9");
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void aHeaderWithoutANameOrValueIsRefusedWithItsName(TopicModel model) {
		Topic<String> topic = application("boss").topic(TopicSettings.of("forms", model, String.class));
		Map<String, String> headers = new HashMap<>();
		headers.put("origin", null);
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topic.publish("job", headers))
			.withMessage("The header 'origin' of a message of topic 'forms' has no value (null): leave the header out");
		headers.clear();
		headers.put(null, "shop");
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topic.publish("job", headers))
			.withMessage("A header of a message of topic 'forms' has no name (null), and the value 'shop'");
		topic.publish("job", Map.of("origin", ""));
	}

	@ParameterizedTest
	@ValueSource(classes = { String.class, byte[].class, Object.class })
	void aPayloadThatIsNullIsRefused(Class<?> type) {
		Topic<?> topic = application("boss").topic(TopicSettings.of("forms", TopicModel.STREAM, type));
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topic.publish(null))
			.withMessage("The payload is null: publish a value that stands for nothing");
	}

	@Test
	void aFlowSaysWhyItFails() {
		ShmTopics topics = application("worker");
		Recorder nothing = new Recorder((subscription, payload) -> {
		});
		topics.flow(STREAM, "worker").subscribe(nothing);
		nothing.subscription.request(0);
		assertThat(nothing.signals).containsExactly(
				"error A subscriber must ask for at least one message (rule 3.9 of Reactive Streams), not 0");
		TopicFixture.await(() -> topics.subscriptions().isEmpty());
		topics.close();
		Recorder late = new Recorder((subscription, payload) -> {
		});
		topics.flow(STREAM, "worker").subscribe(late);
		assertThat(late.signals).containsExactly("error The topics of this application are closed");
	}

	private static final class Recorder implements Flow.Subscriber<Message<String>> {

		private final List<String> signals = Collections.synchronizedList(new ArrayList<>());

		private final BiConsumer<Flow.Subscription, String> onNext;

		private Flow.Subscription subscription;

		Recorder(BiConsumer<Flow.Subscription, String> onNext) {
			this.onNext = onNext;
		}

		@Override
		public void onSubscribe(Flow.Subscription made) {
			this.subscription = made;
		}

		@Override
		public void onNext(Message<String> message) {
			this.signals.add(message.payload());
			this.onNext.accept(this.subscription, message.payload());
		}

		@Override
		public void onError(Throwable failure) {
			this.signals.add("error " + failure.getMessage());
		}

		@Override
		public void onComplete() {
			this.signals.add("complete");
		}

	}

}
