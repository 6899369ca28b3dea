package io.github.vicinal.transport.shm.topic;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.vicinal.topic.BatchFailedException;
import io.github.vicinal.topic.BatchHandler;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicFullException;
import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.TopicsUnavailableException;
import io.github.vicinal.topic.WhenFull;
import io.github.vicinal.transport.testing.Async;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Two directories are two hosts. */
@Timeout(60)
class RemoteTopicsTests {

	private static final int SMALLEST = 64 << 10;

	private Path first;

	private Path second;

	private SocketCarrier carrier;

	private final List<ShmTopics> all = new ArrayList<>();

	@BeforeEach
	void makeHosts() throws Exception {
		this.first = TopicFixture.memoryDirectory();
		this.second = TopicFixture.memoryDirectory();
		this.carrier = new SocketCarrier();
	}

	@AfterEach
	void closeAndLeaveNothing() throws Exception {
		this.all.forEach(ShmTopics::close);
		this.carrier.close();
		TopicFixture.assertEmptyAndDelete(this.first);
		TopicFixture.assertEmptyAndDelete(this.second);
	}

	private ShmTopics publisher() {
		return publisher(TopicGrants.all());
	}

	private ShmTopics publisher(TopicGrants grants) {
		return keep(TopicFixture.remoteTopics(this.first, "shop", grants, this.carrier, true, List.of()));
	}

	private ShmTopics subscriber(String name) {
		return subscriber(name, TopicGrants.all());
	}

	private ShmTopics subscriber(String name, TopicGrants grants) {
		return keep(TopicFixture.remoteTopics(this.second, name, grants, this.carrier, false,
				List.of(this.carrier.address())));
	}

	private ShmTopics keep(ShmTopics topics) {
		this.all.add(topics);
		return topics;
	}

	private static <T> void awaitAttached(Subscription subscription) {
		TopicFixture.await(() -> subscription.report().attached() == 1);
	}

	private static byte[] number(long number) {
		return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
	}

	private static long number(Message<byte[]> message) {
		return ByteBuffer.wrap(message.payload()).getLong();
	}

	private static TopicSettings<byte[]> numbers(TopicModel model, WhenFull whenFull) {
		return TopicFixture.bytes(model, SMALLEST, whenFull);
	}

	@Test
	void allSubscribersOfAHostGetEachMessageInOrderFromOneCopy() {
		ShmTopics shop = publisher();
		Topic<byte[]> topic = shop.topic(numbers(TopicModel.PUB_SUB, WhenFull.BLOCK));
		List<List<Message<byte[]>>> received = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			List<Message<byte[]>> list = Collections.synchronizedList(new ArrayList<>());
			received.add(list);
			awaitAttached(subscriber("billing" + i).subscribe(numbers(TopicModel.PUB_SUB, WhenFull.BLOCK),
					SubscriberSettings.of("billing"), list::add));
		}
		int count = 20_000;
		for (int i = 1; i <= count; i++) {
			topic.publish(number(i), Map.of("origin", "shop" + i));
		}
		received.forEach((list) -> {
			TopicFixture.await(() -> list.size() == count);
			for (int i = 1; i <= count; i++) {
				Message<byte[]> message = list.get(i - 1);
				assertThat(number(message)).isEqualTo(i);
				assertThat(message.sequence()).isEqualTo(i);
				assertThat(message.publisher()).isEqualTo(shop.instance());
				assertThat(message.headers()).containsOnly(Map.entry("origin", "shop" + i));
				assertThat(message.redelivered()).isFalse();
			}
		});
		// A record of this size takes 64 bytes; three copies would take three times as
		// much.
		assertThat(this.carrier.bytes.get()).isBetween(64L * count, 100L * count);
		TopicFixture.await(() -> topic.report().usedBytes() == 0);
		assertThat(topic.report().subscribers()).singleElement()
			.satisfies((it) -> assertThat(it.application()).startsWith("billing"));
	}

	@Test
	void eachMessageOfAStreamGoesToOneSubscriberOfAnyHost() {
		// Nobody takes a second message before each has one.
		CountDownLatch everybody = new CountDownLatch(3);
		ShmTopics shop = publisher();
		Topic<byte[]> topic = shop.topic(numbers(TopicModel.STREAM, WhenFull.BLOCK));
		Map<Long, Integer> times = new ConcurrentHashMap<>();
		Set<String> subscribers = ConcurrentHashMap.newKeySet();
		List<Subscription> all = new ArrayList<>();
		for (ShmTopics each : List.of(shop, subscriber("a"), subscriber("b"))) {
			all.add(each.subscribe(numbers(TopicModel.STREAM, WhenFull.BLOCK),
					new SubscriberSettings("s", 2, 1, Duration.ZERO), (message) -> {
						times.merge(number(message), message.redelivered() ? 1000 : 1, Integer::sum);
						if (subscribers.add(each.instance())) {
							everybody.countDown();
						}
						everybody.await();
					}));
		}
		all.forEach(RemoteTopicsTests::awaitAttached);
		int count = 5000;
		for (int i = 1; i <= count; i++) {
			topic.publish(number(i));
		}
		TopicFixture.await(() -> times.size() == count && topic.report().usedBytes() == 0);
		assertThat(times.values()).containsOnly(1);
		assertThat(subscribers).hasSize(3);
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void aSubscriberOfAnotherHostGetsBatches(TopicModel model) {
		ShmTopics shop = publisher();
		Topic<byte[]> topic = shop.topic(numbers(model, WhenFull.BLOCK));
		CountDownLatch published = new CountDownLatch(1);
		List<List<Long>> received = Collections.synchronizedList(new ArrayList<>());
		AtomicInteger failures = new AtomicInteger();
		BatchHandler<byte[]> handler = (messages) -> {
			received.add(messages.stream().map(RemoteTopicsTests::number).toList());
			published.await();
			if (messages.size() > 3 && failures.getAndIncrement() == 0) {
				throw new BatchFailedException(2, new IllegalStateException("the third"));
			}
		};
		Subscription subscription = subscriber("billing").subscribe(numbers(model, WhenFull.BLOCK),
				new SubscriberSettings("billing", 1, 2, Duration.ZERO, 20), handler);
		awaitAttached(subscription);
		topic.publish(number(1));
		TopicFixture.await(() -> received.size() == 1);
		for (int i = 2; i <= 31; i++) {
			topic.publish(number(i));
		}
		// All of them are on their way.
		TopicFixture.await(() -> model == TopicModel.PUB_SUB || topic.report().backlogMessages() == 0);
		published.countDown();
		TopicFixture.await(() -> subscription.report().handled() == 31 && topic.report().usedBytes() == 0);
		assertThat(received).allMatch((batch) -> batch.size() <= 20).anyMatch((batch) -> batch.size() > 3);
		assertThat(received.stream().flatMap(List::stream).distinct()).isSorted().hasSize(31);
		assertThat(subscription.report().failed()).isZero();
		assertThat(failures.get()).isPositive();
	}

	@Test
	void messagesThatASubscriberOfAnotherHostHasNotHandledGoToAnother() throws Exception {
		ShmTopics shop = publisher();
		Topic<byte[]> topic = shop.topic(numbers(TopicModel.STREAM, WhenFull.BLOCK));
		ShmTopics lost = subscriber("lost");
		CountDownLatch release = new CountDownLatch(1);
		CountDownLatch begun = new CountDownLatch(1);
		awaitAttached(
				lost.subscribe(numbers(TopicModel.STREAM, WhenFull.BLOCK), SubscriberSettings.of("lost"), (message) -> {
					begun.countDown();
					release.await();
				}));
		for (int i = 1; i <= 5; i++) {
			topic.publish(number(i));
		}
		try {
			begun.await();
			// All of them are on their way.
			TopicFixture.await(() -> topic.report().backlogMessages() == 0);
			Set<Long> received = ConcurrentHashMap.newKeySet();
			AtomicInteger redelivered = new AtomicInteger();
			shop.subscribe(numbers(TopicModel.STREAM, WhenFull.BLOCK), SubscriberSettings.of("other"), (message) -> {
				redelivered.addAndGet(message.redelivered() ? 1 : 0);
				received.add(number(message));
			});
			this.carrier.cut();
			TopicFixture.await(() -> received.size() == 5);
			assertThat(redelivered.get()).isEqualTo(5);
		}
		finally {
			release.countDown();
		}
	}

	/** More messages are on their way meanwhile, which nobody reads any more. */
	@Test
	void aSubscriberThatIsClosedHasConfirmedWhatItHandled() throws Exception {
		Topic<byte[]> topic = publisher().topic(numbers(TopicModel.STREAM, WhenFull.BLOCK));
		ShmTopics billing = subscriber("billing");
		List<Message<byte[]>> handled = Collections.synchronizedList(new ArrayList<>());
		AtomicLong last = new AtomicLong();
		for (int round = 0; round < 100; round++) {
			CountDownLatch some = new CountDownLatch(5);
			try (Subscription subscription = billing.subscribe(numbers(TopicModel.STREAM, WhenFull.BLOCK),
					SubscriberSettings.of("bills"), (message) -> {
						handled.add(message);
						some.countDown();
					})) {
				awaitAttached(subscription);
				for (int i = 0; i < 50; i++) {
					topic.publish(number(last.incrementAndGet()));
				}
				some.await();
			}
		}
		assertThat(handled.stream().map(RemoteTopicsTests::number)).doesNotHaveDuplicates();
	}

	@Test
	void aSlowSubscriberOfAnotherHostHoldsUpAPublisherThatBlocks() throws Exception {
		Topic<byte[]> topic = publisher().topic(numbers(TopicModel.PUB_SUB, WhenFull.FAIL));
		CountDownLatch release = new CountDownLatch(1);
		AtomicLong last = new AtomicLong();
		awaitAttached(subscriber("slow").subscribe(numbers(TopicModel.PUB_SUB, WhenFull.FAIL),
				SubscriberSettings.of("slow"), (message) -> {
					release.await();
					assertThat(number(message)).isEqualTo(last.get() + 1);
					last.set(number(message));
				}));
		byte[] large = new byte[8 << 10];
		int published = 0;
		try {
			while (published < 100) {
				ByteBuffer.wrap(large).putLong(published + 1);
				topic.publish(large);
				published++;
			}
		}
		catch (TopicFullException ex) {
			assertThat(ex).hasMessageContaining("'slow at");
		}
		assertThat(published).isBetween(6, 7);
		release.countDown();
		int handled = published;
		TopicFixture.await(() -> last.get() == handled && topic.report().usedBytes() == 0);
		ByteBuffer.wrap(large).putLong(published + 1);
		topic.publish(large);
		TopicFixture.await(() -> last.get() == handled + 1);
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void aFullTopicSaysThatTheLinkToItsSubscriberIsCut(TopicModel model) throws Exception {
		Topic<byte[]> topic = publisher().topic(numbers(model, WhenFull.FAIL));
		CountDownLatch release = new CountDownLatch(1);
		awaitAttached(subscriber("billing").subscribe(numbers(model, WhenFull.FAIL), SubscriberSettings.of("bills"),
				(message) -> release.await()));
		try {
			topic.publish(number(1));
			this.carrier.cut();
			awaitFull(topic,
					(model == TopicModel.STREAM) ? "it has no subscriber, since the connection to 'bills at /127.0.0.1"
							: "the connection to subscriber 'bills at /127.0.0.1",
					"broke", " s ago", "restore the link", "65536 bytes");
		}
		finally {
			release.countDown();
		}
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void aFullTopicSaysThatItsSubscriberConfirmsNothing(TopicModel model) throws Exception {
		Topic<byte[]> topic = publisher().topic(numbers(model, WhenFull.FAIL));
		CountDownLatch release = new CountDownLatch(1);
		awaitAttached(subscriber("billing").subscribe(numbers(model, WhenFull.FAIL), SubscriberSettings.of("bills"),
				(message) -> release.await()));
		try {
			awaitFull(topic, "subscriber 'bills at /127.0.0.1", "has confirmed nothing for 1.",
					"the link to it is down", "vicinal.tcp.ping-interval", "65536 bytes");
		}
		finally {
			release.countDown();
		}
	}

	/**
	 * Publishes until there is no room for a reason, which takes a moment to be known.
	 */
	private static void awaitFull(Topic<byte[]> topic, String... words) {
		TopicFixture.await(() -> {
			try {
				topic.publish(new byte[4096]);
				return false;
			}
			catch (TopicFullException ex) {
				return Arrays.stream(words).allMatch(ex.getMessage()::contains);
			}
		});
	}

	@Test
	void aStoppedSubscriberOfAnotherHostSlowsNobodyIfTheOldestAreDropped() throws Exception {
		ShmTopics shop = publisher();
		TopicSettings<byte[]> settings = numbers(TopicModel.PUB_SUB, WhenFull.DROP_OLDEST);
		Topic<byte[]> topic = shop.topic(settings);
		CountDownLatch release = new CountDownLatch(1);
		List<Long> slow = Collections.synchronizedList(new ArrayList<>());
		ShmTopics application = subscriber("slow");
		Subscription stopped = application.subscribe(settings, SubscriberSettings.of("slow"), (message) -> {
			release.await();
			slow.add(number(message));
		});
		awaitAttached(stopped);
		AtomicLong fast = new AtomicLong();
		awaitAttached(subscriber("fast").subscribe(settings, SubscriberSettings.of("fast"),
				(message) -> fast.set(number(message))));
		int count = 20_000;
		for (int i = 1; i <= count; i++) {
			topic.publish(number(i));
			if (i % 200 == 0) {
				long sent = i;
				TopicFixture.await(() -> fast.get() == sent);
			}
		}
		release.countDown();
		TopicFixture.await(() -> !slow.isEmpty() && slow.get(slow.size() - 1) == count);
		assertThat(slow).isSorted().doesNotHaveDuplicates();
		assertThat(stopped.report().dropped()).isEqualTo(count - slow.size()).isPositive();
	}

	@Test
	void aLinkThatIsCutLosesNothingAndRepeatsNothing() {
		Topic<byte[]> topic = publisher().topic(numbers(TopicModel.PUB_SUB, WhenFull.BLOCK));
		List<Long> received = Collections.synchronizedList(new ArrayList<>());
		awaitAttached(subscriber("billing").subscribe(numbers(TopicModel.PUB_SUB, WhenFull.BLOCK),
				SubscriberSettings.of("billing"), (message) -> received.add(number(message))));
		long sent = 0;
		for (int round = 0; round < 10; round++) {
			for (int i = 0; i < 300; i++) {
				topic.publish(number(++sent));
			}
			this.carrier.cut();
			for (int i = 0; i < 300; i++) {
				topic.publish(number(++sent));
			}
			this.carrier.mend();
			TopicFixture.await(() -> topic.report().usedBytes() == 0);
		}
		long count = sent;
		TopicFixture.await(() -> received.size() >= count);
		for (int i = 0; i < count; i++) {
			assertThat(received.get(i)).isEqualTo(i + 1L);
		}
		assertThat(received).hasSize((int) count);
	}

	@Test
	void anotherProcessOfTheHostTakesOverWithoutLossOrRepetition() throws Exception {
		Topic<byte[]> topic = publisher().topic(numbers(TopicModel.PUB_SUB, WhenFull.BLOCK));
		List<ShmTopics> applications = new ArrayList<>();
		List<List<Long>> received = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			List<Long> list = Collections.synchronizedList(new ArrayList<>());
			received.add(list);
			ShmTopics application = subscriber("billing" + i);
			applications.add(application);
			awaitAttached(application.subscribe(numbers(TopicModel.PUB_SUB, WhenFull.BLOCK),
					SubscriberSettings.of("billing"), (message) -> list.add(number(message))));
		}
		AtomicBoolean stop = new AtomicBoolean();
		var sent = Async.call(() -> {
			long number = 0;
			while (!stop.get()) {
				topic.publish(number(++number));
				java.util.concurrent.locks.LockSupport.parkNanos(100_000);
			}
			return number;
		});
		TopicFixture.await(() -> received.get(0).size() > 100);
		// The first one copies for all.
		applications.get(0).close();
		int before = received.get(1).size();
		TopicFixture.await(() -> received.get(1).size() > before + 1000 && received.get(2).size() > before + 1000);
		stop.set(true);
		long count = sent.get();
		for (List<Long> list : received.subList(1, 3)) {
			TopicFixture.await(() -> list.size() >= count);
			assertThat(list).hasSize((int) count);
			for (int i = 0; i < count; i++) {
				assertThat(list.get(i)).isEqualTo(i + 1L);
			}
		}
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void publishedMessagesArriveAfterTheirTopicIsClosed(TopicModel model) {
		ShmTopics shop = publisher();
		Topic<byte[]> topic = shop.topic(numbers(model, WhenFull.BLOCK));
		Set<Long> received = Collections.synchronizedSet(new HashSet<>());
		awaitAttached(subscriber("billing").subscribe(numbers(model, WhenFull.BLOCK), SubscriberSettings.of("billing"),
				(message) -> received.add(number(message))));
		for (int i = 1; i <= 500; i++) {
			topic.publish(number(i));
		}
		topic.close();
		TopicFixture.await(() -> received.size() == 500);
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void aSubscriberWithoutAGrantIsRefusedByThePublisher(TopicModel model) {
		publisher(grants("billing", "shop")).topic(numbers(model, WhenFull.BLOCK));
		Subscription refused = subscriber("spy").subscribe(numbers(model, WhenFull.BLOCK), SubscriberSettings.of("spy"),
				(message) -> {
				});
		awaitState(refused, "application 'spy' may not subscribe to topic 'numbers' of 'shop'");
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void aPublisherWithoutAGrantIsLeft(TopicModel model) {
		publisher().topic(numbers(model, WhenFull.BLOCK));
		Subscription left = subscriber("billing", grants("billing", "store")).subscribe(numbers(model, WhenFull.BLOCK),
				SubscriberSettings.of("billing"), (message) -> {
				});
		awaitState(left, "application 'shop' may not publish to topic 'numbers'");
	}

	@Test
	void aTopicThatIsNotForOtherHostsIsRefused() {
		ShmTopics shop = publisher();
		// Another topic opens the port.
		shop.topic(numbers(TopicModel.PUB_SUB, WhenFull.BLOCK));
		TopicSettings<byte[]> secret = TopicSettings.of("secret", TopicModel.PUB_SUB, byte[].class);
		shop.topic(secret);
		awaitState(subscriber("billing").subscribe(secret, SubscriberSettings.of("billing"), (message) -> {
		}), "vicinal.topics.named.secret.other-hosts=true");
	}

	@Test
	void modelsThatDifferAreRefusedWithBothNames() {
		publisher().topic(numbers(TopicModel.STREAM, WhenFull.BLOCK));
		awaitState(subscriber("billing").subscribe(numbers(TopicModel.PUB_SUB, WhenFull.BLOCK),
				SubscriberSettings.of("bills"), (message) -> {
				}), "has the model STREAM at its publisher 'shop', but PUB_SUB at subscriber 'bills' of 'billing'");
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void aSubscriberOfAnotherHostThatIsRefusedAgainAndAgainIsAWarningOnceOnEachSide(TopicModel model) {
		ListAppender<ILoggingEvent> events = new ListAppender<>();
		events.list = new CopyOnWriteArrayList<>();
		Logger logger = (Logger) LoggerFactory.getLogger(ShmTopics.class.getPackageName());
		Level before = logger.getLevel();
		events.start();
		logger.setLevel(Level.DEBUG);
		logger.addAppender(events);
		try {
			publisher(grants("nobody", "shop")).topic(numbers(model, WhenFull.BLOCK));
			subscriber("billing").subscribe(numbers(model, WhenFull.BLOCK), SubscriberSettings.of("bills"),
					(message) -> {
					});
			TopicFixture.await(() -> refusals(events, "A subscriber of another host, ").size() >= 3
					&& refusals(events, "Subscriber 'bills'").size() >= 3);
		}
		finally {
			logger.detachAppender(events);
			logger.setLevel(before);
		}
		for (String side : List.of("A subscriber of another host, ", "Subscriber 'bills'")) {
			assertThat(refusals(events, side)).filteredOn((event) -> event.getLevel() == Level.WARN).hasSize(1);
		}
	}

	private static List<ILoggingEvent> refusals(ListAppender<ILoggingEvent> events, String side) {
		return events.list.stream()
			.filter((event) -> event.getFormattedMessage().startsWith(side)
					&& event.getFormattedMessage().contains("may not subscribe"))
			.toList();
	}

	@Test
	void aPublisherOfThisHostIsNotCopied() {
		ShmTopics shop = publisher();
		Topic<byte[]> topic = shop.topic(numbers(TopicModel.PUB_SUB, WhenFull.BLOCK));
		AtomicInteger received = new AtomicInteger();
		awaitAttached(keep(TopicFixture.remoteTopics(this.first, "neighbour", TopicGrants.all(), this.carrier, false,
				List.of(this.carrier.address())))
			.subscribe(numbers(TopicModel.PUB_SUB, WhenFull.BLOCK), SubscriberSettings.of("s"),
					(message) -> received.incrementAndGet()));
		topic.publish(number(1));
		TopicFixture.await(() -> received.get() == 1);
		assertThat(this.carrier.pieces.get()).isZero();
	}

	@Test
	void aTopicForOtherHostsNeedsSomethingThatCarriesIt() {
		ShmTopics alone = keep(TopicFixture.remoteTopics(this.first, "shop", TopicGrants.all(), null, true, List.of()));
		assertThatExceptionOfType(TopicsUnavailableException.class)
			.isThrownBy(() -> alone.topic(numbers(TopicModel.PUB_SUB, WhenFull.BLOCK)))
			.withMessageContaining("vicinal-transport-tcp");
	}

	private static void awaitState(Subscription subscription, String part) {
		TopicFixture.await(
				() -> subscription.report().publishers().values().stream().anyMatch((state) -> state.contains(part)));
	}

	private static TopicGrants grants(String subscriber, String publisher) {
		return new TopicGrants() {

			@Override
			public boolean mayPublish(String topic, String application) {
				return application.equals(publisher);
			}

			@Override
			public boolean maySubscribe(String topic, String application) {
				return application.equals(subscriber);
			}

		};
	}

}
