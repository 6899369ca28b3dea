package io.github.vicinal.cache.aic;

import java.util.function.IntPredicate;

import io.github.vicinal.cache.policy.PolicyFactory;
import io.github.vicinal.cache.policy.ReplacementPolicy;
import io.github.vicinal.cache.policy.Slots;

/**
 * A policy applied to hashes of keys alone; reports which accesses would have been hits.
 * Takes about 21 bytes per entry, and the memory of the policy.
 */
final class GhostCache {

	private int capacity;

	private final Slots slots;

	private final ReplacementPolicy policy;

	/** Slot plus 1 by hash, linear probing. */
	private char[] index;

	private int size;

	/**
	 * Creates an empty ghost.
	 * @param capacity entries, at most 65,534
	 */
	GhostCache(PolicyFactory factory, int capacity) {
		this.capacity = capacity;
		this.slots = new Slots(capacity + 1);
		this.policy = factory.create(this.slots, capacity);
		this.index = emptyIndex(capacity);
	}

	private static char[] emptyIndex(int capacity) {
		return new char[Integer.highestOneBit(Math.max(1, capacity)) * 4];
	}

	/**
	 * Becomes the ghost of a cache of another size. It keeps entries that are still
	 * sampled, as far as there is room.
	 * @param changed entries, at most 65,534
	 * @param sampled whether a key of that hash belongs to the sample
	 */
	void resize(int changed, IntPredicate sampled) {
		for (int slot : known()) {
			if (!sampled.test(this.slots.hash(slot))) {
				this.policy.onRemove(slot);
				drop(slot);
			}
		}
		if (changed == this.capacity) {
			return;
		}
		this.policy.resize(changed);
		while (this.size > changed) {
			drop(this.policy.evict(Slots.NONE));
		}
		int[] left = known();
		this.capacity = changed;
		this.index = emptyIndex(changed);
		for (int slot : left) {
			index(slot);
		}
	}

	private int[] known() {
		int[] known = new int[this.size];
		int found = 0;
		for (char place : this.index) {
			if (place != 0) {
				known[found++] = place - 1;
			}
		}
		return known;
	}

	private void drop(int slot) {
		unindex(slot);
		this.slots.release(slot);
		this.size--;
	}

	private void index(int slot) {
		int mask = this.index.length - 1;
		int at = home(this.slots.hash(slot));
		while (this.index[at] != 0) {
			at = (at + 1) & mask;
		}
		this.index[at] = (char) (slot + 1);
	}

	private int home(int hash) {
		return ((hash * 0x9E3779B9) >>> 9) & (this.index.length - 1);
	}

	/**
	 * Uses a key.
	 * @return whether it was there
	 */
	boolean access(int hash) {
		int mask = this.index.length - 1;
		int at = home(hash);
		while (this.index[at] != 0) {
			int slot = this.index[at] - 1;
			if (this.slots.hash(slot) == hash) {
				this.policy.onHit(slot);
				return true;
			}
			at = (at + 1) & mask;
		}
		int slot = this.slots.allocate(hash);
		if (this.size == this.capacity) {
			int victim = this.policy.evict(slot);
			if (victim == slot) {
				this.slots.release(slot);
				return false;
			}
			drop(victim);
			at = home(hash);
			while (this.index[at] != 0) {
				at = (at + 1) & mask;
			}
		}
		this.index[at] = (char) (slot + 1);
		this.size++;
		this.policy.onInsert(slot);
		return false;
	}

	/** Returns whether a key is there, without using it. */
	boolean contains(int hash) {
		int mask = this.index.length - 1;
		for (int at = home(hash); this.index[at] != 0; at = (at + 1) & mask) {
			if (this.slots.hash(this.index[at] - 1) == hash) {
				return true;
			}
		}
		return false;
	}

	private void unindex(int slot) {
		int mask = this.index.length - 1;
		int hole = home(this.slots.hash(slot));
		while (this.index[hole] != slot + 1) {
			hole = (hole + 1) & mask;
		}
		for (int at = (hole + 1) & mask; this.index[at] != 0; at = (at + 1) & mask) {
			int wanted = home(this.slots.hash(this.index[at] - 1));
			if (((at - wanted) & mask) >= ((at - hole) & mask)) {
				this.index[hole] = this.index[at];
				hole = at;
			}
		}
		this.index[hole] = 0;
	}

}
