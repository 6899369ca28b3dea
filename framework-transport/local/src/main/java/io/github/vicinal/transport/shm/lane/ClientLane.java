package io.github.vicinal.transport.shm.lane;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.transport.shm.bell.Bell;
import io.github.vicinal.transport.shm.waiting.Condition;
import io.github.vicinal.transport.shm.waiting.WaitHistory;
import io.github.vicinal.transport.shm.waiting.Waiter;
import io.github.vicinal.transport.wire.HeapBudget;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;

/**
 * One lane as its caller sees it. Used by the thread that acquired it, until it is
 * released.
 */
public final class ClientLane implements Condition {

	/** No deadline. */
	public static final long NO_DEADLINE = Long.MAX_VALUE;

	private static final int FIRST_BYTES = 4 * 1024;

	/** Time after which a piece of an answer is not expected any more. */
	private static final long PIECE_NANOS = TimeUnit.SECONDS.toNanos(3);

	/** Interval between two looks for the next piece, at first and later. */
	private static final long FIRST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

	private static final long LAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private static final int LOOKS_WITHOUT_PAUSE = 100;

	/** Values of the word {@link SegmentLayout#WAITING}. */
	static final int AWAKE = 0;

	static final int ASLEEP = 1;

	private static final int ASLEEP_BY_POLLER = 2;

	private final LaneClient client;

	private final Memory memory;

	private final int index;

	private final int lines;

	private final int requestArea;

	private final int inlineBytes;

	private final Bell bell;

	private final WaitHistory history = new WaitHistory();

	private final HeapBudget.Lease heap;

	private final EncodeBuffer out = new EncodeBuffer(FIRST_BYTES, this::beforeGrowth);

	private byte[] response = new byte[FIRST_BYTES];

	private int responseLength;

	private long sequence;

	private SlabArena.@Nullable Slab slab;

	private final PeerPayload payload;

	/** Whether the last answer is in memory of the server. */
	private boolean inPeerMemory;

	/** Whether a reader may look at the last answer in place. */
	private boolean reading;

	private boolean abandoned;

	/** Time since which the caller sleeps, 0 if it does not. */
	private volatile long asleepSince;

	/** Thread that the poller wakes. */
	private volatile @Nullable Thread sleeper;

	ClientLane(LaneClient client, int index) {
		SegmentLayout layout = client.segment().layout();
		this.client = client;
		this.memory = client.segment().memory();
		this.index = index;
		this.lines = layout.lines(index);
		this.requestArea = layout.requestArea(index);
		this.inlineBytes = layout.inlineBytes();
		this.payload = new PeerPayload(client.segment(), layout.responseArea(index), client.peerArenas(),
				client.maxBytes());
		this.bell = client.bells().lane(index);
		this.heap = client.heap().lease();
	}

	int index() {
		return this.index;
	}

	/**
	 * Returns a buffer for requests.
	 * @return the lane's own; emptied by {@link #exchange(long)}
	 */
	public EncodeBuffer out() {
		return this.out;
	}

	/**
	 * Returns the array with the latest response.
	 * @return the lane's own, of which {@link #responseLength()} bytes count
	 */
	public byte[] response() {
		return this.response;
	}

	public int responseLength() {
		return this.responseLength;
	}

	WaitHistory history() {
		return this.history;
	}

	/**
	 * Takes memory for a request that does not fit into the lane. Memory that no
	 * {@link #exchange} uses is returned with the lane.
	 * @param length length of the request
	 * @param deadlineNanos end of the wait for memory, or {@link #NO_DEADLINE}
	 * @throws PathException if there is none
	 */
	public void reserve(int length, long deadlineNanos) throws PathException {
		endReading();
		if (length > this.inlineBytes) {
			reserved(length, deadlineNanos);
		}
	}

	private SlabArena.Slab reserved(int length, long deadlineNanos) throws PathException {
		SlabArena.Slab taken = this.slab;
		if (taken != null && taken.bytes() < length) {
			freeSlab();
			taken = null;
		}
		if (taken == null) {
			taken = this.client.slab(length, deadlineNanos);
			this.slab = taken;
		}
		return taken;
	}

	/** Gives memory back that no request was put into. */
	void unreserve() {
		if (!this.abandoned) {
			freeSlab();
		}
	}

	private void freeSlab() {
		SlabArena.Slab taken = this.slab;
		if (taken != null) {
			this.slab = null;
			this.client.free(taken);
		}
	}

	/**
	 * Makes a call, waits for its answer and copies that: see {@link #response()}. The
	 * request is what is in {@link #out()}, which is empty from then on.
	 * @param deadlineNanos the {@link System#nanoTime()} until which to wait, or
	 * {@link #NO_DEADLINE}
	 * @throws PathException if there is no answer
	 */
	public void exchange(long deadlineNanos) throws PathException {
		exchange(null, this.out.size(), deadlineNanos, false);
	}

	/**
	 * Makes a call, waits for its answer and copies that: see {@link #response()}.
	 * @param request holds the request
	 * @param length how long it is
	 * @param deadlineNanos the {@link System#nanoTime()} until which to wait, or
	 * {@link #NO_DEADLINE}
	 * @throws PathException if there is no answer
	 */
	public void exchange(byte[] request, int length, long deadlineNanos) throws PathException {
		exchange(request, length, deadlineNanos, false);
	}

	/**
	 * Makes a call, waits for its answer and leaves that where it is, for callers that
	 * can bear that a server which breaks the rules changes it while they read.
	 * @param request holds the request
	 * @param length how long it is
	 * @param deadlineNanos the {@link System#nanoTime()} until which to wait, or
	 * {@link #NO_DEADLINE}
	 * @return a window on the answer, read-only, the lane's own, valid until the next
	 * call in this lane or its release
	 * @throws PathException if there is no answer
	 */
	public ByteBuffer exchangeInPlace(byte[] request, int length, long deadlineNanos) throws PathException {
		ByteBuffer answer = exchange(request, length, deadlineNanos, true);
		if (answer == null) {
			throw new IllegalStateException("The answer was copied");
		}
		return answer;
	}

	private @Nullable ByteBuffer exchange(byte @Nullable [] request, int length, long deadlineNanos, boolean inPlace)
			throws PathException {
		boolean published = false;
		try {
			endReading();
			place((request != null) ? request : this.out.array(), length, deadlineNanos);
			if (request == null) {
				// The buffer is not held while the server works.
				emptyOut();
			}
			published = true;
			boolean rang = this.client.publish(this.index, this.lines, ++this.sequence);
			if (!await(rang)) {
				sleep(deadlineNanos);
				this.history.ended(System.nanoTime());
			}
			if (!answered()) {
				Memory.settle();
				throw this.client.gone(true);
			}
			return read(inPlace);
		}
		catch (WireException ex) {
			this.client
				.end(LaneClient.End.violation(ex.refusal(), "the peer sent an unacceptable answer: " + ex.text()));
			throw new PathException(ex.refusal().reason(), true,
					this.client.describe("sent an unacceptable answer: ") + ex.text(), ex);
		}
		catch (InternalError ex) {
			// The memory is gone under this process: its file was cut off.
			this.client.endByError(ex);
			throw new PathException(Reason.IO, true, "the shared memory failed: " + ex.getMessage(), ex);
		}
		catch (RuntimeException | Error ex) {
			// A thread or memory could not be had: the answer still comes.
			if (published && !this.abandoned) {
				abandon();
			}
			throw ex;
		}
	}

	/** Waits awake, and returns whether that was enough. */
	private boolean await(boolean rang) {
		Waiter waiter = this.client.waiter();
		long mode = this.client.segment().mode();
		return VirtualThreads.isVirtual(Thread.currentThread()) ? waiter.awaitVirtually(this, this.history, rang, mode)
				: waiter.await(this, this.history, rang, mode);
	}

	private void place(byte[] request, int length, long deadlineNanos) throws PathException {
		int place = SegmentLayout.INLINE;
		int offset = 0;
		if (length <= this.inlineBytes) {
			this.memory.put(this.requestArea, request, 0, length);
		}
		else {
			SlabArena.Slab taken = reserved(length, deadlineNanos);
			taken.memory().put(taken.offset(), request, 0, length);
			place = taken.place();
			offset = taken.offset();
		}
		this.memory.setInt(this.lines + SegmentLayout.REQUEST_LENGTH, length);
		this.memory.setInt(this.lines + SegmentLayout.REQUEST_PLACE, place);
		this.memory.setInt(this.lines + SegmentLayout.REQUEST_OFFSET, offset);
	}

	private void sleep(long deadlineNanos) throws PathException {
		int waiting = this.lines + SegmentLayout.WAITING;
		Thread thread = Thread.currentThread();
		boolean virtual = VirtualThreads.isVirtual(thread);
		int word = virtual ? ASLEEP_BY_POLLER : ASLEEP;
		try {
			this.asleepSince = System.nanoTime() | 1;
			this.client.sleeperComes();
			if (virtual) {
				this.sleeper = thread;
				this.client.virtualSleeperComes();
			}
			while (true) {
				this.memory.setIntVolatile(waiting, word);
				// In one order with the word that was just set, unlike isMet().
				if (answeredInOrder() || this.client.ended()) {
					return;
				}
				if (thread.isInterrupted()) {
					throw abandon(Reason.INTERRUPTED, "the calling thread was interrupted");
				}
				long left = Bell.FOREVER;
				if (deadlineNanos != NO_DEADLINE) {
					left = deadlineNanos - System.nanoTime();
					if (left <= 0) {
						throw abandon(Reason.TIMEOUT, this.client.describe("did not answer before the deadline"));
					}
				}
				sleep(virtual, left);
			}
		}
		finally {
			this.asleepSince = 0;
			this.sleeper = null;
			if (virtual) {
				this.client.virtualSleeperIsAwake();
			}
			this.memory.setIntVolatile(waiting, AWAKE);
			if (this.client.ended()) {
				Memory.settle();
			}
		}
	}

	private void sleep(boolean virtual, long nanos) {
		if (!virtual) {
			this.bell.await(nanos);
		}
		else if (nanos == Bell.FOREVER) {
			LockSupport.park(this);
		}
		else {
			LockSupport.parkNanos(this, nanos);
		}
	}

	private PathException abandon(Reason reason, String message) {
		abandon();
		return new PathException(reason, true, message, null);
	}

	private void abandon() {
		this.memory.setLongRelease(this.lines + SegmentLayout.CANCELLED, this.sequence);
		this.abandoned = true;
	}

	private @Nullable ByteBuffer read(boolean inPlace) throws WireException {
		int length = this.memory.getInt(this.lines + SegmentLayout.RESPONSE_LENGTH);
		int place = this.memory.getInt(this.lines + SegmentLayout.RESPONSE_PLACE);
		int offset = this.memory.getInt(this.lines + SegmentLayout.RESPONSE_OFFSET);
		if (place == SegmentLayout.IN_PIECES) {
			readPieces(length);
			return inPlace ? ByteBuffer.wrap(this.response, 0, length).asReadOnlyBuffer() : null;
		}
		find(length, place, offset);
		if (!inPlace && length > this.response.length) {
			// Until then the answer waits in the memory of the server.
			this.heap.cover(large(this.out.array().length) + large(length));
		}
		this.responseLength = length;
		this.reading = true;
		if (inPlace) {
			return this.payload.view();
		}
		this.response = this.payload.copy(this.response);
		endReading();
		return null;
	}

	/**
	 * Reads an answer for which the server had no memory. It is on its way, so neither
	 * the deadline nor an interrupt ends the wait; a server that makes no progress does.
	 */
	private void readPieces(int length) throws WireException {
		if (length <= this.inlineBytes || length > this.client.maxBytes()) {
			throw new WireException(Refusal.MALFORMED,
					"an answer of %d bytes in pieces".formatted(Integer.toUnsignedLong(length)));
		}
		if (length > this.response.length) {
			this.heap.cover(large(this.out.array().length) + large(length));
			this.response = new byte[length];
		}
		int area = this.requestArea + this.inlineBytes;
		int piece = 1;
		for (int from = 0; from < length; from += this.inlineBytes) {
			awaitPiece(piece);
			this.memory.get(area, this.response, from, Math.min(this.inlineBytes, length - from));
			boolean last = from + this.inlineBytes >= length;
			this.memory.setIntRelease(this.lines + SegmentLayout.PIECES_READ, last ? 0 : piece);
			piece++;
		}
		this.responseLength = length;
		acknowledge();
	}

	private void awaitPiece(int piece) throws WireException {
		long end = System.nanoTime() + PIECE_NANOS;
		long pause = FIRST_PAUSE_NANOS;
		for (int looks = 0;; looks++) {
			int there = this.memory.getIntAcquire(this.lines + SegmentLayout.PIECES);
			if (there == piece) {
				return;
			}
			if (there != piece - 1 || System.nanoTime() - end > 0 || this.client.ended()) {
				throw new WireException(Refusal.MALFORMED,
						"piece %d of an answer does not come after piece %d".formatted(piece, there));
			}
			if (looks < LOOKS_WITHOUT_PAUSE) {
				Thread.onSpinWait();
			}
			else {
				LockSupport.parkNanos(this, pause);
				pause = Math.min(2 * pause, LAST_PAUSE_NANOS);
			}
		}
	}

	private void find(int length, int place, int offset) throws WireException {
		this.inPeerMemory = place != SegmentLayout.IN_REQUEST;
		if (this.inPeerMemory) {
			this.payload.find(length, place, offset);
			return;
		}
		SlabArena.Slab own = this.slab;
		if (own == null) {
			throw new WireException(Refusal.MALFORMED, "an answer in the slab of a request that had none");
		}
		this.payload.find(length, own);
	}

	/** The last answer is not looked at any more. */
	void endReading() {
		if (this.reading) {
			this.reading = false;
			if (this.inPeerMemory) {
				this.payload.claim();
			}
			acknowledge();
		}
	}

	private void acknowledge() {
		this.memory.setLongRelease(this.lines + SegmentLayout.RELEASED, this.sequence);
		freeSlab();
	}

	private boolean answered() {
		return this.memory.getLongAcquire(this.lines + SegmentLayout.RESPONSE_SEQUENCE) == this.sequence;
	}

	private boolean answeredInOrder() {
		return this.memory.getLongVolatile(this.lines + SegmentLayout.RESPONSE_SEQUENCE) == this.sequence;
	}

	@Override
	public boolean isMet() {
		return answered() || this.client.ended();
	}

	/** Wakes the thread that sleeps here, because the pair has ended. */
	void wake() {
		Thread thread = this.sleeper;
		if (thread != null) {
			LockSupport.unpark(thread);
		}
		else if (this.memory.getIntVolatile(this.lines + SegmentLayout.WAITING) != AWAKE) {
			this.memory.setIntVolatile(this.lines + SegmentLayout.WAITING, AWAKE);
			this.bell.ring();
		}
	}

	/** Wakes a thread that may sleep here, without reading the memory. */
	void wakeBlindly() {
		LockSupport.unpark(this.sleeper);
		this.bell.ring();
	}

	void wakeVirtual() {
		LockSupport.unpark(this.sleeper);
	}

	boolean isAsleep() {
		return this.asleepSince != 0;
	}

	/**
	 * Returns which answer the caller has been waiting for since a time or before, 0 if
	 * none.
	 */
	long waitsFor(long since) {
		long start = this.asleepSince;
		return (start != 0 && start - since <= 0) ? this.sequence : 0;
	}

	/** Returns whether nobody waits for the answer that is still to come. */
	boolean abandoned() {
		return this.abandoned;
	}

	/** Returns whether the answer has come that nobody waits for. */
	boolean recovers() {
		if (!answered()) {
			return false;
		}
		this.abandoned = false;
		acknowledge();
		return true;
	}

	private void emptyOut() {
		this.out.size(0);
		if (large(this.out.array().length) > 0) {
			this.out.clear(FIRST_BYTES);
			this.heap.reduce(large(this.response.length));
		}
	}

	/** Before it has grown, both arrays are there. */
	private void beforeGrowth(int bytes) {
		if (large(bytes) > 0) {
			this.heap.cover((long) bytes + this.out.array().length + large(this.response.length));
		}
	}

	private static long large(int bytes) {
		return (bytes > HeapBudget.SMALL_BYTES) ? bytes : 0;
	}

	/** Lets go of large arrays at the end of a call, unless there are few of them. */
	void shrink() {
		long size = (long) this.response.length + this.out.array().length - 2 * FIRST_BYTES;
		if (!this.heap.end(Math.max(0, size))) {
			letGo();
		}
	}

	/** The pair has ended: nothing is kept for a next call. */
	void retireHeap() {
		this.heap.retire();
	}

	/** Lets go of arrays. */
	void letGo() {
		this.out.clear(FIRST_BYTES);
		this.response = new byte[FIRST_BYTES];
		this.heap.end(0);
	}

}
