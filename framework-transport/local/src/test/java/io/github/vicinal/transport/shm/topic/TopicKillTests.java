package io.github.vicinal.transport.shm.topic;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.testing.DeepTests;
import io.github.vicinal.topic.BatchHandler;
import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.WhenFull;
import io.github.vicinal.transport.testing.Async;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Processes that are killed or stopped, at random times with fixed seeds. */
class TopicKillTests {

	private static final int FEW = DeepTests.areRun() ? 6 : 3;

	/** Kills of a test of the tier {@code deep}. A soak has 1,000. */
	private static final int MANY = Integer.getInteger("topic.kills", 100);

	private static final int CAPACITY = 64 << 10;

	private Path directory;

	@BeforeEach
	void makeDirectory() throws Exception {
		this.directory = TopicFixture.memoryDirectory();
	}

	@AfterEach
	void leaveNothing() throws Exception {
		// The dead have left what the next publisher sweeps.
		try (ShmTopics next = TopicFixture.topics(this.directory, "next")) {
			next.topic(TopicSettings.of("next", TopicModel.PUB_SUB, String.class));
		}
		TopicFixture.assertEmptyAndDelete(this.directory);
	}

	@Test
	@Timeout(240)
	void messagesOfAKilledPublisherArrive() throws Exception {
		killPublishers(11);
	}

	@Test
	@Tag("deep")
	@Timeout(7200)
	void messagesOfManyKilledPublishersArrive() throws Exception {
		for (int kills = 0; kills < MANY; kills += FEW) {
			killPublishers(11 + kills);
		}
	}

	private void killPublishers(long seed) throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.PUB_SUB, CAPACITY, WhenFull.BLOCK);
		Random random = new Random(seed);
		try (ShmTopics topics = TopicFixture.topics(this.directory, "reader")) {
			Map<String, List<Long>> received = new ConcurrentHashMap<>();
			topics.subscribe(settings, SubscriberSettings.of("reader"),
					(message) -> received
						.computeIfAbsent(message.publisher(), (key) -> Collections.synchronizedList(new ArrayList<>()))
						.add(ByteBuffer.wrap(message.payload()).getLong()));
			for (int kill = 0; kill < FEW; kill++) {
				killPublisher(random.nextInt(200), received);
			}
		}
	}

	private void killPublisher(int after, Map<String, List<Long>> received) throws Exception {
		Set<String> before = Set.copyOf(received.keySet());
		long said = 0;
		try (TopicFixture.Child child = TopicFixture.Child.start(this.directory, "publish", "PUB_SUB", CAPACITY,
				"BLOCK")) {
			assertThat(child.line()).isEqualTo("ready");
			String attached = "0";
			while (!attached.equals("1")) {
				child.say("subscribers");
				attached = child.line();
			}
			child.say("1000000000");
			for (int line = 0; line <= after; line++) {
				said = Long.parseLong(child.line());
			}
			child.kill();
		}
		long published = said;
		AtomicLong last = new AtomicLong();
		TopicFixture.await(() -> {
			Set<String> now = new HashSet<>(received.keySet());
			now.removeAll(before);
			now.forEach((publisher) -> last.set(received.get(publisher).size()));
			return last.get() >= published;
		});
		received.values().forEach((numbers) -> {
			synchronized (numbers) {
				for (int i = 0; i < numbers.size(); i++) {
					assertThat(numbers.get(i)).isEqualTo(i + 1);
				}
			}
		});
	}

	/** Other tests run beside this one, and processes take their time to start. */
	private static void pace(long number) {
		if (number % 20 == 0) {
			LockSupport.parkNanos(100_000);
		}
	}

	@Test
	@Timeout(240)
	void othersGoOnWhenASubscriberIsKilled() throws Exception {
		killSubscribers(12);
	}

	@Test
	@Tag("deep")
	@Timeout(7200)
	void othersGoOnWhenManySubscribersAreKilled() throws Exception {
		for (int kills = 0; kills < MANY; kills += FEW) {
			killSubscribers(12 + kills);
		}
	}

	private void killSubscribers(long seed) throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.PUB_SUB, CAPACITY, WhenFull.BLOCK);
		Random random = new Random(seed);
		try (ShmTopics topics = TopicFixture.topics(this.directory, "publisher")) {
			Topic<byte[]> topic = topics.topic(settings);
			AtomicLong received = new AtomicLong();
			topics.subscribe(settings, SubscriberSettings.of("survivor"), (message) -> {
				if (ByteBuffer.wrap(message.payload()).getLong() == received.get() + 1) {
					received.incrementAndGet();
				}
			});
			TopicFixture.await(() -> topic.report().subscribers().size() == 1);
			AtomicInteger kills = new AtomicInteger();
			CompletableFuture<Long> published = Async.call(() -> {
				long number = 0;
				while (kills.get() < FEW) {
					topic.publish(ByteBuffer.allocate(Long.BYTES).putLong(++number).array());
					pace(number);
				}
				return number;
			});
			for (int kill = 0; kill < FEW; kill++) {
				try (TopicFixture.Child child = TopicFixture.Child.start(this.directory, "subscribe", "PUB_SUB",
						CAPACITY, "BLOCK")) {
					assertThat(child.line()).isEqualTo("ready");
					int lines = random.nextInt(2000) + 1;
					long before = Long.parseLong(child.line());
					for (int line = 0; line < lines; line++) {
						long number = Long.parseLong(child.line());
						assertThat(number).isEqualTo(before + 1);
						before = number;
					}
				}
				kills.incrementAndGet();
			}
			long count = published.join();
			TopicFixture.await(() -> received.get() == count);
			TopicFixture.await(() -> topic.report().subscribers().size() == 1);
		}
	}

	@Test
	@Timeout(240)
	void messagesOfAKilledSubscriberOfAStreamAreRedelivered() throws Exception {
		killCompetitors(13);
	}

	@Test
	@Tag("deep")
	@Timeout(7200)
	void messagesOfManyKilledSubscribersOfAStreamAreRedelivered() throws Exception {
		for (int kills = 0; kills < MANY; kills += FEW) {
			killCompetitors(13 + kills);
		}
	}

	private void killCompetitors(long seed) throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.STREAM, CAPACITY, WhenFull.BLOCK);
		Random random = new Random(seed);
		try (ShmTopics topics = TopicFixture.topics(this.directory, "publisher")) {
			Topic<byte[]> topic = topics.topic(settings);
			Map<Long, Integer> received = new ConcurrentHashMap<>();
			AtomicInteger redelivered = new AtomicInteger();
			MessageHandler<byte[]> handler = (message) -> {
				received.merge(ByteBuffer.wrap(message.payload()).getLong(), 1, Integer::sum);
				if (message.redelivered()) {
					redelivered.incrementAndGet();
				}
			};
			topics.subscribe(settings, SubscriberSettings.of("survivor"), handler);
			AtomicInteger kills = new AtomicInteger();
			CompletableFuture<Long> published = Async.call(() -> {
				long number = 0;
				while (kills.get() < FEW) {
					topic.publish(ByteBuffer.allocate(Long.BYTES).putLong(++number).array());
					pace(number);
				}
				return number;
			});
			Map<Long, Integer> said = new HashMap<>();
			for (int kill = 0; kill < FEW; kill++) {
				try (TopicFixture.Child child = TopicFixture.Child.start(this.directory, "subscribe", "STREAM",
						CAPACITY, "BLOCK")) {
					assertThat(child.line()).isEqualTo("ready");
					int killAt = random.nextInt(500) + 1;
					String line = child.line();
					for (int lines = 1; line.matches("-?[0-9]+"); lines++) {
						long number = Long.parseLong(line);
						said.merge(Math.abs(number), 1, Integer::sum);
						if (number < 0) {
							redelivered.incrementAndGet();
						}
						if (lines == killAt) {
							child.signal("KILL");
						}
						line = child.line();
					}
				}
				kills.incrementAndGet();
			}
			long count = published.join();
			TopicFixture.await(() -> topic.report().usedBytes() == 0);
			received.forEach((number, times) -> said.merge(number, times, Integer::sum));
			for (long number = 1; number <= count; number++) {
				assertThat(said.getOrDefault(number, 0)).as("times of %d of %d", number, count).isBetween(1, 2);
			}
			long twice = said.values().stream().filter((times) -> times == 2).count();
			assertThat(twice).isLessThanOrEqualTo(redelivered.get());
		}
	}

	@Test
	@Timeout(240)
	void messagesOfABatchOfAKilledSubscriberAreRedelivered() throws Exception {
		killBatches(14);
	}

	@Test
	@Tag("deep")
	@Timeout(7200)
	void messagesOfBatchesOfManyKilledSubscribersAreRedelivered() throws Exception {
		for (int kills = 0; kills < MANY; kills += FEW) {
			killBatches(14 + kills);
		}
	}

	/**
	 * Whatever a killed subscriber had in its last batch comes again, and nothing of
	 * those before, which it has acknowledged.
	 */
	private void killBatches(long seed) throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.STREAM, CAPACITY, WhenFull.BLOCK);
		Random random = new Random(seed);
		try (ShmTopics topics = TopicFixture.topics(this.directory, "publisher")) {
			Topic<byte[]> topic = topics.topic(settings);
			Map<Long, Boolean> received = new ConcurrentHashMap<>();
			Set<Long> twice = ConcurrentHashMap.newKeySet();
			BatchHandler<byte[]> handler = (messages) -> messages.forEach((message) -> {
				long number = ByteBuffer.wrap(message.payload()).getLong();
				if (received.put(number, message.redelivered()) != null) {
					twice.add(number);
				}
			});
			topics.subscribe(settings, SubscriberSettings.of("survivor").withMaxBatch(10), handler);
			AtomicInteger kills = new AtomicInteger();
			CompletableFuture<Long> published = Async.call(() -> {
				long number = 0;
				while (kills.get() < FEW) {
					topic.publish(ByteBuffer.allocate(Long.BYTES).putLong(++number).array());
					pace(number);
				}
				return number;
			});
			Set<Long> acknowledged = new HashSet<>();
			Set<Long> last = new HashSet<>();
			Set<Long> open = new HashSet<>();
			Set<Long> begun = new HashSet<>();
			Set<Long> again = new HashSet<>();
			for (int kill = 0; kill < FEW; kill++) {
				try (TopicFixture.Child child = TopicFixture.Child.start(this.directory, "subscribe", "STREAM",
						CAPACITY, "BLOCK", 1 + random.nextInt(100))) {
					assertThat(child.line()).isEqualTo("ready");
					int killAt = random.nextInt(500) + 1;
					last.clear();
					int size = 0;
					String line = child.line();
					for (int lines = 1; line.matches("-?[0-9]+|batch [0-9]+"); lines++) {
						if (line.startsWith("batch ")) {
							acknowledged.addAll(last);
							open.removeAll(last);
							last.clear();
							size = Integer.parseInt(line.substring("batch ".length()));
						}
						else {
							long number = Long.parseLong(line);
							last.add(Math.abs(number));
							open.add(Math.abs(number));
							if (number < 0) {
								again.add(-number);
							}
						}
						if (lines == killAt) {
							child.signal("KILL");
						}
						line = child.line();
					}
					if (last.size() < size) {
						// Its handler has not returned.
						begun.addAll(last);
					}
				}
				kills.incrementAndGet();
			}
			long count = published.join();
			TopicFixture.await(() -> topic.report().usedBytes() == 0);
			assertThat(begun).as("come again")
				.allMatch((number) -> received.getOrDefault(number, false) || again.contains(number));
			// A thread may have been killed when it had said what it is about to take,
			// and the survivor had taken it.
			assertThat(twice).hasSizeLessThanOrEqualTo(FEW);
			assertThat(twice).as("redelivered").allMatch(received::get);
			// There may be millions of them, which AssertJ would compare one by one.
			assertThat(acknowledged).noneMatch(received::containsKey);
			received.forEach((number, redelivered) -> {
				if (open.contains(number)) {
					assertThat(redelivered).as("redelivered %d", number).isTrue();
				}
			});
			for (long number = 1; number <= count; number++) {
				assertThat(received.containsKey(number) || acknowledged.contains(number) || open.contains(number))
					.as("%d of %d", number, count)
					.isTrue();
			}
		}
	}

	@Test
	@Timeout(240)
	void aStoppedSubscriberSlowsNobodyIfTheOldestAreDropped() throws Exception {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.PUB_SUB, CAPACITY, WhenFull.DROP_OLDEST);
		try (ShmTopics topics = TopicFixture.topics(this.directory, "publisher");
				TopicFixture.Child child = TopicFixture.Child.start(this.directory, "subscribe", "PUB_SUB", CAPACITY,
						"DROP_OLDEST")) {
			Topic<byte[]> topic = topics.topic(settings);
			assertThat(child.line()).isEqualTo("ready");
			TopicFixture.await(() -> topic.report().subscribers().size() == 1);
			topic.publish(ByteBuffer.allocate(Long.BYTES).putLong(1).array());
			assertThat(child.line()).isEqualTo("1");
			child.signal("STOP");
			long count = 100_000;
			for (long number = 2; number <= count; number++) {
				topic.publish(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
			}
			child.signal("CONT");
			long before = 1;
			while (before < count) {
				long number = Long.parseLong(child.line());
				assertThat(number).isGreaterThan(before);
				before = number;
			}
			assertThat(topic.report().dropped()).isPositive();
		}
	}

}
