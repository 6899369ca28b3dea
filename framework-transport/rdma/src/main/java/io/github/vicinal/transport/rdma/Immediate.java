package io.github.vicinal.transport.rdma;

/**
 * The number that comes with a write: what it says in the upper two bits, and a position
 * in a ring, in units of {@value #UNIT} bytes, in the others.
 */
final class Immediate {

	/** The peer has published records up to the position. */
	static final int DATA = 0;

	/** The peer has consumed records of this side up to the position. */
	static final int CREDIT = 1;

	/** The peer asks whether this side is alive. */
	static final int PING = 2;

	/**
	 * The peer is alive, and has read as many pieces of large frames as the position
	 * counts units. Answers a ping, and acknowledges pieces.
	 */
	static final int PONG = 3;

	/** All records begin at multiples of this. */
	static final int UNIT = 16;

	private static final int KIND_SHIFT = 30;

	private static final int POSITION_MASK = (1 << KIND_SHIFT) - 1;

	private Immediate() {
	}

	static int of(int kind, long position) {
		return kind << KIND_SHIFT | ((int) (position / UNIT) & POSITION_MASK);
	}

	static int kind(int immediate) {
		return immediate >>> KIND_SHIFT;
	}

	/**
	 * Returns how far a position lies behind another one, in bytes. Rings are so much
	 * smaller than what the number can express that this is unambiguous.
	 */
	static long distance(int immediate, long from) {
		return (long) ((immediate - (int) (from / UNIT)) & POSITION_MASK) * UNIT;
	}

}
