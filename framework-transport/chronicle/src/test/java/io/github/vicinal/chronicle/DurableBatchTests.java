package io.github.vicinal.chronicle;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.github.vicinal.topic.BatchFailedException;
import io.github.vicinal.topic.BatchHandler;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.MessageReturnedException;
import io.github.vicinal.topic.ReplayFrom;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Subscribers of durable topics that take messages in batches. */
@Timeout(120)
class DurableBatchTests {

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

	private static List<String> texts(int from, int to) {
		return IntStream.range(from, to).mapToObj((i) -> "text " + i).toList();
	}

	private static List<String> payloads(List<Message<String>> messages) {
		return messages.stream().map(Message::payload).toList();
	}

	private static SubscriberSettings batches(String name, int max) {
		return SubscriberSettings.of(name).withMaxBatch(max);
	}

	@Test
	void thePositionIsStoredOncePerBatchWhenThatIsHandled() {
		ChronicleTopics topics = this.fixture.application("shop");
		Topic<String> topic = topics.topic(NEWS);
		topics.keepFor(NEWS, "billing");
		long start = topics.positions(NEWS).get(0).index();
		texts(0, 25).forEach(topic::publish);
		List<List<String>> received = Collections.synchronizedList(new ArrayList<>());
		List<Long> positions = Collections.synchronizedList(new ArrayList<>());
		List<Long> ends = Collections.synchronizedList(new ArrayList<>(List.of(start)));
		BatchHandler<String> handler = (messages) -> {
			positions.add(topics.positions(NEWS).get(0).index());
			ends.add(messages.get(messages.size() - 1).sequence());
			received.add(payloads(messages));
		};
		Subscription subscription = topics.subscribe(NEWS, batches("billing", 10), handler);
		DurableFixture.await(() -> subscription.report().handled() == 25);
		subscription.close();
		assertThat(received).containsExactly(texts(0, 10), texts(10, 20), texts(20, 25));
		assertThat(positions).isEqualTo(ends.subList(0, 3));
		assertThat(topics.positions(NEWS).get(0).index()).isEqualTo(ends.get(3));
	}

	@Test
	void aConsumerGoesOnAtTheMessageOfABatchThatItHasNotHandled() {
		Topic<String> topic = this.fixture.application("shop").topic(NEWS);
		this.fixture.application("keeper").keepFor(NEWS, "billing");
		texts(0, 10).forEach(topic::publish);
		CountDownLatch closing = new CountDownLatch(1);
		CountDownLatch begun = new CountDownLatch(1);
		Subscription first = this.fixture.application("first")
			.subscribe(NEWS, batches("billing", 8), new BatchHandler<>() {

				@Override
				public void handleAll(List<Message<String>> messages) throws Exception {
					begun.countDown();
					closing.await();
					throw new BatchFailedException(3, new MessageReturnedException());
				}

				@Override
				public void closing() {
					closing.countDown();
				}

			});
		DurableFixture.await(() -> begun.getCount() == 0);
		first.close();
		List<String> received = Collections.synchronizedList(new ArrayList<>());
		this.fixture.application("second")
			.subscribe(NEWS, SubscriberSettings.of("billing"),
					(message) -> received.add(message.payload() + message.redelivered()));
		DurableFixture.await(() -> received.size() == 7);
		assertThat(received).containsExactly("text 3true", "text 4true", "text 5true", "text 6true", "text 7true",
				"text 8false", "text 9false");
	}

	@Test
	void messagesOfABatchOfAStreamThatAreReturnedGoToAnotherSubscriber() {
		Topic<String> topic = this.fixture.application("boss").topic(JOBS);
		texts(0, 10).forEach(topic::publish);
		CountDownLatch begun = new CountDownLatch(1);
		BatchHandler<String> never = (messages) -> {
			begun.countDown();
			throw new BatchFailedException(2, new IllegalStateException("not yet"));
		};
		Subscription first = this.fixture.application("first")
			.subscribe(JOBS, new SubscriberSettings("first", 1, 9, Duration.ofHours(1), 8), never);
		DurableFixture.await(() -> begun.getCount() == 0);
		first.close();
		assertThat(first.report().handled()).isEqualTo(2);
		List<String> received = Collections.synchronizedList(new ArrayList<>());
		BatchHandler<String> others = (messages) -> messages
			.forEach((message) -> received.add(message.payload() + message.redelivered()));
		this.fixture.application("second").subscribe(JOBS, batches("second", 100), others);
		DurableFixture.await(() -> received.size() == 8);
		assertThat(received).containsExactlyInAnyOrder("text 2true", "text 3true", "text 4true", "text 5true",
				"text 6true", "text 7true", "text 8false", "text 9false");
	}

	/** Others can always take a message. */
	@Test
	void aBatchOfAStreamLeavesHalfOfThePlacesToOthers() {
		Topic<String> topic = this.fixture.application("boss").topic(JOBS);
		texts(0, 400).forEach(topic::publish);
		CountDownLatch release = new CountDownLatch(1);
		List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
		BatchHandler<String> slow = (messages) -> {
			sizes.add(messages.size());
			release.await();
		};
		this.fixture.application("slow").subscribe(JOBS, batches("slow", 1024), slow);
		DurableFixture.await(() -> sizes.size() == 1);
		assertThat(sizes).containsExactly(128);
		List<String> received = Collections.synchronizedList(new ArrayList<>());
		this.fixture.application("other")
			.subscribe(JOBS, SubscriberSettings.of("other"), (message) -> received.add(message.payload()));
		DurableFixture.await(() -> received.size() == 400 - 128);
		release.countDown();
	}

	@Test
	void aReplayComesInBatches() {
		ChronicleTopics topics = this.fixture.application("shop");
		Topic<String> topic = topics.topic(NEWS);
		texts(0, 50).forEach(topic::publish);
		List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
		List<String> received = Collections.synchronizedList(new ArrayList<>());
		BatchHandler<String> audit = (messages) -> {
			sizes.add(messages.size());
			received.addAll(payloads(messages));
		};
		topics.replay(NEWS, batches("audit", 20), ReplayFrom.start(), audit);
		DurableFixture.await(() -> received.size() == 50);
		assertThat(received).isEqualTo(texts(0, 50));
		assertThat(sizes).containsExactly(20, 20, 10);
	}

	/** Random batches, failures at random indexes, and subscribers that come and go. */
	@Test
	void nothingIsLostWhileSubscribersFailAndComeAndGo() {
		for (long seed = 1; seed <= 4; seed++) {
			Random random = new Random(seed);
			TopicSettings<String> settings = TopicSettings.of("random" + seed,
					(seed % 2 == 0) ? TopicModel.STREAM : TopicModel.PUB_SUB, String.class);
			Topic<String> topic = this.fixture.application("boss").topic(settings);
			ChronicleTopics workers = this.fixture.application("workers");
			workers.keepFor(settings, "worker");
			List<String> outcome = Collections.synchronizedList(new ArrayList<>());
			Set<String> unannounced = ConcurrentHashMap.newKeySet();
			Map<String, Integer> seen = new ConcurrentHashMap<>();
			int count = 300;
			Subscription current = workers.subscribe(settings, settings(random),
					new Failing(random.nextLong(), 0, outcome, seen, unannounced));
			for (int i = 0; i < count; i++) {
				topic.publish("text " + i);
				if (random.nextInt(60) == 0) {
					current.close();
					current = workers.subscribe(settings, settings(random),
							new Failing(random.nextLong(), i + 1, outcome, seen, unannounced));
				}
			}
			DurableFixture.await(() -> outcome.size() >= count);
			current.close();
			if (settings.model() == TopicModel.PUB_SUB) {
				assertThat(outcome).isEqualTo(texts(0, count));
			}
			else {
				assertThat(outcome).containsExactlyInAnyOrderElementsOf(texts(0, count));
			}
			assertThat(unannounced).isEmpty();
		}
	}

	private static SubscriberSettings settings(Random random) {
		return new SubscriberSettings("worker", 1, 1 + random.nextInt(3), Duration.ZERO, 1 + random.nextInt(30));
	}

	/** A handler that fails at random, and notes what it has done with each message. */
	private static final class Failing implements BatchHandler<String> {

		private final Random random;

		/** Number of this handler. */
		private final int number;

		private final List<String> outcome;

		private final Map<String, Integer> seen;

		private final Set<String> unannounced;

		private volatile boolean closing;

		Failing(long seed, int number, List<String> outcome, Map<String, Integer> seen, Set<String> unannounced) {
			this.random = new Random(seed);
			this.number = number;
			this.outcome = outcome;
			this.seen = seen;
			this.unannounced = unannounced;
		}

		@Override
		public void handleAll(List<Message<String>> messages) {
			for (Message<String> message : messages) {
				Integer other = this.seen.put(message.payload(), this.number);
				if (other != null && other != this.number && !message.redelivered()) {
					this.unannounced.add(message.payload());
				}
			}
			int index = this.random.nextInt(messages.size());
			switch (this.random.nextInt(5)) {
				case 0 -> {
					this.outcome.addAll(payloads(messages.subList(0, index)));
					throw new BatchFailedException(index, new IllegalStateException("one"));
				}
				case 1 -> throw new IllegalStateException("all");
				case 2 -> {
					if (this.closing) {
						this.outcome.addAll(payloads(messages.subList(0, index)));
						throw new BatchFailedException(index, new MessageReturnedException());
					}
					this.outcome.addAll(payloads(messages));
				}
				default -> this.outcome.addAll(payloads(messages));
			}
		}

		@Override
		public void failed(Message<String> message, Exception cause) {
			this.outcome.add(message.payload());
		}

		@Override
		public void closing() {
			this.closing = true;
		}

	}

}
