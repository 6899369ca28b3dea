package io.github.vicinal.cache.policy;

/**
 * LRU, MRU and FIFO: one list, ordered by the last use or by insertion. Constant time, no
 * memory beyond the slot.
 * <p>
 * Source: P. Denning, The working set model for program behavior (1968) for LRU; H.-T.
 * Chou, D. DeWitt, An evaluation of buffer management strategies for relational database
 * systems (1985), section 2 for MRU.
 */
final class RecencyPolicy implements ReplacementPolicy {

	private final SlotList list;

	private final boolean moveOnHit;

	private final boolean evictNewest;

	RecencyPolicy(Slots slots, boolean moveOnHit, boolean evictNewest) {
		this.list = new SlotList(slots);
		this.moveOnHit = moveOnHit;
		this.evictNewest = evictNewest;
	}

	@Override
	public void onInsert(int slot) {
		this.list.addFirst(slot);
	}

	@Override
	public void onHit(int slot) {
		if (this.moveOnHit) {
			this.list.moveFirst(slot);
		}
	}

	@Override
	public void onRemove(int slot) {
		this.list.remove(slot);
	}

	@Override
	public int evict(int incoming) {
		return this.evictNewest ? this.list.pollFirst() : this.list.pollLast();
	}

	@Override
	public int pollHottest() {
		return this.evictNewest ? this.list.pollLast() : this.list.pollFirst();
	}

	@Override
	public void adoptColder(int slot) {
		if (this.evictNewest) {
			this.list.addFirst(slot);
		}
		else {
			this.list.addLast(slot);
		}
	}

}
