package io.github.vicinal.cache.policy;

import java.util.Arrays;

/**
 * Finds {@link Records} by a hash that is one of their fields. Linear probing, in
 * segments of about {@value #SEGMENT} records that grow each for itself: so the growth of
 * a large index is spread over many inserts. Removal leaves no tombstones: what follows
 * moves up.
 */
final class HashIndex {

	private static final int SEGMENT = 1024;

	private static final int SMALLEST = 16;

	private final Records records;

	private final int hashField;

	/** Record plus 1, 0 if nothing is there; at most half full. */
	private final int[][] segments;

	private final int[] sizes;

	/**
	 * Creates an empty index.
	 * @param records what to find; their hashes must not change while they are here
	 * @param hashField the field that has the hash
	 * @param expected expected number of keys; there may be more, in larger segments
	 */
	HashIndex(Records records, int hashField, int expected) {
		this.records = records;
		this.hashField = hashField;
		int count = Integer.highestOneBit(Math.max(1, expected / SEGMENT));
		this.segments = new int[count][];
		this.sizes = new int[count];
		// Never written to: the first record makes it grow.
		int[] none = new int[1];
		Arrays.fill(this.segments, none);
	}

	private int segment(int hash) {
		int mixed = hash * 0xC2B2AE35;
		return (int) (((mixed & 0xFFFFFFFFL) * this.segments.length) >>> 32);
	}

	private static int home(int hash, int mask) {
		return ((hash * 0x9E3779B9) >>> 7) & mask;
	}

	private int hash(int[] segment, int at) {
		return this.records.get(segment[at] - 1, this.hashField);
	}

	/** Returns where a hash is in its segment, or the free place where it would be. */
	private int search(int[] segment, int hash) {
		int mask = segment.length - 1;
		int at = home(hash, mask);
		while (segment[at] != 0 && hash(segment, at) != hash) {
			at = (at + 1) & mask;
		}
		return at;
	}

	/**
	 * Finds a record.
	 * @param hash its hash
	 * @return its number, or {@link Slots#NONE}
	 */
	int find(int hash) {
		int[] segment = this.segments[segment(hash)];
		return segment[search(segment, hash)] - 1;
	}

	/**
	 * Adds a record.
	 * @param record its number; no other here may have its hash
	 */
	void add(int record) {
		int hash = this.records.get(record, this.hashField);
		int number = segment(hash);
		if (++this.sizes[number] * 2 > this.segments[number].length) {
			grow(number);
		}
		int[] segment = this.segments[number];
		segment[search(segment, hash)] = record + 1;
	}

	private void grow(int number) {
		int[] old = this.segments[number];
		int[] segment = new int[Math.max(SMALLEST, 2 * old.length)];
		for (int at = 0; at < old.length; at++) {
			if (old[at] != 0) {
				segment[search(segment, hash(old, at))] = old[at];
			}
		}
		this.segments[number] = segment;
	}

	/**
	 * Takes a record out.
	 * @param hash its hash
	 * @return its number, or {@link Slots#NONE} if there is none
	 */
	int remove(int hash) {
		int number = segment(hash);
		int[] segment = this.segments[number];
		int hole = search(segment, hash);
		int record = segment[hole] - 1;
		if (record == Slots.NONE) {
			return record;
		}
		int mask = segment.length - 1;
		for (int at = (hole + 1) & mask; segment[at] != 0; at = (at + 1) & mask) {
			int wanted = home(hash(segment, at), mask);
			if (((at - wanted) & mask) >= ((at - hole) & mask)) {
				segment[hole] = segment[at];
				hole = at;
			}
		}
		segment[hole] = 0;
		this.sizes[number]--;
		return record;
	}

}
