package io.github.vicinal.cache.policy;

/**
 * SLRU: new entries are on probation; a hit there moves an entry to the protected
 * segment, four fifths of the cache, whose least recent entry then returns to probation.
 * Constant time, no memory beyond the slot.
 * <p>
 * Source: R. Karedla, J. S. Love, B. Wherry, Caching strategies to improve disk system
 * performance (1994), with the usual 80 %.
 */
final class SegmentedLruPolicy implements ReplacementPolicy {

	private static final double PROTECTED_PART = 0.8;

	private static final int PROBATION = 0;

	private static final int PROTECTED = 1;

	private final Slots slots;

	private final SlotList probation;

	private final SlotList protectedSegment;

	private int maxProtected;

	SegmentedLruPolicy(Slots slots, int capacity) {
		this.slots = slots;
		this.probation = new SlotList(slots);
		this.protectedSegment = new SlotList(slots);
		this.maxProtected = (int) (PROTECTED_PART * capacity);
	}

	@Override
	public void onInsert(int slot) {
		this.slots.mark(slot, PROBATION);
		this.probation.addFirst(slot);
	}

	@Override
	public void onHit(int slot) {
		if (this.slots.mark(slot) == PROTECTED) {
			this.protectedSegment.moveFirst(slot);
			return;
		}
		this.probation.remove(slot);
		this.slots.mark(slot, PROTECTED);
		this.protectedSegment.addFirst(slot);
		demote();
	}

	private void demote() {
		while (this.protectedSegment.size() > this.maxProtected) {
			int demoted = this.protectedSegment.pollLast();
			this.slots.mark(demoted, PROBATION);
			this.probation.addFirst(demoted);
		}
	}

	@Override
	public void onRemove(int slot) {
		((this.slots.mark(slot) == PROTECTED) ? this.protectedSegment : this.probation).remove(slot);
	}

	@Override
	public int evict(int incoming) {
		return (this.probation.size() > 0) ? this.probation.pollLast() : this.protectedSegment.pollLast();
	}

	@Override
	public int pollHottest() {
		return (this.protectedSegment.size() > 0) ? this.protectedSegment.pollFirst() : this.probation.pollFirst();
	}

	@Override
	public void adoptColder(int slot) {
		boolean room = this.protectedSegment.size() < this.maxProtected;
		this.slots.mark(slot, room ? PROTECTED : PROBATION);
		(room ? this.protectedSegment : this.probation).addLast(slot);
	}

	@Override
	public void resize(int capacity) {
		this.maxProtected = (int) (PROTECTED_PART * capacity);
		demote();
	}

}
