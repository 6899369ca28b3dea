package io.github.vicinal.cache.policy;

/**
 * A doubly linked list of slots, through their links in {@link Slots}. A slot can be in
 * one list at a time. All operations take constant time.
 */
final class SlotList {

	private final Slots slots;

	private int first = Slots.NONE;

	private int last = Slots.NONE;

	private int size;

	/**
	 * Creates an empty list.
	 * @param slots where the links are
	 */
	SlotList(Slots slots) {
		this.slots = slots;
	}

	/**
	 * Returns the number of slots.
	 * @return at least 0
	 */
	int size() {
		return this.size;
	}

	/**
	 * Returns the first slot.
	 * @return a slot or {@link Slots#NONE}
	 */
	int first() {
		return this.first;
	}

	/**
	 * Returns the last slot.
	 * @return a slot or {@link Slots#NONE}
	 */
	int last() {
		return this.last;
	}

	/**
	 * Adds a slot before all others.
	 * @param slot a slot in no list
	 */
	void addFirst(int slot) {
		this.slots.previous(slot, Slots.NONE);
		this.slots.next(slot, this.first);
		if (this.first == Slots.NONE) {
			this.last = slot;
		}
		else {
			this.slots.previous(this.first, slot);
		}
		this.first = slot;
		this.size++;
	}

	/**
	 * Adds a slot behind all others.
	 * @param slot a slot in no list
	 */
	void addLast(int slot) {
		this.slots.next(slot, Slots.NONE);
		this.slots.previous(slot, this.last);
		if (this.last == Slots.NONE) {
			this.first = slot;
		}
		else {
			this.slots.next(this.last, slot);
		}
		this.last = slot;
		this.size++;
	}

	/**
	 * Removes a slot.
	 * @param slot a slot in this list
	 */
	void remove(int slot) {
		int previous = this.slots.previous(slot);
		int next = this.slots.next(slot);
		if (previous == Slots.NONE) {
			this.first = next;
		}
		else {
			this.slots.next(previous, next);
		}
		if (next == Slots.NONE) {
			this.last = previous;
		}
		else {
			this.slots.previous(next, previous);
		}
		this.size--;
	}

	/**
	 * Moves a slot before all others.
	 * @param slot a slot in this list
	 */
	void moveFirst(int slot) {
		if (slot != this.first) {
			remove(slot);
			addFirst(slot);
		}
	}

	/**
	 * Removes the first slot.
	 * @return it, or {@link Slots#NONE}
	 */
	int pollFirst() {
		int slot = this.first;
		if (slot != Slots.NONE) {
			remove(slot);
		}
		return slot;
	}

	/**
	 * Removes the last slot.
	 * @return it, or {@link Slots#NONE}
	 */
	int pollLast() {
		int slot = this.last;
		if (slot != Slots.NONE) {
			remove(slot);
		}
		return slot;
	}

}
