package io.github.vicinal.transport.rdma;

/**
 * The layout of a record in a ring. All numbers are big-endian. Records are padded to
 * multiples of {@value Immediate#UNIT} bytes and never wrap around.
 *
 * <pre>
 *  0  int   length: bytes that follow this header
 *  4  byte  kind
 *  5  byte  stream: distinguishes pieces of large frames
 *  6  short 0
 *  8  int   total: bytes of the whole frame (WHOLE, FIRST, READ_FIRST), otherwise 0
 * 12  int   position of the record in the stream of bytes, in units of 16 bytes
 * 16  a frame, a piece of one, or where the receiver reads a piece
 * </pre>
 */
final class RingRecord {

	static final int HEADER_BYTES = 16;

	static final int LENGTH = 0;

	static final int KIND = 4;

	static final int STREAM = 5;

	static final int TOTAL = 8;

	static final int POSITION = 12;

	/** A frame. */
	static final byte WHOLE = 1;

	/** The first piece of a large frame. */
	static final byte FIRST = 2;

	/** A further piece of a large frame. */
	static final byte MORE = 3;

	/** Nothing: the rest of the ring is skipped. */
	static final byte PADDING = 4;

	/** Announces the first piece of a large frame, which the receiver reads. */
	static final byte READ_FIRST = 5;

	/** Announces a further piece of a large frame, which the receiver reads. */
	static final byte READ_MORE = 6;

	/** Large frames that travel at the same time, so that each gets on. */
	static final int STREAMS = 2;

	/** A record is at most this part of its ring. */
	private static final int SHARE = 8;

	private RingRecord() {
	}

	/** Returns the room that a record takes. */
	static int size(int length) {
		return (HEADER_BYTES + length + Immediate.UNIT - 1) & -Immediate.UNIT;
	}

	/** Returns the longest piece of a frame that one record of a ring carries. */
	static int maxLength(int ringBytes) {
		return ringBytes / SHARE - HEADER_BYTES;
	}

	static int position(long position) {
		return (int) (position / Immediate.UNIT);
	}

}
