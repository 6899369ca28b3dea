package io.github.vicinal.cache.policy;

/**
 * LIRS: ranks entries by the distance between their last two uses. Entries of a short
 * distance (LIR) fill the cache but for a hundredth; the others (HIR) pass through a
 * queue, and stay on the recency stack for a while after they left, so that a second use
 * is noticed. Constant time amortized; memory beyond the slot: about 32 bytes for each
 * key on the stack, which are at most three per entry.
 * <p>
 * Source: S. Jiang, X. Zhang, LIRS: an efficient low inter-reference recency set
 * replacement policy (2002), section 3. The paper does not bound keys that have left;
 * here there are at most twice as many as entries.
 */
final class LirsPolicy implements ReplacementPolicy {

	private static final double HIR_PART = 0.01;

	private static final int NON_RESIDENT_FACTOR = 2;

	private static final int NONE = Slots.NONE;

	private static final int LIR = 1 << 30;

	/** A slot's mark: its place on the stack plus 1, 0 if it has none, and LIR. */
	private static final int PLACE = LIR - 1;

	private static final int PREVIOUS = 0;

	private static final int NEXT = 1;

	private static final int SLOT = 2;

	private static final int HASH = 3;

	/** Links among keys that have left, oldest first. */
	private static final int OLDER = 4;

	private static final int NEWER = 5;

	private static final int FIELDS = 6;

	private final Slots slots;

	/** Resident HIR entries; the first goes next. */
	private final SlotList queue;

	/** LIR entries by their last use, as they are on the stack. */
	private final SlotList lirs;

	private final Records stack = new Records(FIELDS);

	private int used;

	private int free = NONE;

	private int top = NONE;

	private int bottom = NONE;

	private int oldest = NONE;

	private int newest = NONE;

	private int nonResidents;

	/**
	 * Whether entries are being handed over. Keys that have left do not matter then, and
	 * a stack that loses its LIR entries is not pruned of a million others at once.
	 */
	private boolean givingAway;

	private int maxLirs;

	private int maxNonResidents;

	/** The places of keys that have left. */
	private final HashIndex index;

	LirsPolicy(Slots slots, int capacity) {
		this.slots = slots;
		this.queue = new SlotList(slots);
		this.lirs = new SlotList(slots);
		limits(capacity);
		this.index = new HashIndex(this.stack, HASH, this.maxNonResidents);
	}

	private void limits(int capacity) {
		this.maxLirs = Math.max(1, capacity - Math.max(1, (int) (HIR_PART * capacity)));
		this.maxNonResidents = (int) Math.min(1 << 26, (long) NON_RESIDENT_FACTOR * capacity);
	}

	@Override
	public void onInsert(int slot) {
		int place = take(this.slots.hash(slot));
		if (place != NONE) {
			unlink(place);
			makeLir(slot, place);
			if (this.lirs.size() > this.maxLirs) {
				demoteBottom();
			}
		}
		else if (this.lirs.size() < this.maxLirs) {
			makeLir(slot, newPlace(this.slots.hash(slot)));
		}
		else {
			push(slot, newPlace(this.slots.hash(slot)), 0);
			this.queue.addLast(slot);
		}
	}

	private void makeLir(int slot, int place) {
		push(slot, place, LIR);
		this.lirs.addFirst(slot);
	}

	private void push(int slot, int place, int kind) {
		this.stack.set(place, SLOT, slot);
		this.slots.mark(slot, (place + 1) | kind);
		linkTop(place);
	}

	@Override
	public void onHit(int slot) {
		int mark = this.slots.mark(slot);
		int place = (mark & PLACE) - 1;
		if ((mark & LIR) != 0) {
			unlink(place);
			linkTop(place);
			this.lirs.moveFirst(slot);
			prune();
		}
		else if (place >= 0) {
			this.queue.remove(slot);
			unlink(place);
			makeLir(slot, place);
			if (this.lirs.size() > this.maxLirs) {
				demoteBottom();
			}
		}
		else {
			push(slot, newPlace(this.slots.hash(slot)), 0);
			this.queue.remove(slot);
			this.queue.addLast(slot);
		}
	}

	/** The bottom of a pruned stack is a LIR entry. */
	private void demoteBottom() {
		prune();
		int slot = this.lirs.pollLast();
		dropPlace((this.slots.mark(slot) & PLACE) - 1);
		this.slots.mark(slot, 0);
		this.queue.addLast(slot);
		prune();
	}

	private void prune() {
		while (this.bottom != NONE && !this.givingAway) {
			int slot = this.stack.get(this.bottom, SLOT);
			if (slot == NONE) {
				forget(this.bottom);
			}
			else if ((this.slots.mark(slot) & LIR) != 0) {
				return;
			}
			else {
				this.slots.mark(slot, 0);
				dropPlace(this.bottom);
			}
		}
	}

	@Override
	public void onRemove(int slot) {
		int mark = this.slots.mark(slot);
		int place = (mark & PLACE) - 1;
		if ((mark & LIR) != 0) {
			this.lirs.remove(slot);
		}
		else {
			this.queue.remove(slot);
		}
		if (place >= 0) {
			dropPlace(place);
			prune();
		}
	}

	@Override
	public int evict(int incoming) {
		if (this.queue.size() == 0) {
			demoteBottom();
		}
		int victim = this.queue.pollFirst();
		int place = (this.slots.mark(victim) & PLACE) - 1;
		if (place >= 0 && this.givingAway) {
			dropPlace(place);
		}
		else if (place >= 0) {
			remember(place);
		}
		return victim;
	}

	@Override
	public int pollHottest() {
		this.givingAway = true;
		int slot = (this.lirs.size() > 0) ? this.lirs.pollFirst() : this.queue.pollLast();
		if (slot != NONE) {
			int place = (this.slots.mark(slot) & PLACE) - 1;
			if (place >= 0) {
				dropPlace(place);
			}
		}
		return slot;
	}

	@Override
	public void adoptColder(int slot) {
		int place = take(this.slots.hash(slot));
		if (place != NONE) {
			dropPlace(place);
			prune();
		}
		if (this.lirs.size() < this.maxLirs) {
			int below = newPlace(this.slots.hash(slot));
			this.stack.set(below, SLOT, slot);
			this.slots.mark(slot, (below + 1) | LIR);
			linkBottom(below);
			this.lirs.addLast(slot);
		}
		else {
			this.slots.mark(slot, 0);
			this.queue.addFirst(slot);
		}
	}

	@Override
	public void resize(int capacity) {
		limits(capacity);
		while (this.lirs.size() > this.maxLirs) {
			demoteBottom();
		}
	}

	private int newPlace(int hash) {
		int place = this.free;
		if (place != NONE) {
			this.free = this.stack.get(place, NEXT);
		}
		else {
			place = this.used++;
			this.stack.ensure(place);
		}
		this.stack.set(place, HASH, hash);
		this.stack.set(place, SLOT, NONE);
		return place;
	}

	private void dropPlace(int place) {
		unlink(place);
		this.stack.set(place, NEXT, this.free);
		this.free = place;
	}

	private void linkTop(int place) {
		this.stack.set(place, PREVIOUS, NONE);
		this.stack.set(place, NEXT, this.top);
		if (this.top == NONE) {
			this.bottom = place;
		}
		else {
			this.stack.set(this.top, PREVIOUS, place);
		}
		this.top = place;
	}

	private void linkBottom(int place) {
		this.stack.set(place, NEXT, NONE);
		this.stack.set(place, PREVIOUS, this.bottom);
		if (this.bottom == NONE) {
			this.top = place;
		}
		else {
			this.stack.set(this.bottom, NEXT, place);
		}
		this.bottom = place;
	}

	private void unlink(int place) {
		int previous = this.stack.get(place, PREVIOUS);
		int next = this.stack.get(place, NEXT);
		if (previous == NONE) {
			this.top = next;
		}
		else {
			this.stack.set(previous, NEXT, next);
		}
		if (next == NONE) {
			this.bottom = previous;
		}
		else {
			this.stack.set(next, PREVIOUS, previous);
		}
	}

	/** Keeps the key of an entry that goes. */
	private void remember(int place) {
		int hash = this.stack.get(place, HASH);
		int twin = take(hash);
		if (twin != NONE) {
			dropPlace(twin);
		}
		this.stack.set(place, SLOT, NONE);
		this.stack.set(place, OLDER, this.newest);
		this.stack.set(place, NEWER, NONE);
		if (this.newest == NONE) {
			this.oldest = place;
		}
		else {
			this.stack.set(this.newest, NEWER, place);
		}
		this.newest = place;
		this.nonResidents++;
		this.index.add(place);
		if (this.nonResidents > this.maxNonResidents) {
			forget(this.oldest);
		}
		prune();
	}

	private void forget(int place) {
		take(this.stack.get(place, HASH));
		dropPlace(place);
	}

	/** Takes a key that has left out of the index, not off the stack. */
	private int take(int hash) {
		int place = this.index.remove(hash);
		if (place == NONE) {
			return NONE;
		}
		int older = this.stack.get(place, OLDER);
		int newer = this.stack.get(place, NEWER);
		if (older == NONE) {
			this.oldest = newer;
		}
		else {
			this.stack.set(older, NEWER, newer);
		}
		if (newer == NONE) {
			this.newest = older;
		}
		else {
			this.stack.set(newer, OLDER, older);
		}
		this.nonResidents--;
		return place;
	}

}
