package io.github.vicinal.transport.rdma;

import java.nio.ByteBuffer;

import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;

/**
 * Memory from which the peer reads large frames, piece by piece. A piece is announced by
 * a record in the ring, stays unchanged until the peer acknowledges it, and is then used
 * again. Pieces are acknowledged in the order of their announcements, so the number of
 * pieces so far is the generation of the next one. Guarded by the lock of the connection.
 */
final class RendezvousSender {

	/** Size of a piece. The last piece of a frame may be shorter. */
	static final int PIECE_BYTES = 256 << 10;

	/** Length of the shortest frame that is read by the peer. */
	static final int MIN_FRAME_BYTES = PIECE_BYTES;

	/** Maximum number of pieces that a peer reads at a time. */
	static final int MAX_PIECES = 64;

	/**
	 * Length of an announcement: address (8 bytes), key (4), length (4) and generation
	 * (4), big-endian.
	 */
	static final int ANNOUNCEMENT_BYTES = 20;

	static final int ADDRESS = 0;

	static final int KEY = 8;

	static final int LENGTH = 12;

	static final int GENERATION = 16;

	private final ByteBuffer memory;

	private final long address;

	private final int key;

	/** For each piece of the memory, the frame that is in it. */
	private final @Nullable Outgoing[] frames;

	private final int[] lengths;

	private final byte[] announcement = new byte[ANNOUNCEMENT_BYTES];

	private final ByteBuffer numbers = ByteBuffer.wrap(this.announcement);

	/** Pieces that were announced, and those of them that the peer has read. */
	private long announced;

	private long taken;

	/**
	 * Creates a sender that has announced nothing.
	 * @param queuePair has the memory
	 * @param peerPieces number of pieces that the peer reads at a time, 0 for none
	 */
	RendezvousSender(QueuePair queuePair, int peerPieces) {
		this.memory = queuePair.readable();
		this.address = queuePair.readableAddress();
		this.key = queuePair.readableKey();
		int pieces = Math.min(peerPieces, this.memory.capacity() / PIECE_BYTES);
		this.frames = new Outgoing[pieces];
		this.lengths = new int[pieces];
	}

	/** Returns whether the peer reads frames of a length. */
	boolean takes(int frameBytes) {
		return this.frames.length > 0 && frameBytes >= MIN_FRAME_BYTES;
	}

	/** Returns whether a piece can be announced. */
	boolean isFree() {
		return this.announced - this.taken < this.frames.length;
	}

	/** Returns whether the peer has read all that was announced. */
	boolean isAllTaken() {
		return this.announced == this.taken;
	}

	/** Returns the number of pieces that were announced. */
	long announced() {
		return this.announced;
	}

	/**
	 * Copies a piece of a frame, and announces it. {@link #isFree} must hold.
	 * @return whether the ring had room for the announcement
	 */
	boolean announce(OutboundRing ring, Outgoing frame, byte kind, int stream, int total, byte[] source, int from,
			int length) {
		int piece = (int) (this.announced % this.frames.length);
		int offset = piece * PIECE_BYTES;
		this.numbers.putLong(ADDRESS, this.address + offset);
		this.numbers.putInt(KEY, this.key);
		this.numbers.putInt(LENGTH, length);
		this.numbers.putInt(GENERATION, (int) this.announced);
		if (!ring.append(kind, stream, total, this.announcement, 0, ANNOUNCEMENT_BYTES)) {
			return false;
		}
		this.memory.put(offset, source, from, length);
		this.frames[piece] = frame;
		this.lengths[piece] = length;
		this.announced++;
		return true;
	}

	/**
	 * Notes how many pieces the peer has read.
	 * @param immediate the number that came with a {@link Immediate#PONG}
	 * @return whether there were any since the last time
	 */
	boolean taken(int immediate) throws WireException {
		long more = Immediate.distance(immediate, this.taken * Immediate.UNIT) / Immediate.UNIT;
		if (more > this.announced - this.taken) {
			throw new WireException(Refusal.MALFORMED, "%d pieces were acknowledged, but only %d were announced"
				.formatted(more, this.announced - this.taken));
		}
		for (long i = 0; i < more; i++) {
			int piece = (int) (this.taken % this.frames.length);
			Outgoing frame = this.frames[piece];
			this.frames[piece] = null;
			this.taken++;
			if (frame != null) {
				frame.taken(this.lengths[piece]);
			}
		}
		return more > 0;
	}

}
