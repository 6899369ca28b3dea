package io.github.vicinal.requestserver;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.vicinal.requestserver.Rejection.Reason;
import io.github.vicinal.requestserver.RequestServerSettings.Threads;

/**
 * The permits of a request server and the queue for them. It knows no threads: its
 * waiters are {@linkplain Ticket tickets}. Thread-safe.
 * <p>
 * One word holds the number of running requests, the number of waiters and whether the
 * queue is closed. While nobody waits, a single compare-and-set takes or returns a
 * permit. Everything else happens under a lock. No wake-up is lost: a waiter adds itself
 * to the word in the same step that finds no permit free, and a holder that returns its
 * permit either did so before that step or sees the waiter.
 */
final class PermitQueue {

	private static final Logger logger = LoggerFactory.getLogger(PermitQueue.class);

	private static final Duration RETRY_AFTER_SHUTDOWN = Duration.ofSeconds(1);

	private static final long ONE_WAITS = 1L << 32;

	private static final long CLOSED = 1L << 62;

	private final RequestServerSettings settings;

	private final LongSupplier clock;

	/** Whether a free permit can be taken without the lock. */
	private final boolean simple;

	/** Running in the lower half, waiting in the upper, and {@link #CLOSED}. */
	private final AtomicLong state = new AtomicLong();

	/** Number of requests that have paused, or are about to. */
	private final AtomicInteger paused = new AtomicInteger();

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition idle = this.lock.newCondition();

	private final Map<Priority, ArrayDeque<Ticket>> queues = new EnumMap<>(Priority.class);

	private final Map<String, Integer> channels = new HashMap<>();

	private final Map<Reason, Long> refusals = new EnumMap<>(Reason.class);

	private final ServiceTimes times = new ServiceTimes();

	private final OverloadDetector overload;

	private final ConcurrencyLimit concurrency;

	private volatile int limit;

	PermitQueue(RequestServerSettings settings, LongSupplier clock) {
		this.settings = settings;
		this.clock = clock;
		this.simple = settings.maxPerChannel() == 0;
		this.overload = new OverloadDetector(settings.interval().toNanos(), this.times);
		this.concurrency = new ConcurrencyLimit(settings.threads().least(), settings.threads().most(),
				settings.interval().toNanos(), this.times, clock.getAsLong());
		this.limit = this.concurrency.limit();
		for (Priority priority : Priority.values()) {
			this.queues.put(priority, new ArrayDeque<>());
		}
	}

	private static int running(long word) {
		return (int) word;
	}

	private static int waiting(long word) {
		return (int) ((word & ~CLOSED) >>> 32);
	}

	private static boolean closed(long word) {
		return (word & CLOSED) != 0;
	}

	/**
	 * Takes a permit if that is possible without looking at more than the word. While
	 * nobody waits and the queue is open, the word is the number of those who run.
	 */
	boolean tryEnter() {
		if (!this.simple) {
			return false;
		}
		long word = this.state.get();
		while (word < this.limit) {
			if (this.state.compareAndSet(word, word + 1)) {
				return true;
			}
			word = this.state.get();
		}
		return false;
	}

	/** Immediate outcome for a ticket. */
	enum Entry {

		/** It has a permit. */
		GRANTED,

		/** It waits, and is notified later. */
		QUEUED,

		/** It was not accepted; {@link Ticket#why} says why. */
		REFUSED

	}

	/** Takes a permit, or queues a ticket up for one. */
	Entry enter(Ticket ticket) {
		Ticket promoted = null;
		Ticket refused = null;
		Entry entry;
		this.lock.lock();
		try {
			long now = this.clock.getAsLong();
			long word = this.state.get();
			this.concurrency.arrived(running(word), waiting(word), now);
			if (this.limit != this.concurrency.limit()) {
				this.limit = this.concurrency.limit();
				promoted = promote();
			}
			this.overload.arrived(waiting(this.state.get()) == 0);
			refused = shed(now);
			entry = enter(ticket, now);
		}
		finally {
			this.lock.unlock();
		}
		rejectAll(refused);
		for (Ticket granted = promoted; granted != null; granted = unlink(granted)) {
			granted.granted();
		}
		return entry;
	}

	/**
	 * Looks for overload when a request comes, as no permit may come back for long, and
	 * rejects those that have waited for too long, whatever their class.
	 */
	private @Nullable Ticket shed(long now) {
		int waiting = waiting(this.state.get());
		if (waiting == 0) {
			return null;
		}
		this.overload.waits(oldestNanos(now), waiting, paceNanos(), now);
		return overloaded(now) ? expire(now) : null;
	}

	/** Returns how long the oldest request of all classes has waited. */
	private long oldestNanos(long now) {
		long oldest = 0;
		for (ArrayDeque<Ticket> queue : this.queues.values()) {
			Ticket first = queue.peekFirst();
			if (first != null) {
				oldest = Math.max(oldest, now - first.queuedNanos);
			}
		}
		return oldest;
	}

	/** Rejects those that have waited for longer than their patience. */
	private @Nullable Ticket expire(long now) {
		Ticket refused = null;
		for (ArrayDeque<Ticket> queue : this.queues.values()) {
			Ticket first = queue.peekFirst();
			while (first != null && now - first.queuedNanos > patienceNanos(first.priority())) {
				queue.removeFirst();
				first.queued = false;
				this.state.addAndGet(-ONE_WAITS);
				refused = refuse(first, tooLong("made it wait for", now - first.queuedNanos, first.priority()),
						refused);
				first = queue.peekFirst();
			}
		}
		return refused;
	}

	private Entry enter(Ticket ticket, long now) {
		while (true) {
			long word = this.state.get();
			Rejection rejection = rejection(ticket, word, now);
			if (rejection != null) {
				count(rejection.reason());
				ticket.why = rejection;
				return Entry.REFUSED;
			}
			boolean free = waiting(word) == 0 && running(word) < this.limit;
			if (!this.state.compareAndSet(word, word + (free ? 1 : ONE_WAITS))) {
				continue;
			}
			if (this.settings.maxPerChannel() > 0) {
				this.channels.merge(ticket.channel(), 1, Integer::sum);
			}
			if (free) {
				return Entry.GRANTED;
			}
			ticket.queuedNanos = now;
			ticket.queued = true;
			queue(ticket).addLast(ticket);
			return Entry.QUEUED;
		}
	}

	private ArrayDeque<Ticket> queue(Ticket ticket) {
		return Objects.requireNonNull(this.queues.get(ticket.priority()));
	}

	/** Grants permits that have become free to waiters. */
	private @Nullable Ticket promote() {
		Ticket first = null;
		while (true) {
			long word = this.state.get();
			if (waiting(word) == 0 || running(word) >= this.limit) {
				return first;
			}
			if (this.state.compareAndSet(word, word - ONE_WAITS + 1)) {
				Ticket ticket = poll();
				ticket.next = first;
				first = ticket;
			}
		}
	}

	private static @Nullable Ticket unlink(Ticket ticket) {
		Ticket next = ticket.next;
		ticket.next = null;
		return next;
	}

	private @Nullable Rejection rejection(Ticket ticket, long word, long now) {
		if (closed(word)) {
			return new Rejection(Reason.SHUTTING_DOWN, describe("is shutting down"), RETRY_AFTER_SHUTDOWN);
		}
		int most = this.settings.maxPerChannel();
		if (most > 0 && this.channels.getOrDefault(ticket.channel(), 0) >= most) {
			return new Rejection(Reason.BULKHEAD,
					describe("already has %d requests of channel '%s', which is the limit per channel".formatted(most,
							ticket.channel())),
					retryAfter());
		}
		if (waiting(word) == 0 && running(word) < this.limit) {
			return null;
		}
		if (waiting(word) >= this.settings.queueCapacity()) {
			return new Rejection(Reason.QUEUE_FULL,
					describe("has a full queue of %d requests".formatted(waiting(word))), retryAfter());
		}
		if (overloaded(now)) {
			long expected = expectedWaitNanos(ahead(ticket.priority()));
			if (expected > patienceNanos(ticket.priority())) {
				return tooLong("would make it wait for", expected, ticket.priority());
			}
		}
		return null;
	}

	/**
	 * Ends the caller's request and gives its permit to the next waiter.
	 * @param channel what the caller counted for
	 * @return who has the permit now, to be notified by the caller; {@code null} if
	 * nobody waited
	 */
	@Nullable Ticket leave(String channel) {
		if (this.settings.maxPerChannel() == 0) {
			long word = this.state.get();
			while (word < ONE_WAITS) {
				if (this.state.compareAndSet(word, word - 1)) {
					return null;
				}
				word = this.state.get();
			}
		}
		return handOver(channel);
	}

	/**
	 * Notes that a request is about to pause. Once the queue is closed nobody begins to,
	 * so that the number of those who pause only falls while it is drained.
	 * @return whether {@link #pause} and {@link #resume} must follow
	 */
	boolean mayPause() {
		this.paused.incrementAndGet();
		if (!closed(this.state.get())) {
			return true;
		}
		this.paused.decrementAndGet();
		return false;
	}

	/**
	 * Gives a permit to the next waiter while its holder waits for something outside. The
	 * holder still counts for its channel.
	 * @return who has the permit now, to be notified by the caller; {@code null} if
	 * nobody waited
	 */
	@Nullable Ticket pause() {
		long word = this.state.get();
		while (word < ONE_WAITS) {
			if (this.state.compareAndSet(word, word - 1)) {
				return null;
			}
			word = this.state.get();
		}
		return handOver(null);
	}

	/**
	 * Takes a permit for a request that has paused, without waiting, because queued
	 * requests may depend on it. More requests than the limit may run for a while; no
	 * other begins until the number falls below it.
	 */
	void resume() {
		this.state.incrementAndGet();
		this.paused.decrementAndGet();
	}

	/**
	 * Hands a permit over.
	 * @param channel of a request that has ended, {@code null} if it only pauses
	 */
	private @Nullable Ticket handOver(@Nullable String channel) {
		Ticket refused = null;
		Ticket granted = null;
		this.lock.lock();
		try {
			if (channel != null) {
				forget(channel);
			}
			long now = this.clock.getAsLong();
			int queued = waiting(this.state.get());
			if (queued > 0) {
				this.overload.taken(oldestNanos(now), queued - 1, paceNanos(), now);
				refused = overloaded(now) ? expire(now) : null;
			}
			boolean done = false;
			while (!done) {
				long word = this.state.get();
				if (waiting(word) == 0 || running(word) > this.limit) {
					done = this.state.compareAndSet(word, word - 1);
					continue;
				}
				this.state.addAndGet(-ONE_WAITS);
				Ticket ticket = poll();
				Rejection rejection = late(ticket, now);
				if (rejection == null) {
					if (channel != null) {
						this.concurrency.handedOver();
					}
					granted = ticket;
					done = true;
					continue;
				}
				refused = refuse(ticket, rejection, refused);
			}
			signalIfIdle();
		}
		finally {
			this.lock.unlock();
		}
		rejectAll(refused);
		return granted;
	}

	private Ticket refuse(Ticket ticket, Rejection rejection, @Nullable Ticket others) {
		count(rejection.reason());
		forget(ticket.channel());
		ticket.why = rejection;
		ticket.next = others;
		return ticket;
	}

	/**
	 * Returns whether the queue is closed and nothing is left of what was accepted. A
	 * request that resumes counts as running before it no longer counts as paused.
	 */
	private boolean isDrained() {
		return this.paused.get() == 0 && this.state.get() == CLOSED;
	}

	private void signalIfIdle() {
		if (isDrained()) {
			this.idle.signalAll();
		}
	}

	/** Returns why a request that is taken from the queue is not executed. */
	private @Nullable Rejection late(Ticket ticket, long now) {
		return ticket.late(now) ? deadlinePassed(now - ticket.queuedNanos) : null;
	}

	/**
	 * Takes a ticket out of the queue.
	 * @param reason why it is of no use any more
	 * @return the rejection, or {@code null} if the ticket has been granted or rejected
	 */
	@Nullable Rejection withdraw(Ticket ticket, Reason reason) {
		this.lock.lock();
		try {
			if (!ticket.queued) {
				return null;
			}
			ticket.queued = false;
			queue(ticket).remove(ticket);
			this.state.addAndGet(-ONE_WAITS);
			forget(ticket.channel());
			long now = this.clock.getAsLong();
			count(reason);
			signalIfIdle();
			long sojourn = now - ticket.queuedNanos;
			return (reason == Reason.DEADLINE) ? deadlinePassed(sojourn)
					: new Rejection(reason, describe("was told that the caller has gone"), retryAfter());
		}
		finally {
			this.lock.unlock();
		}
	}

	private Ticket poll() {
		for (ArrayDeque<Ticket> queue : this.queues.values()) {
			Ticket ticket = queue.pollFirst();
			if (ticket != null) {
				ticket.queued = false;
				return ticket;
			}
		}
		throw new IllegalStateException("The number of waiters is positive, but the queue is empty");
	}

	private void forget(String channel) {
		if (this.settings.maxPerChannel() > 0) {
			this.channels.computeIfPresent(channel, (name, count) -> (count > 1) ? count - 1 : null);
		}
	}

	private void count(Reason reason) {
		// Requests of these two reasons would not have waited in any case.
		if (reason != Reason.BULKHEAD && reason != Reason.SHUTTING_DOWN) {
			this.overload.rejected();
		}
		this.refusals.merge(reason, 1L, Long::sum);
	}

	private void rejectAll(@Nullable Ticket first) {
		for (Ticket ticket = first; ticket != null; ticket = unlink(ticket)) {
			Rejection rejection = ticket.why;
			if (rejection != null) {
				reject(ticket, rejection);
			}
		}
	}

	/** Rejects a ticket that has its permit, and for which no thread can be started. */
	void noThread(Ticket ticket) {
		Rejection rejection = new Rejection(Reason.OVERLOAD, describe("has no thread left and cannot start one"),
				retryAfter());
		this.lock.lock();
		try {
			count(rejection.reason());
		}
		finally {
			this.lock.unlock();
		}
		reject(ticket, rejection);
	}

	/** Notifies a ticket of its rejection; what that throws ends nothing else. */
	void reject(Ticket ticket, Rejection rejection) {
		try {
			ticket.rejected(rejection);
		}
		catch (RuntimeException ex) {
			logger.warn("Request server '{}': a request of channel '{}' could not be notified of its rejection",
					this.settings.name(), ticket.channel(), ex);
		}
	}

	/**
	 * Learns from a request that was executed.
	 * @param nanos how long it took
	 * @param count for how many it stands
	 */
	void served(long nanos, int count) {
		this.times.record(nanos, count);
	}

	/**
	 * Returns whether requests are known to take hardly longer than looking at a clock.
	 */
	boolean brief() {
		return this.times.brief();
	}

	private boolean overloaded(long now) {
		return this.overload.overloaded(paceNanos(), now) && this.concurrency.confirmed();
	}

	private long paceNanos() {
		long known = this.concurrency.paceNanos();
		return (known > 0) ? known : this.times.meanNanos() / this.limit;
	}

	private Rejection tooLong(String what, long nanos, Priority priority) {
		return new Rejection(Reason.OVERLOAD, describe("is overloaded and %s %.1f ms, more than %.1f".formatted(what,
				nanos / 1e6, patienceNanos(priority) / 1e6)), retryAfter());
	}

	private Rejection deadlinePassed(long sojourn) {
		return new Rejection(Reason.DEADLINE,
				describe("made it wait for %.1f ms, and its deadline passed".formatted(sojourn / 1e6)), retryAfter());
	}

	String describe(String what) {
		return "The request server '%s' %s".formatted(this.settings.name(), what);
	}

	/** Returns how many requests are taken before a new one. */
	private int ahead(Priority priority) {
		int ahead = 0;
		for (Map.Entry<Priority, ArrayDeque<Ticket>> queue : this.queues.entrySet()) {
			if (queue.getKey().compareTo(priority) <= 0) {
				ahead += queue.getValue().size();
			}
		}
		return ahead;
	}

	private long expectedWaitNanos(int ahead) {
		return ahead * this.times.meanNanos() / this.limit;
	}

	private long patienceNanos(Priority priority) {
		return (long) (this.settings.patience() * priority.patience() * this.times.targetNanos());
	}

	Duration retryAfter() {
		return Duration.ofNanos(Math.max(this.times.targetNanos(), expectedWaitNanos(waiting(this.state.get()))));
	}

	/** Accepts nothing more, and returns whether all ended within a time. */
	boolean drain(long nanos) throws InterruptedException {
		this.lock.lock();
		try {
			close();
			long left = nanos;
			while (!isDrained() && left > 0) {
				left = this.idle.awaitNanos(left);
			}
			return isDrained();
		}
		finally {
			this.lock.unlock();
		}
	}

	private void close() {
		long word = this.state.get();
		while (!this.state.compareAndSet(word, word | CLOSED)) {
			word = this.state.get();
		}
	}

	/** Accepts nothing more and rejects all waiters. */
	void refuseWaiting() {
		Ticket refused = null;
		this.lock.lock();
		try {
			close();
			Rejection rejection = new Rejection(Reason.SHUTTING_DOWN, describe("is shutting down"),
					RETRY_AFTER_SHUTDOWN);
			while (waiting(this.state.get()) > 0) {
				this.state.addAndGet(-ONE_WAITS);
				refused = refuse(poll(), rejection, refused);
			}
			signalIfIdle();
		}
		finally {
			this.lock.unlock();
		}
		rejectAll(refused);
	}

	int running() {
		return running(this.state.get());
	}

	int waiting() {
		return waiting(this.state.get());
	}

	int limit() {
		return this.limit;
	}

	long serviceNanos() {
		return this.times.meanNanos();
	}

	/** State that the lock guards. */
	record Snapshot(boolean overloaded, long overloads, Map<Reason, Long> refused, Map<String, Integer> channels) {
	}

	Snapshot snapshot() {
		this.lock.lock();
		try {
			long word = this.state.get();
			if (waiting(word) == 0 && running(word) < this.limit) {
				this.overload.idle();
			}
			return new Snapshot(overloaded(this.clock.getAsLong()), this.overload.episodes(),
					new TreeMap<>(this.refusals), new TreeMap<>(this.channels));
		}
		finally {
			this.lock.unlock();
		}
	}

}
