package io.github.vicinal.transport.rdma;

import java.nio.ByteBuffer;

import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;

/**
 * The first message of each side: where the other one may write. All numbers are
 * big-endian.
 *
 * <pre>
 *  0 int   magic 'V' 'c' 'R' 'd'
 *  4 short version
 *  6 short 0, or the number of a {@link Refusal}
 *  8 int   bytes of the sender's inbound ring, a power of two
 * 12 int   messages that the sender can receive before it has consumed one
 * 16 long  address of the ring
 * 24 int   key of the ring
 * 28 int   pieces of large frames that the sender reads at a time, 0 for none
 * </pre>
 *
 * Magic, version and refusal stay where they are in every version.
 *
 * @param refusal number of a {@link Refusal}, 0 for none
 * @param ringBytes size of the ring
 * @param messages maximum number of messages that are not consumed
 * @param address address of the ring
 * @param key key of the ring
 * @param pieces pieces of large frames that are read at a time. 0 if they must travel
 * through the ring, as between peers of which one does not know this field
 */
record Setup(int refusal, int ringBytes, int messages, long address, int key, int pieces) {

	static final int BYTES = 32;

	static final int MAGIC = 'V' << 24 | 'c' << 16 | 'R' << 8 | 'd';

	static final short VERSION = 1;

	static final int MIN_RING_BYTES = 64 << 10;

	static final int MAX_RING_BYTES = 256 << 20;

	static final int MIN_MESSAGES = 8;

	static final int MAX_MESSAGES = 1 << 14;

	static Setup refused(Refusal refusal) {
		return new Setup(refusal.number(), MIN_RING_BYTES, MIN_MESSAGES, 0, 0, 0);
	}

	void write(ByteBuffer out, int offset) {
		out.putInt(offset, MAGIC);
		out.putShort(offset + 4, VERSION);
		out.putShort(offset + 6, (short) this.refusal);
		out.putInt(offset + 8, this.ringBytes);
		out.putInt(offset + 12, this.messages);
		out.putLong(offset + 16, this.address);
		out.putInt(offset + 24, this.key);
		out.putInt(offset + 28, this.pieces);
	}

	/**
	 * Reads a message that anybody may have written.
	 * @throws WireException if a rule is broken
	 */
	static Setup read(ByteBuffer in, int offset, int length) throws WireException {
		if (length != BYTES) {
			throw new WireException(Refusal.MALFORMED,
					"the first message has %d bytes, but this one %d".formatted(BYTES, length));
		}
		int magic = in.getInt(offset);
		if (magic != MAGIC) {
			throw new WireException(Refusal.MALFORMED,
					"the first message starts with %08x, but this one with %08x".formatted(MAGIC, magic));
		}
		short version = in.getShort(offset + 4);
		if (version != VERSION) {
			throw new WireException(Refusal.VERSION, "this side speaks version %d of the ring protocol, the other %d"
				.formatted(VERSION, Short.toUnsignedInt(version)));
		}
		int refusal = in.getShort(offset + 6);
		if (refusal != 0) {
			return refused(Refusal.of(refusal));
		}
		Setup setup = new Setup(0, in.getInt(offset + 8), in.getInt(offset + 12), in.getLong(offset + 16),
				in.getInt(offset + 24), in.getInt(offset + 28));
		if (setup.ringBytes < MIN_RING_BYTES || setup.ringBytes > MAX_RING_BYTES
				|| Integer.bitCount(setup.ringBytes) != 1) {
			throw new WireException(Refusal.MALFORMED,
					"a ring has a power of two of bytes from 64 KB to 256 MB, but this one %d"
						.formatted(setup.ringBytes));
		}
		if (setup.messages < MIN_MESSAGES || setup.messages > MAX_MESSAGES) {
			throw new WireException(Refusal.MALFORMED, "a ring receives from %d to %d messages, but this one %d"
				.formatted(MIN_MESSAGES, MAX_MESSAGES, setup.messages));
		}
		if (setup.pieces < 0 || setup.pieces > RendezvousSender.MAX_PIECES) {
			throw new WireException(Refusal.MALFORMED, "a side reads from 0 to %d pieces at a time, but this one %d"
				.formatted(RendezvousSender.MAX_PIECES, setup.pieces));
		}
		return setup;
	}

}
