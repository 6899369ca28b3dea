package io.github.vicinal.transport.shm.lane;

import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.transport.shm.bell.Bell;
import io.github.vicinal.transport.shm.bell.Bells;
import io.github.vicinal.transport.shm.waiting.Condition;
import io.github.vicinal.transport.shm.waiting.Processor;
import io.github.vicinal.transport.shm.waiting.Turn;
import io.github.vicinal.transport.shm.waiting.Waiter;
import io.github.vicinal.transport.wire.WireException;

/**
 * The server's end of a segment. Thread-safe.
 * <p>
 * One thread at a time is the <em>receiver</em>: it takes requests and lets a handler
 * answer them, on its own thread if the handler wants that. When a handler keeps the
 * receiver for longer than it should, another thread becomes the receiver, so that
 * requests that the handler itself may depend on are served.
 */
public final class LaneServer implements AutoCloseable, Condition, ReceiverGuard.Guarded {

	/** A handler that keeps the receiver for longer loses that role. */
	private static final long TAKE_OVER_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	/** With more callers than processors, each gets a slice of some milliseconds. */
	private static final long ACTIVE_WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(32);

	private static final int BATCHES_PER_LOOK = 16;

	private final Segment segment;

	private final Bells bells;

	private final Waiter waiter;

	private final Turn turn = new Turn();

	private final SlabArena arena;

	private final PeerArenas peerArenas;

	private final int maxBytes;

	private final ServerLane[] lanes;

	private final Handler handler;

	private final Executor receivers;

	private final ReceiverGuard guard;

	private final Consumer<String> onFailure;

	/** Requests that the receiver has taken from the bitmap and not yet begun. */
	private final AtomicLongArray taken;

	/** Lanes with requests in this window, and in the one before. */
	private final long[] seen;

	private final long[] seenBefore;

	private final AtomicInteger role = new AtomicInteger();

	/** When the receiver gave itself to a handler, 0 while it receives. */
	private final AtomicLong awaySince = new AtomicLong();

	private volatile boolean closed;

	private long served;

	private int batches;

	private long windowStart;

	/**
	 * Creates the server's end.
	 * @param segment the shared memory
	 * @param bells wake who sleeps
	 * @param directory where files of arenas are for a while
	 * @param limits of this side
	 * @param announcer tells the other side of new arenas
	 * @param peerArenas the other side's arenas
	 * @param handler answers requests
	 * @param receivers has a thread whenever one is needed
	 * @param guard notices receivers that are kept by a handler
	 * @param onFailure told, once or more, that the pair must end and why
	 */
	public LaneServer(Segment segment, Bells bells, Path directory, LaneLimits limits, LaneLimits.Announcer announcer,
			PeerArenas peerArenas, Handler handler, Executor receivers, ReceiverGuard guard,
			Consumer<String> onFailure) {
		this.segment = segment;
		this.bells = bells;
		this.waiter = new Waiter(segment.shared(), Processor.REAL, Runtime.getRuntime().availableProcessors(), true);
		this.arena = new SlabArena(directory, limits.maxArenaBytes(), announcer::announce, this::reclaim);
		this.peerArenas = peerArenas;
		this.maxBytes = limits.maxPayloadBytes();
		this.handler = handler;
		this.receivers = receivers;
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
		receive(this.role.get());
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

	int maxBytes() {
		return this.maxBytes;
	}

	private void receive(int role) {
		try {
			this.receivers.execute(() -> receiveSafely(role));
		}
		catch (RejectedExecutionException ex) {
			fail("no thread is left to receive calls");
		}
	}

	private void receiveSafely(int mine) {
		try {
			loop(mine);
		}
		catch (WireException ex) {
			fail(ex.text());
		}
		catch (InternalError ex) {
			// The memory is gone under this process: its file was cut off.
			fail("the shared memory failed: " + ex.getMessage());
		}
		catch (RuntimeException | Error ex) {
			// A pair without a receiver must not look as if it had one.
			fail("the receiver failed: " + ex);
		}
	}

	private void loop(int mine) throws WireException {
		Memory memory = this.segment.memory();
		while (!this.closed && this.role.get() == mine) {
			if (serve(mine)) {
				continue;
			}
			if (this.waiter.await(this, this.turn, false, this.segment.mode())) {
				continue;
			}
			look(System.nanoTime());
			memory.setIntVolatile(SegmentLayout.SERVER_PARKED_OFFSET, 1);
			if (!isMet()) {
				long before = System.nanoTime();
				this.bells.server().await(Bell.FOREVER);
				Thread.interrupted();
				this.waiter.slept(System.nanoTime() - before);
			}
			memory.setIntVolatile(SegmentLayout.SERVER_PARKED_OFFSET, 0);
		}
	}

	/** Serves what is pending, and returns whether that was anything. */
	private boolean serve(int mine) throws WireException {
		Memory memory = this.segment.memory();
		SegmentLayout layout = this.segment.layout();
		int count = 0;
		for (int word = 0; word < layout.words(); word++) {
			int offset = SegmentLayout.PENDING_OFFSET + word * Long.BYTES;
			if (memory.getLongAcquire(offset) != 0) {
				long bits = memory.takeBits(offset) & layout.lanesOf(word);
				this.seen[word] |= bits;
				this.taken.getAndAccumulate(word, bits, (before, more) -> before | more);
			}
			count += Long.bitCount(this.taken.get(word));
		}
		if (count == 0) {
			return false;
		}
		for (int word = 0; word < layout.words(); word++) {
			int bit = claim(word);
			while (bit >= 0) {
				ServerLane lane = this.lanes[word * Long.SIZE + bit];
				if (lane.take()) {
					this.handler.handle(lane, count);
					this.served++;
				}
				if (this.role.get() != mine) {
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
	 * Tells both sides how many lanes are in use, as the last two windows showed.
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

	@Override
	public boolean isMet() {
		if (this.closed) {
			return true;
		}
		Memory memory = this.segment.memory();
		for (int word = 0; word < this.segment.layout().words(); word++) {
			if (memory.getLongVolatile(SegmentLayout.PENDING_OFFSET + word * Long.BYTES) != 0) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Says that the calling thread, which is the receiver, is about to run a handler.
	 * @param nanos the time, not 0
	 */
	public void away(long nanos) {
		this.awaySince.set(nanos);
		this.guard.look();
	}

	/**
	 * Says that the handler has ended. Nothing happens if another thread is the receiver
	 * by now.
	 * @param nanos the time that {@link #away} was called with
	 */
	public void back(long nanos) {
		this.awaySince.compareAndSet(nanos, 0);
	}

	@Override
	public void check(long now) {
		long since = this.awaySince.get();
		if (since != 0 && now - since > TAKE_OVER_NANOS && !this.closed && this.awaySince.compareAndSet(since, 0)) {
			receive(this.role.incrementAndGet());
		}
	}

	private void fail(String why) {
		if (!this.closed) {
			this.onFailure.accept(why);
		}
	}

	SlabArena.@Nullable Slab slab(int length, long patience) {
		try {
			return this.arena.allocate(length, System.nanoTime() + patience);
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
	 * Returns why a response found no memory.
	 * @return the reason, for people
	 */
	public String whyExhausted() {
		return this.arena.whyExhausted();
	}

	/**
	 * Returns how many requests are being answered.
	 * @return a count
	 */
	public int busyLanes() {
		int count = 0;
		for (ServerLane lane : this.lanes) {
			count += lane.busy() ? 1 : 0;
		}
		return count;
	}

	/**
	 * Returns how the receiver waits now, for people.
	 * @return some words
	 */
	public String waiting() {
		return this.waiter.describe(this.segment.mode());
	}

	/** Stops to receive. Handlers that run may still respond. */
	@Override
	public void close() {
		this.closed = true;
		this.guard.remove(this);
		this.arena.close();
		try {
			this.segment.memory().setIntVolatile(SegmentLayout.SERVER_PARKED_OFFSET, 0);
			this.bells.server().ring();
		}
		catch (InternalError ex) {
			// The memory is gone; so is a receiver that slept on it, by the same error.
		}
	}

	/** Answers requests. */
	@FunctionalInterface
	public interface Handler {

		/**
		 * Answers a request, on this thread or another.
		 * @param lane the request; ends with {@link ServerLane#respond}
		 * @param batch how many requests are waiting, this one included
		 * @throws WireException if the request shows that the client cannot be trusted
		 */
		void handle(ServerLane lane, int batch) throws WireException;

	}

}
