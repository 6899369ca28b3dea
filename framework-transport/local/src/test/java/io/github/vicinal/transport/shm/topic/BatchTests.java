package io.github.vicinal.transport.shm.topic;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.LongRange;
import io.github.vicinal.testing.property.Property;
import io.github.vicinal.topic.BatchFailedException;
import io.github.vicinal.topic.BatchHandler;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.MessageReturnedException;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.Topic;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.WhenFull;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Subscribers that take messages in batches. */
@Timeout(120)
class BatchTests {

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

	private static SubscriberSettings batches(String name, int max) {
		return SubscriberSettings.of(name).withMaxBatch(max);
	}

	private static byte[] number(long number) {
		return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
	}

	private static long number(Message<byte[]> message) {
		return ByteBuffer.wrap(message.payload()).getLong();
	}

	private static List<Long> numbers(List<Message<byte[]>> messages) {
		return messages.stream().map(BatchTests::number).toList();
	}

	private static List<Long> numbers(int from, int to) {
		return LongStream.rangeClosed(from, to).boxed().toList();
	}

	/** What is there while the handler is busy comes together, and nothing is awaited. */
	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void aBatchHasWhatIsThereAndAtMostTheMaximum(TopicModel model) {
		TopicSettings<byte[]> settings = TopicFixture.bytes(model, SMALLEST, WhenFull.FAIL);
		Topic<byte[]> topic = application("shop").topic(settings);
		CountDownLatch published = new CountDownLatch(1);
		List<List<Long>> received = Collections.synchronizedList(new ArrayList<>());
		BatchHandler<byte[]> handler = (messages) -> {
			received.add(numbers(messages));
			published.await();
		};
		Subscription subscription = application("billing").subscribe(settings, batches("billing", 10), handler);
		TopicFixture.await(() -> subscription.report().attached() == 1);
		topic.publish(number(1));
		TopicFixture.await(() -> received.size() == 1);
		IntStream.rangeClosed(2, 26).forEach((i) -> topic.publish(number(i)));
		published.countDown();
		TopicFixture.await(() -> received.size() == 4 && topic.report().usedBytes() == 0);
		assertThat(received).containsExactly(numbers(1, 1), numbers(2, 11), numbers(12, 21), numbers(22, 26));
		assertThat(subscription.report().handled()).isEqualTo(26);
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void batchesOfAllSizesKeepTheOrderThroughManyRounds(TopicModel model) {
		TopicSettings<byte[]> settings = TopicFixture.bytes(model, SMALLEST, WhenFull.BLOCK);
		Topic<byte[]> topic = application("shop").topic(settings);
		List<Long> received = Collections.synchronizedList(new ArrayList<>());
		BatchHandler<byte[]> handler = (messages) -> {
			assertThat(messages).hasSizeLessThanOrEqualTo(100);
			received.addAll(numbers(messages));
		};
		Subscription subscription = application("billing").subscribe(settings, batches("billing", 100), handler);
		TopicFixture.await(() -> subscription.report().attached() == 1);
		int count = 20_000;
		Random random = new Random(1);
		for (int i = 1; i <= count; i++) {
			topic.publish(ByteBuffer.allocate(Long.BYTES + random.nextInt(200)).putLong(i).array());
		}
		TopicFixture.await(() -> received.size() == count && topic.report().usedBytes() == 0);
		assertThat(received).isEqualTo(numbers(1, count));
		assertThat(subscription.report().failed()).isZero();
	}

	/** The room of those before the failed one is free while that waits. */
	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void whatIsBeforeTheFailedMessageIsDoneWhileThatWaits(TopicModel model) {
		TopicSettings<byte[]> settings = TopicFixture.bytes(model, SMALLEST, WhenFull.FAIL);
		Topic<byte[]> topic = application("shop").topic(settings);
		AtomicInteger calls = new AtomicInteger();
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch published = new CountDownLatch(1);
		List<Long> last = Collections.synchronizedList(new ArrayList<>());
		BatchHandler<byte[]> handler = (messages) -> {
			begun.countDown();
			published.await();
			if (calls.incrementAndGet() == 1) {
				return;
			}
			last.clear();
			last.addAll(numbers(messages));
			throw new BatchFailedException(messages.size() - 1, new IllegalStateException("later"));
		};
		Subscription subscription = application("billing").subscribe(settings,
				new SubscriberSettings("billing", 1, 2, Duration.ofHours(1), 10), handler);
		TopicFixture.await(() -> subscription.report().attached() == 1);
		topic.publish(new byte[8]);
		TopicFixture.await(() -> begun.getCount() == 0);
		IntStream.rangeClosed(1, 9).forEach((i) -> topic.publish(ByteBuffer.allocate(1000).putLong(i).array()));
		published.countDown();
		TopicFixture.await(() -> subscription.report().handled() + last.size() >= 10 && topic.report().usedBytes() > 0
				&& topic.report().usedBytes() < 1100);
		assertThat(subscription.report().handled()).isEqualTo(9);
		subscription.close();
		assertThat(subscription.report().failed()).isEqualTo((model == TopicModel.STREAM) ? 0 : 1);
	}

	/** Another subscriber gets exactly what was not acknowledged. */
	@ParameterizedTest
	@ValueSource(ints = { 0, 3, 8 })
	void messagesOfABatchThatAreReturnedGoToAnotherSubscriber(int handled) {
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.STREAM, SMALLEST, WhenFull.FAIL);
		Topic<byte[]> topic = application("shop").topic(settings);
		IntStream.rangeClosed(1, 8).forEach((i) -> topic.publish(number(i)));
		CountDownLatch closing = new CountDownLatch(1);
		CountDownLatch begun = new CountDownLatch(1);
		BatchHandler<byte[]> handler = new BatchHandler<>() {

			@Override
			public void handleAll(List<Message<byte[]>> messages) throws Exception {
				assertThat(messages).hasSize(8);
				begun.countDown();
				closing.await();
				if (handled < 8) {
					throw new BatchFailedException(handled, new MessageReturnedException());
				}
			}

			@Override
			public void closing() {
				closing.countDown();
			}

		};
		Subscription first = application("first").subscribe(settings, batches("first", 10), handler);
		TopicFixture.await(() -> begun.getCount() == 0);
		assertThat(topic.report().backlogMessages()).isZero();
		first.close();
		assertThat(first.report().handled()).isEqualTo(handled);
		topic.publish(number(9));
		List<Long> received = Collections.synchronizedList(new ArrayList<>());
		BatchHandler<byte[]> others = (messages) -> messages
			.forEach((message) -> received.add(message.redelivered() ? -number(message) : number(message)));
		application("second").subscribe(settings, batches("second", 10), others);
		TopicFixture.await(() -> received.size() == 9 - handled && topic.report().usedBytes() == 0);
		List<Long> expected = new ArrayList<>(
				LongStream.rangeClosed(handled + 1, 8).map((number) -> -number).boxed().toList());
		expected.add(9L);
		assertThat(received).containsExactlyInAnyOrderElementsOf(expected);
	}

	/** More than the log has places for redeliveries. */
	@Test
	void aLargeBatchThatIsReturnedIsLostNowhere() {
		int count = 1000;
		TopicSettings<byte[]> settings = TopicFixture.bytes(TopicModel.STREAM, 4 * SMALLEST, WhenFull.FAIL);
		Topic<byte[]> topic = application("shop").topic(settings);
		IntStream.rangeClosed(1, count).forEach((i) -> topic.publish(number(i)));
		CountDownLatch begun = new CountDownLatch(1);
		BatchHandler<byte[]> never = (messages) -> {
			begun.countDown();
			throw new IllegalStateException("never");
		};
		Subscription first = application("first").subscribe(settings,
				new SubscriberSettings("first", 1, 2, Duration.ofHours(1), 1024), never);
		TopicFixture.await(() -> begun.getCount() == 0);
		assertThat(topic.report().backlogMessages()).isZero();
		first.close();
		Map<Long, Boolean> received = new ConcurrentHashMap<>();
		BatchHandler<byte[]> others = (messages) -> messages
			.forEach((message) -> received.put(number(message), message.redelivered()));
		application("second").subscribe(settings, batches("second", 300), others);
		TopicFixture.await(() -> received.size() == count && topic.report().usedBytes() == 0);
		assertThat(received.values()).containsOnly(true);
	}

	@ParameterizedTest
	@EnumSource(TopicModel.class)
	void theOldestAreDroppedAlsoUnderASlowHandlerOfBatches(TopicModel model) {
		TopicSettings<byte[]> settings = TopicFixture.bytes(model, SMALLEST, WhenFull.DROP_OLDEST);
		Topic<byte[]> topic = application("shop").topic(settings);
		List<Long> received = Collections.synchronizedList(new ArrayList<>());
		CountDownLatch published = new CountDownLatch(1);
		BatchHandler<byte[]> handler = (messages) -> {
			received.addAll(numbers(messages));
			published.await();
		};
		Subscription subscription = application("billing").subscribe(settings, batches("billing", 50), handler);
		TopicFixture.await(() -> subscription.report().attached() == 1);
		topic.publish(number(1));
		TopicFixture.await(() -> received.size() == 1);
		int count = 50_000;
		IntStream.rangeClosed(2, count).forEach((i) -> topic.publish(number(i)));
		published.countDown();
		TopicFixture.await(() -> received.get(received.size() - 1) == count);
		TopicFixture.await(() -> topic.report().usedBytes() == 0);
		assertThat(received).isSorted().doesNotHaveDuplicates();
		long missing = count - received.size();
		assertThat((model == TopicModel.STREAM) ? topic.report().dropped() : subscription.report().dropped())
			.isEqualTo(missing);
	}

	/**
	 * Random batches, failures at random indexes, and subscribers that come and go in the
	 * middle of a batch.
	 */
	@Property(tries = 12, deepTries = 300)
	void nothingIsLostAndTheOrderIsKept(@ForAll @LongRange(max = Long.MAX_VALUE) long seed) {
		Random random = new Random(seed);
		TopicModel model = random.nextBoolean() ? TopicModel.STREAM : TopicModel.PUB_SUB;
		TopicSettings<byte[]> settings = TopicSettings.of("numbers", model, byte[].class)
			.withCapacity(SMALLEST)
			.whenFull(WhenFull.BLOCK, Duration.ofSeconds(20));
		int count = 400;
		try (ShmTopics shop = TopicFixture.topics(this.directory, "shop");
				ShmTopics workers = TopicFixture.topics(this.directory, "workers")) {
			Topic<byte[]> topic = shop.topic(settings);
			Map<Long, Worker> seen = new ConcurrentHashMap<>();
			List<Worker> running = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				running.add(new Worker(random, seen, model).subscribe(workers, settings));
			}
			running.forEach((each) -> TopicFixture.await(() -> each.subscription.report().attached() == 1));
			List<Worker> ended = new ArrayList<>();
			for (int i = 1; i <= count; i++) {
				topic.publish(number(i));
				if (model == TopicModel.STREAM && random.nextInt(40) == 0) {
					Worker victim = running.remove(random.nextInt(running.size()));
					victim.subscription.close();
					ended.add(victim);
					running.add(new Worker(random, seen, model).subscribe(workers, settings));
				}
			}
			if (model == TopicModel.PUB_SUB) {
				running.forEach((each) -> TopicFixture.await(() -> each.outcome.size() == count));
				running.forEach((each) -> assertThat(each.outcome).isEqualTo(numbers(1, count)));
			}
			else {
				TopicFixture.await(() -> topic.report().usedBytes() == 0);
				ended.addAll(running);
				assertThat(ended.stream().flatMap((each) -> each.outcome.stream()).toList())
					.containsExactlyInAnyOrderElementsOf(numbers(1, count));
			}
			List<String> wrong = new ArrayList<>();
			ended.forEach((each) -> wrong.addAll(each.wrong));
			running.forEach((each) -> wrong.addAll(each.wrong));
			assertThat(wrong).isEmpty();
		}
	}

	/** A handler that fails at random, and notes what it has done with each message. */
	private static final class Worker implements BatchHandler<byte[]> {

		private final Random random;

		private final Map<Long, Worker> seen;

		private final TopicModel model;

		private final SubscriberSettings settings;

		private final List<Long> outcome = Collections.synchronizedList(new ArrayList<>());

		private final List<String> wrong = Collections.synchronizedList(new ArrayList<>());

		private final AtomicLong last = new AtomicLong();

		private volatile boolean closing;

		private Subscription subscription;

		Worker(Random seeds, Map<Long, Worker> seen, TopicModel model) {
			this.random = new Random(seeds.nextLong());
			this.seen = seen;
			this.model = model;
			this.settings = new SubscriberSettings("worker", 1, 1 + seeds.nextInt(3), Duration.ZERO,
					1 + seeds.nextInt(30));
		}

		Worker subscribe(ShmTopics topics, TopicSettings<byte[]> topic) {
			this.subscription = topics.subscribe(topic, this.settings, this);
			return this;
		}

		@Override
		public void handleAll(List<Message<byte[]>> messages) {
			if (messages.size() > this.settings.maxBatch()) {
				this.wrong.add("a batch of " + messages.size());
			}
			long before = 0;
			for (Message<byte[]> message : messages) {
				Worker other = this.seen.put(number(message), this);
				if (this.model == TopicModel.STREAM && message.redelivered() != (other != null && other != this)
						&& other != this) {
					this.wrong.add(message + " had " + other);
				}
				if (!message.redelivered() && number(message) <= before) {
					this.wrong.add("%d after %d".formatted(number(message), before));
				}
				before = message.redelivered() ? before : number(message);
			}
			switch (this.random.nextInt(6)) {
				case 0 -> {
					int index = this.random.nextInt(messages.size());
					handled(messages.subList(0, index));
					throw new BatchFailedException(index, new IllegalStateException("one"));
				}
				case 1 -> throw new IllegalStateException("all");
				case 2 -> {
					if (this.closing) {
						int index = this.random.nextInt(messages.size());
						handled(messages.subList(0, index));
						throw new BatchFailedException(index, new MessageReturnedException());
					}
					handled(messages);
				}
				default -> handled(messages);
			}
		}

		private void handled(List<Message<byte[]>> messages) {
			messages.forEach(this::done);
		}

		private void done(Message<byte[]> message) {
			this.outcome.add(number(message));
			if (!message.redelivered() && this.last.getAndSet(number(message)) >= number(message)) {
				this.wrong.add("done out of order: " + number(message));
			}
		}

		@Override
		public void failed(Message<byte[]> message, Exception cause) {
			done(message);
		}

		@Override
		public void closing() {
			this.closing = true;
		}

	}

}
