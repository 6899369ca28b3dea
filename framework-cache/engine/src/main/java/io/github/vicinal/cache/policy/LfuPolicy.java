package io.github.vicinal.cache.policy;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * LFU: evicts the entry with the fewest uses; among these, the one that was not used for
 * the longest time. Entries of one count form a list, the lists form a list by count:
 * constant time per use. With a history, the count of an entry goes on where it was when
 * it left.
 * <p>
 * Memory beyond the slot: 20 bytes per distinct count; a history has 16 bytes for each
 * key that it remembers.
 * <p>
 * Source: K. Shah, A. Mitra, D. Matani, An O(1) algorithm for implementing the LFU cache
 * eviction scheme (2010). An adopted entry starts with {@value #ADOPTED_COUNT} uses; with
 * a history, with one more than that knows of.
 */
final class LfuPolicy implements ReplacementPolicy {

	private static final int ADOPTED_COUNT = 2;

	private static final int NONE = Slots.NONE;

	private final Slots slots;

	private final @Nullable CountHistory history;

	/** For each list: its count, first and last slot, and its neighbours by count. */
	private int[] count = new int[8];

	private int[] first = new int[8];

	private int[] last = new int[8];

	private int[] lower = new int[8];

	private int[] higher = new int[8];

	private int lists;

	private int freeList = NONE;

	private int lowest = NONE;

	private int highest = NONE;

	LfuPolicy(Slots slots, @Nullable CountHistory history) {
		this.slots = slots;
		this.history = history;
	}

	@Override
	public void onInsert(int slot) {
		int uses = (this.history != null) ? this.history.remove(this.slots.hash(slot)) + 1 : 1;
		int at = this.lowest;
		int below = NONE;
		while (at != NONE && this.count[at] < uses) {
			below = at;
			at = this.higher[at];
		}
		addFirst(listWith(uses, below, at), slot);
	}

	/** Returns the list with that count, made between its neighbours if need be. */
	private int listWith(int uses, int below, int above) {
		if (above != NONE && this.count[above] == uses) {
			return above;
		}
		if (below != NONE && this.count[below] == uses) {
			return below;
		}
		int list = this.freeList;
		if (list != NONE) {
			this.freeList = this.higher[list];
		}
		else {
			list = this.lists++;
			if (list == this.count.length) {
				int length = 2 * list;
				this.count = Arrays.copyOf(this.count, length);
				this.first = Arrays.copyOf(this.first, length);
				this.last = Arrays.copyOf(this.last, length);
				this.lower = Arrays.copyOf(this.lower, length);
				this.higher = Arrays.copyOf(this.higher, length);
			}
		}
		this.count[list] = uses;
		this.first[list] = NONE;
		this.last[list] = NONE;
		this.lower[list] = below;
		this.higher[list] = above;
		if (below == NONE) {
			this.lowest = list;
		}
		else {
			this.higher[below] = list;
		}
		if (above == NONE) {
			this.highest = list;
		}
		else {
			this.lower[above] = list;
		}
		return list;
	}

	private void addFirst(int list, int slot) {
		this.slots.mark(slot, list);
		this.slots.previous(slot, NONE);
		this.slots.next(slot, this.first[list]);
		if (this.first[list] == NONE) {
			this.last[list] = slot;
		}
		else {
			this.slots.previous(this.first[list], slot);
		}
		this.first[list] = slot;
	}

	private void addLast(int list, int slot) {
		this.slots.mark(slot, list);
		this.slots.next(slot, NONE);
		this.slots.previous(slot, this.last[list]);
		if (this.last[list] == NONE) {
			this.first[list] = slot;
		}
		else {
			this.slots.next(this.last[list], slot);
		}
		this.last[list] = slot;
	}

	/** Removes a slot, and its list if that is empty then. */
	private void remove(int slot) {
		int list = this.slots.mark(slot);
		int previous = this.slots.previous(slot);
		int next = this.slots.next(slot);
		if (previous == NONE) {
			this.first[list] = next;
		}
		else {
			this.slots.next(previous, next);
		}
		if (next == NONE) {
			this.last[list] = previous;
		}
		else {
			this.slots.previous(next, previous);
		}
		if (this.first[list] == NONE) {
			int below = this.lower[list];
			int above = this.higher[list];
			if (below == NONE) {
				this.lowest = above;
			}
			else {
				this.higher[below] = above;
			}
			if (above == NONE) {
				this.highest = below;
			}
			else {
				this.lower[above] = below;
			}
			this.higher[list] = this.freeList;
			this.freeList = list;
		}
	}

	@Override
	public void onHit(int slot) {
		int list = this.slots.mark(slot);
		int uses = this.count[list];
		if (uses == Integer.MAX_VALUE) {
			return;
		}
		int above = this.higher[list];
		boolean alone = this.slots.previous(slot) == NONE && this.slots.next(slot) == NONE;
		if (alone && (above == NONE || this.count[above] > uses + 1)) {
			this.count[list] = uses + 1;
			return;
		}
		int target = listWith(uses + 1, list, above);
		remove(slot);
		addFirst(target, slot);
	}

	@Override
	public void onRemove(int slot) {
		remove(slot);
	}

	@Override
	public void resize(int capacity) {
		if (this.history != null) {
			this.history.grow(Policies.historyLength(capacity));
		}
	}

	@Override
	public int evict(int incoming) {
		int victim = this.last[this.lowest];
		if (this.history != null) {
			this.history.add(this.slots.hash(victim), this.count[this.lowest]);
		}
		remove(victim);
		return victim;
	}

	@Override
	public int pollHottest() {
		if (this.highest == NONE) {
			return NONE;
		}
		int slot = this.first[this.highest];
		remove(slot);
		return slot;
	}

	@Override
	public void adoptColder(int slot) {
		int uses = (this.history != null) ? this.history.remove(this.slots.hash(slot)) + 1 : ADOPTED_COUNT;
		int at = this.lowest;
		int below = NONE;
		while (at != NONE && this.count[at] < uses) {
			below = at;
			at = this.higher[at];
		}
		addLast(listWith(uses, below, at), slot);
	}

}
