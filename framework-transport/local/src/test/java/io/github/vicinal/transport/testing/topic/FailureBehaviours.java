package io.github.vicinal.transport.testing.topic;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

import io.github.vicinal.topic.BatchFailedException;
import io.github.vicinal.topic.DeadLetterHeaders;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicReader;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.transport.testing.topic.SubscriberForm.Shape;
import io.github.vicinal.transport.testing.topic.TopicKitEnvironment.Application;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages that are not handled at once. */
abstract class FailureBehaviours extends TopicBehaviours {

	@ParameterizedTest
	@MethodSource("retryingForms")
	@DisplayName("a message is attempted again after the back-off, as it was published, before those behind it")
	void retries(SubscriberForm form, TopicModel model) throws Exception {
		Topic<byte[]> topic = shop().topic(numbers(model));
		Topics billing = billing();
		List<Long> attempts = Collections.synchronizedList(new ArrayList<>());
		Recorder recorder = new Recorder() {

			@Override
			void handling(Message<byte[]> message) {
				if (number(message) == 1) {
					attempts.add(System.nanoTime());
					if (attempts.size() < 3) {
						message.payload()[3] = 99;
						throw new IllegalStateException("not yet");
					}
				}
			}

		};
		try (AutoCloseable subscription = form.subscribe(billing, numbers(model), "bills", Shape.RETRIED, recorder)) {
			assertThat(subscription).isNotNull();
			awaitAttached(billing, "bills", 1);
			publish(topic, 0, 10);
			await(() -> recorder.handled().size() == 10);
			await(() -> report(billing, "bills").handled() == 10);
			assertThat(report(billing, "bills").failed()).isZero();
		}
		assertThat(recorder.numbers()).isEqualTo(range(0, 10));
		assertThat(recorder.begun()).hasSize(12).noneMatch(Message::redelivered);
		assertThat(attempts).hasSize(3);
		long backOff = Shape.backOff().toNanos();
		assertThat(attempts.get(1) - attempts.get(0)).isGreaterThanOrEqualTo(backOff);
		assertThat(attempts.get(2) - attempts.get(1)).isGreaterThanOrEqualTo(2 * backOff);
	}

	@ParameterizedTest
	@MethodSource("retryingForms")
	@DisplayName("a message is given up after its last attempt, one that ended with an error at once, and others go on")
	void givesUp(SubscriberForm form, TopicModel model) throws Exception {
		Topic<byte[]> topic = shop().topic(numbers(model));
		Topics billing = billing();
		Recorder recorder = new Recorder() {

			@Override
			void handling(Message<byte[]> message) {
				if (number(message) == 1) {
					throw new IllegalStateException("never");
				}
				if (number(message) == 3) {
					throw new AssertionError("an error");
				}
			}

		};
		try (AutoCloseable subscription = form.subscribe(billing, numbers(model), "bills", Shape.RETRIED, recorder)) {
			assertThat(subscription).isNotNull();
			awaitAttached(billing, "bills", 1);
			publish(topic, 0, 5);
			await(() -> recorder.handled().size() == 3);
			await(() -> report(billing, "bills").failed() == 2);
		}
		assertThat(recorder.numbers()).containsExactly(0, 2, 4);
		assertThat(recorder.begun()).extracting(TopicBehaviours::number).containsExactly(0, 1, 1, 1, 2, 3, 4);
		assertThat(recorder.failed()).extracting(TopicBehaviours::number).containsExactly(1, 3);
	}

	@ParameterizedTest
	@MethodSource("retryingBatchForms")
	@DisplayName("of a batch, what is in front of the message that failed is handled, and the rest comes again")
	void failureInBatch(SubscriberForm form, TopicModel model) throws Exception {
		Topic<byte[]> topic = shop().topic(numbers(model));
		Topics billing = billing();
		List<List<Integer>> batches = Collections.synchronizedList(new ArrayList<>());
		CountDownLatch published = new CountDownLatch(1);
		Recorder recorder = new Recorder() {

			@Override
			public void handleAll(List<Message<byte[]>> messages) throws Exception {
				batches.add(messages.stream().map(TopicBehaviours::number).toList());
				published.await();
				int bad = batches.get(batches.size() - 1).indexOf(2);
				for (int i = 0; i < messages.size(); i++) {
					if (i == bad) {
						messages.subList(i, messages.size()).forEach((message) -> message.payload()[4] = 99);
						throw new BatchFailedException(i, new IllegalStateException("never"));
					}
					handle(messages.get(i));
				}
			}

		};
		try (AutoCloseable subscription = form.subscribe(billing, numbers(model), "bills", Shape.BATCHED_RETRIED,
				recorder)) {
			assertThat(subscription).isNotNull();
			awaitAttached(billing, "bills", 1);
			publish(topic, 0, 20);
			published.countDown();
			await(() -> recorder.handled().size() == 19);
			await(() -> report(billing, "bills").handled() == 19);
			assertThat(report(billing, "bills").failed()).isOne();
		}
		List<Integer> expected = new ArrayList<>(range(0, 20));
		expected.remove(Integer.valueOf(2));
		assertThat(recorder.numbers()).isEqualTo(expected);
		assertThat(recorder.handled())
			.allSatisfy((message) -> assertThat(message.payload()).isEqualTo(number(number(message))));
		assertThat(recorder.failed()).extracting(TopicBehaviours::number).containsExactly(2);
		assertThat(batches.stream().filter((batch) -> batch.contains(2))).hasSize(3);
	}

	/** There are no dead letters without Spring. */
	@ParameterizedTest(allowZeroInvocations = true)
	@MethodSource("deadLetterForms")
	@DisplayName("after the last attempt a message is in the dead-letter topic, as it was published")
	void deadLetters(SubscriberForm form, TopicModel model) throws Exception {
		Topics shop = shop();
		Topic<byte[]> topic = shop.topic(numbers(model));
		Topics billing = billing();
		Recorder recorder = new Recorder() {

			@Override
			void handling(Message<byte[]> message) {
				if (number(message) == 1) {
					message.payload()[4] = 99;
					throw new IllegalStateException("never");
				}
			}

		};
		try (AutoCloseable subscription = form.subscribe(billing, numbers(model), "bills", Shape.DEAD_LETTERED,
				recorder)) {
			assertThat(subscription).isNotNull();
			awaitAttached(billing, "bills", 1);
			for (int i = 0; i < 3; i++) {
				topic.publish(number(i), Map.of("origin", "shop"));
			}
			await(() -> recorder.handled().size() == 2);
			Topics audit = environment().subscriber(new Application("audit"));
			TopicSettings<byte[]> dead = TopicSettings.of(Shape.deadLetters("numbers"), TopicModel.STREAM,
					byte[].class);
			Recorder letters = new Recorder();
			audit.subscribe(dead, SubscriberSettings.of("audit"), letters);
			await(() -> letters.handled().size() == 1);
			Message<byte[]> letter = letters.handled().get(0);
			assertThat(letter.payload()).isEqualTo(number(1));
			assertThat(letter.headers()).containsEntry("origin", "shop")
				.containsEntry(DeadLetterHeaders.TOPIC, "numbers")
				.containsEntry(DeadLetterHeaders.SUBSCRIBER, "bills")
				.containsEntry(DeadLetterHeaders.EXCEPTION, IllegalStateException.class.getName())
				.containsEntry(DeadLetterHeaders.EXCEPTION_MESSAGE, "never")
				.containsEntry(DeadLetterHeaders.PUBLISHER, recorder.handled().get(0).publisher());
		}
		assertThat(recorder.begun()).extracting(TopicBehaviours::number).containsExactly(0, 1, 1, 2);
	}

	@ParameterizedTest
	@MethodSource("retryingForms")
	@DisplayName("a message that waits for its next attempt when its subscription is closed goes to another subscriber of the stream")
	void closedBetweenAttempts(SubscriberForm form, TopicModel model) throws Exception {
		Topic<byte[]> topic = shop().topic(numbers(model));
		Topics billing = billing();
		CountDownLatch attempted = new CountDownLatch(1);
		CountDownLatch closing = new CountDownLatch(1);
		Recorder first = new Recorder() {

			@Override
			void handling(Message<byte[]> message) throws Exception {
				attempted.countDown();
				// The subscription is closing when the first attempt ends.
				closing.await();
				throw new IllegalStateException("not yet");
			}

			@Override
			public void closing() {
				closing.countDown();
			}

		};
		AutoCloseable subscription = form.subscribe(billing, numbers(model), "bills", Shape.RETRIED, first);
		awaitAttached(billing, "bills", 1);
		publish(topic, 0, 1);
		attempted.await();
		subscription.close();
		assertThat(first.begun()).hasSize(1);
		assertThat(first.failed()).hasSize((model == TopicModel.STREAM) ? 0 : 1);
		Recorder second = new Recorder();
		Topics audit = environment().subscriber(new Application("audit"));
		audit.subscribe(numbers(model), SubscriberSettings.of("audit"), second);
		awaitAttached(audit, "audit", 1);
		publish(topic, 1, 2);
		await(() -> second.numbers().contains(1));
		if (model == TopicModel.STREAM) {
			await(() -> second.handled().size() == 2);
			assertThat(second.handled()).filteredOn(Message::redelivered)
				.extracting(TopicBehaviours::number)
				.containsExactly(0);
		}
		else {
			assertThat(second.numbers()).containsExactly(1);
		}
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@DisplayName("what a reader has acknowledged does not come again, and what it has not goes to others of the stream")
	void acknowledgement(TopicModel model) throws Exception {
		Topic<byte[]> topic = shop().topic(numbers(model));
		Topics billing = billing();
		TopicReader<byte[]> reader = billing.reader(numbers(model), "bills");
		awaitAttached(billing, "bills", 1);
		publish(topic, 0, 2);
		assertThat(number(reader.take())).isZero();
		reader.acknowledge();
		assertThat(number(reader.take())).isOne();
		reader.close();
		reader.close();
		assertThat(reader.take()).isNull();
		assertThat(reader.isClosed()).isTrue();
		Recorder again = new Recorder();
		billing.subscribe(numbers(model), SubscriberSettings.of("bills"), again);
		awaitAttached(billing, "bills", 1);
		publish(topic, 2, 3);
		await(() -> again.numbers().contains(2));
		if (model == TopicModel.STREAM || differs(TopicDifference.STORED_POSITION)) {
			await(() -> again.handled().size() == 2);
			assertThat(again.numbers()).containsExactlyInAnyOrder(1, 2);
			assertThat(again.handled()).filteredOn((message) -> number(message) == 1).allMatch(Message::redelivered);
			assertThat(again.handled()).filteredOn((message) -> number(message) == 2).noneMatch(Message::redelivered);
			assertThat(report(billing, "bills").redelivered()).isOne();
		}
		else {
			assertThat(again.numbers()).containsExactly(2);
		}
	}

}
