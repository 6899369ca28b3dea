package io.github.vicinal.transport.shm.lane;

import java.util.List;

/**
 * Offsets of a segment's words. All numbers are in the byte order of the machine, since
 * both sides run on it; a <em>line</em> has 128 bytes, because processors fetch cache
 * lines of 64 bytes in pairs.
 *
 * <pre>
 * offset
 *    0  magic (long)                          written once by the client, which makes
 *    8  version (int), layout hash (int)      the file, before the server knows its name
 *   16  epoch (long): random per segment
 *  128  server parked (int)                   1 while the server's receiver sleeps
 *  256  poller parked (int)                   1 while the client's poller sleeps
 *  384  pending (long[4])                     one bit per lane: a request was published
 *  512  completed (long[4])                   one bit per lane: wake the waiter by the poller
 *  640  waiting: mode (long)                  how both sides wait, written by the client
 *  768  waiting: banned until (long),         monotonic nanoseconds, written by both
 *  776     ban period (long),                 sides, see the package waiting
 *  784     lateness (long)
 *  896  served (long), active lanes (int)     written by the server
 * 4096  lane 0: request line, response line
 * 4352  lane 1 ...
 *       lane 0: request area, response area   inline bytes each
 *       lane 1 ...
 *
 * request line, written by the client         response line, written by the server
 *    0  sequence (long): published last       128  sequence (long): answered last
 *    8  length (int)                          136  length (int)
 *   12  place (int): -1 inline, else the      140  place (int): as on the left, or -2:
 *       number of an arena                         in the slab of the request, or -3:
 *                                                  inline, in pieces
 *   16  offset (int) within that arena        144  offset (int)
 *                                             148  pieces (int) that have been there
 *   24  cancelled (long): nobody waits for
 *       the answer to this sequence
 *   32  released (long): the answer to this
 *       sequence has been read
 *   40  waiting (int): 0 awake, 1 asleep at the lane's bell, 2 by the poller;
 *       set back to 0 by the thread that wakes
 *   44  pieces read (int)
 * </pre>
 *
 * An answer for which the server has no memory passes through the response area in
 * pieces. The answer's sequence is published with the first one. The server puts each
 * further piece there once the client has read the one before, and is done with the lane
 * when it has put the last one there.
 * <p>
 *
 * The version changes with the meaning of a word, the layout hash with its place: two
 * sides that differ in either do not attach.
 */
public final class SegmentLayout {

	/** Length of a line in bytes. */
	public static final int LINE = 128;

	static final long MAGIC = 0x5663_6e6c_4c61_6e65L;

	static final int VERSION = 3;

	static final int MAGIC_OFFSET = 0;

	static final int VERSION_OFFSET = 8;

	static final int HASH_OFFSET = 12;

	static final int EPOCH_OFFSET = 16;

	/** Offset of the word that says whether the server's receiver sleeps. */
	public static final int SERVER_PARKED_OFFSET = LINE;

	/** Offset of the word that says whether the client's poller sleeps. */
	public static final int POLLER_PARKED_OFFSET = 2 * LINE;

	static final int PENDING_OFFSET = 3 * LINE;

	static final int COMPLETED_OFFSET = 4 * LINE;

	static final int MODE_OFFSET = 5 * LINE;

	static final int BANNED_UNTIL_OFFSET = 6 * LINE;

	static final int BAN_PERIOD_OFFSET = BANNED_UNTIL_OFFSET + 8;

	static final int LATENESS_OFFSET = BANNED_UNTIL_OFFSET + 16;

	static final int SERVED_OFFSET = 7 * LINE;

	static final int ACTIVE_OFFSET = SERVED_OFFSET + 8;

	static final int LANE_LINES_OFFSET = 4096;

	static final int LANE_LINES_BYTES = 2 * LINE;

	static final int REQUEST_SEQUENCE = 0;

	static final int REQUEST_LENGTH = 8;

	static final int REQUEST_PLACE = 12;

	static final int REQUEST_OFFSET = 16;

	static final int CANCELLED = 24;

	static final int RELEASED = 32;

	static final int WAITING = 40;

	static final int PIECES_READ = 44;

	static final int RESPONSE_SEQUENCE = LINE;

	static final int RESPONSE_LENGTH = LINE + 8;

	static final int RESPONSE_PLACE = LINE + 12;

	static final int RESPONSE_OFFSET = LINE + 16;

	static final int PIECES = LINE + 20;

	/** The place of a payload that lies in the lane's own area. */
	static final int INLINE = -1;

	/** The place of an answer that lies in the slab of its request. */
	static final int IN_REQUEST = -2;

	/** The place of an answer that comes in pieces. */
	static final int IN_PIECES = -3;

	/** The most lanes that a segment can have: four words of bits. */
	public static final int MAX_LANES = 256;

	/** The largest inline area, in bytes. */
	public static final int MAX_INLINE_BYTES = 1 << 20;

	/** Offsets of the words, and lengths of repeated areas. */
	static final List<Integer> PLACES = List.of(LINE, MAGIC_OFFSET, VERSION_OFFSET, HASH_OFFSET, EPOCH_OFFSET,
			SERVER_PARKED_OFFSET, POLLER_PARKED_OFFSET, PENDING_OFFSET, COMPLETED_OFFSET, MODE_OFFSET,
			BANNED_UNTIL_OFFSET, BAN_PERIOD_OFFSET, LATENESS_OFFSET, SERVED_OFFSET, ACTIVE_OFFSET, LANE_LINES_OFFSET,
			LANE_LINES_BYTES, REQUEST_SEQUENCE, REQUEST_LENGTH, REQUEST_PLACE, REQUEST_OFFSET, CANCELLED, RELEASED,
			WAITING, PIECES_READ, RESPONSE_SEQUENCE, RESPONSE_LENGTH, RESPONSE_PLACE, RESPONSE_OFFSET, PIECES);

	private final int lanes;

	private final int inlineBytes;

	/**
	 * Creates a layout.
	 * @param lanes a power of two, 1 to {@link #MAX_LANES}
	 * @param inlineBytes the size of each of a lane's two areas, a multiple of
	 * {@link #LINE} up to {@link #MAX_INLINE_BYTES}
	 */
	public SegmentLayout(int lanes, int inlineBytes) {
		if (lanes < 1 || lanes > MAX_LANES || Integer.bitCount(lanes) != 1) {
			throw new IllegalArgumentException(
					"The number of lanes must be a power of two from 1 to %d, not %d".formatted(MAX_LANES, lanes));
		}
		if (inlineBytes < LINE || inlineBytes > MAX_INLINE_BYTES || inlineBytes % LINE != 0) {
			throw new IllegalArgumentException("The inline size must be a multiple of %d from %d to %d bytes, not %d"
				.formatted(LINE, LINE, MAX_INLINE_BYTES, inlineBytes));
		}
		this.lanes = lanes;
		this.inlineBytes = inlineBytes;
	}

	public int lanes() {
		return this.lanes;
	}

	public int inlineBytes() {
		return this.inlineBytes;
	}

	/** Returns the number of words of bits that the lanes take. */
	int words() {
		return (this.lanes + Long.SIZE - 1) / Long.SIZE;
	}

	/** Returns the bits of a word that stand for lanes. */
	long lanesOf(int word) {
		return (this.lanes >= Long.SIZE) ? -1L : (1L << this.lanes) - 1;
	}

	int lines(int lane) {
		return LANE_LINES_OFFSET + lane * LANE_LINES_BYTES;
	}

	int requestArea(int lane) {
		return LANE_LINES_OFFSET + this.lanes * LANE_LINES_BYTES + lane * 2 * this.inlineBytes;
	}

	int responseArea(int lane) {
		return requestArea(lane) + this.inlineBytes;
	}

	/**
	 * Returns where the word is that says how the caller of a lane waits.
	 * @param lane the lane
	 * @return an offset in bytes
	 */
	public int waitingOffset(int lane) {
		return lines(lane) + WAITING;
	}

	/**
	 * Returns the size of the file.
	 * @return bytes
	 */
	public int bytes() {
		return requestArea(this.lanes);
	}

	/**
	 * Returns a number that differs between layouts.
	 * @return the layout hash
	 */
	public int hash() {
		return ((31 * VERSION + this.lanes) * 31 + this.inlineBytes) * 31 + PLACES.hashCode();
	}

}
