package io.github.vicinal.requestserver;

import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

import io.github.vicinal.requestserver.Rejection.Reason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

	private static final PendingRejection SHUTTING_DOWN = new PendingRejection(Reason.SHUTTING_DOWN,
			Duration.ofSeconds(1), "is shutting down");

	/** Shortest time between two looks at those who wait. */
	private static final long LEAST_LOOK_NANOS = 1_000_000;

	/**
	 * Longest expected wait of a request that is accepted, in parts of its patience, and
	 * the wait after which it is rejected all the same. Ends that come in groups lie
	 * between the two, although all requests take the same time.
	 */
	private static final double EXPECTED = 0.8;

	private static final double LONGEST = 1.25;

	private static final Priority LOWEST = Priority.values()[Priority.values().length - 1];

	private static final long ONE_WAITS = 1L << 32;

	private static final long CLOSED = 1L << 62;

	private final RequestServerSettings settings;

	private final LongSupplier clock;

	/** Running in the lower half, waiting in the upper, and {@link #CLOSED}. */
	private final AtomicLong state = new AtomicLong();

	/** Number of requests that have paused, or are about to. */
	private final AtomicInteger paused = new AtomicInteger();

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition idle = this.lock.newCondition();

	private final Map<Priority, TicketList> queues = new EnumMap<>(Priority.class);

	/** Number of requests in flight, by the name of their bulkhead. */
	private final Map<String, Integer> bulkheads = new HashMap<>();

	private final Map<Reason, Long> refusals = new EnumMap<>(Reason.class);

	private final ServiceTimes times = new ServiceTimes();

	private final Overload overload;

	private final HangDetector hang;

	private final ConcurrencyLimit concurrency;

	/** Number of requests rejected since the limit was looked at. */
	private int rejectedSinceLook;

	private volatile int limit;

	PermitQueue(RequestServerSettings settings, LongSupplier clock) {
		this(settings, clock, new Processors());
	}

	PermitQueue(RequestServerSettings settings, LongSupplier clock, Processors processors) {
		this.settings = settings;
		this.clock = clock;
		this.overload = new Overload(settings.interval().toNanos(), this.times, this.queues);
		this.hang = new HangDetector(settings.interval().toNanos(), this.times);
		this.concurrency = new ConcurrencyLimit(settings.threads().least(), settings.threads().most(),
				settings.interval().toNanos(), this.times, processors, clock.getAsLong());
		this.limit = this.concurrency.limit();
		for (Priority priority : Priority.values()) {
			this.queues.put(priority, new TicketList());
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
	 * Takes a permit, for a request without bulkheads, if that is possible without
	 * looking at more than the word. While nobody waits and the queue is open, the word
	 * is the number of those who run.
	 */
	boolean tryEnter() {
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
			look(word, now);
			promoted = adapt(now);
			this.overload.arrived(ticket.priority(), now);
			refused = shed(now);
			boolean full = isFull();
			entry = enter(ticket, full, now);
			Ticket displaced = (full && entry == Entry.QUEUED) ? lastBelow(ticket.priority()) : null;
			refused = (displaced != null) ? displace(displaced, refused) : refused;
		}
		finally {
			this.lock.unlock();
		}
		rejectAll(refused);
		grantAll(promoted);
		return entry;
	}

	/** Requests that were rejected would wait otherwise. */
	private void look(long word, long now) {
		this.concurrency.look(running(word), waiting(word) + this.rejectedSinceLook, now);
		this.rejectedSinceLook = 0;
	}

	/**
	 * Examines the waiting requests, as no request may come or end for long.
	 * @return after which time to look again, in ns; a negative number if nobody waits
	 */
	long look() {
		Ticket promoted = null;
		Ticket refused = null;
		long next = -1;
		this.lock.lock();
		try {
			if (waiting(this.state.get()) > 0) {
				long now = this.clock.getAsLong();
				promoted = adapt(now);
				refused = shed(now);
				next = (waiting(this.state.get()) > 0) ? nextLookNanos(now) : -1;
			}
		}
		finally {
			this.lock.unlock();
		}
		rejectAll(refused);
		grantAll(promoted);
		return next;
	}

	private long nextLookNanos(long now) {
		long next = this.hang.nextLookNanos();
		for (Map.Entry<Priority, TicketList> queue : this.queues.entrySet()) {
			Ticket first = queue.getValue().first();
			if (first != null) {
				Priority priority = queue.getKey();
				long known = sheds(priority, now) ? longestWaitNanos(priority) - (now - first.queuedNanos) + 1
						: this.overload.nextLookNanos(priority, paceNanos(), now);
				next = (known >= 0) ? Math.min(next, known) : next;
			}
		}
		return Math.max(LEAST_LOOK_NANOS, next);
	}

	/**
	 * Checks whether the running requests hang, and keeps to the limit that was found.
	 * @return the request that has got a permit by that
	 */
	private @Nullable Ticket adapt(long now) {
		this.hang.look(now);
		if (this.hang.hangs() && this.concurrency.hung(now)) {
			this.hang.progress(now);
		}
		Ticket critical = Objects.requireNonNull(this.queues.get(Priority.CRITICAL)).first();
		if (critical != null && now - critical.queuedNanos > patienceNanos(Priority.CRITICAL)
				&& !overloaded(Priority.CRITICAL, now)) {
			this.concurrency.giveUp(now);
		}
		if (this.limit == this.concurrency.limit()) {
			return null;
		}
		this.limit = this.concurrency.limit();
		return promote();
	}

	private static void grantAll(@Nullable Ticket first) {
		for (Ticket granted = first; granted != null; granted = unlink(granted)) {
			granted.granted();
		}
	}

	/**
	 * Checks for overload when a request comes, as no permit may come back for long, and
	 * rejects those that have waited for too long, whatever their class.
	 */
	private @Nullable Ticket shed(long now) {
		if (waiting(this.state.get()) == 0) {
			return null;
		}
		this.overload.waits(paceNanos(), now);
		return expire(now);
	}

	/**
	 * Rejects those that have waited for longer than their patience, where their class is
	 * overloaded or everything hangs.
	 */
	private @Nullable Ticket expire(long now) {
		Ticket refused = null;
		for (Map.Entry<Priority, TicketList> entry : this.queues.entrySet()) {
			TicketList queue = entry.getValue();
			Ticket first = sheds(entry.getKey(), now) ? queue.first() : null;
			while (first != null && now - first.queuedNanos > longestWaitNanos(first.priority())) {
				queue.remove(first);
				first.queued = false;
				this.state.addAndGet(-ONE_WAITS);
				refused = refuse(first, waited(now - first.queuedNanos, first.priority()), refused);
				first = queue.first();
			}
		}
		return refused;
	}

	/** Returns the latest request of the lowest class below another that waits. */
	private @Nullable Ticket lastBelow(Priority priority) {
		Ticket last = null;
		for (Map.Entry<Priority, TicketList> queue : this.queues.entrySet()) {
			Ticket latest = queue.getValue().last();
			last = (latest != null && queue.getKey().compareTo(priority) > 0) ? latest : last;
		}
		return last;
	}

	/**
	 * Returns whether a further request may wait only in the place of another one. A
	 * burst may be longer than the queue if it is gone soon.
	 */
	private boolean isFull() {
		int waiting = waiting(this.state.get());
		int capacity = this.settings.queueCapacity();
		return waiting >= capacity && (waiting >= capacity + this.settings.burst() || waiting
				* Math.max(latestPaceNanos(), this.concurrency.latestPaceNanos()) > this.settings.interval().toNanos());
	}

	private Ticket displace(Ticket ticket, @Nullable Ticket refused) {
		queue(ticket).remove(ticket);
		ticket.queued = false;
		this.state.addAndGet(-ONE_WAITS);
		return refuse(ticket, queueFull(), refused);
	}

	private PendingRejection queueFull() {
		return new PendingRejection(Reason.QUEUE_FULL, retryAfter(), "has a full queue of %d requests",
				waiting(this.state.get()));
	}

	private Entry enter(Ticket ticket, boolean full, long now) {
		while (true) {
			long word = this.state.get();
			PendingRejection pending = pendingRejection(ticket, full, word, now);
			if (pending != null) {
				count(pending.reason(), ticket.priority());
				ticket.why = pending;
				return Entry.REFUSED;
			}
			boolean free = waiting(word) == 0 && running(word) < this.limit;
			if (!this.state.compareAndSet(word, word + (free ? 1 : ONE_WAITS))) {
				continue;
			}
			for (Bulkhead bulkhead : ticket.bulkheads()) {
				this.bulkheads.merge(bulkhead.name(), 1, Integer::sum);
			}
			if (free) {
				return Entry.GRANTED;
			}
			if (waiting(word) == 0 && !this.hang.hangs()) {
				this.hang.progress(now);
			}
			ticket.queuedNanos = now;
			ticket.queued = true;
			queue(ticket).addLast(ticket);
			return Entry.QUEUED;
		}
	}

	private TicketList queue(Ticket ticket) {
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

	private @Nullable PendingRejection pendingRejection(Ticket ticket, boolean full, long word, long now) {
		if (closed(word)) {
			return SHUTTING_DOWN;
		}
		for (Bulkhead bulkhead : ticket.bulkheads()) {
			if (this.bulkheads.getOrDefault(bulkhead.name(), 0) >= bulkhead.maxInFlight()) {
				return new PendingRejection(Reason.BULKHEAD, retryAfter(),
						"already has %d requests of '%s', which is the limit", bulkhead.maxInFlight(), bulkhead.name());
			}
		}
		if (waiting(word) == 0 && running(word) < this.limit) {
			return null;
		}
		if (full && lastBelow(ticket.priority()) == null) {
			return queueFull();
		}
		long patience = patienceNanos(ticket.priority());
		if (this.hang.hangs() && this.hang.withoutEndNanos() > patience) {
			return new PendingRejection(Reason.OVERLOAD, retryAfter(),
					"is overloaded: of %d requests that run none has ended for %.1f ms", running(word),
					this.hang.withoutEndNanos() / 1e6);
		}
		if (overloaded(ticket.priority(), now)) {
			long expected = ahead(ticket.priority()) * latestPaceNanos();
			if (expected > EXPECTED * patience) {
				return new PendingRejection(Reason.OVERLOAD, retryAfter(),
						"is overloaded and would make it wait for %.1f ms, more than %.1f", expected / 1e6,
						EXPECTED * patience / 1e6);
			}
		}
		return null;
	}

	/**
	 * Ends the caller's request and gives its permit to the next waiter.
	 * @param counted what the caller counted for
	 * @return the request that has the permit now, to be notified by the caller;
	 * {@code null} if nobody waited
	 */
	@Nullable Ticket leave(List<Bulkhead> counted) {
		if (counted.isEmpty()) {
			long word = this.state.get();
			while (word < ONE_WAITS) {
				if (this.state.compareAndSet(word, word - 1)) {
					return null;
				}
				word = this.state.get();
			}
		}
		return handOver(counted);
	}

	/**
	 * Notes that a request is about to pause. Once the queue is closed nobody begins to,
	 * so that the number of those who pause only falls while it is drained. The number is
	 * bounded as each keeps a thread.
	 * @return whether {@link #pause} and {@link #resume} must follow
	 */
	boolean mayPause() {
		if (this.paused.incrementAndGet() <= this.settings.maxPaused() && !closed(this.state.get())) {
			return true;
		}
		mayNotPause();
		return false;
	}

	/** Notes that a request that was about to pause does not, and may have ended. */
	void mayNotPause() {
		if (this.paused.decrementAndGet() == 0 && closed(this.state.get())) {
			this.lock.lock();
			try {
				signalIfIdle();
			}
			finally {
				this.lock.unlock();
			}
		}
	}

	/**
	 * Gives a permit to the next waiter while its holder waits for something outside. The
	 * holder still counts for its channel.
	 * @return the request that has the permit now, to be notified by the caller;
	 * {@code null} if nobody waited
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
	 * @param counted what a request counted for that has ended, {@code null} if it only
	 * pauses
	 */
	private @Nullable Ticket handOver(@Nullable List<Bulkhead> counted) {
		Ticket refused = null;
		Ticket granted = null;
		this.lock.lock();
		try {
			if (counted != null) {
				forget(counted);
			}
			long now = this.clock.getAsLong();
			if (waiting(this.state.get()) > 0) {
				this.hang.progress(now);
				this.overload.taken(paceNanos(), now);
				refused = expire(now);
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
				PendingRejection pending = late(ticket, now);
				if (pending == null) {
					if (counted != null) {
						this.concurrency.handedOver();
					}
					granted = ticket;
					done = true;
					continue;
				}
				refused = refuse(ticket, pending, refused);
			}
			signalIfIdle();
		}
		finally {
			this.lock.unlock();
		}
		rejectAll(refused);
		return granted;
	}

	private Ticket refuse(Ticket ticket, PendingRejection pending, @Nullable Ticket others) {
		count(pending.reason(), ticket.priority());
		forget(ticket.bulkheads());
		ticket.why = pending;
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
	private @Nullable PendingRejection late(Ticket ticket, long now) {
		return ticket.late(now) ? deadlinePassed(now - ticket.queuedNanos) : null;
	}

	/**
	 * Takes a ticket out of the queue.
	 * @param reason why it is of no use any more
	 * @return the rejection, or {@code null} if the ticket has been granted or rejected
	 */
	@Nullable Rejection withdraw(Ticket ticket, Reason reason) {
		PendingRejection pending;
		this.lock.lock();
		try {
			if (!ticket.queued) {
				return null;
			}
			ticket.queued = false;
			queue(ticket).remove(ticket);
			this.state.addAndGet(-ONE_WAITS);
			forget(ticket.bulkheads());
			count(reason, ticket.priority());
			signalIfIdle();
			pending = (reason == Reason.DEADLINE) ? deadlinePassed(this.clock.getAsLong() - ticket.queuedNanos)
					: new PendingRejection(reason, retryAfter(), "learned that the caller has gone");
		}
		finally {
			this.lock.unlock();
		}
		return rejection(pending);
	}

	/** Completes a rejection. */
	Rejection rejection(PendingRejection pending) {
		return pending.rejection(this.settings.name());
	}

	private Ticket poll() {
		for (TicketList queue : this.queues.values()) {
			Ticket ticket = queue.first();
			if (ticket != null) {
				queue.remove(ticket);
				ticket.queued = false;
				return ticket;
			}
		}
		throw new IllegalStateException("The number of waiters is positive, but the queue is empty");
	}

	private void forget(List<Bulkhead> counted) {
		for (Bulkhead bulkhead : counted) {
			this.bulkheads.computeIfPresent(bulkhead.name(), (name, count) -> (count > 1) ? count - 1 : null);
		}
	}

	private void count(Reason reason, Priority priority) {
		// Requests of these two reasons would not have waited in any case.
		if (reason != Reason.BULKHEAD && reason != Reason.SHUTTING_DOWN) {
			this.overload.rejected(priority);
			this.rejectedSinceLook++;
		}
		this.refusals.merge(reason, 1L, Long::sum);
	}

	private void rejectAll(@Nullable Ticket first) {
		for (Ticket ticket = first; ticket != null; ticket = unlink(ticket)) {
			PendingRejection pending = ticket.why;
			if (pending != null) {
				reject(ticket, rejection(pending));
			}
		}
	}

	/** Rejects a ticket that has its permit, and for which no thread can be started. */
	void noThread(Ticket ticket) {
		PendingRejection pending = new PendingRejection(Reason.OVERLOAD, retryAfter(),
				"has no thread left and cannot start one");
		this.lock.lock();
		try {
			count(pending.reason(), ticket.priority());
		}
		finally {
			this.lock.unlock();
		}
		reject(ticket, rejection(pending));
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
		if (this.concurrency.crowd(running(this.state.get()))) {
			lookAtLimit();
		}
	}

	/** Looks at the limit, whether requests wait or not, unless somebody else looks. */
	private void lookAtLimit() {
		Ticket promoted;
		if (!this.lock.tryLock()) {
			return;
		}
		try {
			long now = this.clock.getAsLong();
			long word = this.state.get();
			look(word, now);
			promoted = adapt(now);
		}
		finally {
			this.lock.unlock();
		}
		grantAll(promoted);
	}

	/**
	 * Returns whether requests are known to take hardly longer than looking at a clock.
	 */
	boolean brief() {
		return this.times.brief();
	}

	/** Returns whether those of a class who have waited for too long are rejected. */
	private boolean sheds(Priority priority, long now) {
		return this.hang.hangs() || overloaded(priority, now);
	}

	private boolean overloaded(Priority priority, long now) {
		return this.times.known() && this.overload.overloaded(priority, paceNanos(), now)
				&& this.concurrency.confirmed();
	}

	private long paceNanos() {
		long known = this.concurrency.paceNanos();
		return (known > 0) ? known : latestPaceNanos();
	}

	/** Returns the pace of the latest requests, which may take longer than before. */
	private long latestPaceNanos() {
		return this.times.meanNanos() / this.limit;
	}

	private PendingRejection waited(long nanos, Priority priority) {
		return new PendingRejection(Reason.OVERLOAD, retryAfter(),
				"is overloaded and made it wait for %.1f ms, more than %.1f", nanos / 1e6,
				longestWaitNanos(priority) / 1e6);
	}

	private PendingRejection deadlinePassed(long sojourn) {
		return new PendingRejection(Reason.DEADLINE, retryAfter(), "made it wait for %.1f ms, and its deadline passed",
				sojourn / 1e6);
	}

	/** Returns the number of requests that are taken before a new one. */
	private int ahead(Priority priority) {
		int ahead = 0;
		for (Map.Entry<Priority, TicketList> queue : this.queues.entrySet()) {
			if (queue.getKey().compareTo(priority) <= 0) {
				ahead += queue.getValue().size();
			}
		}
		return ahead;
	}

	/** While everything hangs nothing is expected any more. */
	private long longestWaitNanos(Priority priority) {
		return (long) ((this.hang.hangs() ? 1 : LONGEST) * patienceNanos(priority));
	}

	private long patienceNanos(Priority priority) {
		return (long) (this.settings.patience() * priority.patience() * this.times.targetNanos());
	}

	Duration retryAfter() {
		return Duration.ofNanos(Math.max(this.times.targetNanos(), waiting(this.state.get()) * latestPaceNanos()));
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
			while (waiting(this.state.get()) > 0) {
				this.state.addAndGet(-ONE_WAITS);
				refused = refuse(poll(), SHUTTING_DOWN, refused);
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
	record Snapshot(boolean overloaded, long overloads, Map<Reason, Long> refused, Map<String, Integer> bulkheads) {
	}

	Snapshot snapshot() {
		this.lock.lock();
		try {
			long now = this.clock.getAsLong();
			long word = this.state.get();
			if (waiting(word) == 0 && running(word) < this.limit) {
				this.overload.idle();
				this.hang.progress(now);
			}
			return new Snapshot(sheds(LOWEST, now), this.overload.episodes(), new TreeMap<>(this.refusals),
					new TreeMap<>(this.bulkheads));
		}
		finally {
			this.lock.unlock();
		}
	}

}
