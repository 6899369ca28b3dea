package io.github.vicinal.chronicle;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.MessageAttempts;
import io.github.vicinal.topic.MessageCodec;
import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.SubscriptionReport;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.transport.wire.DaemonThread;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A subscriber of a durable topic. A single thread is the one that the bell wakes, so
 * that nothing is handed over; several threads wait for a signal. Both look from time to
 * time without a bell: a publisher may have been killed between appending and ringing.
 */
final class ChronicleSubscription<T> implements Subscription {

	private static final Logger logger = LoggerFactory.getLogger(ChronicleSubscription.class);

	/** Interval between two looks without a bell. */
	private static final long LOOK_MILLIS = 100;

	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS);

	/**
	 * Time after which a message that is there and cannot be read is not just unfinished.
	 */
	private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(2);

	/** Exactness with which it is known when a message was taken. */
	private static final long TAKEN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	/**
	 * Time for which a subscriber that has had several messages in a row looks for the
	 * next one before it sleeps: longer than it takes to be woken. Those that share
	 * messages do not, since each look takes the claims of all.
	 */
	private static final long LINGER_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

	/** Interval between two comparisons of the clocks, one of which may be set. */
	private static final long COMPARE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final TopicSettings<T> settings;

	private final SubscriberSettings subscriber;

	private final MessageCodec<T> codec;

	private final MessageAttempts<T> attempts;

	/** Directory of the topic. */
	private final Path directory;

	private final OpenTopic topic;

	private final Sleepers sleepers;

	private final Consumer<ChronicleSubscription<?>> onEnd;

	private final List<Worker> workers = new ArrayList<>();

	private final List<Thread> threads = new ArrayList<>();

	private final AtomicBoolean ended = new AtomicBoolean();

	/** Number of rings. Guarded by this, as a monitor to wait at. */
	private long rings;

	private volatile boolean closed;

	private volatile @Nullable Subscription bell;

	/** Reason why reading has ended, {@code null} while it goes on. */
	private volatile @Nullable String failure;

	/**
	 * Reason why messages that are there cannot be read, {@code null} if there is none.
	 */
	private volatile @Nullable String stuck;

	ChronicleSubscription(TopicSettings<T> settings, SubscriberSettings subscriber, MessageHandler<T> handler,
			MessageCodec<T> codec, Path directory, OpenTopic topic, int threads, Supplier<Source> sources,
			Consumer<ChronicleSubscription<?>> onEnd) {
		this.settings = settings;
		this.subscriber = subscriber;
		this.codec = codec;
		this.directory = directory;
		this.topic = topic;
		this.sleepers = topic.sleepers();
		this.attempts = new MessageAttempts<>(settings, subscriber, handler);
		this.onEnd = onEnd;
		for (int i = 0; i < threads; i++) {
			this.workers.add(new Worker(sources.get()));
		}
	}

	/**
	 * Begins.
	 * @param bells makes the subscription of a bell
	 * @param threadFactory makes the threads
	 */
	void start(Function<Runnable, @Nullable Subscription> bells, Function<Runnable, Thread> threadFactory) {
		for (Worker worker : this.workers) {
			this.threads.add(threadFactory.apply(worker));
		}
		this.threads.forEach(Thread::start);
		Subscription rung = bells.apply((this.workers.size() == 1) ? this.workers.get(0)::drain : this::ring);
		this.bell = rung;
		if (this.closed && rung != null) {
			rung.close();
		}
	}

	private synchronized void ring() {
		this.rings++;
		notifyAll();
	}

	private synchronized long rings() {
		return this.rings;
	}

	private synchronized void awaitRing(long seen) {
		try {
			if (this.rings == seen && !this.closed) {
				TimeUnit.MILLISECONDS.timedWait(this, LOOK_MILLIS);
			}
		}
		catch (InterruptedException ex) {
			// By a handler; nobody else knows this thread.
		}
	}

	private void fail(RuntimeException cause) {
		if (this.failure == null) {
			this.failure = cause.getMessage();
			logger.error("Subscriber '{}' reads no further in topic '{}': {}", this.subscriber.name(),
					this.settings.name(), cause.getMessage());
		}
	}

	private void stuck() {
		if (this.stuck == null) {
			this.stuck = "there are messages in %s that cannot be read; it may be damaged".formatted(this.directory);
			logger.error("Subscriber '{}' gets nothing of topic '{}': {}", this.subscriber.name(), this.settings.name(),
					this.stuck);
		}
	}

	@Override
	public SubscriptionReport report() {
		String reason = (this.failure != null) ? this.failure : this.stuck;
		return new SubscriptionReport(this.settings.name(), this.subscriber.name(), this.attempts.handled(),
				this.attempts.failed(), this.attempts.redelivered(), SubscriptionReport.NOT_KNOWN,
				(reason == null && !this.closed) ? 1 : 0,
				Map.of("queue", (reason == null) ? "attached" : "left: " + reason));
	}

	@Override
	public void close() {
		synchronized (this) {
			this.closed = true;
			notifyAll();
		}
		this.attempts.closing();
		if (this.workers.stream().anyMatch(Worker::isCalling)) {
			// A handler that closes its own subscription cannot wait for itself.
			DaemonThread.create("vicinal-topic-end-" + this.settings.name(), this::end).start();
			return;
		}
		end();
	}

	private void end() {
		Subscription rung = this.bell;
		if (rung != null) {
			rung.close();
		}
		boolean interrupted = false;
		for (Thread thread : this.threads) {
			while (thread.isAlive()) {
				try {
					thread.join();
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		if (this.ended.compareAndSet(false, true)) {
			this.workers.forEach(Worker::close);
			this.onEnd.accept(this);
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	TopicModel model() {
		return this.settings.model();
	}

	/**
	 * Handles messages, one or a batch at a time, on the thread of the bell or on its
	 * own.
	 */
	private final class Worker implements Runnable {

		private final Source source;

		/** Time at which the last message was taken, or none was there. */
		private volatile long lastTaken = System.nanoTime();

		/** Time at which the last message was taken. Guarded by the lock. */
		private long lastInRow;

		/**
		 * Whether it has announced that it goes to sleep, and found nothing since.
		 * Guarded by the lock.
		 */
		private boolean announced;

		/** Guarded by the lock. */
		private boolean suspected;

		/** Number of messages of a batch that are done. Guarded by the lock. */
		private int done;

		private final ReentrantLock lock = new ReentrantLock();

		/** Guarded by the lock. */
		private final DurableRecord.Reader reader = new DurableRecord.Reader(ChronicleSubscription.this.directory);

		/**
		 * Nanoseconds by which {@link System#nanoTime()} was ahead of the time since
		 * 1970, and when that was compared. Guarded by the lock.
		 */
		private long ahead;

		private long compared;

		Worker(Source source) {
			this.source = source;
			compare(System.nanoTime());
		}

		private void compare(long now) {
			Instant time = Instant.now();
			this.ahead = now - TimeUnit.SECONDS.toNanos(time.getEpochSecond()) - time.getNano();
			this.compared = now;
		}

		private Message<byte[]> message(DurableLog.Entry entry, long now) {
			if (now - this.compared > COMPARE_NANOS) {
				compare(now);
			}
			DurableRecord record = this.reader.read(entry);
			return new Message<>(ChronicleSubscription.this.settings.name(), record.payload(), record.headers(),
					record.publisher(), entry.index(), TimeUnit.MICROSECONDS.toNanos(record.micros()) + this.ahead,
					this.source.isRedelivered());
		}

		/** Returns whether the message is done. */
		private boolean handle(DurableLog.Entry entry, long now) {
			ChronicleSubscription<T> all = ChronicleSubscription.this;
			if (!all.attempts.handle(message(entry, now), all.codec)) {
				return false;
			}
			this.source.handled(1);
			return true;
		}

		/**
		 * Handles a message and those that are there behind it, as far as they may be in
		 * a batch.
		 * @return whether they are done
		 */
		private boolean handleBatch(DurableLog.Entry first, long now) {
			ChronicleSubscription<T> all = ChronicleSubscription.this;
			List<Message<byte[]>> batch = new ArrayList<>();
			TopicException failure = null;
			try {
				DurableLog.Entry entry = first;
				while (entry != null) {
					batch.add(message(entry, now));
					entry = (batch.size() < all.subscriber.maxBatch()) ? this.source.next() : null;
				}
			}
			catch (TopicException ex) {
				// What was read before is handled first.
				failure = ex;
			}
			this.done = 0;
			boolean handled = all.attempts.handleAll(List.copyOf(batch), all.codec, (count) -> {
				this.source.handled(count - this.done);
				this.done = count;
			});
			if (handled && failure != null) {
				throw failure;
			}
			return handled;
		}

		boolean isCalling() {
			return this.lock.isHeldByCurrentThread();
		}

		@Override
		public void run() {
			while (!isOver()) {
				long seen = rings();
				look();
				drain();
				lookWhetherStuck();
				awaitRing(seen);
			}
		}

		private boolean isOver() {
			return ChronicleSubscription.this.closed || ChronicleSubscription.this.failure != null;
		}

		private void look() {
			this.lock.lock();
			try {
				this.source.look();
			}
			catch (RuntimeException ex) {
				fail(ex);
			}
			catch (InternalError ex) {
				fail(cutOff(ex));
			}
			finally {
				this.lock.unlock();
			}
		}

		/**
		 * Memory that has no bytes in its file any more. The message that was taken then
		 * is not handled, so those behind it must not be, either.
		 */
		private DamagedQueueException cutOff(InternalError cause) {
			return new DamagedQueueException(
					"A file of positions in %s has been cut off, or cannot be read: end all applications of the topic and delete that file, with which its position is lost (%s)"
						.formatted(ChronicleSubscription.this.directory, cause.getMessage()),
					cause);
		}

		/**
		 * A damaged file may look like one whose last message is not finished yet. What
		 * is there at two looks, with nothing taken in between, cannot be read.
		 */
		private void lookWhetherStuck() {
			if (System.nanoTime() - this.lastTaken < STUCK_NANOS || isOver() || !this.lock.tryLock()) {
				return;
			}
			try {
				ChronicleSubscription.this.topic.requireInPlace();
				boolean behind = this.source.isBehind();
				if (behind && this.suspected) {
					stuck();
				}
				this.suspected = behind;
				if (!behind) {
					// To ask costs much more than to look for a message.
					this.lastTaken = System.nanoTime();
					ChronicleSubscription.this.stuck = null;
				}
			}
			catch (RuntimeException ex) {
				fail(ex);
			}
			finally {
				this.lock.unlock();
			}
		}

		/** Handles what is there. */
		void drain() {
			this.lock.lock();
			try {
				handleAll();
			}
			catch (DamagedQueueException ex) {
				fail(ex);
			}
			catch (InternalError ex) {
				fail(cutOff(ex));
			}
			catch (TopicException ex) {
				// For instance a process that is stopped with the position of the stream.
				logger.warn("Subscriber '{}' of topic '{}' tries again: {}",
						ChronicleSubscription.this.subscriber.name(), ChronicleSubscription.this.settings.name(),
						ex.getMessage());
			}
			finally {
				if (!this.announced && !isOver() && this.source.isReading()) {
					// It ends without a last look, which follows soon.
					ChronicleSubscription.this.sleepers.announce();
				}
				this.lock.unlock();
			}
		}

		private void handleAll() {
			long begun = System.nanoTime();
			int inRow = 0;
			boolean batches = ChronicleSubscription.this.subscriber.maxBatch() > 1;
			this.announced = false;
			while (!isOver()) {
				DurableLog.Entry entry = this.source.next();
				long now = System.nanoTime();
				if (entry == null) {
					if (inRow > 1 && now - this.lastInRow < LINGER_NANOS && now - begun < LOOK_NANOS
							&& !this.source.isShared()) {
						Thread.yield();
						continue;
					}
					if (this.announced || !this.source.isReading()) {
						return;
					}
					ChronicleSubscription.this.sleepers.announce();
					this.announced = true;
					continue;
				}
				inRow++;
				this.announced = false;
				taken(now);
				if (!(batches ? handleBatch(entry, now) : handle(entry, now))) {
					this.source.giveBack();
					return;
				}
			}
		}

		private void taken(long now) {
			this.lastInRow = now;
			if (now - this.lastTaken > TAKEN_NANOS) {
				this.lastTaken = now;
			}
			this.suspected = false;
			if (ChronicleSubscription.this.stuck != null) {
				ChronicleSubscription.this.stuck = null;
			}
		}

		void close() {
			this.lock.lock();
			try {
				this.source.close();
			}
			catch (InternalError ex) {
				logger.debug("The position of subscriber '{}' of topic '{}' cannot be given away: {}",
						ChronicleSubscription.this.subscriber.name(), ChronicleSubscription.this.settings.name(),
						ex.toString());
			}
			finally {
				this.lock.unlock();
			}
		}

	}

}
