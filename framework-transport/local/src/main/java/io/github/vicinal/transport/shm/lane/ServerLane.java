package io.github.vicinal.transport.shm.lane;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.transport.shm.bell.Bells;
import io.github.vicinal.transport.wire.HeapBudget;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;

/**
 * One lane as the server sees it. Used by the receiver until it hands the lane to a
 * handler, then by that handler's thread until it responds.
 */
public final class ServerLane {

	private static final int FIRST_BYTES = 4 * 1024;

	private static final long NO_SEQUENCE = Long.MIN_VALUE;

	/**
	 * Interval between two looks whether the client has read a piece, at first and later.
	 */
	private static final long FIRST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

	private static final long LAST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private static final int LOOKS_WITHOUT_PAUSE = 100;

	private final LaneServer server;

	private final Memory memory;

	private final int index;

	private final int lines;

	private final int responseArea;

	private final int inlineBytes;

	private final HeapBudget.Lease heap;

	private final EncodeBuffer out = new EncodeBuffer(FIRST_BYTES, this::beforeGrowth);

	private final PeerPayload payload;

	private byte[] request = new byte[FIRST_BYTES];

	private int length;

	private int place;

	private int offset;

	/** Whether the payload was found and its place belongs to this lane alone. */
	private boolean found;

	/** Visible to threads that do not own the lane after {@link #busy}. */
	private long sequence;

	private int responsePlace;

	private int responseOffset;

	/** The call whose words did not match when the client asked last. */
	private volatile long suspect = NO_SEQUENCE;

	/** Whether a request was taken that has no response yet. */
	private volatile boolean busy;

	/** Written under this object's monitor. */
	private volatile SlabArena.@Nullable Slab slab;

	private long slabSequence;

	ServerLane(LaneServer server, int index) {
		SegmentLayout layout = server.segment().layout();
		this.server = server;
		this.memory = server.segment().memory();
		this.index = index;
		this.lines = layout.lines(index);
		this.responseArea = layout.responseArea(index);
		this.inlineBytes = layout.inlineBytes();
		this.heap = server.heap().lease();
		this.payload = new PeerPayload(server.segment(), layout.requestArea(index), server.peerArenas(),
				server.maxBytes());
	}

	/**
	 * Takes the request that was published, if there is one that was not taken before.
	 */
	boolean take() throws WireException {
		long published = this.memory.getLongAcquire(this.lines + SegmentLayout.REQUEST_SEQUENCE);
		if (this.busy) {
			if (published == this.sequence) {
				return false;
			}
			throw new WireException(Refusal.MALFORMED, "a request in a lane whose last request has not been answered");
		}
		if (published == this.sequence) {
			return false;
		}
		if (published != this.sequence + 1) {
			throw new WireException(Refusal.MALFORMED, "a request whose number does not follow the one before");
		}
		if (this.slab != null) {
			free();
		}
		this.sequence = published;
		this.length = this.memory.getInt(this.lines + SegmentLayout.REQUEST_LENGTH);
		this.place = this.memory.getInt(this.lines + SegmentLayout.REQUEST_PLACE);
		this.offset = this.memory.getInt(this.lines + SegmentLayout.REQUEST_OFFSET);
		this.busy = true;
		return true;
	}

	/**
	 * Moves the request into memory that the client cannot reach; to be called once.
	 * @return the lane's own array, of which {@link #length()} bytes count
	 * @throws WireException if the client's words make no sense; the pair must end
	 */
	public byte[] request() throws WireException {
		find();
		if (this.length > this.request.length) {
			this.heap.cover(large(this.out.array().length) + large(this.length));
		}
		this.request = this.payload.copy(this.request);
		return this.request;
	}

	/** Says that the array of {@link #request()} is not needed any more. */
	public void forgetRequest() {
		if (large(this.request.length) > 0) {
			this.request = new byte[FIRST_BYTES];
			this.heap.reduce(large(this.out.array().length));
		}
	}

	/**
	 * Returns the request where it is, for handlers that can bear that a client which
	 * breaks the rules changes it meanwhile.
	 * @return a window of {@link #length()} bytes, read-only, the lane's own, valid until
	 * the response
	 * @throws WireException if the client's words make no sense; the pair must end
	 */
	public ByteBuffer view() throws WireException {
		find();
		return this.payload.view();
	}

	private void find() throws WireException {
		this.payload.find(this.length, this.place, this.offset);
		this.found = true;
	}

	/**
	 * Returns how long the request says it is.
	 * @return bytes, unchecked before {@link #request()} has returned
	 */
	public int length() {
		return this.length;
	}

	/**
	 * Returns a buffer for the response.
	 * @return the lane's own, empty
	 */
	public EncodeBuffer out() {
		this.out.size(0);
		return this.out;
	}

	/**
	 * Returns whether the caller has given up.
	 * @return {@code true} if nobody waits for the answer
	 */
	public boolean cancelled() {
		return this.memory.getLongAcquire(this.lines + SegmentLayout.CANCELLED) == this.sequence;
	}

	/**
	 * Answers; from then on the lane is the client's. If there is no memory for the
	 * response it goes in pieces, for which this waits for the client.
	 * @param response holds the response
	 * @param size how long it is
	 */
	public void respond(byte[] response, int size) {
		Memory target = room(size);
		if (target == null) {
			respondInPieces(response, size);
			return;
		}
		target.put(this.responseOffset, response, 0, size);
		publish(size);
	}

	/**
	 * Answers; from then on the lane is the client's.
	 * @param response what remains in it is the response; may be {@link #view()}, or a
	 * part of it
	 */
	public void respond(ByteBuffer response) {
		int size = response.remaining();
		Memory target = room(size);
		if (target == null) {
			byte[] bytes = new byte[size];
			response.get(bytes);
			respondInPieces(bytes, size);
			return;
		}
		target.put(this.responseOffset, response);
		publish(size);
	}

	/**
	 * The call was executed, so its answer must not get lost for want of memory or of a
	 * file descriptor. This is slow, but needs neither.
	 */
	private void respondInPieces(byte[] response, int size) {
		claimRequest();
		this.memory.put(this.responseArea, response, 0, this.inlineBytes);
		this.memory.setInt(this.lines + SegmentLayout.PIECES, 1);
		say(size, SegmentLayout.IN_PIECES, 0);
		this.memory.setLongVolatile(this.lines + SegmentLayout.RESPONSE_SEQUENCE, this.sequence);
		wake();
		int piece = 1;
		for (int from = this.inlineBytes; from < size; from += this.inlineBytes) {
			if (!awaitRead(piece)) {
				// The pair has ended, and nobody reads any more.
				this.heap.end(0);
				return;
			}
			int length = Math.min(this.inlineBytes, size - from);
			this.memory.put(this.responseArea, response, from, length);
			piece++;
			if (from + length == size) {
				shrink();
				this.busy = false;
			}
			this.memory.setIntRelease(this.lines + SegmentLayout.PIECES, piece);
		}
	}

	private boolean awaitRead(int piece) {
		long pause = FIRST_PAUSE_NANOS;
		for (int looks = 0; !this.server.closed(); looks++) {
			if (this.memory.getIntAcquire(this.lines + SegmentLayout.PIECES_READ) == piece) {
				return true;
			}
			if (looks < LOOKS_WITHOUT_PAUSE) {
				Thread.onSpinWait();
			}
			else {
				LockSupport.parkNanos(this, pause);
				pause = Math.min(2 * pause, LAST_PAUSE_NANOS);
			}
		}
		return false;
	}

	/**
	 * Finds memory for a response. The memory of the request is best: its cache lines are
	 * here, the client reads them anyway, and no slab of this side is needed.
	 */
	private @Nullable Memory room(int size) {
		if (size <= this.inlineBytes) {
			this.responsePlace = SegmentLayout.INLINE;
			this.responseOffset = this.responseArea;
			return this.memory;
		}
		if (this.found && this.payload.hasRoom(size)) {
			this.found = false;
			this.responsePlace = SegmentLayout.IN_REQUEST;
			this.responseOffset = this.payload.offset();
			return this.payload.memory();
		}
		SlabArena.Slab taken = this.server.slab(size);
		if (taken == null) {
			return null;
		}
		keep(taken);
		this.responsePlace = taken.place();
		this.responseOffset = taken.offset();
		return taken.memory();
	}

	private void claimRequest() {
		if (this.found) {
			this.found = false;
			this.payload.claim();
		}
	}

	private void say(int size, int where, int at) {
		this.memory.setInt(this.lines + SegmentLayout.RESPONSE_LENGTH, size);
		this.memory.setInt(this.lines + SegmentLayout.RESPONSE_PLACE, where);
		this.memory.setInt(this.lines + SegmentLayout.RESPONSE_OFFSET, at);
	}

	private void publish(int size) {
		claimRequest();
		say(size, this.responsePlace, this.responseOffset);
		shrink();
		this.busy = false;
		this.memory.setLongVolatile(this.lines + SegmentLayout.RESPONSE_SEQUENCE, this.sequence);
		wake();
	}

	/**
	 * Makes sure that a call for which a client has waited long goes on: what was lost is
	 * done again. Called by any thread.
	 * @return what is to be done, which may wait for the client, or {@code null}
	 * @throws WireException if the words of the lane make no sense, twice in a row
	 */
	@Nullable Runnable check(long waitsFor) throws WireException {
		boolean executing = this.busy;
		long known = this.sequence;
		if (known - waitsFor > 0 || (executing && known == waitsFor)) {
			// It comes late, or the handler takes long.
			return null;
		}
		boolean answered = known == waitsFor;
		int word = this.lines + (answered ? SegmentLayout.RESPONSE_SEQUENCE : SegmentLayout.REQUEST_SEQUENCE);
		if (this.memory.getLongVolatile(word) != waitsFor) {
			// The words may be changing at this moment.
			if (this.suspect == waitsFor) {
				throw new WireException(Refusal.MALFORMED, "the words of a call were overwritten");
			}
			this.suspect = waitsFor;
			return null;
		}
		if (answered) {
			return this::wakeBlindly;
		}
		this.memory.setBit(SegmentLayout.PENDING_OFFSET + this.index / Long.SIZE * Long.BYTES,
				this.index & (Long.SIZE - 1));
		this.server.bells().ringHere(Bells.SERVER);
		return null;
	}

	/** The word that says how the caller sleeps may be wrong. */
	private void wakeBlindly() {
		this.memory.setBit(SegmentLayout.COMPLETED_OFFSET + this.index / Long.SIZE * Long.BYTES,
				this.index & (Long.SIZE - 1));
		this.memory.setIntVolatile(this.lines + SegmentLayout.WAITING, ClientLane.AWAKE);
		this.memory.setIntVolatile(SegmentLayout.POLLER_PARKED_OFFSET, 0);
		this.server.bells().lane(this.index).ring();
		this.server.bells().poller().ring();
	}

	private void wake() {
		int word = this.lines + SegmentLayout.WAITING;
		int waiting = this.memory.getIntVolatile(word);
		if (waiting != ClientLane.AWAKE && this.memory.compareAndSetInt(word, waiting, ClientLane.AWAKE)) {
			if (waiting == ClientLane.ASLEEP) {
				this.server.bells().lane(this.index).ring();
			}
			else {
				this.memory.setBit(SegmentLayout.COMPLETED_OFFSET + this.index / Long.SIZE * Long.BYTES,
						this.index & (Long.SIZE - 1));
				if (this.memory.compareAndSetInt(SegmentLayout.POLLER_PARKED_OFFSET, 1, 0)) {
					this.server.bells().poller().ring();
				}
			}
		}
	}

	private synchronized void keep(SlabArena.Slab taken) {
		this.slab = taken;
		this.slabSequence = this.sequence;
	}

	/** Gives a slab back whose response the client has read. Called by any thread. */
	synchronized void reclaim() {
		if (this.memory.getLongAcquire(this.lines + SegmentLayout.RELEASED) == this.slabSequence) {
			free();
		}
	}

	private synchronized void free() {
		SlabArena.Slab taken = this.slab;
		if (taken != null) {
			this.slab = null;
			this.server.free(taken);
		}
	}

	/**
	 * Returns the lane's number.
	 * @return 0 and up
	 */
	public int index() {
		return this.index;
	}

	boolean busy() {
		return this.busy;
	}

	/** Before it has grown, both arrays are there. */
	private void beforeGrowth(int bytes) {
		if (large(bytes) > 0) {
			this.heap.cover((long) bytes + this.out.array().length + large(this.request.length));
		}
	}

	private static long large(int bytes) {
		return (bytes > HeapBudget.SMALL_BYTES) ? bytes : 0;
	}

	/** Lets go of large arrays at the end of a call, unless there are few of them. */
	private void shrink() {
		long size = (long) this.request.length + this.out.array().length - 2 * FIRST_BYTES;
		if (!this.heap.end(Math.max(0, size))) {
			letGo();
		}
	}

	/** The pair has ended: nothing is kept for a next call. */
	void retireHeap() {
		this.heap.retire();
	}

	/** Lets go of arrays, while nobody uses the lane. */
	void letGo() {
		this.out.clear(FIRST_BYTES);
		this.request = new byte[FIRST_BYTES];
		this.heap.end(0);
	}

}
