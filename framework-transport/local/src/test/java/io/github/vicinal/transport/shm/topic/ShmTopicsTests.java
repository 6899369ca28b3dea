package io.github.vicinal.transport.shm.topic;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;

import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicFullException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicReader;
import io.github.vicinal.topic.TopicReport;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.TopicWatcher;
import io.github.vicinal.topic.UnreadableMessageException;
import io.github.vicinal.topic.WhenFull;
import io.github.vicinal.transport.shm.bell.BellSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@Timeout(60)
class ShmTopicsTests {

	private static final int SMALLEST = 64 << 10;

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

	private static <T> void awaitSubscribers(Topic<T> topic, int count) {
		TopicFixture.await(() -> topic.report().subscribers().size() == count);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void eachSubscriberGetsEachMessageInOrder(boolean sockets) {
		ShmTopics publisher = TopicFixture.topics(this.directory, "shop",
				sockets ? BellSupport.socketOnly() : BellSupport.detect());
		this.all.add(publisher);
		TopicSettings<Order> orders = TopicSettings.of("orders", TopicModel.PUB_SUB, Order.class)
			.withCapacity(SMALLEST);
		List<List<Message<Order>>> received = List.of(Collections.synchronizedList(new ArrayList<>()),
				Collections.synchronizedList(new ArrayList<>()), Collections.synchronizedList(new ArrayList<>()));
		received
			.forEach((list) -> application("billing").subscribe(orders, SubscriberSettings.of("billing"), list::add));
		Topic<Order> topic = publisher.topic(orders);
		awaitSubscribers(topic, 3);
		int count = 5000;
		for (int i = 0; i < count; i++) {
			topic.publish(new Order(i, "a name".repeat(i % 9)), Map.of("number", Integer.toString(i)));
		}
		for (List<Message<Order>> list : received) {
			TopicFixture.await(() -> list.size() == count);
			for (int i = 0; i < count; i++) {
				Message<Order> message = list.get(i);
				assertThat(message.payload()).isEqualTo(new Order(i, "a name".repeat(i % 9)));
				assertThat(message.headers()).containsOnly(Map.entry("number", Integer.toString(i)));
				assertThat(message.sequence()).isEqualTo(i + 1);
				assertThat(message.redelivered()).isFalse();
			}
		}
		TopicFixture.await(() -> topic.report().usedBytes() == 0);
		assertThat(topic.report().published()).isEqualTo(count);
		assertThat(topic.report().dropped()).isZero();
	}

	/** Neither the number of subscriptions nor the directory says that one is new. */
	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void aSubscriptionThatTakesThePlaceOfAnotherFindsThePublisher(TopicModel model) {
		TopicSettings<byte[]> settings = TopicFixture.bytes(model, SMALLEST, WhenFull.FAIL);
		Topic<byte[]> topic = application("shop").topic(settings);
		ShmTopics billing = application("billing");
		AtomicInteger handled = new AtomicInteger();
		for (int i = 0; i < 20; i++) {
			Subscription subscription = billing.subscribe(settings, SubscriberSettings.of("billing"),
					(message) -> handled.incrementAndGet());
			awaitSubscribers(topic, 1);
			topic.publish(new byte[1]);
			int expected = i + 1;
			TopicFixture.await(() -> handled.get() == expected);
			subscription.close();
			awaitSubscribers(topic, 0);
		}
	}

	/** Others wait for the handler, which waits for nobody. */
	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void aHandlerMayCloseItsOwnSubscription(TopicModel model) throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(model, SMALLEST, WhenFull.FAIL);
		List<Topic<byte[]>> topics = List.of(application("a").topic(settings), application("b").topic(settings));
		for (int concurrency : new int[] { 1, 4 }) {
			AtomicReference<Subscription> own = new AtomicReference<>();
			AtomicInteger handled = new AtomicInteger();
			CountDownLatch closed = new CountDownLatch(1);
			// Messages left by the previous subscriber are not handled too early.
			CountDownLatch attached = new CountDownLatch(1);
			own.set(application("c").subscribe(settings, new SubscriberSettings("c", concurrency, 1, Duration.ZERO),
					(message) -> {
						attached.await();
						if (handled.incrementAndGet() >= 20) {
							own.get().close();
							closed.countDown();
						}
					}));
			for (Topic<byte[]> topic : topics) {
				awaitSubscribers(topic, 1);
			}
			attached.countDown();
			for (int i = 0; i < 100; i++) {
				topics.forEach((topic) -> topic.publish(new byte[1]));
			}
			assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
			for (Topic<byte[]> topic : topics) {
				awaitSubscribers(topic, 0);
			}
		}
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void theBacklogIsReportedInMessagesAndBytesAlsoAcrossTheEndOfTheRing(TopicModel model) {
		TopicSettings<byte[]> settings = TopicFixture.bytes(model, SMALLEST, WhenFull.FAIL);
		Topic<byte[]> topic = application("a").topic(settings);
		Semaphore permits = new Semaphore(0);
		AtomicInteger received = new AtomicInteger();
		application("b").subscribe(settings, SubscriberSettings.of("b"), (message) -> {
			permits.acquireUninterruptibly();
			received.incrementAndGet();
		});
		awaitSubscribers(topic, 1);
		int published = 0;
		for (int round = 0; round < 20; round++) {
			for (int i = 0; i < 9; i++) {
				topic.publish(new byte[1500 + 8 * i]);
				published++;
			}
			// In a stream the first is begun.
			int waiting = (model == TopicModel.STREAM) ? 8 : 9;
			TopicFixture.await(() -> topic.report().backlogMessages() == waiting);
			TopicReport report = topic.report();
			assertThat(report.backlogBytes()).isGreaterThanOrEqualTo(waiting * 1532).isLessThan(waiting * 1700 + 1700);
			assertThat(report.usedBytes()).isGreaterThanOrEqualTo(report.backlogBytes());
			permits.release(9);
			int count = published;
			TopicFixture.await(() -> received.get() == count && topic.report().usedBytes() == 0);
			assertThat(topic.report().backlogMessages()).isZero();
			assertThat(topic.report().backlogBytes()).isZero();
		}
	}

	@Test
	void watchersAreNotifiedOfTopicsAndSubscriptions() {
		List<String> notes = Collections.synchronizedList(new ArrayList<>());
		ShmTopics topics = TopicFixture.topics(this.directory, "a", BellSupport.detect(), new TopicWatcher() {

			@Override
			public void opened(Topic<?> topic) {
				notes.add("+" + topic.settings().name());
			}

			@Override
			public void closed(Topic<?> topic) {
				notes.add("-" + topic.settings().name());
			}

			@Override
			public void opened(Subscription subscription) {
				notes.add("+" + subscription.report().subscriber());
			}

			@Override
			public void closed(Subscription subscription) {
				notes.add("-" + subscription.report().subscriber());
			}

		});
		this.all.add(topics);
		TopicSettings<String> news = TopicSettings.of("news", TopicModel.PUB_SUB, String.class);
		Topic<String> first = topics.topic(news);
		first.close();
		Topic<String> second = topics.topic(news);
		first.close();
		assertThat(topics.topic(news)).isSameAs(second);
		topics.subscribe(news, SubscriberSettings.of("reader"), (message) -> notes.add(message.payload())).close();
		topics.close();
		assertThat(notes).containsExactly("+news", "-news", "+news", "+reader", "-reader", "-news");
	}

	@Test
	void aLateSubscriberGetsLaterMessages() {
		TopicSettings<String> news = TopicSettings.of("news", TopicModel.PUB_SUB, String.class);
		Topic<String> topic = application("paper").topic(news);
		topic.publish("nobody hears this");
		List<String> received = Collections.synchronizedList(new ArrayList<>());
		application("reader").subscribe(news, SubscriberSettings.of("reader"),
				(message) -> received.add(message.sequence() + message.payload()));
		awaitSubscribers(topic, 1);
		topic.publish("but this ü");
		TopicFixture.await(() -> received.equals(List.of("2but this ü")));
	}

	@Test
	void messagesOfAStreamWaitAndGoToOneSubscriberEach() {
		TopicSettings<String> jobs = TopicSettings.of("jobs", TopicModel.STREAM, String.class).withCapacity(SMALLEST);
		Topic<String> topic = application("boss").topic(jobs);
		int early = 100;
		IntStream.range(0, early).forEach((i) -> topic.publish("job " + i));
		Map<String, AtomicInteger> received = new ConcurrentHashMap<>();
		MessageHandler<String> handler = (
				message) -> received.computeIfAbsent(message.payload(), (key) -> new AtomicInteger()).incrementAndGet();
		for (int i = 0; i < 3; i++) {
			application("worker").subscribe(jobs, new SubscriberSettings("worker", 2, 1, Duration.ZERO), handler);
		}
		int count = 20_000;
		IntStream.range(early, count).forEach((i) -> topic.publish("job " + i));
		TopicFixture.await(() -> received.size() == count && topic.report().usedBytes() == 0);
		assertThat(received.values()).allMatch((times) -> times.get() == 1);
	}

	/** Nobody gets it a second time, and those behind it do not wait for it. */
	@Test
	void aPayloadThatCannotBeReadIsGivenAwayOnceAsItIs() {
		record Job(int number) {
		}
		TopicSettings<Job> jobs = TopicSettings.of("jobs", TopicModel.STREAM, Job.class).withCapacity(SMALLEST);
		TopicSettings<Map> maps = TopicSettings.of("jobs", TopicModel.STREAM, Map.class).withCapacity(SMALLEST);
		Topic<Map> topic = application("boss").topic(maps);
		List<String> bad = Collections.synchronizedList(new ArrayList<>());
		List<Integer> good = Collections.synchronizedList(new ArrayList<>());
		MessageHandler<Job> handler = new MessageHandler<>() {

			@Override
			public void handle(Message<Job> message) {
				good.add(message.payload().number());
			}

			@Override
			public void unreadable(Message<byte[]> message, UnreadableMessageException cause) {
				bad.add(new String(message.payload(), StandardCharsets.UTF_8) + message.headers());
				throw new IllegalStateException("a handler that fails as well");
			}

		};
		List<Subscription> workers = List.of(
				application("one").subscribe(jobs, SubscriberSettings.of("worker"), handler),
				application("two").subscribe(jobs, SubscriberSettings.of("worker"), handler));
		topic.publishWritten("{\"number\":1".getBytes(StandardCharsets.UTF_8), Map.of("is", "truncated"));
		topic.publish(Map.of("number", "one"), Map.of("is", "of another type"));
		topic.publishWritten(new byte[] { 'x' }, Map.of("is", "of another codec"));
		for (int i = 0; i < 100; i++) {
			topic.publish(Map.of("number", i));
		}
		TopicFixture.await(() -> good.size() == 100 && bad.size() == 3);
		workers.forEach(Subscription::close);
		List<Integer> again = Collections.synchronizedList(new ArrayList<>());
		application("late").subscribe(jobs, SubscriberSettings.of("late"),
				(message) -> again.add(message.payload().number()));
		topic.publish(Map.of("number", 100));
		TopicFixture.await(() -> !again.isEmpty());
		assertThat(again).containsExactly(100);
		assertThat(bad).containsExactlyInAnyOrder("{\"number\":1{is=truncated}",
				"{\"number\":\"one\"}{is=of another type}", "x{is=of another codec}");
		assertThat(good).hasSize(100).doesNotHaveDuplicates();
	}

	@Test
	void messagesOfAllSizesArriveAsTheyWere() {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.PUB_SUB, SMALLEST, WhenFull.BLOCK);
		Topic<byte[]> topic = application("a").topic(settings);
		AtomicLong sum = new AtomicLong();
		AtomicInteger received = new AtomicInteger();
		application("b").subscribe(settings, SubscriberSettings.of("b"), (message) -> {
			sum.addAndGet(checksum(message.payload()));
			received.incrementAndGet();
		});
		awaitSubscribers(topic, 1);
		Random random = new Random(5);
		long expected = 0;
		int count = 3000;
		for (int i = 0; i < count; i++) {
			byte[] payload = new byte[random.nextInt((i % 10 == 0) ? SMALLEST / 2 - 32 : 500)];
			random.nextBytes(payload);
			expected += checksum(payload);
			topic.publish(payload);
		}
		TopicFixture.await(() -> received.get() == count);
		assertThat(sum.get()).isEqualTo(expected);
	}

	private static long checksum(byte[] bytes) {
		CRC32 checksum = new CRC32();
		checksum.update(bytes);
		return checksum.getValue();
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void aFullTopicRefusesAndGoesOnWhenThereIsRoom(TopicModel model) {
		TopicSettings<byte[]> settings = TopicFixture.bytes(model, SMALLEST, WhenFull.FAIL);
		Topic<byte[]> topic = application("fast").topic(settings);
		Semaphore permits = new Semaphore(0);
		AtomicInteger received = new AtomicInteger();
		application("slow").subscribe(settings, SubscriberSettings.of("slow one"), (message) -> {
			permits.acquireUninterruptibly();
			received.incrementAndGet();
		});
		awaitSubscribers(topic, 1);
		int published = 0;
		TopicFullException refused = null;
		while (refused == null && published < 1000) {
			try {
				topic.publish(new byte[1000]);
				published++;
			}
			catch (TopicFullException ex) {
				refused = ex;
			}
		}
		assertThat(published).isEqualTo(SMALLEST / 1032);
		assertThat(refused).hasMessageContaining("'numbers' has no room").hasMessageContaining("65536 bytes");
		assertThat(topic.report().refused()).isOne();
		permits.release(Integer.MAX_VALUE);
		int count = published;
		TopicFixture.await(() -> received.get() == count);
		TopicFixture.await(() -> topic.report().usedBytes() == 0);
		topic.publish(new byte[1000]);
		TopicFixture.await(() -> received.get() == count + 1);
	}

	@Test
	void aPublisherWaitsForRoomForSomeTime() {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.PUB_SUB, SMALLEST, WhenFull.BLOCK)
			.whenFull(WhenFull.BLOCK, Duration.ofMillis(50));
		Topic<byte[]> topic = application("fast").topic(settings);
		CountDownLatch go = new CountDownLatch(1);
		application("slow").subscribe(settings, SubscriberSettings.of("slow one"), (message) -> go.await());
		awaitSubscribers(topic, 1);
		assertThatExceptionOfType(TopicFullException.class).isThrownBy(() -> {
			while (true) {
				topic.publish(new byte[1000]);
			}
		}).withMessageContaining("subscriber 'slow one' is slower than its publisher");
		go.countDown();
		TopicFixture.await(() -> topic.report().usedBytes() == 0);
		topic.publish(new byte[1000]);
	}

	@Test
	void aSlowSubscriberLosesTheOldestAndSlowsNobody() {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.PUB_SUB, SMALLEST, WhenFull.DROP_OLDEST);
		Topic<byte[]> topic = application("fast").topic(settings);
		CountDownLatch go = new CountDownLatch(1);
		List<Long> slow = Collections.synchronizedList(new ArrayList<>());
		Subscription subscription = application("slow").subscribe(settings, SubscriberSettings.of("slow"),
				(message) -> {
					go.await();
					slow.add(ByteBuffer.wrap(message.payload()).getLong());
				});
		awaitSubscribers(topic, 1);
		int count = 10_000;
		for (long i = 1; i <= count; i++) {
			topic.publish(ByteBuffer.allocate(100).putLong(i).array());
		}
		go.countDown();
		TopicFixture.await(() -> slow.contains((long) count));
		assertThat(slow).isSorted().doesNotHaveDuplicates().hasSizeLessThan(600);
		assertThat(subscription.report().dropped()).isEqualTo(count - slow.size());
		assertThat(topic.report().dropped()).isPositive();
	}

	@Test
	void droppedMessagesOfAStreamAreCountedAndNoneComesTwice() {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.STREAM, SMALLEST, WhenFull.DROP_OLDEST);
		Topic<byte[]> topic = application("fast").topic(settings);
		int count = 10_000;
		for (long i = 1; i <= count; i++) {
			topic.publish(ByteBuffer.allocate(100).putLong(i).array());
		}
		List<Long> received = Collections.synchronizedList(new ArrayList<>());
		application("late").subscribe(settings, SubscriberSettings.of("late"),
				(message) -> received.add(ByteBuffer.wrap(message.payload()).getLong()));
		TopicFixture.await(() -> received.contains((long) count) && topic.report().usedBytes() == 0);
		assertThat(received).isSorted()
			.containsExactlyElementsOf(LongStream.rangeClosed(topic.report().dropped() + 1, count).boxed().toList());
	}

	@Test
	void aMessageThatIsBeingHandledKeepsAStreamFromNothing() {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.STREAM, SMALLEST, WhenFull.DROP_OLDEST);
		Topic<byte[]> topic = application("fast").topic(settings);
		CountDownLatch go = new CountDownLatch(1);
		List<Long> begun = Collections.synchronizedList(new ArrayList<>());
		List<Long> handled = Collections.synchronizedList(new ArrayList<>());
		Subscription slow = application("slow").subscribe(settings, SubscriberSettings.of("slow"), (message) -> {
			begun.add(ByteBuffer.wrap(message.payload()).getLong());
			go.await();
			handled.add(ByteBuffer.wrap(message.payload()).getLong());
		});
		topic.publish(ByteBuffer.allocate(100).putLong(1).array());
		TopicFixture.await(() -> begun.size() == 1);
		List<Long> received = Collections.synchronizedList(new ArrayList<>());
		Subscription quick = application("quick").subscribe(settings, SubscriberSettings.of("quick"),
				(message) -> received.add(ByteBuffer.wrap(message.payload()).getLong()));
		awaitSubscribers(topic, 2);
		int count = 10_000;
		try {
			for (long i = 2; i <= count; i++) {
				topic.publish(ByteBuffer.allocate(100).putLong(i).array());
			}
			TopicFixture.await(() -> received.contains((long) count));
			assertThat(received).isSorted().doesNotHaveDuplicates();
			assertThat(topic.report().dropped() + quick.report().dropped() + received.size()).isEqualTo(count - 1);
		}
		finally {
			go.countDown();
		}
		TopicFixture.await(() -> handled.contains(1L) && topic.report().usedBytes() == 0);
		assertThat(slow.report().dropped()).isZero();
		assertThat(topic.report().refused()).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aMessageOfAStreamThatIsGivenBackTooLateIsDropped(boolean last) throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.STREAM, SMALLEST, WhenFull.DROP_OLDEST);
		Topic<byte[]> topic = application("fast").topic(settings);
		topic.publish(ByteBuffer.allocate(100).putLong(1).array());
		int count = 10_000;
		try (TopicReader<byte[]> reader = application("slow").reader(settings, "slow")) {
			assertThat(reader.take()).isNotNull();
			if (!last) {
				// It waits for another subscriber first, and is overwritten there.
				reader.close();
				awaitSubscribers(topic, 0);
			}
			for (long i = 2; i <= count; i++) {
				topic.publish(ByteBuffer.allocate(100).putLong(i).array());
			}
		}
		awaitSubscribers(topic, 0);
		List<Long> received = Collections.synchronizedList(new ArrayList<>());
		application("quick").subscribe(settings, SubscriberSettings.of("quick"), (message) -> {
			assertThat(message.redelivered()).isFalse();
			received.add(ByteBuffer.wrap(message.payload()).getLong());
		});
		TopicFixture.await(() -> received.contains((long) count) && topic.report().usedBytes() == 0);
		assertThat(received).isSorted().doesNotHaveDuplicates().doesNotContain(1L);
		assertThat(topic.report().dropped() + received.size()).isEqualTo(count);
	}

	@Test
	void severalThreadsPublishAndNothingIsLost() throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.PUB_SUB, SMALLEST, WhenFull.BLOCK);
		Topic<byte[]> topic = application("many").topic(settings);
		Map<Long, Long> last = new ConcurrentHashMap<>();
		AtomicInteger received = new AtomicInteger();
		application("one").subscribe(settings, SubscriberSettings.of("one"), (message) -> {
			ByteBuffer payload = ByteBuffer.wrap(message.payload());
			long thread = payload.getLong();
			long number = payload.getLong();
			Long before = last.put(thread, number);
			if (number == ((before == null) ? 0 : before + 1)) {
				received.incrementAndGet();
			}
		});
		awaitSubscribers(topic, 1);
		int each = 5000;
		List<Thread> threads = LongStream.range(0, 4).mapToObj((thread) -> new Thread(() -> {
			for (long i = 0; i < each; i++) {
				topic.publish(ByteBuffer.allocate(16).putLong(thread).putLong(i).array());
			}
		})).toList();
		threads.forEach(Thread::start);
		for (Thread thread : threads) {
			thread.join();
		}
		TopicFixture.await(() -> received.get() == 4 * each);
	}

	@Test
	void aFailingMessageIsAttemptedAgainAndThenGivenUp() {
		TopicSettings<String> settings = TopicSettings.of("tries", TopicModel.PUB_SUB, String.class);
		Topic<String> topic = application("a").topic(settings);
		List<String> seen = Collections.synchronizedList(new ArrayList<>());
		Subscription subscription = application("b").subscribe(settings,
				new SubscriberSettings("b", 1, 3, Duration.ofMillis(1)), new MessageHandler<>() {

					@Override
					public void handle(Message<String> message) {
						seen.add("try " + message.payload());
						if (message.payload().equals("bad")) {
							throw new IllegalStateException("no");
						}
					}

					@Override
					public void failed(Message<String> message, Exception cause) {
						seen.add("failed " + message.payload() + " " + cause.getMessage());
					}

				});
		awaitSubscribers(topic, 1);
		topic.publish("bad");
		topic.publish("good");
		TopicFixture.await(() -> seen.equals(List.of("try bad", "try bad", "try bad", "failed bad no", "try good")));
		TopicFixture.await(() -> subscription.report().handled() == 1);
		assertThat(subscription.report().failed()).isOne();
	}

	@Test
	void anErrorOfTheHandlerEndsNoSubscription() {
		TopicSettings<String> settings = TopicSettings.of("errors", TopicModel.STREAM, String.class);
		Topic<String> topic = application("a").topic(settings);
		List<String> seen = Collections.synchronizedList(new ArrayList<>());
		Subscription subscription = application("b").subscribe(settings, SubscriberSettings.of("b"), (message) -> {
			if (message.payload().equals("bad")) {
				throw new StackOverflowError("deep");
			}
			seen.add(message.payload());
		});
		topic.publish("bad");
		topic.publish("good");
		TopicFixture.await(() -> seen.equals(List.of("good")));
		assertThat(subscription.report().failed()).isOne();
	}

	@Test
	void aDeadSocketIsNotTriedAgainAtOnce() throws Exception {
		try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
			dead.bind(UnixDomainSocketAddress.of(this.directory.resolve("0123456789abcdef0123456789abcdef.pub")));
		}
		TopicSettings<String> settings = TopicSettings.of("news", TopicModel.PUB_SUB, String.class);
		ShmTopics reader = application("reader");
		Set<Long> tries = ConcurrentHashMap.newKeySet();
		Subscription subscription = reader.subscribe(settings, SubscriberSettings.of("reader"), (message) -> {
		});
		TopicFixture.await(() -> subscription.report().publishers().containsValue("gone"));
		long end = System.nanoTime() + 500_000_000;
		TopicFixture.await(() -> {
			Thread.getAllStackTraces()
				.keySet()
				.stream()
				.filter((thread) -> thread.getName().equals("vicinal-topic-link-news"))
				.forEach((thread) -> tries.add(thread.getId()));
			return System.nanoTime() - end > 0;
		});
		assertThat(tries).hasSizeLessThan(3);
		Files.delete(this.directory.resolve("0123456789abcdef0123456789abcdef.pub"));
	}

	@Test
	void twoModelsOfOneTopicAreRefusedWithBothNames() {
		application("shop").topic(TopicSettings.of("orders", TopicModel.STREAM, String.class));
		Subscription subscription = application("billing").subscribe(
				TopicSettings.of("orders", TopicModel.PUB_SUB, String.class), SubscriberSettings.of("bills"),
				(message) -> {
				});
		TopicFixture.await(() -> subscription.report()
			.publishers()
			.values()
			.stream()
			.anyMatch((state) -> state.equals(
					"refused: topic 'orders' has the model STREAM at its publisher 'shop', but PUB_SUB at subscriber 'bills' of 'billing': let both name one model")));
	}

	@Test
	void aPublisherThatIsInterruptedPublishes() {
		Topic<byte[]> topic = application("shop")
			.topic(TopicFixture.bytes(TopicModel.STREAM, SMALLEST, WhenFull.BLOCK));
		Thread.currentThread().interrupt();
		try {
			topic.publish(number(1));
			topic.publish(number(2));
		}
		finally {
			assertThat(Thread.interrupted()).isTrue();
		}
		assertThat(topic.report().backlogMessages()).isEqualTo(2);
	}

	@Test
	void tooLargeAndMisnamedIsRefused() {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.STREAM, SMALLEST, WhenFull.BLOCK);
		ShmTopics topics = application("a");
		Topic<byte[]> topic = topics.topic(settings);
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topic.publish(new byte[SMALLEST / 2]))
			.withMessageContaining("may have 32736 bytes")
			.withMessageContaining("32768");
		assertThatExceptionOfType(TopicException.class)
			.isThrownBy(() -> topic.publish(new byte[1], Map.of("name", "x".repeat(70_000))))
			.withMessageContaining(
					"value of the header 'name' of a message of topic 'numbers' may have 65535 bytes, and this one has 70000");
		topic.publish(new byte[1], Map.of("name", "x"));
		assertThatExceptionOfType(TopicException.class)
			.isThrownBy(() -> topics.topic(settings.withCapacity(2 * SMALLEST)))
			.withMessageContaining("with other settings");
		assertThat(topics.topic(settings)).isSameAs(topic);
		assertThatIllegalArgumentException().isThrownBy(() -> TopicSettings.of("Ä", TopicModel.STREAM, String.class))
			.withMessageContaining("'Ä'");
		assertThatIllegalArgumentException().isThrownBy(() -> settings.withCapacity(100_000))
			.withMessageContaining("100000");
	}

	@Test
	void aSubscriptionEndsWithTheMessageThatItHasAndAStreamGoesOn() throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.STREAM, SMALLEST, WhenFull.BLOCK);
		Topic<byte[]> topic = application("a").topic(settings);
		for (long i = 1; i <= 1000; i++) {
			topic.publish(ByteBuffer.allocate(Long.BYTES).putLong(i).array());
		}
		List<Long> received = Collections.synchronizedList(new ArrayList<>());
		CountDownLatch some = new CountDownLatch(100);
		Subscription first = application("b").subscribe(settings, SubscriberSettings.of("first"), (message) -> {
			received.add(ByteBuffer.wrap(message.payload()).getLong());
			some.countDown();
		});
		some.await();
		first.close();
		AtomicInteger redelivered = new AtomicInteger();
		application("c").subscribe(settings, SubscriberSettings.of("second"), (message) -> {
			redelivered.addAndGet(message.redelivered() ? 1 : 0);
			received.add(ByteBuffer.wrap(message.payload()).getLong());
		});
		TopicFixture.await(() -> received.size() == 1000);
		assertThat(redelivered.get()).isZero();
		assertThat(received).containsExactlyElementsOf(LongStream.rangeClosed(1, 1000).boxed().toList());
	}

	@Test
	void aTopicThatIsClosedIsHandledToItsEndAndMayComeBack() {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.PUB_SUB, SMALLEST, WhenFull.BLOCK);
		ShmTopics publisher = application("a");
		AtomicInteger received = new AtomicInteger();
		application("b").subscribe(settings, SubscriberSettings.of("b"), (message) -> received.incrementAndGet());
		for (int round = 1; round <= 3; round++) {
			Topic<byte[]> topic = publisher.topic(settings);
			awaitSubscribers(topic, 1);
			for (int i = 0; i < 500; i++) {
				topic.publish(new byte[10]);
			}
			topic.close();
			int expected = 500 * round;
			TopicFixture.await(() -> received.get() == expected);
		}
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void batchesArriveInOrderAlsoIfTheyAreLargerThanTheRoom(TopicModel model) {
		TopicSettings<byte[]> settings = TopicFixture.bytes(model, SMALLEST, WhenFull.BLOCK);
		Topic<byte[]> topic = application("a").topic(settings);
		List<Long> received = Collections.synchronizedList(new ArrayList<>());
		application("b").subscribe(settings, SubscriberSettings.of("b"),
				(message) -> received.add(ByteBuffer.wrap(message.payload()).getLong()));
		awaitSubscribers(topic, 1);
		int count = 5000;
		topic.publishAll(LongStream.rangeClosed(1, count)
			.mapToObj((number) -> ByteBuffer.allocate(100).putLong(number).array())
			.toList(), Map.of());
		TopicFixture.await(() -> received.size() == count);
		assertThat(received).containsExactlyElementsOf(LongStream.rangeClosed(1, count).boxed().toList());
		assertThatExceptionOfType(TopicException.class)
			.isThrownBy(() -> topic.publishAll(List.of(new byte[8], new byte[SMALLEST]), Map.of()));
		TopicFixture.await(() -> received.size() == count + 1);
	}

	@Test
	void messagesOfAStreamThatNobodyHasTakenAreDroppedWithTheirTopic() {
		Topic<byte[]> topic = application("shop")
			.topic(TopicFixture.bytes(TopicModel.STREAM, SMALLEST, WhenFull.BLOCK));
		topic.publish(number(1));
		topic.publish(number(2));
		topic.publish(number(3));
		topic.close();
		assertThat(topic.report().dropped()).isEqualTo(3);
		assertThat(topic.report().published()).isEqualTo(3);
	}

	/** Until then, publishers would write to nobody, and nobody could come. */
	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void subscribersComeAlsoAfterTheFileWasCutOff(TopicModel model) throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(model, SMALLEST, WhenFull.BLOCK);
		Topic<byte[]> topic = application("shop").topic(settings);
		List<Long> early = Collections.synchronizedList(new ArrayList<>());
		application("early").subscribe(settings, SubscriberSettings.of("early"),
				(message) -> early.add(ByteBuffer.wrap(message.payload()).getLong()));
		awaitSubscribers(topic, 1);
		topic.publish(number(1));
		TopicFixture.await(() -> topic.report().usedBytes() == 0);
		Path file = logFile();
		long size = Files.size(file);
		// Words that others look at stay, so that no test depends on how a fault ends.
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
			channel.truncate(4096);
		}
		TopicFixture.await(() -> file.toFile().length() == size);
		List<Long> late = Collections.synchronizedList(new ArrayList<>());
		application("late").subscribe(settings, SubscriberSettings.of("late"),
				(message) -> late.add(ByteBuffer.wrap(message.payload()).getLong()));
		TopicFixture.await(() -> subscribers(topic).containsAll(Set.of("early", "late")));
		int count = 1000;
		for (long i = 2; i <= count; i++) {
			topic.publish(number(i));
		}
		if (model == TopicModel.PUB_SUB) {
			TopicFixture.await(() -> early.size() == count && late.size() == count - 1);
			assertThat(early).containsExactlyElementsOf(LongStream.rangeClosed(1, count).boxed().toList());
			assertThat(late).containsExactlyElementsOf(LongStream.rangeClosed(2, count).boxed().toList());
		}
		else {
			TopicFixture.await(() -> early.size() + late.size() == count);
			assertThat(Stream.concat(early.stream(), late.stream())).doesNotHaveDuplicates();
		}
	}

	private Path logFile() throws Exception {
		try (Stream<Path> files = Files.list(this.directory)) {
			return files.filter((file) -> file.toString().endsWith(".log")).findFirst().orElseThrow();
		}
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void subscribersComeAlsoAfterTheDirectoryWasDeleted(TopicModel model) throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(model, SMALLEST, WhenFull.BLOCK);
		Topic<byte[]> topic = application("shop").topic(settings);
		List<Long> early = Collections.synchronizedList(new ArrayList<>());
		CountDownLatch go = new CountDownLatch(1);
		application("early").subscribe(settings, SubscriberSettings.of("early"), (message) -> {
			early.add(ByteBuffer.wrap(message.payload()).getLong());
			go.await();
		});
		awaitSubscribers(topic, 1);
		topic.publish(number(1));
		TopicFixture.await(() -> early.size() == 1);
		topic.publish(number(2));
		topic.publish(number(3));
		List<Long> late = Collections.synchronizedList(new ArrayList<>());
		try {
			TopicFixture.delete(this.directory);
			application("late").subscribe(settings, SubscriberSettings.of("late"), (message) -> {
				assertThat(message.redelivered()).isFalse();
				late.add(ByteBuffer.wrap(message.payload()).getLong());
			});
			if (model == TopicModel.STREAM) {
				TopicFixture.await(() -> late.size() == 2);
			}
		}
		finally {
			go.countDown();
		}
		TopicFixture.await(() -> subscribers(topic).containsAll(Set.of("early", "late")));
		int count = 1000;
		for (long i = 4; i <= count; i++) {
			topic.publish(number(i));
		}
		if (model == TopicModel.PUB_SUB) {
			TopicFixture.await(() -> early.size() == count && late.size() == count - 3);
			assertThat(early).containsExactlyElementsOf(LongStream.rangeClosed(1, count).boxed().toList());
			assertThat(late).containsExactlyElementsOf(LongStream.rangeClosed(4, count).boxed().toList());
		}
		else {
			TopicFixture.await(() -> early.size() + late.size() == count);
			assertThat(Stream.concat(early.stream(), late.stream()).sorted().toList())
				.containsExactlyElementsOf(LongStream.rangeClosed(1, count).boxed().toList());
		}
	}

	private static Set<String> subscribers(Topic<?> topic) {
		return topic.report().subscribers().stream().map(TopicReport.Subscriber::name).collect(Collectors.toSet());
	}

	private static byte[] number(long number) {
		return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
	}

	@Test
	void nothingIsLeftOfTheDirectoryWhileNothingIsUsed() throws Exception {
		application("idle");
		try (var files = Files.list(this.directory)) {
			assertThat(files.filter((file) -> !file.endsWith("host-token"))).isEmpty();
		}
	}

	record Order(int number, String name) {
	}

}
