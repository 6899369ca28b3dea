package io.github.vicinal.transport.shm.lane;

import java.nio.ByteBuffer;

import io.github.vicinal.transport.wire.HeapBudget;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;

/**
 * Payload that the other side has put into a lane. Its place is computed once, from words
 * that were read once. Then it is copied out of the other side's reach, or read in place
 * by readers that tolerate changes meanwhile. Allocates nothing for payloads like earlier
 * ones. Used by the owner of the lane.
 */
final class PeerPayload {

	private final Memory segment;

	private final int area;

	private final int inlineBytes;

	private final PeerArenas arenas;

	private final int maxBytes;

	private Memory memory;

	private int offset;

	private int length;

	/** Windows on the segment and on the arena that was looked at last. */
	private @Nullable ByteBuffer segmentWindow;

	private @Nullable ByteBuffer arenaWindow;

	private @Nullable Memory arenaInWindow;

	/**
	 * Creates a payload that is not there yet.
	 * @param segment the lane's segment
	 * @param area where in it the area is that the other side writes
	 * @param arenas those of the other side
	 * @param maxBytes how long a payload may be
	 */
	PeerPayload(Segment segment, int area, PeerArenas arenas, int maxBytes) {
		this.segment = segment.memory();
		this.area = area;
		this.inlineBytes = segment.layout().inlineBytes();
		this.arenas = arenas;
		this.maxBytes = maxBytes;
		this.memory = this.segment;
	}

	/**
	 * Finds a payload by words of the other side.
	 * @param length how long it is
	 * @param place {@link SegmentLayout#INLINE} or the number of an arena
	 * @param offset where it is in that arena
	 * @throws WireException if these words make no sense
	 */
	void find(int length, int place, int offset) throws WireException {
		checkLength(length);
		if (place == SegmentLayout.INLINE) {
			if (length > this.inlineBytes) {
				throw new WireException(Refusal.MALFORMED,
						"a payload of %d bytes in a lane's area of %d bytes".formatted(length, this.inlineBytes));
			}
			set(this.segment, this.area, length);
		}
		else {
			set(this.arenas.find(place, offset, length), offset, length);
		}
	}

	/**
	 * Finds a payload in a slab of this side, which the other side was asked to use.
	 * @param length how long it is, by words of the other side
	 * @param slab the slab
	 * @throws WireException if that makes no sense
	 */
	void find(int length, SlabArena.Slab slab) throws WireException {
		checkLength(length);
		if (length > slab.bytes()) {
			throw new WireException(Refusal.MALFORMED,
					"a payload of %d bytes in a slab of %d bytes".formatted(length, slab.bytes()));
		}
		set(slab.memory(), slab.offset(), length);
	}

	private void checkLength(int length) throws WireException {
		if (length < 0 || length > this.maxBytes) {
			throw new WireException(Refusal.TOO_LARGE, "a payload of %d bytes is larger than the limit of %d bytes"
				.formatted(Integer.toUnsignedLong(length), this.maxBytes));
		}
	}

	private void set(Memory memory, int offset, int length) {
		this.memory = memory;
		this.offset = offset;
		this.length = length;
	}

	/**
	 * Copies the payload.
	 * @param target where to, if it fits
	 * @return the given array, or a larger one
	 */
	byte[] copy(byte[] target) {
		byte[] bytes = (this.length <= target.length) ? target : new byte[grown(this.length, target.length)];
		this.memory.get(this.offset, bytes, 0, this.length);
		return bytes;
	}

	/** A large payload leaves no room for more. */
	private static int grown(int length, int before) {
		return (length > HeapBudget.SMALL_BYTES) ? length
				: Math.min(Math.max(length, 2 * before), HeapBudget.SMALL_BYTES);
	}

	/**
	 * Opens a window on the payload where it is. The other side can change what is seen
	 * there at any time, but not what can be reached.
	 * @return a window of this object's own, read-only
	 */
	ByteBuffer view() {
		return window().clear().limit(this.offset + this.length).position(this.offset);
	}

	/** Payloads of one size come from the same arena most of the time. */
	private ByteBuffer window() {
		boolean inSegment = this.memory == this.segment;
		ByteBuffer window = inSegment ? this.segmentWindow
				: (this.arenaInWindow == this.memory) ? this.arenaWindow : null;
		if (window == null) {
			window = this.memory.buffer().asReadOnlyBuffer();
			if (inSegment) {
				this.segmentWindow = window;
			}
			else {
				this.arenaWindow = window;
				this.arenaInWindow = this.memory;
			}
		}
		return window;
	}

	/**
	 * Returns whether as many bytes fit where the payload is, of which a slab holds at
	 * least as many as payloads of its size class have.
	 */
	boolean hasRoom(int bytes) {
		return this.memory != this.segment && bytes <= SlabArena.slabBytes(this.length)
				&& bytes <= this.memory.bytes() - this.offset;
	}

	/** Returns the memory that the payload is in. */
	Memory memory() {
		return this.memory;
	}

	/** Returns where in its memory the payload begins. */
	int offset() {
		return this.offset;
	}

	/**
	 * The payload has no reader any more, so its place belongs to the other side again.
	 */
	void claim() {
		if (this.memory != this.segment) {
			this.memory.claim(this.offset, this.length);
		}
	}

}
