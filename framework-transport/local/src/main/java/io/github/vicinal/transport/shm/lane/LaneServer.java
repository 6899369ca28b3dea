package io.github.vicinal.transport.shm.lane;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;

import io.github.vicinal.transport.shm.bell.Bell;
import io.github.vicinal.transport.shm.bell.Bells;
import io.github.vicinal.transport.shm.waiting.Condition;
import io.github.vicinal.transport.shm.waiting.Processor;
import io.github.vicinal.transport.shm.waiting.WaitHistory;
import io.github.vicinal.transport.shm.waiting.Waiter;
import io.github.vicinal.transport.wire.HeapBudget;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;

/**
 * The server's end of a segment. Thread-safe.
 * <p>
 * One thread at a time is the <em>receiver</em>: it takes requests and lets a handler
 * answer them on that same thread, because waking another one would cost more than most
 * handlers. A handler that may take long gives the role away first: see {@link #leave()}.
 * When a handler keeps the receiver for longer than it should, the role is taken away, so
 * that requests that the handler itself may depend on are served.
 * <p>
 * A thread that finds the role free takes it. A receiver that has nothing to do gives it
 * away and sleeps at the server's bell; several threads may sleep there, and a ring wakes
 * one of them. So a call wakes one thread, whether its handler is short or long, and the
 * next one finds another asleep if the first is still busy. While there are no calls, one
 * thread goes on sleeping.
 */
public final class LaneServer implements AutoCloseable, Condition, ReceiverGuard.Guarded {

	/*-
	 * The life of a request. The client writes it into its lane, sets the lane's bit in a
	 * pending word and rings if SERVER_PARKED is 1. The receiver exchanges the word with
	 * 0 and adds the bits to `taken`, which is not shared with the client. From there on
	 * a request is begun exactly once, by the thread that clears its bit. A receiver that
	 * loses its role while it works through `taken` stops there. The next receiver goes
	 * on, as isMet and serve look at both words.
	 *
	 *   client           receiver                                 handler
	 *   ------           --------                                 -------
	 *   lane, bit  --->  pending -> taken -> claim ---------->    on this thread
	 *   bell if parked                        | may be long
	 *                                         +- leave() ----->   on this thread, and
	 *                                            another thread is the receiver
	 *
	 * The role is the word `receiver`: a thread, or null. It changes only by
	 * compare-and-set, so that two threads never receive. It leaves a thread in three
	 * ways:
	 *
	 * - The thread has nothing to do (sleep).
	 * - Its handler may take long (leave). HandlerTimes knows which handlers do.
	 * - ReceiverGuard finds a handler that was thought short and has run for
	 *   TAKE_OVER_NANOS (check, replace). The handler may wait for another call of the
	 *   same client, which no thread would receive.
	 *
	 * No request may be lost between a thread that goes to sleep and a client that
	 * publishes. This is Dekker's pattern with two flags, the pending word and
	 * SERVER_PARKED: each side writes its own and then reads the other's, by volatile
	 * access. Either the client sees the sleeper and rings, or the thread sees the
	 * request and does not sleep. Clearing SERVER_PARKED by compare-and-set makes one of
	 * several clients ring. Among the threads of this side, `asleep` is the same pattern:
	 * it counts a thread before the role is free and no longer counts it before the
	 * thread tries to take the role, so leave() may rely on a counted thread to try.
	 *
	 * A thread per request would cost two changes of thread per call, each as much as a
	 * whole short call. A receiver that always keeps the role would let one long handler
	 * delay all others. Handing over before long handlers costs a wake-up only where the
	 * handler is long enough to hide it. The pattern is that of leader and followers [1],
	 * where the leader keeps short events for itself. Lanes per client, without a queue
	 * between them, are from LRPC [2].
	 *
	 * [1] Schmidt, O'Ryan, Kircher, Pyarali, Buschmann: Leader/Followers. A design
	 *     pattern for efficient multi-threaded event demultiplexing and dispatching (2000)
	 * [2] Bershad, Anderson, Lazowska, Levy: Lightweight remote procedure call (1990)
	 */

	/** A handler that keeps the receiver for longer loses that role. */
	private static final long TAKE_OVER_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	/**
	 * Period in which a lane counts as active. With more callers than processors, each
	 * gets a slice of some milliseconds.
	 */
	private static final long ACTIVE_WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(32);

	/** Time for which an answer waits for memory that others use. */
	private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	/** Time that memory may take which is being made for an answer. */
	private static final long GROWTH_NANOS = TimeUnit.SECONDS.toNanos(5);

	private static final int BATCHES_PER_LOOK = 16;

	private static final String NO_THREAD = "no thread is left to receive calls";

	/**
	 * Maximum number of threads that sleep at the bell; others go back to where they came
	 * from, because each has a stack.
	 */
	private static final int MAX_ASLEEP = 4;

	/** Number of threads that go on sleeping at the bell of an idle client. */
	private static final int IDLE_ASLEEP = 1;

	private final Segment segment;

	private final Bells bells;

	private final Waiter waiter;

	private final WaitHistory history = new WaitHistory();

	private final SlabArena arena;

	private final PeerArenas peerArenas;

	private final int maxBytes;

	private final HeapBudget heap;

	private final long idleNanos;

	private final ServerLane[] lanes;

	private final Handler handler;

	private final Executor threads;

	private final ReceiverGuard guard;

	private final BiConsumer<Refusal, String> onFailure;

	/** Requests that the receiver has taken from the bitmap and not yet begun. */
	private final AtomicLongArray taken;

	/** Lanes with requests in this window, and in the one before. */
	private final long[] seen;

	private final long[] seenBefore;

	/** The thread that receives; {@code null} while all are busy or asleep. */
	private final AtomicReference<@Nullable Thread> receiver = new AtomicReference<>();

	/** Number of threads at the bell, including those about to sleep or to wake there. */
	private final AtomicInteger asleep = new AtomicInteger();

	/** Time at which the latest receiver went to sleep. Used by the receiver. */
	private long asleepSince;

	/** Time at which the receiver gave itself to a handler, 0 while it receives. */
	private final AtomicLong awaySince = new AtomicLong();

	/** Whether a thread rings for a caller that asked. */
	private final AtomicBoolean ringing = new AtomicBoolean();

	private volatile boolean closed;

	private long served;

	private int batches;

	private long windowStart;

	/**
	 * Creates the server's end.
	 * @param segment the shared memory
	 * @param bells wake sleeping threads
	 * @param files where files of arenas are for a while
	 * @param limits of this side
	 * @param announcer announces new arenas to the other side
	 * @param peerArenas the other side's arenas
	 * @param handler answers requests
	 * @param threads has a thread whenever one is needed
	 * @param guard notices receivers that are kept by a handler
	 * @param onFailure notified, once or more, that the pair must end, with the rule that
	 * the client has broken or {@link Refusal#FAILED}
	 */
	public LaneServer(Segment segment, Bells bells, MemoryFiles files, LaneLimits limits,
			LaneLimits.Announcer announcer, PeerArenas peerArenas, Handler handler, Executor threads,
			ReceiverGuard guard, BiConsumer<Refusal, String> onFailure) {
		this.segment = segment;
		this.bells = bells;
		this.waiter = new Waiter(segment.shared(), Processor.REAL, Runtime.getRuntime().availableProcessors(), true);
		this.arena = new SlabArena(files, limits.maxArenaBytes(), announcer, this::reclaim, () -> true);
		this.peerArenas = peerArenas;
		this.maxBytes = limits.maxPayloadBytes();
		this.heap = limits.heap();
		this.idleNanos = limits.idleTimeout().toNanos();
		this.handler = handler;
		this.threads = threads;
		this.guard = guard;
		this.onFailure = onFailure;
		SegmentLayout layout = segment.layout();
		this.lanes = new ServerLane[layout.lanes()];
		for (int i = 0; i < this.lanes.length; i++) {
			this.lanes[i] = new ServerLane(this, i);
		}
		this.taken = new AtomicLongArray(layout.words());
		this.seen = new long[layout.words()];
		this.seenBefore = new long[layout.words()];
	}

	/** Starts to receive. */
	public void start() {
		this.guard.add(this);
		if (!callThread()) {
			fail(Refusal.FAILED, NO_THREAD);
		}
	}

	Segment segment() {
		return this.segment;
	}

	Bells bells() {
		return this.bells;
	}

	PeerArenas peerArenas() {
		return this.peerArenas;
	}

	HeapBudget heap() {
		return this.heap;
	}

	/**
	 * Lets go of arrays in all lanes that have no call. Takes the receiver's role for
	 * that time, as only the receiver takes calls; does nothing if somebody has it.
	 */
	public void letGo() {
		Thread self = Thread.currentThread();
		if (this.closed || !this.receiver.compareAndSet(null, self)) {
			return;
		}
		try {
			for (ServerLane lane : this.lanes) {
				if (!lane.busy()) {
					lane.letGo();
				}
			}
			leave(self, true);
			Memory.settle();
		}
		catch (InternalError ex) {
			failByError(ex);
		}
		finally {
			// Calls need a receiver after any exception.
			this.receiver.compareAndSet(self, null);
		}
	}

	int maxBytes() {
		return this.maxBytes;
	}

	private boolean callThread() {
		try {
			this.threads.execute(this::attendSafely);
			return true;
		}
		catch (RejectedExecutionException ex) {
			return false;
		}
	}

	private void attendSafely() {
		try {
			attend();
			Memory.settle();
		}
		catch (WireException ex) {
			fail(ex.refusal(), ex.text());
		}
		catch (InternalError ex) {
			// The memory is gone under this process: its file was cut off.
			failByError(ex);
		}
		catch (RuntimeException | Error ex) {
			// A pair without a receiver must not look as if it had one.
			fail(Refusal.FAILED, "the receiver failed: " + ex);
		}
		if (this.closed) {
			wakeOne();
		}
	}

	/** Receives as often as nobody else does. */
	private void attend() throws WireException {
		Thread self = Thread.currentThread();
		boolean slept = false;
		int mostAsleep = MAX_ASLEEP;
		while (!this.closed && this.receiver.compareAndSet(null, self)) {
			this.segment.memory().setIntVolatile(SegmentLayout.SERVER_PARKED_OFFSET, 0);
			if (slept) {
				this.waiter.slept(System.nanoTime() - this.asleepSince);
			}
			receive(self);
			slept = !this.closed && this.receiver.get() == self;
			if (slept) {
				long start = System.nanoTime();
				if (!sleep(self, start, mostAsleep)) {
					return;
				}
				mostAsleep = (System.nanoTime() - start < this.idleNanos) ? MAX_ASLEEP : IDLE_ASLEEP;
			}
		}
	}

	/** Receives until there is nothing to do, or the role is somebody else's. */
	private void receive(Thread self) throws WireException {
		while (!this.closed && this.receiver.get() == self) {
			if (!serve(self) && !this.waiter.await(this, this.history, false, this.segment.mode())) {
				return;
			}
		}
	}

	/**
	 * Gives the role away and sleeps, and returns whether this thread is still needed.
	 * <p>
	 * The order matters. The role is free before the word announces a sleeper, and the
	 * word announces it before this thread looks once more. So a thread that publishes a
	 * request either is seen or rings. A thread that wakes stops counting as asleep
	 * before it tries to take the role. So a thread that gives the role away and then
	 * sees it counted knows that it will try.
	 */
	private boolean sleep(Thread self, long now, int mostAsleep) {
		look(now);
		this.asleepSince = now;
		this.asleep.incrementAndGet();
		if (this.receiver.compareAndSet(self, null)) {
			this.segment.memory().setIntVolatile(SegmentLayout.SERVER_PARKED_OFFSET, 1);
			if (!isMet()) {
				int count = this.asleep.get();
				if (count > mostAsleep && this.asleep.compareAndSet(count, count - 1)) {
					return false;
				}
				this.bells.server().await(Bell.FOREVER);
				Thread.interrupted();
			}
		}
		this.asleep.decrementAndGet();
		return true;
	}

	/**
	 * Lets another thread receive. Called by the receiver, before it runs a handler that
	 * may take long.
	 */
	public void leave() {
		leave(Thread.currentThread(), true);
	}

	private void leave(Thread from, boolean mayRing) {
		if (this.closed || !this.receiver.compareAndSet(from, null)) {
			return;
		}
		this.segment.memory().setIntVolatile(SegmentLayout.SERVER_PARKED_OFFSET, 1);
		if (this.asleep.get() == 0) {
			callThread();
		}
		else if (isMet()) {
			if (mayRing) {
				wakeOne();
			}
			else {
				callThread();
			}
		}
	}

	private void wakeOne() {
		try {
			Memory memory = this.segment.memory();
			boolean sleeps = memory.getIntVolatile(SegmentLayout.SERVER_PARKED_OFFSET) != 0;
			if (this.closed) {
				Memory.settle();
			}
			if ((sleeps && memory.compareAndSetInt(SegmentLayout.SERVER_PARKED_OFFSET, 1, 0)) || this.closed) {
				this.bells.server().ring();
			}
		}
		catch (InternalError ex) {
			// The memory is gone, and with it the words that say whether somebody sleeps.
			this.bells.server().ring();
		}
	}

	/** Serves what is pending, and returns whether that was anything. */
	private boolean serve(Thread self) throws WireException {
		Memory memory = this.segment.memory();
		SegmentLayout layout = this.segment.layout();
		int count = 0;
		boolean newcomers = false;
		for (int word = 0; word < layout.words(); word++) {
			int offset = SegmentLayout.PENDING_OFFSET + word * Long.BYTES;
			if (memory.getLongAcquire(offset) != 0) {
				long bits = memory.takeBits(offset) & layout.lanesOf(word);
				newcomers |= (bits & ~this.seen[word]) != 0;
				this.seen[word] |= bits;
				this.taken.getAndAccumulate(word, bits, (before, more) -> before | more);
			}
			count += Long.bitCount(this.taken.get(word));
		}
		if (count == 0) {
			return false;
		}
		if (newcomers) {
			raiseActive();
		}
		for (int word = 0; word < layout.words(); word++) {
			int bit = claim(word);
			while (bit >= 0) {
				ServerLane lane = this.lanes[word * Long.SIZE + bit];
				if (lane.take()) {
					this.served++;
					this.handler.handle(lane, count);
				}
				if (this.receiver.get() != self) {
					// Another thread receives now; what is taken is its business.
					return true;
				}
				bit = claim(word);
			}
		}
		this.segment.shared().served(this.served);
		if (++this.batches % BATCHES_PER_LOOK == 0) {
			look(System.nanoTime());
		}
		return true;
	}

	private int claim(int word) {
		while (true) {
			long bits = this.taken.get(word);
			if (bits == 0) {
				return -1;
			}
			if (this.taken.compareAndSet(word, bits, bits & (bits - 1))) {
				return Long.numberOfTrailingZeros(bits);
			}
		}
	}

	/**
	 * Publishes to both sides the number of lanes in use, as seen in the last two
	 * windows.
	 */
	private void look(long now) {
		if (now - this.windowStart < ACTIVE_WINDOW_NANOS) {
			return;
		}
		this.windowStart = now;
		int count = 0;
		for (int word = 0; word < this.seen.length; word++) {
			count += Long.bitCount(this.seen[word] | this.seenBefore[word]);
			this.seenBefore[word] = this.seen[word];
			this.seen[word] = 0;
		}
		if (count != this.segment.shared().activeLanes()) {
			this.segment.shared().activeLanes(count);
		}
	}

	/**
	 * A crowd is noticed as it comes: until then its own would pass for strangers.
	 */
	private void raiseActive() {
		int count = 0;
		for (int word = 0; word < this.seen.length; word++) {
			count += Long.bitCount(this.seen[word] | this.seenBefore[word]);
		}
		if (count > this.segment.shared().activeLanes()) {
			this.segment.shared().activeLanes(count);
		}
	}

	@Override
	public boolean isMet() {
		if (this.closed) {
			return true;
		}
		Memory memory = this.segment.memory();
		for (int word = 0; word < this.segment.layout().words(); word++) {
			if (memory.getLongVolatile(SegmentLayout.PENDING_OFFSET + word * Long.BYTES) != 0
					|| this.taken.get(word) != 0) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Notes that the calling thread, which is the receiver, is about to run a handler.
	 * @param nanos the time, not 0
	 */
	public void away(long nanos) {
		this.awaySince.set(nanos);
		this.guard.look();
	}

	/**
	 * Notes that the handler has ended. Does nothing if another thread is the receiver by
	 * now.
	 * @param nanos the time that {@link #away} was called with
	 */
	public void back(long nanos) {
		this.awaySince.compareAndSet(nanos, 0);
	}

	@Override
	public boolean check(long now) {
		long since = this.awaySince.get();
		if (since == 0 || this.closed) {
			return false;
		}
		if (now - since <= TAKE_OVER_NANOS) {
			return true;
		}
		if (this.awaySince.compareAndSet(since, 0)) {
			replace(this.receiver.get());
			return false;
		}
		// It has ended, and the next one may have begun.
		return true;
	}

	private void replace(@Nullable Thread kept) {
		try {
			if (kept != null) {
				// Other pairs need this thread, and a client can delay a thread that
				// rings.
				leave(kept, false);
				Memory.settle();
			}
		}
		catch (InternalError ex) {
			// Other pairs need the thread that looks.
			failByError(ex);
		}
		catch (OutOfMemoryError ex) {
			// No thread would receive while the handler runs, and the handler may wait
			// for another call.
			fail(Refusal.FAILED, NO_THREAD);
		}
	}

	private void failByError(InternalError error) {
		fail(Refusal.MALFORMED, "the shared memory failed: " + error.getMessage());
	}

	private void fail(Refusal refusal, String why) {
		Memory.discardPending();
		if (!this.closed) {
			this.onFailure.accept(refusal, why);
		}
	}

	boolean closed() {
		return this.closed;
	}

	/**
	 * Makes sure that a call goes on for which the client has waited long.
	 * @param lane where it waits
	 * @param sequence what for
	 * @throws WireException if its words make no sense any more: the pair must end
	 */
	public void check(int lane, long sequence) throws WireException {
		if (lane < 0 || lane >= this.lanes.length) {
			throw new WireException(Refusal.MALFORMED, "there is no lane %d".formatted(lane));
		}
		Runnable ringing = this.lanes[lane].check(sequence);
		Memory.settle();
		if (ringing != null && !this.ringing.getAndSet(true)) {
			boolean begun = false;
			try {
				// The client can delay a thread that rings, but not more than one.
				this.threads.execute(() -> ring(ringing));
				begun = true;
			}
			catch (RejectedExecutionException ex) {
				// The server ends, and with it the wait.
			}
			finally {
				if (!begun) {
					this.ringing.set(false);
				}
			}
		}
	}

	private void ring(Runnable ringing) {
		try {
			ringing.run();
			Memory.settle();
		}
		catch (InternalError ex) {
			failByError(ex);
		}
		finally {
			this.ringing.set(false);
		}
	}

	SlabArena.@Nullable Slab slab(int length) {
		try {
			long now = System.nanoTime();
			return this.arena.allocate(length, now + BUSY_NANOS, now + GROWTH_NANOS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return null;
		}
	}

	void free(SlabArena.Slab slab) {
		this.arena.free(slab);
	}

	private void reclaim() {
		for (ServerLane lane : this.lanes) {
			lane.reclaim();
		}
	}

	/**
	 * Returns how much memory of the pair this process has mapped.
	 * @return bytes
	 */
	public long mappedBytes() {
		return this.segment.layout().bytes() + this.arena.bytes() + this.peerArenas.bytes();
	}

	/**
	 * Returns how the receiver waits now, for people.
	 * @return some words
	 */
	public String waiting() {
		try {
			if (!this.closed) {
				String text = this.waiter.describe(this.segment.mode());
				Memory.settle();
				return text;
			}
		}
		catch (InternalError ex) {
			failByError(ex);
		}
		return "unknown, because the client has gone";
	}

	/**
	 * Returns the number of times that this side changed how it waits.
	 * @return a count
	 */
	public long waitDecisions() {
		return this.waiter.decisions();
	}

	/**
	 * Returns the last change of how this side waits, with its reason, for people.
	 * @return some words with numbers
	 */
	public String lastWaitDecision() {
		return this.waiter.lastDecision();
	}

	/**
	 * Counts what the receiver has waited.
	 * @return waits awake, waits asleep, and bans
	 */
	public WaitCounts waits() {
		return new WaitCounts(this.history.awake(), this.history.asleep(), this.waiter.bans());
	}

	/**
	 * Returns the kind of bells.
	 * @return its name
	 */
	public String bellKind() {
		return this.bells.kind();
	}

	/** Stops to receive. Handlers that run may still respond. */
	@Override
	public void close() {
		Memory.discardPending();
		this.closed = true;
		this.guard.remove(this);
		this.arena.close();
		for (ServerLane lane : this.lanes) {
			lane.retireHeap();
		}
		// Before anybody rings, as a client may have flooded a bell.
		this.bells.close();
		// Each thread that wakes wakes the next one.
		wakeOne();
	}

	/** Answers requests. */
	@FunctionalInterface
	public interface Handler {

		/**
		 * Answers a request, on this thread or another.
		 * @param lane the request; ends with {@link ServerLane#respond}
		 * @param batch number of requests when the receiver last looked, this one and
		 * those that have been answered since included
		 * @throws WireException if the request shows that the client cannot be trusted
		 */
		void handle(ServerLane lane, int batch) throws WireException;

	}

}
