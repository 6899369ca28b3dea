package io.github.vicinal.transport.rdma;

import java.nio.ByteBuffer;

import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.jspecify.annotations.Nullable;

/**
 * Reads pieces of large frames from the memory of the peer, in the order in which they
 * were announced. Used by the thread of the connection.
 */
final class RendezvousReceiver {

	/**
	 * Maximum number of reads under way. More than a device can have at a time would keep
	 * the writes behind them from starting. Two let it request one piece while it
	 * receives another.
	 */
	static final int MAX_READS = 2;

	private final QueuePair queuePair;

	private final ByteBuffer landing;

	private final int pieces;

	private final long[] addresses;

	private final int[] keys;

	private final int[] lengths;

	private final int[] streams;

	/** Pieces that were announced, requested, read, and acknowledged. */
	private long announced;

	private long posted;

	private long read;

	private long acknowledged;

	/**
	 * Creates a receiver that has read nothing.
	 * @param queuePair reads, and has the memory for what is read
	 */
	RendezvousReceiver(QueuePair queuePair) {
		this.queuePair = queuePair;
		this.landing = queuePair.landing();
		this.pieces = pieces(queuePair);
		this.addresses = new long[this.pieces];
		this.keys = new int[this.pieces];
		this.lengths = new int[this.pieces];
		this.streams = new int[this.pieces];
	}

	/** Returns the number of pieces that a side can read at a time. */
	static int pieces(QueuePair queuePair) {
		return Math.min(queuePair.landing().capacity() / RendezvousSender.PIECE_BYTES, RendezvousSender.MAX_PIECES);
	}

	/** Returns the number of pieces that were read. */
	long read() {
		return this.read;
	}

	/**
	 * Notes a piece that the peer announces.
	 * @param memory where the announcement is; the peer may change it at any time
	 * @param offset where it begins
	 * @param stream the stream of the frame
	 * @return the length of the piece
	 */
	int announced(ByteBuffer memory, int offset, int stream) throws WireException {
		long address = memory.getLong(offset + RendezvousSender.ADDRESS);
		int key = memory.getInt(offset + RendezvousSender.KEY);
		int length = memory.getInt(offset + RendezvousSender.LENGTH);
		int generation = memory.getInt(offset + RendezvousSender.GENERATION);
		if (this.announced - this.read >= this.pieces) {
			throw new WireException(Refusal.MALFORMED,
					"a piece to read beside %d others, but this side reads %d at a time"
						.formatted(this.announced - this.read, this.pieces));
		}
		if (generation != (int) this.announced) {
			throw new WireException(Refusal.MALFORMED,
					"piece %d to read, but the next one is %d".formatted(generation, (int) this.announced));
		}
		if (length <= 0 || length > RendezvousSender.PIECE_BYTES) {
			throw new WireException(Refusal.MALFORMED, "a piece to read of %d bytes is not from 1 to %d bytes long"
				.formatted(Integer.toUnsignedLong(length), RendezvousSender.PIECE_BYTES));
		}
		if (Long.compareUnsigned(address + length, address) < 0) {
			throw new WireException(Refusal.MALFORMED,
					"a piece to read of %d bytes at %016x, which is beyond all memory".formatted(length, address));
		}
		int piece = (int) (this.announced % this.pieces);
		this.addresses[piece] = address;
		this.keys[piece] = key;
		this.lengths[piece] = length;
		this.streams[piece] = stream;
		this.announced++;
		return length;
	}

	/** Returns whether a read can be posted, as far as this side can know. */
	boolean canPost() {
		return this.posted < this.announced && this.posted - this.read < MAX_READS;
	}

	/** Requests the next piece. {@link #canPost} must hold. */
	void post() throws VerbsException {
		int piece = (int) (this.posted % this.pieces);
		this.queuePair.read(piece * RendezvousSender.PIECE_BYTES, this.lengths[piece], this.addresses[piece],
				this.keys[piece]);
		this.posted++;
	}

	/** Hands the oldest piece that is under way to a ring, because it has been read. */
	byte @Nullable [] completed(InboundRing ring) throws WireException {
		if (this.read == this.posted) {
			throw new WireException(Refusal.MALFORMED, "a read completed that was not posted");
		}
		int piece = (int) (this.read % this.pieces);
		byte[] frame = ring.append(this.streams[piece], this.landing, piece * RendezvousSender.PIECE_BYTES,
				this.lengths[piece]);
		this.read++;
		return frame;
	}

	/** Returns whether the peer does not know yet that pieces were read. */
	boolean owesAcknowledgement() {
		return this.acknowledged != this.read;
	}

	/**
	 * Returns the answer to a ping, which also acknowledges all pieces that were read.
	 */
	int acknowledge() {
		this.acknowledged = this.read;
		return Immediate.of(Immediate.PONG, this.read * Immediate.UNIT);
	}

}
