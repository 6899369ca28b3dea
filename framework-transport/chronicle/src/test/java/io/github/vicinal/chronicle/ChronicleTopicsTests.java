package io.github.vicinal.chronicle;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.topic.DurableTopics.StoredPosition;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.ReplayFrom;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.SubscriptionReport;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicFullException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.UnreadableMessageException;
import io.github.vicinal.topic.WhenFull;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.queue.impl.single.TableStoreWriteLock;
import net.openhft.chronicle.wire.DocumentContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(90)
@Tag("every-jdk")
class ChronicleTopicsTests {

	private static final TopicSettings<String> NEWS = TopicSettings.of("news", TopicModel.PUB_SUB, String.class);

	private static final TopicSettings<String> JOBS = TopicSettings.of("jobs", TopicModel.STREAM, String.class);

	@TempDir
	private Path directory;

	private DurableFixture fixture;

	@BeforeEach
	void open() throws Exception {
		this.fixture = new DurableFixture(this.directory);
	}

	@AfterEach
	void close() throws Exception {
		this.fixture.close();
	}

	private static List<String> list() {
		return Collections.synchronizedList(new ArrayList<>());
	}

	private static MessageHandler<String> into(List<String> list) {
		return (message) -> list.add(message.payload());
	}

	private static List<String> texts(int from, int to) {
		return IntStream.range(from, to).mapToObj((i) -> "text " + i).toList();
	}

	@Test
	void eachConsumerGetsEachMessageInOrderAndGoesOnWhereItWas() {
		Topic<String> topic = this.fixture.application("shop").topic(NEWS);
		List<Message<String>> first = Collections.synchronizedList(new ArrayList<>());
		List<String> second = list();
		ChronicleTopics reader = this.fixture.application("reader");
		reader.subscribe(NEWS, SubscriberSettings.of("first"), first::add);
		reader.subscribe(NEWS, SubscriberSettings.of("second"), into(second));
		long before = System.nanoTime();
		texts(0, 500).forEach((text) -> topic.publish(text, Map.of("of", text)));
		DurableFixture.await(() -> first.size() == 500 && second.size() == 500);
		assertThat(second).isEqualTo(texts(0, 500));
		assertThat(first).allMatch((message) -> message.headers().equals(Map.of("of", message.payload()))
				&& !message.redelivered() && message.topic().equals("news"));
		assertThat(first.get(0).publishedNanos()).isBetween(before - 1_000_000_000L,
				System.nanoTime() + 1_000_000_000L);
		assertThat(first).extracting(Message::sequence).isSorted().doesNotHaveDuplicates();
		reader.close();
		texts(500, 600).forEach(topic::publish);
		List<String> again = list();
		ChronicleTopics later = this.fixture.application("later");
		later.subscribe(NEWS, SubscriberSettings.of("second"), into(again));
		DurableFixture.await(() -> again.size() == 100);
		assertThat(again).isEqualTo(texts(500, 600));
		assertThat(later.positions(NEWS)).extracting(StoredPosition::consumer)
			.containsExactlyInAnyOrder("first", "second");
		assertThat(later.positions(NEWS)).filteredOn((position) -> position.consumer().equals("first"))
			.extracting(StoredPosition::lag)
			.allMatch((lag) -> lag == -1 || lag == 100);
	}

	@Test
	void handlersHaveTheClassLoaderOfTheApplication() throws Exception {
		Thread current = Thread.currentThread();
		ClassLoader before = current.getContextClassLoader();
		CompletableFuture<ClassLoader> loader = new CompletableFuture<>();
		try (URLClassLoader ofApplication = new URLClassLoader(new URL[0], before)) {
			current.setContextClassLoader(ofApplication);
			ChronicleTopics application = this.fixture.application("shop");
			current.setContextClassLoader(before);
			application.topic(NEWS).publish("text");
			// Nothing is published from then on, so no bell's thread calls the handler.
			application.replay(NEWS, SubscriberSettings.of("reader"), ReplayFrom.start(),
					(message) -> loader.complete(Thread.currentThread().getContextClassLoader()));
			assertThat(loader.get()).isSameAs(ofApplication);
		}
		finally {
			current.setContextClassLoader(before);
		}
	}

	@Test
	void aPublisherThatIsInterruptedPublishes() {
		Topic<String> topic = this.fixture.application("shop").topic(NEWS);
		List<String> read = list();
		this.fixture.application("reader").subscribe(NEWS, SubscriberSettings.of("reader"), into(read));
		Thread.currentThread().interrupt();
		topic.publish("a");
		assertThat(Thread.interrupted()).isTrue();
		topic.publish("b");
		DurableFixture.await(() -> read.size() == 2);
		assertThat(read).containsExactly("a", "b");
	}

	@Test
	void ofTwoSubscribersWithOneNameTheSecondWaits() {
		Topic<String> topic = this.fixture.application("shop").topic(NEWS);
		List<String> first = list();
		List<String> second = list();
		Subscription active = this.fixture.application("one")
			.subscribe(NEWS, SubscriberSettings.of("same"), into(first));
		topic.publish("a");
		DurableFixture.await(() -> first.size() == 1);
		this.fixture.application("two").subscribe(NEWS, SubscriberSettings.of("same"), into(second));
		topic.publish("b");
		DurableFixture.await(() -> first.size() == 2);
		active.close();
		topic.publish("c");
		DurableFixture.await(() -> second.size() == 1);
		assertThat(first).containsExactly("a", "b");
		assertThat(second).containsExactly("c");
	}

	@Test
	void messagesOfAStreamWaitAndGoToOneSubscriberEach() {
		Topic<String> topic = this.fixture.application("boss").topic(JOBS);
		texts(0, 100).forEach(topic::publish);
		Map<String, AtomicInteger> received = new ConcurrentHashMap<>();
		MessageHandler<String> handler = (
				message) -> received.computeIfAbsent(message.payload(), (key) -> new AtomicInteger()).incrementAndGet();
		List<Subscription> subscriptions = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			subscriptions.add(this.fixture.application("worker")
				.subscribe(JOBS, new SubscriberSettings("worker", 2, 1, Duration.ZERO), handler));
		}
		texts(100, 2000).forEach(topic::publish);
		DurableFixture.await(() -> received.size() == 2000);
		subscriptions.forEach(Subscription::close);
		assertThat(received.values()).allMatch((times) -> times.get() == 1);
		List<String> nothing = list();
		this.fixture.application("late").subscribe(JOBS, SubscriberSettings.of("late"), into(nothing));
		topic.publish("more");
		DurableFixture.await(() -> !nothing.isEmpty());
		assertThat(nothing).containsExactly("more");
	}

	/** Nobody gets it a second time, and those behind it do not wait for it. */
	@Test
	void aPayloadThatCannotBeReadIsGivenAwayOnceAsItIs() {
		record Job(int number) {
		}
		TopicSettings<Job> jobs = TopicSettings.of("jobs", TopicModel.STREAM, Job.class);
		Topic<Job> topic = this.fixture.application("boss").topic(jobs);
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
				this.fixture.application("one").subscribe(jobs, SubscriberSettings.of("worker"), handler),
				this.fixture.application("two").subscribe(jobs, SubscriberSettings.of("worker"), handler));
		topic.publishWritten("{\"number\":1".getBytes(StandardCharsets.UTF_8), Map.of("is", "truncated"));
		topic.publishWritten("{\"number\":\"one\"}".getBytes(StandardCharsets.UTF_8), Map.of("is", "of another type"));
		topic.publishWritten(new byte[] { 'x' }, Map.of("is", "of another codec"));
		for (int i = 0; i < 100; i++) {
			topic.publish(new Job(i));
		}
		DurableFixture.await(() -> good.size() == 100 && bad.size() == 3);
		workers.forEach(Subscription::close);
		List<Integer> again = Collections.synchronizedList(new ArrayList<>());
		this.fixture.application("late")
			.subscribe(jobs, SubscriberSettings.of("late"), (message) -> again.add(message.payload().number()));
		topic.publish(new Job(100));
		DurableFixture.await(() -> !again.isEmpty());
		assertThat(again).containsExactly(100);
		assertThat(bad).containsExactlyInAnyOrder("{\"number\":1{is=truncated}",
				"{\"number\":\"one\"}{is=of another type}", "x{is=of another codec}");
		assertThat(good).hasSize(100).doesNotHaveDuplicates();
	}

	@Test
	void messagesThatAClosingSubscriberHasNotHandledAreRedelivered() {
		Topic<String> topic = this.fixture.application("boss").topic(JOBS);
		texts(0, 3).forEach(topic::publish);
		CountDownLatch attempted = new CountDownLatch(1);
		Subscription first = this.fixture.application("first")
			.subscribe(JOBS, new SubscriberSettings("first", 1, 9, Duration.ofHours(1)), (message) -> {
				attempted.countDown();
				throw new IllegalStateException("not yet");
			});
		DurableFixture.await(() -> attempted.getCount() == 0);
		first.close();
		List<String> received = list();
		this.fixture.application("second")
			.subscribe(JOBS, SubscriberSettings.of("second"),
					(message) -> received.add(message.payload() + message.redelivered()));
		DurableFixture.await(() -> received.size() == 3);
		assertThat(received).containsExactly("text 0true", "text 1false", "text 2false");
	}

	@Test
	void aTopicIsReplayedFromItsStartAnIndexOrATime() {
		ChronicleTopics topics = this.fixture.application("shop");
		Topic<String> topic = topics.topic(JOBS);
		texts(0, 50).forEach(topic::publish);
		Instant between = Instant.now().plusMillis(2);
		DurableFixture.await(() -> Instant.now().isAfter(between.plusMillis(2)));
		texts(50, 100).forEach(topic::publish);
		List<Message<String>> all = Collections.synchronizedList(new ArrayList<>());
		topics.replay(JOBS, SubscriberSettings.of("all"), ReplayFrom.start(), all::add);
		DurableFixture.await(() -> all.size() == 100);
		List<String> fromIndex = list();
		topics.replay(JOBS, SubscriberSettings.of("index"), ReplayFrom.index(all.get(20).sequence()), into(fromIndex));
		List<String> fromTime = list();
		topics.replay(JOBS, SubscriberSettings.of("time"), ReplayFrom.time(between), into(fromTime));
		List<String> fromEnd = list();
		topics.replay(JOBS, SubscriberSettings.of("end"), ReplayFrom.end(), into(fromEnd));
		topic.publish("text 100");
		DurableFixture.await(() -> fromIndex.size() == 81 && fromTime.size() == 51 && fromEnd.size() == 1);
		assertThat(fromIndex).isEqualTo(texts(20, 101));
		assertThat(fromTime).isEqualTo(texts(50, 101));
		assertThat(fromEnd).isEqualTo(texts(100, 101));
	}

	@Test
	void aTimeIsExactAndMayBeAny() throws Exception {
		ChronicleTopics topics = this.fixture.application("shop");
		topics.topic(NEWS);
		long micros = TimeUnit.SECONDS.toMicros(1_000_000);
		try (Alive alive = Alive.open(this.directory);
				DurableLog log = DurableFixture.log(this.directory.resolve("news"), alive)) {
			append(log, micros + 100, "before");
			append(log, micros + 700, "after");
		}
		List<String> exact = list();
		topics.replay(NEWS, SubscriberSettings.of("exact"),
				ReplayFrom.time(Instant.ofEpochSecond(1_000_000, TimeUnit.MICROSECONDS.toNanos(700))), into(exact));
		List<String> all = list();
		topics.replay(NEWS, SubscriberSettings.of("all"), ReplayFrom.time(Instant.MIN), into(all));
		List<String> none = list();
		topics.replay(NEWS, SubscriberSettings.of("none"), ReplayFrom.time(Instant.MAX), into(none));
		topics.topic(NEWS).publish("new");
		DurableFixture.await(() -> exact.contains("new") && all.contains("new") && none.contains("new"));
		assertThat(exact).containsExactly("after", "new");
		assertThat(all).containsExactly("before", "after", "new");
		assertThat(none).containsExactly("new");
	}

	private static void append(DurableLog log, long micros, String text) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		log.append(DurableRecord.write(DurableRecord.names("publisher", Map.of()), micros, bytes, bytes.length));
	}

	@Test
	void thePublisherReportsWhatTheSlowestConsumerHasYetToHandle() {
		ChronicleTopics topics = this.fixture.application("shop");
		Topic<String> news = topics.topic(NEWS);
		Topic<String> jobs = topics.topic(JOBS);
		assertThat(news.report().backlogMessages()).isZero();
		topics.keepFor(NEWS, "billing");
		texts(0, 50).forEach(news::publish);
		texts(0, 50).forEach(jobs::publish);
		DurableFixture.await(() -> backlog(news) == 50 && backlog(jobs) == 50);
		DurableFixture.await(() -> news.report().backlogBytes() > 0);
		List<String> read = list();
		topics.subscribe(NEWS, SubscriberSettings.of("billing"), into(read));
		topics.subscribe(JOBS, SubscriberSettings.of("billing"), into(read));
		DurableFixture.await(() -> backlog(news) == 0 && backlog(jobs) == 0);
		assertThat(read).hasSize(100);
		assertThat(topics.positions(NEWS))
			.containsExactly(new StoredPosition("billing", topics.positions(NEWS).get(0).index(), 0));
	}

	private static long backlog(Topic<?> topic) {
		return topic.report().backlogMessages();
	}

	@Test
	void withoutBellsMessagesArriveALittleLater() {
		Rendezvous off = Rendezvous.none("there is no place for bells");
		try (ShmTopics none = new ShmTopics(PeerIdentity.create(off.hostId()), "shop", off,
				JsonMapper.builder().build());
				ChronicleTopics topics = new ChronicleTopics(PeerIdentity.create(off.hostId()), "shop", this.directory,
						JsonMapper.builder().build(), none, DurableFixture.SMALL)) {
			List<String> read = list();
			topics.subscribe(NEWS, SubscriberSettings.of("reader"), into(read));
			topics.topic(NEWS).publish("a");
			DurableFixture.await(() -> read.size() == 1);
			topics.topic(NEWS).publishAll(List.of("b", "c"), Map.of());
			DurableFixture.await(() -> read.size() == 3);
			assertThat(read).containsExactly("a", "b", "c");
		}
	}

	@Test
	void positionsAreMovedAndForgotten() {
		ChronicleTopics topics = this.fixture.application("shop");
		Topic<String> topic = topics.topic(NEWS);
		texts(0, 10).forEach(topic::publish);
		topics.seek(NEWS, "audit", ReplayFrom.start());
		List<String> received = list();
		Subscription subscription = topics.subscribe(NEWS, SubscriberSettings.of("audit"), into(received));
		DurableFixture.await(() -> received.size() == 10);
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topics.seek(NEWS, "audit", ReplayFrom.end()))
			.withMessageContaining("'audit' of topic 'news' is subscribed");
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topics.forget(NEWS, "audit"));
		subscription.close();
		topics.forget(NEWS, "audit");
		assertThat(topics.positions(NEWS)).isEmpty();
		assertThatExceptionOfType(TopicException.class)
			.isThrownBy(() -> topics.subscribe(NEWS, SubscriberSettings.of("../audit"), into(received)))
			.withMessageContaining("'../audit'");
	}

	@Test
	void oldFilesAreDeletedBehindTheSlowestConsumer() throws Exception {
		ChronicleOptions options = new ChronicleOptions(RollInterval.SECOND, 4 << 20, Duration.ofDays(1), 0, 1 << 20,
				Duration.ofSeconds(1), false);
		TopicSettings<byte[]> settings = TopicSettings.of("numbers", TopicModel.PUB_SUB, byte[].class)
			.whenFull(WhenFull.FAIL, Duration.ZERO);
		ChronicleTopics topics = this.fixture.application("shop", options);
		CountDownLatch go = new CountDownLatch(1);
		AtomicInteger received = new AtomicInteger();
		topics.subscribe(settings, SubscriberSettings.of("slow-one"), (message) -> {
			go.await();
			received.incrementAndGet();
		});
		Topic<byte[]> topic = topics.topic(settings);
		int published = 0;
		TopicFullException full = null;
		while (full == null) {
			try {
				topic.publish(new byte[10_000]);
				published++;
			}
			catch (TopicFullException ex) {
				full = ex;
			}
		}
		assertThat(full).hasMessageContaining("'numbers' has no room").hasMessageContaining("'slow-one'");
		assertThat(published).isBetween(20, 420);
		go.countDown();
		int before = published;
		DurableFixture.await(() -> received.get() == before);
		DurableFixture.await(() -> {
			try {
				topic.publish(new byte[10_000]);
				return true;
			}
			catch (TopicFullException ex) {
				return false;
			}
		});
		DurableFixture.await(() -> received.get() == before + 1);
		try (var files = Files.list(this.directory.resolve("numbers/queue"))) {
			assertThat(files.filter((file) -> file.toString().endsWith(".cq4"))).isNotEmpty();
		}
	}

	@Test
	void aPlaceBehindTheEndIsTheEnd() {
		ChronicleTopics topics = this.fixture.application("shop");
		Topic<String> topic = topics.topic(NEWS);
		texts(0, 3).forEach(topic::publish);
		topics.seek(NEWS, "audit", ReplayFrom.index(Long.MAX_VALUE));
		List<String> received = list();
		topics.subscribe(NEWS, SubscriberSettings.of("audit"), into(received));
		texts(3, 5).forEach(topic::publish);
		DurableFixture.await(() -> received.size() == 2);
		assertThat(received).isEqualTo(texts(3, 5));
	}

	@Test
	void messagesThatMadeRoomAreCountedAtThePublisher() {
		ChronicleOptions options = new ChronicleOptions(RollInterval.SECOND, 1 << 20, Duration.ofDays(1), 0, 1 << 20,
				Duration.ofSeconds(1), false);
		TopicSettings<byte[]> settings = TopicSettings.of("numbers", TopicModel.PUB_SUB, byte[].class)
			.whenFull(WhenFull.DROP_OLDEST, Duration.ZERO);
		ChronicleTopics topics = this.fixture.application("shop", options);
		topics.keepFor(settings, "away");
		Topic<byte[]> topic = topics.topic(settings);
		AtomicInteger received = new AtomicInteger();
		for (int files = 1; topic.report().dropped() == 0 || files < 4; files++) {
			for (int i = 0; i < 60; i++) {
				topic.publish(new byte[10_000]);
			}
			long second = System.currentTimeMillis() / 1000;
			DurableFixture.await(() -> System.currentTimeMillis() / 1000 > second);
		}
		long kept = topic.report().published() - topic.report().dropped();
		topics.subscribe(settings, SubscriberSettings.of("away"), (message) -> received.incrementAndGet());
		DurableFixture.await(() -> received.get() >= kept && topic.report().backlogMessages() == 0);
		assertThat(received).hasValue((int) kept);
		assertThat(kept).isPositive();
		assertThat(topic.report().refused()).isZero();
	}

	/** A file that is full ends before its time, so that older ones can be deleted. */
	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void filesAreNotLargerThanAQuarterOfTheTopic(TopicModel model) throws Exception {
		ChronicleOptions options = new ChronicleOptions(RollInterval.HOUR, 8 << 20, Duration.ofDays(1), 0, 1 << 20,
				Duration.ofSeconds(1), false);
		TopicSettings<byte[]> settings = TopicSettings.of("numbers", model, byte[].class)
			.whenFull(WhenFull.DROP_OLDEST, Duration.ZERO);
		ChronicleTopics topics = this.fixture.application("shop", options);
		ChronicleTopics others = this.fixture.application("desk", options);
		List<Integer> received = Collections.synchronizedList(new ArrayList<>());
		Subscription subscription = topics.subscribe(settings, SubscriberSettings.of("all"),
				(message) -> received.add(ByteBuffer.wrap(message.payload()).getInt()));
		topics.keepFor(settings, "away");
		Topic<byte[]> topic = topics.topic(settings);
		Topic<byte[]> other = others.topic(settings);
		int messages = 1600;
		for (int i = 0; i < messages; i++) {
			byte[] payload = ByteBuffer.allocate(100_000).putInt(i).array();
			((i % 2 == 0) ? topic : other).publish(payload);
			int number = i;
			DurableFixture.await(() -> received.size() > number);
			if (i % 100 == 0) {
				assertThat(bytesOf("numbers")).as("files grow by blocks").isLessThan(13 << 20);
			}
		}
		assertThat(received).isEqualTo(IntStream.range(0, messages).boxed().toList());
		if (model == TopicModel.PUB_SUB) {
			assertThat(topic.report().dropped() + other.report().dropped()).isBetween(messages - 85L, messages - 15L);
		}
		assertThat(subscription.report().failed()).isZero();
	}

	private long bytesOf(String topic) throws IOException {
		try (Stream<Path> files = Files.list(this.directory.resolve(topic).resolve("queue"))) {
			return files.filter((file) -> file.toString().endsWith(".cq4"))
				.mapToLong((file) -> file.toFile().length())
				.sum();
		}
	}

	@Test
	void whatADurableSubscriberHasMissedIsNotKnown() {
		ChronicleTopics topics = this.fixture.application("shop");
		Subscription subscription = topics.subscribe(TopicSettings.of("numbers", TopicModel.PUB_SUB, byte[].class),
				SubscriberSettings.of("all"), (message) -> {
				});
		assertThat(subscription.report().dropped()).isEqualTo(SubscriptionReport.NOT_KNOWN);
	}

	/** Whatever a reader of bytes does first, publishers say what the payload is. */
	@Test
	void readingBytesDeclaresNoPayload() {
		TopicSettings<byte[]> raw = TopicSettings.of("news", TopicModel.PUB_SUB, byte[].class);
		ChronicleTopics reader = this.fixture.application("reader");
		List<String> received = list();
		reader.keepFor(raw, "later");
		reader.seek(raw, "later", ReplayFrom.start());
		reader.replay(raw, SubscriberSettings.of("replay"), ReplayFrom.start(),
				(message) -> received.add(new String(message.payload(), StandardCharsets.UTF_8)));
		Topic<String> topic = this.fixture.application("shop").topic(NEWS);
		topic.publish("text");
		DurableFixture.await(() -> received.size() == 1);
		assertThat(received).containsExactly("text");
		assertThat(reader.positions(raw)).extracting(StoredPosition::consumer).containsExactly("later");
		reader.forget(raw, "later");
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> reader.topic(raw))
			.withMessageContaining("has the payload text at 'shop'")
			.withMessageContaining("but bytes at 'reader'");
	}

	@Test
	void twoDeclarationsOfOneTopicAreRefusedWithBothNames() {
		this.fixture.application("shop").topic(TopicSettings.of("orders", TopicModel.STREAM, String.class));
		ChronicleTopics other = this.fixture.application("billing");
		assertThatExceptionOfType(TopicException.class)
			.isThrownBy(() -> other.topic(TopicSettings.of("orders", TopicModel.PUB_SUB, String.class)))
			.withMessageStartingWith(
					"The durable topic 'orders' has the model STREAM at 'shop', which has declared it, but PUB_SUB at 'billing': let both name one model, or stop both and delete ");
		assertThatExceptionOfType(TopicException.class)
			.isThrownBy(() -> other.topic(TopicSettings.of("orders", TopicModel.STREAM, byte[].class)))
			.withMessageContaining("has the payload text at 'shop'")
			.withMessageContaining("but bytes at 'billing'");
		assertThatExceptionOfType(TopicException.class)
			.isThrownBy(() -> other.topic(TopicSettings.of("large", TopicModel.STREAM, byte[].class))
				.publish(new byte[300_000]))
			.withMessageContaining("may have 262144 bytes with its headers, a quarter of a block");
		assertThatExceptionOfType(TopicException.class)
			.isThrownBy(() -> other.topic(TopicSettings.of("large", TopicModel.STREAM, byte[].class))
				.publish(new byte[1], Map.of("name", "x".repeat(70_000))))
			.withMessageContaining("value of the header 'name' of a message of topic 'large' may have 65535 bytes");
	}

	/**
	 * Whoever may write there could publish, and whoever may read there could subscribe.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "news", ".alive" })
	void aDirectoryThatOthersMayEnterIsRefused(String name) throws Exception {
		Path made = Files.createDirectory(this.directory.resolve(name));
		Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxrwxrwx"));
		ChronicleTopics topics = this.fixture.application("shop");
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topics.topic(NEWS))
			.withMessageContaining("others may enter " + made)
			.withMessageContaining("run 'chmod 700 " + made + "'");
		Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwx------"));
		topics.topic(NEWS).publish("a");
	}

	@ParameterizedTest
	@ValueSource(strings = { "news", ".alive" })
	void aDirectoryThatIsALinkIsRefused(String name) throws Exception {
		Path elsewhere = Files.createDirectory(this.directory.resolve("elsewhere"));
		Path link = Files.createSymbolicLink(this.directory.resolve(name), elsewhere);
		ChronicleTopics topics = this.fixture.application("shop");
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topics.topic(NEWS))
			.withMessageContaining(link + " is not a directory");
		assertThat(elsewhere).isEmptyDirectory();
	}

	@ParameterizedTest
	@ValueSource(strings = { "news", ".alive" })
	void aDirectoryOfAnotherUserIsRefused(String name) throws Exception {
		Path made = Files.createDirectory(this.directory.resolve(name),
				PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
		Assumptions.assumeTrue(new ProcessBuilder("chown", "65534", made.toString()).start().waitFor() == 0,
				"needs the right to give a directory to another user");
		ChronicleTopics topics = this.fixture.application("shop");
		assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topics.topic(NEWS))
			.withMessageContaining(made + " belongs to the user ");
	}

	@Test
	void severalProcessesAppendToOneTopic() {
		List<Topic<byte[]>> topics = IntStream.range(0, 3)
			.mapToObj((i) -> this.fixture.application("many").topic(DurableFixture.numbers(TopicModel.PUB_SUB)))
			.toList();
		Map<Integer, Integer> last = new ConcurrentHashMap<>();
		AtomicInteger received = new AtomicInteger();
		this.fixture.application("one")
			.subscribe(DurableFixture.numbers(TopicModel.PUB_SUB), SubscriberSettings.of("one"), (message) -> {
				ByteBuffer payload = ByteBuffer.wrap(message.payload());
				int publisher = payload.getInt();
				int number = payload.getInt();
				Integer before = last.put(publisher, number);
				if (number == ((before == null) ? 0 : before + 1)) {
					received.incrementAndGet();
				}
			});
		List<Thread> threads = IntStream.range(0, 3).mapToObj((publisher) -> new Thread(() -> {
			for (int i = 0; i < 1000; i++) {
				topics.get(publisher).publish(ByteBuffer.allocate(8).putInt(publisher).putInt(i).array());
			}
		})).toList();
		threads.forEach(Thread::start);
		DurableFixture.await(() -> received.get() == 3000);
	}

	/** As one does that is stopped while it appends. */
	@Test
	void aPublisherThatKeepsTheLockIsNamedToTheOthers() {
		ChronicleOptions hasty = new ChronicleOptions(RollInterval.HOUR, 64 << 20, Duration.ofDays(1), 0, 1 << 20,
				Duration.ofMillis(10), false);
		Topic<String> topic = this.fixture.application("shop", hasty).topic(NEWS);
		topic.publish("before");
		try (ChronicleQueue queue = SingleChronicleQueueBuilder.single(this.directory.resolve("news/queue").toFile())
			.rollCycle(RollInterval.HOUR.cycle())
			.blockSize(1 << 20)
			.build(); ExcerptAppender appender = queue.createAppender()) {
			try (DocumentContext document = appender.writingDocument()) {
				assertThat(CompletableFuture.runAsync(() -> topic.publish("kept out")))
					.failsWithin(Duration.ofMinutes(1))
					.withThrowableThat()
					.havingCause()
					.isExactlyInstanceOf(TopicException.class)
					.withMessageContaining("Another publisher keeps the lock of the queue in %s",
							this.directory.resolve("news/queue"))
					.withMessageContaining("patience (10 ms)");
				document.rollbackOnClose();
			}
		}
		topic.publish("afterwards");
		assertThat(topic.report().published()).isEqualTo(2);
	}

	/** In containers, both may be process 1. */
	@Test
	void aPublisherGoesOnAfterOneOfTheSameProcessIdThatWasKilledWhileItAppended() throws Exception {
		Topic<String> topic = this.fixture.application("shop").topic(NEWS);
		topic.publish("before");
		Alive killed = Alive.open(this.directory.resolve(".alive"));
		ProcessLock lock = ProcessLock.open(this.directory.resolve("news/publishing"), this.directory, killed);
		assertThat(lock.lock(Duration.ZERO)).isEqualTo(ProcessLock.Outcome.LOCKED);
		try (SingleChronicleQueue queue = SingleChronicleQueueBuilder
			.single(this.directory.resolve("news/queue").toFile())
			.build()) {
			// In a thread that ends: Chronicle remembers which one has its lock.
			CompletableFuture
				.runAsync(() -> new TableStoreWriteLock(queue.metaStore(),
						SingleChronicleQueueBuilder.single().pauserSupplier(), 1L)
					.lock())
				.get();
			assertThatExceptionOfType(TopicException.class).isThrownBy(() -> topic.publish("too early"))
				.withMessageContaining("Another publisher (process %d) keeps the lock", ProcessHandle.current().pid());
			killed.close();
			topic.publish("after");
		}
		List<String> all = list();
		this.fixture.application("reader").replay(NEWS, SubscriberSettings.of("all"), ReplayFrom.start(), into(all));
		DurableFixture.await(() -> all.contains("after"));
		assertThat(all).containsExactly("before", "after");
	}

	/** The publisher that has ended it was killed before it began the next one. */
	@Test
	void aFileThatHasEndedIsFollowedByTheNextOne() throws Exception {
		Path queue = this.directory.resolve("news/queue");
		Topic<String> topic = this.fixture.application("shop", ChronicleOptions.defaults()).topic(NEWS);
		topic.publish("before");
		try (SingleChronicleQueue ahead = SingleChronicleQueueBuilder.single(queue.toFile())
			.rollCycle(RollInterval.HOUR.cycle())
			.timeProvider(() -> System.currentTimeMillis() + Duration.ofHours(2).toMillis())
			.build(); ExcerptAppender appender = ahead.createAppender()) {
			appender.writeText("in the next file");
			Path next;
			try (Stream<Path> files = Files.list(queue)) {
				next = files.filter((file) -> file.toString().endsWith(".cq4"))
					.max(Comparator.naturalOrder())
					.orElseThrow();
			}
			Files.delete(next);
			ahead.refreshDirectoryListing();
		}
		topic.publish("afterwards");
		assertThat(topic.report().published()).isEqualTo(2);
	}

}
