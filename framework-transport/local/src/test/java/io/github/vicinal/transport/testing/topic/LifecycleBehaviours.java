package io.github.vicinal.transport.testing.topic;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;

import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicReader;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.topic.SubscriberForm.Shape;
import io.github.vicinal.transport.testing.topic.TopicKitEnvironment.Application;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Publishers and subscribers come and go. */
abstract class LifecycleBehaviours extends TopicBehaviours {

	@ParameterizedTest
	@MethodSource("formsAndModels")
	@DisplayName("a subscriber that comes late misses what was published, and in a stream gets it")
	void lateSubscriber(SubscriberForm form, TopicModel model) throws Exception {
		Topic<byte[]> topic = shop().topic(numbers(model));
		publish(topic, 0, 20);
		Topics billing = billing();
		Recorder recorder = new Recorder();
		try (AutoCloseable subscription = form.subscribe(billing, numbers(model), "bills", Shape.SINGLE, recorder)) {
			assertThat(subscription).isNotNull();
			awaitAttached(billing, "bills", 1);
			publish(topic, 20, 30);
			await(() -> recorder.numbers().contains(29));
			assertThat(recorder.numbers()).isEqualTo(range((model == TopicModel.STREAM) ? 0 : 20, 30));
			assertThat(recorder.handled()).noneMatch(Message::redelivered);
		}
	}

	@ParameterizedTest
	@MethodSource("formsAndModels")
	@DisplayName("a subscriber that is there first finds its publisher, and the next one")
	void latePublisher(SubscriberForm form, TopicModel model) throws Exception {
		Topics billing = billing();
		Recorder recorder = new Recorder();
		try (AutoCloseable subscription = form.subscribe(billing, numbers(model), "bills", Shape.SINGLE, recorder)) {
			assertThat(subscription).isNotNull();
			for (int i = 0; i < 3; i++) {
				Topic<byte[]> topic = environment().publisher(new Application("shop")).topic(numbers(model));
				awaitAttached(billing, "bills", 1);
				publish(topic, 10 * i, 10 * i + 10);
				int count = 10 * i + 10;
				await(() -> recorder.handled().size() == count);
				topic.close();
				if (!differs(TopicDifference.DECLARED_ONCE)) {
					awaitAttached(billing, "bills", 0);
				}
			}
			assertThat(recorder.numbers()).isEqualTo(range(0, 30));
		}
	}

	@ParameterizedTest
	@MethodSource("formsAndModels")
	@DisplayName("what a publisher had published when it was closed is handled")
	void closedPublisher(SubscriberForm form, TopicModel model) throws Exception {
		Topics shop = shop();
		Topic<byte[]> topic = shop.topic(numbers(model));
		Topics billing = billing();
		Recorder recorder = new Recorder(false);
		try (AutoCloseable subscription = form.subscribe(billing, numbers(model), "bills", Shape.SINGLE, recorder)) {
			assertThat(subscription).isNotNull();
			awaitAttached(billing, "bills", 1);
			publish(topic, 0, 100);
			await(() -> recorder.begun().size() == 1);
			topic.close();
			topic.close();
			assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topic.publish(number(0)))
				.withMessageContaining("'numbers' is closed at this publisher");
			assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topic.publishWritten(number(0), Map.of()))
				.withMessageContaining("'numbers' is closed at this publisher");
			assertThat(topic.report().published()).isEqualTo(100);
			recorder.open();
			await(() -> recorder.handled().size() == 100);
			assertThat(recorder.numbers()).isEqualTo(range(0, 100));
			Topic<byte[]> next = shop.topic(numbers(model));
			assertThat(next).isNotSameAs(topic);
			awaitAttached(billing, "bills", 1);
			await(() -> {
				// In publish/subscribe it may not be attached to the next one yet.
				publish(next, 100, 101);
				return recorder.numbers().contains(100);
			});
		}
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@DisplayName("closed applications refuse, and what waits for their messages ends")
	void closedApplication(TopicModel model) throws Exception {
		Topics shop = shop();
		Topic<byte[]> topic = shop.topic(numbers(model));
		Topics billing = billing();
		TopicReader<byte[]> reader = billing.reader(numbers(model), "reads");
		CompletableFuture<Message<byte[]>> taken = Async.call(reader::take);
		CountDownLatch completed = new CountDownLatch(1);
		billing.flow(numbers(model), "flows").subscribe(new Flow.Subscriber<>() {

			@Override
			public void onSubscribe(Flow.Subscription subscription) {
				subscription.request(1);
			}

			@Override
			public void onNext(Message<byte[]> message) {
				// Nothing is published.
			}

			@Override
			public void onError(Throwable cause) {
				throw new IllegalStateException(cause);
			}

			@Override
			public void onComplete() {
				completed.countDown();
			}

		});
		awaitAttached(billing, "reads", 1);
		awaitAttached(billing, "flows", 1);
		billing.close();
		billing.close();
		assertThat(taken.get()).isNull();
		assertThat(reader.isClosed()).isTrue();
		completed.await();
		assertThatIllegalStateException()
			.isThrownBy(() -> billing.subscribe(numbers(model), SubscriberSettings.of("bills"), new Recorder()))
			.withMessageContaining("closed");
		assertThat(billing.subscriptions()).isEmpty();
		shop.close();
		assertThatIllegalStateException().isThrownBy(() -> shop.topic(numbers(model))).withMessageContaining("closed");
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topic.publish(number(0)))
			.withMessageContaining("'numbers' is closed at this publisher");
		assertThat(shop.topics()).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("formsAndModels")
	@DisplayName("a subscriber that stops and starts goes on with what is published then, and in a stream with all")
	void stopAndStart(SubscriberForm form, TopicModel model) throws Exception {
		Topic<byte[]> topic = shop().topic(numbers(model));
		Topics billing = billing();
		List<Integer> all = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			Recorder recorder = new Recorder();
			int first = 20 * i;
			try (AutoCloseable subscription = form.subscribe(billing, numbers(model), "bills", Shape.SINGLE,
					recorder)) {
				assertThat(subscription).isNotNull();
				awaitAttached(billing, "bills", 1);
				publish(topic, first, first + 10);
				await(() -> recorder.numbers().contains(first + 9));
				await(() -> report(billing, "bills").handled() == recorder.handled().size());
			}
			// A flow is cancelled by another thread.
			await(() -> billing.subscriptions().isEmpty());
			publish(topic, first + 10, first + 20);
			if (!differs(TopicDifference.SENT_AHEAD)) {
				assertThat(recorder.handled()).noneMatch(Message::redelivered);
			}
			all.addAll(recorder.numbers());
		}
		if (differs(TopicDifference.SENT_AHEAD)) {
			assertThat(all).doesNotHaveDuplicates();
			Collections.sort(all);
		}
		if (model == TopicModel.STREAM || differs(TopicDifference.STORED_POSITION)) {
			assertThat(all).isEqualTo(range(0, 50));
		}
		else {
			List<Integer> expected = new ArrayList<>(range(0, 10));
			expected.addAll(range(20, 30));
			expected.addAll(range(40, 50));
			if (differs(TopicDifference.SENT_AHEAD)) {
				assertThat(all).containsAll(expected);
			}
			else {
				assertThat(all).isEqualTo(expected);
			}
		}
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@DisplayName("closing a subscription waits for its handler, and what it has begun is handled once")
	void closingWaits(TopicModel model) throws Exception {
		Topic<byte[]> topic = shop().topic(numbers(model));
		Topics billing = billing();
		CountDownLatch closing = new CountDownLatch(1);
		Recorder recorder = new Recorder() {

			@Override
			void handling(Message<byte[]> message) throws Exception {
				closing.await();
			}

			@Override
			public void closing() {
				closing.countDown();
			}

		};
		Subscription subscription = billing.subscribe(numbers(model), SubscriberSettings.of("bills"), recorder);
		awaitAttached(billing, "bills", 1);
		publish(topic, 0, 1);
		await(() -> recorder.begun().size() == 1);
		subscription.close();
		assertThat(recorder.numbers()).containsExactly(0);
		subscription.close();
		assertThat(subscription.report().handled()).isOne();
		Recorder next = new Recorder();
		billing.subscribe(numbers(model), SubscriberSettings.of("bills"), next);
		awaitAttached(billing, "bills", 1);
		publish(topic, 1, 2);
		await(() -> next.handled().size() == 1);
		assertThat(next.numbers()).containsExactly(1);
		assertThat(next.handled()).noneMatch(Message::redelivered);
		assertThat(recorder.begun()).hasSize(1);
	}

}
