package io.github.vicinal.cache.policy;

import java.util.Arrays;

/**
 * Records of some numbers each, in chunks: beyond the first chunk it grows without
 * copying what is there, so that no access waits for the growth of a large cache.
 */
final class Records {

	private static final int CHUNK_BITS = 12;

	private static final int CHUNK = 1 << CHUNK_BITS;

	private static final int FIRST = 64;

	private final int fields;

	private int[][] chunks;

	/** Capacity in records. */
	private int room = FIRST;

	/**
	 * Creates room for the first records.
	 * @param fields the numbers of each
	 */
	Records(int fields) {
		this.fields = fields;
		this.chunks = new int[][] { new int[FIRST * fields] };
	}

	/**
	 * Makes room for a record; new ones are zero.
	 * @param record its number, at most one more than of any before
	 */
	void ensure(int record) {
		if (record < this.room) {
			return;
		}
		if (this.room < CHUNK) {
			this.room *= 2;
			this.chunks[0] = Arrays.copyOf(this.chunks[0], this.room * this.fields);
			return;
		}
		int chunk = record >>> CHUNK_BITS;
		if (chunk == this.chunks.length) {
			this.chunks = Arrays.copyOf(this.chunks, 2 * chunk);
		}
		this.chunks[chunk] = new int[CHUNK * this.fields];
		this.room += CHUNK;
	}

	int get(int record, int field) {
		return this.chunks[record >>> CHUNK_BITS][(record & (CHUNK - 1)) * this.fields + field];
	}

	void set(int record, int field, int value) {
		this.chunks[record >>> CHUNK_BITS][(record & (CHUNK - 1)) * this.fields + field] = value;
	}

}
