package io.github.vicinal.cache.policy;

/**
 * W-TinyLFU: new entries live in a window (LRU). An entry that leaves the window enters
 * the main part (SLRU) only if it was used more often lately than the entry that it would
 * displace, judged by a {@link FrequencySketch}. Constant time; memory beyond the slot:
 * the sketch.
 * <p>
 * Source: G. Einziger, R. Friedman, B. Manes, TinyLFU: a highly efficient cache admission
 * policy (2017), section 4. The window's size is fixed, and the newcomer loses a draw;
 * {@code TINY_LFU} (Caffeine) adapts the window instead. The victim is the least used of
 * the last {@value #VICTIMS} entries of the main part, rather than the very last.
 */
final class WindowTinyLfuPolicy implements ReplacementPolicy {

	private static final double PROTECTED_PART = 0.8;

	/** Entries from which a victim is chosen. */
	private static final int VICTIMS = 4;

	private static final int WINDOW = 0;

	private static final int PROBATION = 1;

	private static final int PROTECTED = 2;

	private final Slots slots;

	private final FrequencySketch sketch;

	/** Whether this policy counts uses; otherwise the sketch's owner does. */
	private final boolean counts;

	private final double windowPart;

	private final SlotList window;

	private final SlotList probation;

	private final SlotList protectedSegment;

	private int maxWindow;

	private int maxProtected;

	private int capacity;

	WindowTinyLfuPolicy(Slots slots, int capacity, double windowPart, FrequencySketch sketch, boolean counts) {
		this.slots = slots;
		this.windowPart = windowPart;
		this.sketch = sketch;
		this.counts = counts;
		this.window = new SlotList(slots);
		this.probation = new SlotList(slots);
		this.protectedSegment = new SlotList(slots);
		limits(capacity);
	}

	private void limits(int capacity) {
		this.capacity = capacity;
		this.maxWindow = Math.max(1, (int) Math.round(this.windowPart * capacity));
		this.maxProtected = (int) (PROTECTED_PART * (capacity - this.maxWindow));
	}

	@Override
	public void onInsert(int slot) {
		count(slot);
		this.slots.mark(slot, WINDOW);
		this.window.addFirst(slot);
		while (this.window.size() > this.maxWindow) {
			enterMain(this.window.pollLast());
		}
	}

	private void count(int slot) {
		if (this.counts) {
			this.sketch.add(this.slots.hash(slot));
		}
	}

	private void enterMain(int slot) {
		this.slots.mark(slot, PROBATION);
		this.probation.addFirst(slot);
	}

	@Override
	public void onHit(int slot) {
		count(slot);
		switch (this.slots.mark(slot)) {
			case WINDOW -> this.window.moveFirst(slot);
			case PROTECTED -> this.protectedSegment.moveFirst(slot);
			default -> {
				this.probation.remove(slot);
				this.slots.mark(slot, PROTECTED);
				this.protectedSegment.addFirst(slot);
				demote();
			}
		}
	}

	private void demote() {
		while (this.protectedSegment.size() > this.maxProtected) {
			enterMain(this.protectedSegment.pollLast());
		}
	}

	@Override
	public void onRemove(int slot) {
		list(slot).remove(slot);
	}

	private SlotList list(int slot) {
		return switch (this.slots.mark(slot)) {
			case WINDOW -> this.window;
			case PROTECTED -> this.protectedSegment;
			default -> this.probation;
		};
	}

	/**
	 * With the incoming entry, the window would be too long: its last entry is the
	 * candidate for the main part.
	 */
	@Override
	public int evict(int incoming) {
		SlotList main = (this.probation.size() > 0) ? this.probation : this.protectedSegment;
		int victim = coldest(main);
		if (this.window.size() < this.maxWindow && victim != Slots.NONE) {
			main.remove(victim);
			return victim;
		}
		int candidate = (this.window.size() > 0) ? this.window.last() : incoming;
		if (victim == Slots.NONE) {
			this.window.remove(candidate);
			return candidate;
		}
		int candidateUses = this.sketch.estimate(this.slots.hash(candidate));
		if (candidateUses > this.sketch.estimate(this.slots.hash(victim))) {
			main.remove(victim);
			if (candidate != incoming) {
				this.window.remove(candidate);
				enterMain(candidate);
			}
			return victim;
		}
		if (candidate != incoming) {
			this.window.remove(candidate);
		}
		else {
			count(incoming);
		}
		return candidate;
	}

	private int coldest(SlotList list) {
		int coldest = list.last();
		if (coldest == Slots.NONE) {
			return coldest;
		}
		int least = this.sketch.estimate(this.slots.hash(coldest));
		int at = coldest;
		for (int i = 1; i < VICTIMS && least > 0; i++) {
			at = this.slots.previous(at);
			if (at == Slots.NONE) {
				break;
			}
			int uses = this.sketch.estimate(this.slots.hash(at));
			if (uses < least) {
				least = uses;
				coldest = at;
			}
		}
		return coldest;
	}

	@Override
	public int pollHottest() {
		if (this.protectedSegment.size() > 0) {
			return this.protectedSegment.pollFirst();
		}
		return (this.window.size() > 0) ? this.window.pollFirst() : this.probation.pollFirst();
	}

	@Override
	public void adoptColder(int slot) {
		count(slot);
		if (this.protectedSegment.size() < this.maxProtected) {
			this.slots.mark(slot, PROTECTED);
			this.protectedSegment.addLast(slot);
		}
		else {
			this.slots.mark(slot, PROBATION);
			this.probation.addLast(slot);
		}
	}

	@Override
	public void resize(int capacity) {
		if (this.counts) {
			this.sketch.resize(capacity);
		}
		limits(capacity);
		while (this.window.size() > this.maxWindow) {
			enterMain(this.window.pollLast());
		}
		demote();
	}

	int capacity() {
		return this.capacity;
	}

}
