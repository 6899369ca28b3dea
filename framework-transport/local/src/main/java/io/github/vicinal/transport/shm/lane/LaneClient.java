package io.github.vicinal.transport.shm.lane;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.transport.shm.bell.Bells;
import io.github.vicinal.transport.shm.waiting.Processor;
import io.github.vicinal.transport.shm.waiting.Waiter;
import io.github.vicinal.transport.wire.DaemonThread;
import io.github.vicinal.transport.wire.HeapBudget;
import io.github.vicinal.transport.wire.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * The client's end of a segment. Thread-safe.
 * <p>
 * A caller acquires a lane, makes one call at a time in it, and releases it. The set of
 * free lanes is known only here. A lane whose caller gave up is in <em>quarantine</em>
 * until the server has answered after all; no other caller may use it before.
 */
public final class LaneClient implements AutoCloseable {

	/** Time that memory may take which is being made for a call. */
	private static final long GROWTH_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final long QUARANTINE_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

	private final String peer;

	private final Segment segment;

	private final Bells bells;

	private final Waiter waiter;

	private final MemoryFiles files;

	private final SlabArena arena;

	private final PeerArenas peerArenas;

	private final Consumer<End> onEnd;

	private final int maxBytes;

	private final HeapBudget heap;

	private final long acquireNanos;

	private final ClientLane[] lanes;

	private final AtomicLongArray free;

	private final AtomicInteger waiters = new AtomicInteger();

	/** Whether one of the waiters checks the lanes in quarantine. Guarded by the lock. */
	private boolean looking;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition freed = this.lock.newCondition();

	/** A bit for each lane in quarantine. */
	private final AtomicLongArray quarantine;

	private final AtomicInteger quarantined = new AtomicInteger();

	private final AtomicReference<@Nullable End> end = new AtomicReference<>();

	private volatile Runnable onSleep = () -> {
	};

	private final AtomicBoolean polling = new AtomicBoolean();

	/** Number of virtual threads that sleep, or are about to. */
	private final AtomicInteger virtualSleepers = new AtomicInteger();

	private final long idleNanos;

	/**
	 * Creates the client's end.
	 * @param peer names the other side in messages
	 * @param segment the shared memory
	 * @param bells wake sleeping threads
	 * @param files where files of arenas are for a while
	 * @param limits of this side
	 * @param announcer announces new arenas to the other side
	 * @param peerArenas the other side's arenas
	 * @param onEnd notified once that the pair has ended, by the thread that noticed
	 */
	public LaneClient(String peer, Segment segment, Bells bells, MemoryFiles files, LaneLimits limits,
			LaneLimits.Announcer announcer, PeerArenas peerArenas, Consumer<End> onEnd) {
		this.peer = peer;
		this.segment = segment;
		this.bells = bells;
		this.waiter = new Waiter(segment.shared(), Processor.REAL, Runtime.getRuntime().availableProcessors(), false);
		this.files = files;
		this.arena = new SlabArena(files, limits.maxArenaBytes(), announcer, this::reclaim,
				() -> this.quarantined.get() > 0);
		this.peerArenas = peerArenas;
		this.onEnd = onEnd;
		this.maxBytes = limits.maxPayloadBytes();
		this.heap = limits.heap();
		this.acquireNanos = limits.acquireTimeout().toNanos();
		this.idleNanos = limits.idleTimeout().toNanos();
		SegmentLayout layout = segment.layout();
		this.lanes = new ClientLane[layout.lanes()];
		for (int i = 0; i < this.lanes.length; i++) {
			this.lanes[i] = new ClientLane(this, i);
		}
		this.quarantine = new AtomicLongArray(layout.words());
		this.free = new AtomicLongArray(layout.words());
		for (int i = 0; i < layout.words(); i++) {
			this.free.set(i, layout.lanesOf(i));
		}
	}

	Segment segment() {
		return this.segment;
	}

	Bells bells() {
		return this.bells;
	}

	Waiter waiter() {
		return this.waiter;
	}

	PeerArenas peerArenas() {
		return this.peerArenas;
	}

	HeapBudget heap() {
		return this.heap;
	}

	/**
	 * Sets the listener for callers that sleep.
	 * @param listener called by each caller that falls asleep, before it does
	 */
	public void onSleep(Runnable listener) {
		this.onSleep = listener;
	}

	void sleeperComes() {
		this.onSleep.run();
	}

	/**
	 * Goes through callers that have slept for long.
	 * @param since those who have slept before that time
	 * @param action given the lane and the sequence of each
	 * @return whether any caller sleeps
	 */
	public boolean forEachSleeper(long since, SleeperAction action) {
		boolean any = false;
		for (ClientLane lane : this.lanes) {
			any |= lane.isAsleep();
			long sequence = lane.waitsFor(since);
			if (sequence != 0) {
				action.accept(lane.index(), sequence);
			}
		}
		return any;
	}

	/**
	 * Returns how much heap is kept for the next calls to the peer.
	 * @return bytes
	 */
	public long keptBytes() {
		return this.heap.keptBytes();
	}

	/** Lets go of arrays in all lanes that nobody uses. */
	public void letGo() {
		for (ClientLane lane : this.lanes) {
			int bit = lane.index() & (Long.SIZE - 1);
			if (claim(this.free, lane.index() / Long.SIZE, 1L << bit)) {
				try {
					lane.letGo();
				}
				finally {
					giveBack(lane);
				}
			}
		}
	}

	int maxBytes() {
		return this.maxBytes;
	}

	/**
	 * Takes a lane; {@link #release} must follow.
	 * @param deadlineNanos until when to wait for one
	 * @return a lane of the caller's own
	 * @throws PathException if none became free, or the pair has ended
	 */
	public ClientLane acquire(long deadlineNanos) throws PathException {
		if (this.end.get() != null) {
			throw gone(false);
		}
		try {
			ClientLane lane = tryAcquire();
			return (lane != null) ? lane : await(deadlineNanos);
		}
		catch (InternalError ex) {
			endByError(ex);
			throw gone(false);
		}
	}

	/**
	 * Takes a lane if there is one; {@link #release} must follow.
	 * @return a lane of the caller's own, or {@code null} if all are in use or the pair
	 * has ended
	 */
	public @Nullable ClientLane tryTake() {
		if (this.end.get() != null) {
			return null;
		}
		try {
			return tryAcquire();
		}
		catch (InternalError ex) {
			endByError(ex);
			return null;
		}
	}

	private @Nullable ClientLane tryAcquire() {
		if (this.quarantined.get() > 0) {
			recover();
			Memory.settle();
		}
		// A thread gets the lane that it had before: its lines are in its processor's
		// cache.
		int preferred = (int) threadId() & (this.lanes.length - 1);
		if (claim(this.free, preferred / Long.SIZE, 1L << preferred)) {
			return this.lanes[preferred];
		}
		for (int word = 0; word < this.free.length(); word++) {
			long bits = this.free.get(word);
			while (bits != 0) {
				int bit = Long.numberOfTrailingZeros(bits);
				if (claim(this.free, word, 1L << bit)) {
					return this.lanes[word * Long.SIZE + bit];
				}
				bits = this.free.get(word);
			}
		}
		return null;
	}

	private static boolean claim(AtomicLongArray lanes, int word, long bit) {
		while (true) {
			long bits = lanes.get(word);
			if ((bits & bit) == 0) {
				return false;
			}
			if (lanes.compareAndSet(word, bits, bits & ~bit)) {
				return true;
			}
		}
	}

	private static void add(AtomicLongArray lanes, ClientLane lane) {
		int word = lane.index() / Long.SIZE;
		long bit = 1L << lane.index();
		long bits;
		do {
			bits = lanes.get(word);
		}
		while (!lanes.compareAndSet(word, bits, bits | bit));
	}

	@SuppressWarnings("deprecation") // threadId() is there from 19 on
	private static long threadId() {
		return Thread.currentThread().getId();
	}

	private ClientLane await(long deadlineNanos) throws PathException {
		long end = earlier(deadlineNanos, System.nanoTime() + this.acquireNanos);
		this.waiters.incrementAndGet();
		this.lock.lock();
		try {
			while (true) {
				ClientLane lane = tryAcquire();
				if (lane != null) {
					return lane;
				}
				if (this.end.get() != null) {
					throw gone(false);
				}
				long left = end - System.nanoTime();
				if (left <= 0) {
					throw new PathException(Reason.EXHAUSTED, false,
							"all %d lanes to %s are in use and none became free in time".formatted(this.lanes.length,
									this.peer),
							null);
				}
				awaitFreed(left);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new PathException(Reason.INTERRUPTED, false, "the calling thread was interrupted", ex);
		}
		finally {
			if (this.quarantined.get() > 0) {
				// This may have been the one that looked at them.
				this.freed.signal();
			}
			this.lock.unlock();
			this.waiters.decrementAndGet();
		}
	}

	/**
	 * A lane in quarantine becomes free without a word, so one of those who wait looks at
	 * times. Under the lock, which it gives away meanwhile.
	 */
	@SuppressWarnings("WaitNotInLoop")
	private void awaitFreed(long nanos) throws InterruptedException {
		if (this.looking || this.quarantined.get() == 0) {
			this.freed.awaitNanos(nanos);
			return;
		}
		this.looking = true;
		try {
			this.freed.awaitNanos(Math.min(nanos, QUARANTINE_LOOK_NANOS));
		}
		finally {
			this.looking = false;
		}
	}

	/**
	 * Gives a lane back.
	 * @param lane a lane that the caller acquired
	 */
	public void release(ClientLane lane) {
		try {
			lane.endReading();
			lane.unreserve();
			if (ended()) {
				Memory.settle();
			}
			lane.shrink();
		}
		catch (InternalError ex) {
			endByError(ex);
		}
		finally {
			// Allocates nothing: without memory, too, no lane gets lost.
			if (lane.abandoned()) {
				add(this.quarantine, lane);
				this.quarantined.incrementAndGet();
				// Somebody must look at it from now on.
				wakeOne();
				this.arena.wakeFirst();
			}
			else {
				giveBack(lane);
			}
		}
	}

	private void giveBack(ClientLane lane) {
		add(this.free, lane);
		wakeOne();
	}

	/** Wakes one of those who wait for a lane. */
	private void wakeOne() {
		if (this.waiters.get() > 0) {
			this.lock.lock();
			try {
				this.freed.signal();
			}
			finally {
				this.lock.unlock();
			}
		}
	}

	/** Looks at each lane in quarantine once. */
	private void recover() {
		for (int word = 0; word < this.quarantine.length(); word++) {
			long bits = this.quarantine.get(word);
			while (bits != 0) {
				int bit = Long.numberOfTrailingZeros(bits);
				bits &= bits - 1;
				if (claim(this.quarantine, word, 1L << bit)) {
					recover(this.lanes[word * Long.SIZE + bit]);
				}
			}
		}
	}

	private void recover(ClientLane lane) {
		boolean recovered = false;
		try {
			recovered = lane.recovers();
		}
		finally {
			if (!recovered) {
				add(this.quarantine, lane);
			}
		}
		if (recovered) {
			this.quarantined.decrementAndGet();
			giveBack(lane);
		}
	}

	/**
	 * Ends the pair because of what a JVM throws when it touches memory that is gone: the
	 * other side has cut off the file. Compiled code throws it somewhat later, at the
	 * next safepoint.
	 * @param error what was thrown
	 */
	public void endByError(InternalError error) {
		end(End.violation(Refusal.MALFORMED, "the shared memory failed: " + error.getMessage()));
	}

	private void reclaim() {
		if (this.quarantined.get() > 0) {
			recover();
		}
	}

	/** Publishes a request, and returns whether the server had to be woken for it. */
	boolean publish(int lane, int lines, long sequence) {
		Memory memory = this.segment.memory();
		memory.setLongRelease(lines + SegmentLayout.REQUEST_SEQUENCE, sequence);
		memory.setBit(SegmentLayout.PENDING_OFFSET + lane / Long.SIZE * Long.BYTES, lane & (Long.SIZE - 1));
		if (memory.getIntVolatile(SegmentLayout.SERVER_PARKED_OFFSET) != 0
				&& memory.compareAndSetInt(SegmentLayout.SERVER_PARKED_OFFSET, 1, 0)) {
			this.bells.server().ring();
			return true;
		}
		return false;
	}

	SlabArena.Slab slab(int length, long deadlineNanos) throws PathException {
		long now = System.nanoTime();
		try {
			SlabArena.Slab slab = this.arena.allocate(length, earlier(deadlineNanos, now + this.acquireNanos),
					earlier(deadlineNanos, now + GROWTH_NANOS));
			if (slab == null && ended()) {
				throw gone(false);
			}
			if (slab == null) {
				throw new PathException(Reason.EXHAUSTED, false, "there is no shared memory for a call of %d bytes: %s"
					.formatted(length, this.arena.whyExhausted(length)), null);
			}
			return slab;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new PathException(Reason.INTERRUPTED, false, "the calling thread was interrupted", ex);
		}
	}

	private static long earlier(long deadlineNanos, long patience) {
		return (deadlineNanos != ClientLane.NO_DEADLINE && deadlineNanos - patience < 0) ? deadlineNanos : patience;
	}

	void free(SlabArena.Slab slab) {
		this.arena.free(slab);
	}

	/**
	 * Makes sure that there is a thread that wakes virtual callers, until
	 * {@link #virtualSleeperIsAwake()}.
	 */
	void virtualSleeperComes() {
		this.virtualSleepers.incrementAndGet();
		startPoller();
	}

	void virtualSleeperIsAwake() {
		this.virtualSleepers.decrementAndGet();
	}

	private void startPoller() {
		if (this.polling.get() || !this.polling.compareAndSet(false, true)) {
			return;
		}
		Thread thread = DaemonThread.create("vicinal-shm-poller", this::poll);
		boolean started = false;
		try {
			thread.start();
			started = true;
		}
		finally {
			if (!started) {
				this.polling.set(false);
			}
		}
	}

	/**
	 * A virtual thread must not sleep at a bell, because that would block its carrier. A
	 * poller that was not needed for a while ends. A sleeper registers before it looks
	 * for a poller, and a poller deregisters before it looks for sleepers.
	 */
	private void poll() {
		try {
			pollUntilTheEnd();
			Memory.settle();
		}
		catch (InternalError ex) {
			endByError(ex);
		}
		catch (RuntimeException | Error ex) {
			// Virtual callers without a poller would sleep forever.
			end(End.of("its poller failed: " + ex));
		}
	}

	private void pollUntilTheEnd() {
		Memory memory = this.segment.memory();
		int words = this.segment.layout().words();
		long idleSince = System.nanoTime();
		while (!ended()) {
			boolean woken = wakeCompleted(memory, words);
			if (!woken) {
				memory.setIntVolatile(SegmentLayout.POLLER_PARKED_OFFSET, 1);
				if (!wakeCompleted(memory, words) && !ended()) {
					this.bells.poller().await(this.idleNanos);
					Thread.interrupted();
				}
				memory.setIntVolatile(SegmentLayout.POLLER_PARKED_OFFSET, 0);
			}
			long now = System.nanoTime();
			if (woken || this.virtualSleepers.get() > 0) {
				idleSince = now;
			}
			else if (now - idleSince >= this.idleNanos) {
				this.polling.set(false);
				if (this.virtualSleepers.get() == 0 || !this.polling.compareAndSet(false, true)) {
					return;
				}
			}
		}
	}

	private boolean wakeCompleted(Memory memory, int words) {
		boolean any = false;
		for (int word = 0; word < words; word++) {
			int offset = SegmentLayout.COMPLETED_OFFSET + word * Long.BYTES;
			if (memory.getLongVolatile(offset) == 0) {
				continue;
			}
			long bits = memory.takeBits(offset) & this.segment.layout().lanesOf(word);
			while (bits != 0) {
				int bit = Long.numberOfTrailingZeros(bits);
				bits &= bits - 1;
				this.lanes[word * Long.SIZE + bit].wakeVirtual();
				any = true;
			}
		}
		return any;
	}

	boolean ended() {
		return this.end.get() != null;
	}

	/**
	 * Ends the pair: calls in flight fail at once.
	 * @param reason why
	 */
	public void end(End reason) {
		Memory.discardPending();
		if (!this.end.compareAndSet(null, reason)) {
			return;
		}
		// First, as it also frees threads that cannot ring because the peer has flooded a
		// bell.
		this.bells.close();
		wakeAll();
		this.lock.lock();
		try {
			this.freed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
		for (ClientLane lane : this.lanes) {
			lane.retireHeap();
		}
		// A thread that waits for memory must not wait for slabs that are never returned.
		this.arena.close();
		this.files.ended(memoryBytes() + this.peerArenas.bytes());
		this.onEnd.accept(reason);
	}

	/**
	 * Wakes threads that sleep at bells and do not wake when these are closed, and
	 * virtual threads.
	 */
	private void wakeAll() {
		try {
			for (ClientLane lane : this.lanes) {
				lane.wake();
			}
			// The word first: a poller that is about to sleep on it must not.
			this.segment.memory().setIntVolatile(SegmentLayout.POLLER_PARKED_OFFSET, 0);
			Memory.settle();
			this.bells.poller().ring();
		}
		catch (InternalError ex) {
			// The memory is gone, and with it the set of sleepers. Bells need no memory.
			for (ClientLane lane : this.lanes) {
				lane.wakeBlindly();
			}
			this.bells.poller().ring();
		}
	}

	/**
	 * Returns why the pair has ended.
	 * @return the reason, or {@code null}
	 */
	public @Nullable End whyEnded() {
		return this.end.get();
	}

	PathException gone(boolean published) {
		End why = this.end.get();
		String text = (why != null) ? why.text() : "it has ended";
		boolean maybe = published && (why == null || !why.nothingExecuted());
		return new PathException(Reason.PEER_GONE, maybe, "%s is gone: %s".formatted(this.peer, text), null);
	}

	String describe(String what) {
		return this.peer + " " + what;
	}

	/**
	 * Returns how callers wait now, for people.
	 * @return some words
	 */
	public String waiting() {
		try {
			if (!ended()) {
				String text = this.waiter.describe(this.segment.mode());
				Memory.settle();
				return text;
			}
		}
		catch (InternalError ex) {
			endByError(ex);
		}
		return "unknown, because the peer has gone";
	}

	/**
	 * Returns the number of times that callers changed how they wait.
	 * @return a count
	 */
	public long waitDecisions() {
		return this.waiter.decisions();
	}

	/**
	 * Returns the last change of how callers wait, with its reason, for people.
	 * @return some words with numbers
	 */
	public String lastWaitDecision() {
		return this.waiter.lastDecision();
	}

	/**
	 * Changes how both sides wait.
	 * @param mode a {@code WaitMode}
	 */
	public void mode(long mode) {
		this.segment.mode(mode);
	}

	/**
	 * Returns the kind of bells.
	 * @return its name
	 */
	public String bellKind() {
		return this.bells.kind();
	}

	/**
	 * Counts what callers have waited.
	 * @return waits awake, waits asleep, and bans
	 */
	public WaitCounts waits() {
		long awake = 0;
		long asleep = 0;
		for (ClientLane lane : this.lanes) {
			awake += lane.history().awake();
			asleep += lane.history().asleep();
		}
		return new WaitCounts(awake, asleep, this.waiter.bans());
	}

	/**
	 * Returns the number of lanes that are neither in use nor in quarantine.
	 * @return a count
	 */
	public int freeLanes() {
		int count = 0;
		for (int word = 0; word < this.free.length(); word++) {
			count += Long.bitCount(this.free.get(word));
		}
		return count;
	}

	/**
	 * Returns whether no caller holds a lane.
	 * @return {@code true} if all lanes are free or in quarantine
	 */
	public boolean isIdle() {
		return freeLanes() + quarantinedLanes() >= this.lanes.length;
	}

	/**
	 * Returns the number of lanes that are in quarantine.
	 * @return a count
	 */
	public int quarantinedLanes() {
		return this.quarantined.get();
	}

	/**
	 * Returns the number of slabs that hold requests.
	 * @return a count
	 */
	public int slabsInUse() {
		return this.arena.slabsInUse();
	}

	/**
	 * Returns how much memory the pair shares, as far as this side made it.
	 * @return bytes
	 */
	public long memoryBytes() {
		return this.segment.layout().bytes() + this.arena.bytes();
	}

	@Override
	public void close() {
		end(End.of("the path was closed"));
	}

	/** Listener for callers that sleep. */
	@FunctionalInterface
	public interface SleeperAction {

		void accept(int lane, long sequence);

	}

	/**
	 * Why a pair has ended.
	 *
	 * @param text for people
	 * @param nothingExecuted whether calls without an answer were certainly not executed
	 * @param violation which rule the other side has broken, if it has
	 */
	public record End(String text, boolean nothingExecuted, @Nullable Refusal violation) {

		public static End of(String text) {
			return new End(text, false, null);
		}

		/** The other side has said that it ends. */
		public static End orderly(String text) {
			return new End(text, true, null);
		}

		/** The other side has broken a rule. */
		public static End violation(Refusal rule, String text) {
			return new End(text, false, rule);
		}

	}

}
