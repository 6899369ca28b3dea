package io.github.vicinal.cache.policy;

import java.util.Arrays;

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

	private static final int STRIDE = 6;

	private final Slots slots;

	/** Resident HIR entries; the first goes next. */
	private final SlotList queue;

	private int[] stack;

	private int used;

	private int free = NONE;

	private int top = NONE;

	private int bottom = NONE;

	private int oldest = NONE;

	private int newest = NONE;

	private int nonResidents;

	private int lirs;

	private int maxLirs;

	private int maxNonResidents;

	/** Keys that have left by hash: place plus 1, linear probing. */
	private int[] index;

	LirsPolicy(Slots slots, int capacity) {
		this.slots = slots;
		this.queue = new SlotList(slots);
		this.stack = new int[64 * STRIDE];
		this.index = new int[64];
		limits(capacity);
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
			if (this.lirs > this.maxLirs) {
				demoteBottom();
			}
		}
		else if (this.lirs < this.maxLirs) {
			makeLir(slot, newPlace(this.slots.hash(slot)));
		}
		else {
			push(slot, newPlace(this.slots.hash(slot)), 0);
			this.queue.addLast(slot);
		}
	}

	private void makeLir(int slot, int place) {
		push(slot, place, LIR);
		this.lirs++;
	}

	private void push(int slot, int place, int kind) {
		this.stack[place * STRIDE + SLOT] = slot;
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
			prune();
		}
		else if (place >= 0) {
			this.queue.remove(slot);
			unlink(place);
			makeLir(slot, place);
			if (this.lirs > this.maxLirs) {
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
		int slot = this.stack[this.bottom * STRIDE + SLOT];
		dropPlace(this.bottom);
		this.slots.mark(slot, 0);
		this.lirs--;
		this.queue.addLast(slot);
		prune();
	}

	private void prune() {
		while (this.bottom != NONE) {
			int slot = this.stack[this.bottom * STRIDE + SLOT];
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
			this.lirs--;
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
		if (place >= 0) {
			remember(place);
		}
		return victim;
	}

	@Override
	public int pollHottest() {
		while (this.top != NONE) {
			int slot = this.stack[this.top * STRIDE + SLOT];
			if (slot == NONE) {
				forget(this.top);
			}
			else if ((this.slots.mark(slot) & LIR) == 0) {
				this.slots.mark(slot, 0);
				dropPlace(this.top);
			}
			else {
				this.lirs--;
				dropPlace(this.top);
				return slot;
			}
		}
		return this.queue.pollLast();
	}

	@Override
	public void adoptColder(int slot) {
		int place = take(this.slots.hash(slot));
		if (place != NONE) {
			dropPlace(place);
			prune();
		}
		if (this.lirs < this.maxLirs) {
			int below = newPlace(this.slots.hash(slot));
			this.stack[below * STRIDE + SLOT] = slot;
			this.slots.mark(slot, (below + 1) | LIR);
			linkBottom(below);
			this.lirs++;
		}
		else {
			this.slots.mark(slot, 0);
			this.queue.addFirst(slot);
		}
	}

	@Override
	public void resize(int capacity) {
		limits(capacity);
		while (this.lirs > this.maxLirs) {
			demoteBottom();
		}
	}

	private int newPlace(int hash) {
		int place = this.free;
		if (place != NONE) {
			this.free = this.stack[place * STRIDE + NEXT];
		}
		else {
			place = this.used++;
			if (this.used * STRIDE > this.stack.length) {
				this.stack = Arrays.copyOf(this.stack, (place + (place >> 1) + 1) * STRIDE);
			}
		}
		this.stack[place * STRIDE + HASH] = hash;
		this.stack[place * STRIDE + SLOT] = NONE;
		return place;
	}

	private void dropPlace(int place) {
		unlink(place);
		this.stack[place * STRIDE + NEXT] = this.free;
		this.free = place;
	}

	private void linkTop(int place) {
		this.stack[place * STRIDE + PREVIOUS] = NONE;
		this.stack[place * STRIDE + NEXT] = this.top;
		if (this.top == NONE) {
			this.bottom = place;
		}
		else {
			this.stack[this.top * STRIDE + PREVIOUS] = place;
		}
		this.top = place;
	}

	private void linkBottom(int place) {
		this.stack[place * STRIDE + NEXT] = NONE;
		this.stack[place * STRIDE + PREVIOUS] = this.bottom;
		if (this.bottom == NONE) {
			this.top = place;
		}
		else {
			this.stack[this.bottom * STRIDE + NEXT] = place;
		}
		this.bottom = place;
	}

	private void unlink(int place) {
		int previous = this.stack[place * STRIDE + PREVIOUS];
		int next = this.stack[place * STRIDE + NEXT];
		if (previous == NONE) {
			this.top = next;
		}
		else {
			this.stack[previous * STRIDE + NEXT] = next;
		}
		if (next == NONE) {
			this.bottom = previous;
		}
		else {
			this.stack[next * STRIDE + PREVIOUS] = previous;
		}
	}

	/** Keeps the key of an entry that goes. */
	private void remember(int place) {
		int hash = this.stack[place * STRIDE + HASH];
		int twin = take(hash);
		if (twin != NONE) {
			dropPlace(twin);
		}
		this.stack[place * STRIDE + SLOT] = NONE;
		this.stack[place * STRIDE + OLDER] = this.newest;
		this.stack[place * STRIDE + NEWER] = NONE;
		if (this.newest == NONE) {
			this.oldest = place;
		}
		else {
			this.stack[this.newest * STRIDE + NEWER] = place;
		}
		this.newest = place;
		this.nonResidents++;
		if (this.nonResidents * 2 > this.index.length) {
			rehash();
		}
		else {
			enter(place);
		}
		if (this.nonResidents > this.maxNonResidents) {
			forget(this.oldest);
		}
		prune();
	}

	private void forget(int place) {
		take(this.stack[place * STRIDE + HASH]);
		dropPlace(place);
	}

	/** Takes a key that has left out of the index, not off the stack. */
	private int take(int hash) {
		int mask = this.index.length - 1;
		int at = home(hash, mask);
		while (this.index[at] != 0 && this.stack[(this.index[at] - 1) * STRIDE + HASH] != hash) {
			at = (at + 1) & mask;
		}
		if (this.index[at] == 0) {
			return NONE;
		}
		int place = this.index[at] - 1;
		int hole = at;
		for (int i = (hole + 1) & mask; this.index[i] != 0; i = (i + 1) & mask) {
			int wanted = home(this.stack[(this.index[i] - 1) * STRIDE + HASH], mask);
			if (((i - wanted) & mask) >= ((i - hole) & mask)) {
				this.index[hole] = this.index[i];
				hole = i;
			}
		}
		this.index[hole] = 0;
		int older = this.stack[place * STRIDE + OLDER];
		int newer = this.stack[place * STRIDE + NEWER];
		if (older == NONE) {
			this.oldest = newer;
		}
		else {
			this.stack[older * STRIDE + NEWER] = newer;
		}
		if (newer == NONE) {
			this.newest = older;
		}
		else {
			this.stack[newer * STRIDE + OLDER] = older;
		}
		this.nonResidents--;
		return place;
	}

	private static int home(int hash, int mask) {
		return (hash * 0x9E3779B9 >>> 7) & mask;
	}

	private void enter(int place) {
		int mask = this.index.length - 1;
		int at = home(this.stack[place * STRIDE + HASH], mask);
		while (this.index[at] != 0) {
			at = (at + 1) & mask;
		}
		this.index[at] = place + 1;
	}

	private void rehash() {
		this.index = new int[this.index.length * 2];
		for (int place = this.oldest; place != NONE; place = this.stack[place * STRIDE + NEWER]) {
			enter(place);
		}
	}

}
