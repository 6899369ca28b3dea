package io.github.vicinal.cache.policy;

/**
 * S3-FIFO: a small queue (a tenth of the cache) for new entries, a main queue for those
 * that were used more than once or came back soon, and a queue of hashes of those that
 * left the small one. A hit only counts, to at most 3. Constant time amortized; memory
 * beyond the slot: 16 bytes per remembered hash, as many as the main queue has entries.
 * <p>
 * Source: J. Yang, Y. Zhang, Z. Qiu, Y. Yue, K. V. Rashmi, FIFO queues are all you need
 * for cache eviction (2023), algorithm 1.
 */
final class S3FifoPolicy implements ReplacementPolicy {

	private static final double SMALL_PART = 0.1;

	private static final int MAX_USES = 3;

	private static final int IN_MAIN = 4;

	private final Slots slots;

	private final SlotList small;

	private final SlotList main;

	private final CountHistory ghosts;

	private final int maxSteps;

	private int maxSmall;

	S3FifoPolicy(Slots slots, int capacity) {
		this(slots, capacity, Integer.MAX_VALUE);
	}

	/**
	 * Creates the policy.
	 * @param maxSteps number of entries that an eviction looks at: the last one of them
	 * goes, however often it was used
	 */
	S3FifoPolicy(Slots slots, int capacity, int maxSteps) {
		this.maxSteps = maxSteps;
		this.slots = slots;
		this.small = new SlotList(slots);
		this.main = new SlotList(slots);
		this.maxSmall = Math.max(1, (int) (SMALL_PART * capacity));
		this.ghosts = new CountHistory(Math.max(1, capacity - this.maxSmall));
	}

	@Override
	public void onInsert(int slot) {
		if (this.ghosts.remove(this.slots.hash(slot)) > 0) {
			this.slots.mark(slot, IN_MAIN);
			this.main.addFirst(slot);
		}
		else {
			this.slots.mark(slot, 0);
			this.small.addFirst(slot);
		}
	}

	@Override
	public void onHit(int slot) {
		int mark = this.slots.mark(slot);
		if ((mark & MAX_USES) < MAX_USES) {
			this.slots.mark(slot, mark + 1);
		}
	}

	@Override
	public void onRemove(int slot) {
		((this.slots.mark(slot) >= IN_MAIN) ? this.main : this.small).remove(slot);
	}

	@Override
	public int evict(int incoming) {
		for (int steps = 1;; steps++) {
			boolean last = steps == this.maxSteps;
			if (this.small.size() > 0 && (this.small.size() >= this.maxSmall || this.main.size() == 0)) {
				int oldest = this.small.pollLast();
				if (last || this.slots.mark(oldest) <= 1) {
					this.ghosts.add(this.slots.hash(oldest), 1);
					return oldest;
				}
				this.slots.mark(oldest, IN_MAIN);
				this.main.addFirst(oldest);
			}
			else {
				int oldest = this.main.pollLast();
				int uses = this.slots.mark(oldest) & MAX_USES;
				if (last || uses == 0) {
					return oldest;
				}
				this.slots.mark(oldest, IN_MAIN + uses - 1);
				this.main.addFirst(oldest);
			}
		}
	}

	@Override
	public int pollHottest() {
		return (this.main.size() > 0) ? this.main.pollFirst() : this.small.pollFirst();
	}

	@Override
	public void adoptColder(int slot) {
		this.slots.mark(slot, IN_MAIN);
		this.main.addLast(slot);
	}

	@Override
	public void resize(int capacity) {
		this.maxSmall = Math.max(1, (int) (SMALL_PART * capacity));
		this.ghosts.grow(Math.max(1, capacity - this.maxSmall));
	}

}
