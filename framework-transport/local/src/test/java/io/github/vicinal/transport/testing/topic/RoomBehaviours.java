package io.github.vicinal.transport.testing.topic;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicFullException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicReport;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.WhenFull;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.topic.SubscriberForm.Shape;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Subscribers that are slower than their publishers, and what is reported of them. */
abstract class RoomBehaviours extends TopicBehaviours {

	private static final int LARGE = 8 << 10;

	private static byte[] large(int number) {
		return ByteBuffer.allocate(LARGE).putInt(number).array();
	}

	/** Publishes until there is no room, and returns how many were published. */
	private int fill(Topic<byte[]> topic) {
		int most = 3 * environment().roomBytes() / LARGE;
		for (int i = 0; i < most; i++) {
			try {
				topic.publish(large(i));
			}
			catch (TopicFullException ex) {
				assertThat(ex).hasMessageContaining("'numbers' has no room");
				return i;
			}
		}
		return most;
	}

	@ParameterizedTest
	@MethodSource("formsAndModels")
	@DisplayName("a full topic fails at once, loses nothing, and goes on when there is room")
	void fail(SubscriberForm form, TopicModel model) throws Exception {
		Topic<byte[]> topic = shop().topic(small(model, WhenFull.FAIL, Duration.ofSeconds(30)));
		Topics billing = billing();
		Recorder recorder = new Recorder(false);
		try (AutoCloseable subscription = form.subscribe(billing, small(model, WhenFull.FAIL, Duration.ofSeconds(30)),
				"bills", Shape.SINGLE, recorder)) {
			assertThat(subscription).isNotNull();
			awaitAttached(billing, "bills", 1);
			long before = System.nanoTime();
			int published = fill(topic);
			assertThat(System.nanoTime() - before).isLessThan(Duration.ofSeconds(20).toNanos());
			int room = environment().roomBytes() / LARGE;
			// What is on its way to another host has left a stream's room in no way.
			assertThat(published).isBetween(room / 2, 2 * room);
			assertThat(topic.report().refused()).isOne();
			assertThat(topic.report().published()).isEqualTo(published);
			recorder.open();
			await(() -> recorder.handled().size() == published);
			await(() -> publishes(topic, published));
			await(() -> recorder.handled().size() == published + 1);
			assertThat(recorder.numbers()).isEqualTo(range(0, published + 1));
			assertThat(topic.report().dropped()).isZero();
		}
	}

	private static boolean publishes(Topic<byte[]> topic, int number) {
		try {
			topic.publish(large(number));
			return true;
		}
		catch (TopicFullException ex) {
			return false;
		}
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@DisplayName("a publisher that blocks waits as long as its patience")
	void patience(TopicModel model) {
		Duration patience = Duration.ofMillis(150);
		Topic<byte[]> topic = shop().topic(small(model, WhenFull.BLOCK, patience));
		Topics billing = billing();
		Recorder recorder = new Recorder(false);
		billing.subscribe(small(model, WhenFull.BLOCK, patience), SubscriberSettings.of("bills"), recorder);
		awaitAttached(billing, "bills", 1);
		int published = fill(topic);
		long before = System.nanoTime();
		assertThat(publishes(topic, published)).isFalse();
		assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(patience.toNanos());
		recorder.open();
		await(() -> recorder.handled().size() == published);
		assertThat(recorder.numbers()).isEqualTo(range(0, published));
	}

	@ParameterizedTest
	@MethodSource("formsAndModels")
	@DisplayName("a publisher that blocks goes on when its subscriber does, and nothing is lost")
	void block(SubscriberForm form, TopicModel model) throws Exception {
		Topic<byte[]> topic = shop().topic(small(model, WhenFull.BLOCK, Duration.ofSeconds(50)));
		Topics billing = billing();
		Recorder recorder = new Recorder(false);
		try (AutoCloseable subscription = form.subscribe(billing, small(model, WhenFull.BLOCK, Duration.ofSeconds(50)),
				"bills", Shape.SINGLE, recorder)) {
			assertThat(subscription).isNotNull();
			awaitAttached(billing, "bills", 1);
			int count = 2 * environment().roomBytes() / LARGE;
			CompletableFuture<Boolean> publishing = Async.call(() -> {
				for (int i = 0; i < count; i++) {
					topic.publish(large(i));
				}
				return true;
			});
			await(() -> topic.report().published() >= count / 4);
			assertThat(publishing).isNotDone();
			recorder.open();
			assertThat(publishing.get()).isTrue();
			await(() -> recorder.handled().size() == count);
			assertThat(recorder.numbers()).isEqualTo(range(0, count));
			assertThat(topic.report().dropped()).isZero();
			assertThat(topic.report().refused()).isZero();
		}
	}

	@ParameterizedTest
	@MethodSource("formsAndModels")
	@DisplayName("a publisher that drops the oldest is never held up, and each message is handled or counted as dropped")
	void dropOldest(SubscriberForm form, TopicModel model) throws Exception {
		Topic<byte[]> topic = shop().topic(small(model, WhenFull.DROP_OLDEST, Duration.ofSeconds(30)));
		Topics billing = billing();
		Recorder recorder = new Recorder(false);
		try (AutoCloseable subscription = form.subscribe(billing,
				small(model, WhenFull.DROP_OLDEST, Duration.ofSeconds(30)), "bills", Shape.SINGLE, recorder)) {
			assertThat(subscription).isNotNull();
			awaitAttached(billing, "bills", 1);
			int count = 4 * environment().roomBytes() / LARGE;
			for (int i = 0; i < count; i++) {
				topic.publish(large(i));
			}
			assertThat(topic.report().refused()).isZero();
			recorder.open();
			await(() -> !recorder.handled().isEmpty() && recorder.numbers().contains(count - 1));
			List<Integer> numbers = recorder.numbers();
			assertThat(numbers).isSorted().doesNotHaveDuplicates();
			assertThat(numbers).hasSizeLessThan(count);
			int missing = count - numbers.size();
			await(() -> dropped(topic, billing) >= missing);
			if (differs(TopicDifference.DROPS_NOT_KNOWN_TO_SUBSCRIBERS)) {
				// A file that a subscriber has open is read to its end although it is
				// deleted.
				assertThat(dropped(topic, billing)).isLessThan(count);
			}
			else {
				assertThat(dropped(topic, billing)).isEqualTo(missing);
			}
			if (differs(TopicDifference.DROPS_NOT_KNOWN_TO_SUBSCRIBERS)) {
				assertThat(report(billing, "bills").dropped()).isNegative();
			}
			assertThat(topic.report().dropped()).isPositive();
		}
	}

	private long dropped(Topic<byte[]> topic, Topics billing) {
		long ofPublisher = topic.report().dropped();
		if (differs(TopicDifference.DROPS_NOT_KNOWN_TO_SUBSCRIBERS)) {
			return ofPublisher;
		}
		long ofSubscriber = report(billing, "bills").dropped();
		// In a stream either side counts: the publisher what nobody had begun.
		return (topic.settings().model() == TopicModel.STREAM) ? ofPublisher + ofSubscriber : ofSubscriber;
	}

	@ParameterizedTest
	@MethodSource("formsAndModels")
	@DisplayName("what waits is reported by the publisher, and is none when all is handled")
	void backlog(SubscriberForm form, TopicModel model) throws Exception {
		Topics shop = shop();
		Topic<byte[]> topic = shop.topic(numbers(model));
		Topics billing = billing();
		Recorder recorder = new Recorder(false);
		try (AutoCloseable subscription = form.subscribe(billing, numbers(model), "bills", Shape.SINGLE, recorder)) {
			assertThat(subscription).isNotNull();
			awaitAttached(billing, "bills", 1);
			publish(topic, 0, 100);
			await(() -> recorder.begun().size() == 1);
			await(() -> {
				long waiting = topic.report().backlogMessages();
				// A reader or flow has the next message in its hands, others are on their
				// way.
				return waiting <= 100 && waiting >= (differs(TopicDifference.SENT_AHEAD) ? 80 : 98);
			});
			TopicReport report = topic.report();
			assertThat(report.topic()).isEqualTo("numbers");
			assertThat(report.model()).isEqualTo(model);
			assertThat(report.published()).isEqualTo(100);
			assertThat(report.dropped()).isZero();
			assertThat(report.refused()).isZero();
			await(() -> topic.report().backlogBytes() > 0);
			assertThat(report.capacityBytes()).isPositive();
			if (differs(TopicDifference.SUBSCRIBERS_NOT_KNOWN)) {
				assertThat(report.subscribers()).isEmpty();
			}
			else {
				assertThat(report.subscribers()).singleElement().satisfies((subscriber) -> {
					assertThat(subscriber.name()).startsWith("bills");
					assertThat(subscriber.lagBytes()).isPositive();
				});
			}
			assertThat(shop.topics()).extracting(TopicReport::topic).contains("numbers");
			recorder.open();
			await(() -> recorder.handled().size() == 100);
			await(() -> topic.report().backlogMessages() == 0 && topic.report().backlogBytes() == 0);
			await(() -> report(billing, "bills").handled() == 100);
			assertThat(topic.report().subscribers()).allMatch((subscriber) -> subscriber.lagBytes() == 0);
		}
		await(() -> billing.subscriptions().isEmpty());
		topic.close();
		assertThat(shop.topics()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	@DisplayName("a subscription that has ended holds up nobody")
	void endedSubscriberHoldsUpNobody(TopicModel model) {
		Topic<byte[]> topic = shop().topic(small(model, WhenFull.FAIL, Duration.ZERO));
		Topics billing = billing();
		Recorder ended = new Recorder();
		Subscription first = billing.subscribe(small(model, WhenFull.FAIL, Duration.ZERO),
				SubscriberSettings.of("bills"), ended);
		awaitAttached(billing, "bills", 1);
		first.close();
		Recorder recorder = new Recorder();
		billing.subscribe(small(model, WhenFull.FAIL, Duration.ZERO), SubscriberSettings.of("bills"), recorder);
		awaitAttached(billing, "bills", 1);
		int count = 3 * environment().roomBytes() / LARGE;
		for (int i = 0; i < count; i++) {
			int number = i;
			await(() -> publishes(topic, number));
		}
		await(() -> recorder.handled().size() == count);
		assertThat(recorder.numbers()).isEqualTo(range(0, count));
	}

}
