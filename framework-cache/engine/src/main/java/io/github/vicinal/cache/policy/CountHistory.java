package io.github.vicinal.cache.policy;

/**
 * Counts of keys that left, by the hash of the key: those that were among the last to
 * leave, and did not come back. Two keys of the same 32 bits share a count.
 */
final class CountHistory {

	/** 0 is a free place: hashes are stored with another value instead. */
	private static final int FREE = 0;

	private static final int HASH = 0;

	private static final int COUNT = 1;

	private int capacity;

	/** Ordered by age; a ring once it is full. */
	private final Records ring = new Records(2);

	private final HashIndex index;

	/** Index of the next record. */
	private int head;

	CountHistory(int capacity) {
		this.capacity = Math.max(1, capacity);
		this.index = new HashIndex(this.ring, HASH, this.capacity);
	}

	/**
	 * Remembers more keys from now on; never fewer.
	 * @param wanted number of keys
	 */
	void grow(int wanted) {
		this.capacity = Math.max(this.capacity, wanted);
	}

	private static int storable(int hash) {
		return (hash == FREE) ? 1 : hash;
	}

	/**
	 * Forgets a key.
	 * @return its count, 0 if it is not known
	 */
	int remove(int hash) {
		int place = this.index.remove(storable(hash));
		if (place == Slots.NONE) {
			return 0;
		}
		this.ring.set(place, HASH, FREE);
		return this.ring.get(place, COUNT);
	}

	boolean contains(int hash) {
		return this.index.find(storable(hash)) != Slots.NONE;
	}

	void add(int hash, int count) {
		int known = this.index.find(storable(hash));
		if (known != Slots.NONE) {
			this.ring.set(known, COUNT, count);
			return;
		}
		if (this.head == this.capacity) {
			this.head = 0;
		}
		int place = this.head++;
		this.ring.ensure(place);
		int oldest = this.ring.get(place, HASH);
		if (oldest != FREE) {
			this.index.remove(oldest);
		}
		this.ring.set(place, HASH, storable(hash));
		this.ring.set(place, COUNT, count);
		this.index.add(place);
	}

}
