package io.github.vicinal.cache.policy;

import java.util.Arrays;

/**
 * Places for entries, numbered from 0. Each has the state that a policy keeps: two links,
 * a mark, and the hash of the key, together 16 bytes. Not thread-safe.
 *
 * @since 0.1.0
 */
public final class Slots {

	/** No slot. */
	public static final int NONE = -1;

	private static final int PREVIOUS = 0;

	private static final int NEXT = 1;

	private static final int MARK = 2;

	private static final int HASH = 3;

	private static final int STRIDE = 4;

	/** The most slots that an array can hold. */
	public static final int MAX_SLOTS = (Integer.MAX_VALUE - 8) / STRIDE;

	private int[] data;

	private int used;

	private int free = NONE;

	/**
	 * Creates places.
	 * @param expected how many to start with; there will be more when needed
	 */
	public Slots(int expected) {
		this.data = new int[Math.max(1, expected) * STRIDE];
	}

	/**
	 * Takes a slot.
	 * @param hash the hash of its key
	 * @return a slot that is not in use, with mark 0
	 */
	public int allocate(int hash) {
		int slot = this.free;
		if (slot != NONE) {
			this.free = next(slot);
		}
		else {
			slot = this.used++;
			if (this.used * STRIDE > this.data.length) {
				grow();
			}
		}
		int base = slot * STRIDE;
		this.data[base + PREVIOUS] = NONE;
		this.data[base + NEXT] = NONE;
		this.data[base + MARK] = 0;
		this.data[base + HASH] = hash;
		return slot;
	}

	private void grow() {
		if (this.used >= MAX_SLOTS) {
			throw new IllegalStateException("A cache holds at most " + MAX_SLOTS + " entries");
		}
		int slots = (int) Math.min(MAX_SLOTS, (long) this.used + (this.used >> 1) + 1);
		this.data = Arrays.copyOf(this.data, slots * STRIDE);
	}

	/**
	 * Gives a slot back.
	 * @param slot a slot that no policy knows
	 */
	public void release(int slot) {
		next(slot, this.free);
		this.free = slot;
	}

	/**
	 * Returns the number of slots that there have ever been at once.
	 * @return one more than the largest slot
	 */
	public int limit() {
		return this.used;
	}

	/**
	 * Returns the hash of a slot's key: well mixed, with a seed of the cache.
	 * @param slot the slot
	 * @return 32 bits
	 */
	public int hash(int slot) {
		return this.data[slot * STRIDE + HASH];
	}

	/**
	 * Returns the mark, which means what the policy wants it to.
	 * @param slot the slot
	 * @return what was set last
	 */
	public int mark(int slot) {
		return this.data[slot * STRIDE + MARK];
	}

	/**
	 * Sets the mark.
	 * @param slot the slot
	 * @param mark any number
	 */
	public void mark(int slot, int mark) {
		this.data[slot * STRIDE + MARK] = mark;
	}

	int next(int slot) {
		return this.data[slot * STRIDE + NEXT];
	}

	void next(int slot, int next) {
		this.data[slot * STRIDE + NEXT] = next;
	}

	int previous(int slot) {
		return this.data[slot * STRIDE + PREVIOUS];
	}

	void previous(int slot, int previous) {
		this.data[slot * STRIDE + PREVIOUS] = previous;
	}

	long bytes() {
		return 4L * this.data.length + 40;
	}

}
