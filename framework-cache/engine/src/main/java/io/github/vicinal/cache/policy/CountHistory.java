package io.github.vicinal.cache.policy;

import java.util.Arrays;

/**
 * Counts of keys that left, by the hash of the key: those that were among the last to
 * leave, and did not come back. Two keys of the same 32 bits share a count.
 */
final class CountHistory {

	/** 0 is a free place: hashes are stored with another value instead. */
	private static final int FREE = 0;

	private final int capacity;

	/** By age: the hashes, and where the next goes. */
	private int[] ring;

	private int[] counts;

	/** By hash: 1 + place in the ring, linear probing. */
	private int[] index = new int[128];

	private int head;

	CountHistory(int capacity) {
		this.capacity = Math.max(1, capacity);
		this.ring = new int[Math.min(this.capacity, 64)];
		this.counts = new int[this.ring.length];
	}

	private static int home(int hash, int mask) {
		return (hash * 0x9E3779B9 >>> 7) & mask;
	}

	private int find(int hash) {
		int mask = this.index.length - 1;
		for (int at = home(hash, mask);; at = (at + 1) & mask) {
			int place = this.index[at];
			if (place == FREE) {
				return -1;
			}
			if (this.ring[place - 1] == hash) {
				return at;
			}
		}
	}

	/**
	 * Forgets a key.
	 * @return its count, 0 if it is not known
	 */
	int remove(int rawHash) {
		int hash = (rawHash == FREE) ? 1 : rawHash;
		int at = find(hash);
		if (at < 0) {
			return 0;
		}
		int place = this.index[at] - 1;
		unindex(at);
		this.ring[place] = FREE;
		return this.counts[place];
	}

	boolean contains(int rawHash) {
		return find((rawHash == FREE) ? 1 : rawHash) >= 0;
	}

	void add(int rawHash, int count) {
		int hash = (rawHash == FREE) ? 1 : rawHash;
		int known = find(hash);
		if (known >= 0) {
			this.counts[this.index[known] - 1] = count;
			return;
		}
		if (this.head == this.ring.length) {
			if (this.ring.length < this.capacity) {
				grow();
			}
			else {
				this.head = 0;
			}
		}
		int place = this.head++;
		if (this.ring[place] != FREE) {
			unindex(find(this.ring[place]));
		}
		this.ring[place] = hash;
		this.counts[place] = count;
		insert(hash, place);
	}

	private void insert(int hash, int place) {
		int mask = this.index.length - 1;
		int at = home(hash, mask);
		while (this.index[at] != FREE) {
			at = (at + 1) & mask;
		}
		this.index[at] = place + 1;
	}

	/** Linear probing without tombstones: what follows moves up. */
	private void unindex(int gap) {
		int mask = this.index.length - 1;
		int hole = gap;
		for (int at = (hole + 1) & mask; this.index[at] != FREE; at = (at + 1) & mask) {
			int wanted = home(this.ring[this.index[at] - 1], mask);
			if (((at - wanted) & mask) >= ((at - hole) & mask)) {
				this.index[hole] = this.index[at];
				hole = at;
			}
		}
		this.index[hole] = FREE;
	}

	private void grow() {
		int length = Math.min(this.capacity, 2 * this.ring.length);
		this.ring = Arrays.copyOf(this.ring, length);
		this.counts = Arrays.copyOf(this.counts, length);
		this.index = new int[Integer.highestOneBit(length) * 4];
		for (int place = 0; place < this.head; place++) {
			if (this.ring[place] != FREE) {
				insert(this.ring[place], place);
			}
		}
	}

}
