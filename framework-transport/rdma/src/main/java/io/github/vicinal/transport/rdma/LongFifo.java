package io.github.vicinal.transport.rdma;

/** Numbers in the order in which they were added. Not thread-safe. */
final class LongFifo {

	private final long[] items;

	private int head;

	private int size;

	LongFifo(int capacity) {
		this.items = new long[capacity];
	}

	int size() {
		return this.size;
	}

	boolean isFull() {
		return this.size == this.items.length;
	}

	void add(long item) {
		if (isFull()) {
			throw new IllegalStateException("full");
		}
		this.items[(this.head + this.size++) % this.items.length] = item;
	}

	/** Returns the oldest one. There must be one. */
	long peek() {
		if (this.size == 0) {
			throw new IllegalStateException("empty");
		}
		return this.items[this.head];
	}

	/** Removes and returns the oldest one. There must be one. */
	long remove() {
		long item = peek();
		this.head = (this.head + 1) % this.items.length;
		this.size--;
		return item;
	}

}
