package io.github.vicinal.cache.policy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The policies as a textbook describes them: slow, short, on plain collections of keys.
 * What the policies of this module are compared with.
 */
public abstract class Textbook {

	final int capacity;

	Textbook(int capacity) {
		this.capacity = capacity;
	}

	/**
	 * Uses a key, which comes in if it is not there.
	 * @param key a key
	 * @return whether it was there
	 */
	public abstract boolean use(int key);

	/**
	 * Removes a key if it is there.
	 * @param key a key
	 */
	public abstract void remove(int key);

	/**
	 * Returns what is there.
	 * @return the keys
	 */
	public abstract Set<Integer> keys();

	/**
	 * Makes a policy by its name.
	 * @param name as in {@code CachePolicy}
	 * @param capacity entries
	 * @return an empty cache
	 */
	public static Textbook of(String name, int capacity) {
		return switch (name) {
			case "LRU" -> new Recency(capacity, true, false);
			case "MRU" -> new Recency(capacity, true, true);
			case "FIFO" -> new Recency(capacity, false, false);
			case "SLRU" -> new Segmented(capacity);
			case "LFU" -> new Frequency(capacity, false);
			case "LFU_HISTORY" -> new Frequency(capacity, true);
			case "S3_FIFO" -> new ThreeQueues(capacity);
			case "LIRS" -> new InterReference(capacity);
			default -> throw new IllegalArgumentException(name);
		};
	}

	/** The first key is the oldest. */
	private static final class Recency extends Textbook {

		private final List<Integer> order = new ArrayList<>();

		private final boolean moveOnHit;

		private final boolean evictNewest;

		Recency(int capacity, boolean moveOnHit, boolean evictNewest) {
			super(capacity);
			this.moveOnHit = moveOnHit;
			this.evictNewest = evictNewest;
		}

		@Override
		public boolean use(int key) {
			if (this.order.contains(key)) {
				if (this.moveOnHit) {
					this.order.remove((Integer) key);
					this.order.add(key);
				}
				return true;
			}
			if (this.order.size() == this.capacity) {
				this.order.remove(this.evictNewest ? this.order.size() - 1 : 0);
			}
			this.order.add(key);
			return false;
		}

		@Override
		public void remove(int key) {
			this.order.remove((Integer) key);
		}

		@Override
		public Set<Integer> keys() {
			return Set.copyOf(this.order);
		}

	}

	/** Keys with their counts, and when each was used last. */
	private static final class Frequency extends Textbook {

		private final Map<Integer, Integer> counts = new HashMap<>();

		private final Map<Integer, Long> lastUse = new HashMap<>();

		private final Map<Integer, Integer> history = new HashMap<>();

		private final Map<Integer, Long> evictedAt = new HashMap<>();

		private final boolean remembers;

		private long time;

		private long evictions;

		Frequency(int capacity, boolean remembers) {
			super(capacity);
			this.remembers = remembers;
		}

		@Override
		public boolean use(int key) {
			this.time++;
			boolean hit = this.counts.containsKey(key);
			if (!hit && this.counts.size() == this.capacity) {
				int victim = this.counts.keySet()
					.stream()
					.min((a, b) -> this.counts.get(a).equals(this.counts.get(b))
							? Long.compare(this.lastUse.get(a), this.lastUse.get(b))
							: this.counts.get(a) - this.counts.get(b))
					.orElseThrow();
				this.history.put(victim, this.counts.remove(victim));
				this.evictedAt.put(victim, ++this.evictions);
			}
			int before = hit ? this.counts.get(key) : this.remembers ? remembered(key) : 0;
			this.counts.put(key, before + 1);
			this.lastUse.put(key, this.time);
			return hit;
		}

		/** The counts of the last evictions are known. */
		private int remembered(int key) {
			Long evicted = this.evictedAt.remove(key);
			int length = Math.max(Math.min(16 * this.capacity, 8192), 4 * this.capacity);
			return (evicted != null && evicted > this.evictions - length) ? this.history.get(key) : 0;
		}

		@Override
		public void remove(int key) {
			this.counts.remove(key);
		}

		@Override
		public Set<Integer> keys() {
			return this.counts.keySet();
		}

	}

	/** Both segments begin with the most recent key. */
	private static final class Segmented extends Textbook {

		private final ArrayDeque<Integer> probation = new ArrayDeque<>();

		private final ArrayDeque<Integer> protectedKeys = new ArrayDeque<>();

		Segmented(int capacity) {
			super(capacity);
		}

		@Override
		public boolean use(int key) {
			if (this.protectedKeys.remove(key)) {
				this.protectedKeys.addFirst(key);
				return true;
			}
			if (this.probation.remove(key)) {
				this.protectedKeys.addFirst(key);
				if (this.protectedKeys.size() > (int) (0.8 * this.capacity)) {
					this.probation.addFirst(this.protectedKeys.removeLast());
				}
				return true;
			}
			if (this.probation.size() + this.protectedKeys.size() == this.capacity) {
				if (!this.probation.isEmpty()) {
					this.probation.removeLast();
				}
				else {
					this.protectedKeys.removeLast();
				}
			}
			this.probation.addFirst(key);
			return false;
		}

		@Override
		public void remove(int key) {
			this.probation.remove(key);
			this.protectedKeys.remove(key);
		}

		@Override
		public Set<Integer> keys() {
			Set<Integer> keys = new LinkedHashSet<>(this.probation);
			keys.addAll(this.protectedKeys);
			return keys;
		}

	}

	/** S3-FIFO: queues begin with the newest key; the counts are in the maps. */
	private static final class ThreeQueues extends Textbook {

		private final ArrayDeque<Integer> small = new ArrayDeque<>();

		private final ArrayDeque<Integer> main = new ArrayDeque<>();

		private final Map<Integer, Integer> uses = new HashMap<>();

		/** Keys that left the small queue, and as the how-manieth. */
		private final Map<Integer, Long> ghosts = new HashMap<>();

		private long left;

		private final int maxSmall;

		ThreeQueues(int capacity) {
			super(capacity);
			this.maxSmall = Math.max(1, (int) (0.1 * capacity));
		}

		@Override
		public boolean use(int key) {
			if (this.uses.containsKey(key)) {
				this.uses.merge(key, 1, (old, one) -> Math.min(3, old + one));
				return true;
			}
			if (this.uses.size() == this.capacity) {
				evict();
			}
			this.uses.put(key, 0);
			Long ghost = this.ghosts.remove(key);
			if (ghost != null && ghost > this.left - Math.max(1, this.capacity - this.maxSmall)) {
				this.main.addFirst(key);
			}
			else {
				this.small.addFirst(key);
			}
			return false;
		}

		private void evict() {
			while (true) {
				if (!this.small.isEmpty() && (this.small.size() >= this.maxSmall || this.main.isEmpty())) {
					int key = this.small.removeLast();
					if (this.uses.get(key) > 1) {
						this.uses.put(key, 0);
						this.main.addFirst(key);
					}
					else {
						this.uses.remove(key);
						this.ghosts.put(key, ++this.left);
						return;
					}
				}
				else {
					int key = this.main.removeLast();
					if (this.uses.get(key) == 0) {
						this.uses.remove(key);
						return;
					}
					this.uses.merge(key, -1, Integer::sum);
					this.main.addFirst(key);
				}
			}
		}

		@Override
		public void remove(int key) {
			if (this.uses.remove(key) != null) {
				this.small.remove(key);
				this.main.remove(key);
			}
		}

		@Override
		public Set<Integer> keys() {
			return this.uses.keySet();
		}

	}

	/** LIRS: the stack's last key is the most recent; the queue's first goes next. */
	private static final class InterReference extends Textbook {

		/** Whether each key on the stack is LIR, and resident otherwise or not. */
		private final LinkedHashMap<Integer, Kind> stack = new LinkedHashMap<>();

		private final LinkedHashSet<Integer> queue = new LinkedHashSet<>();

		private final LinkedHashSet<Integer> gone = new LinkedHashSet<>();

		private final int maxLirs;

		private enum Kind {

			LIR, RESIDENT, GONE

		}

		InterReference(int capacity) {
			super(capacity);
			this.maxLirs = Math.max(1, capacity - Math.max(1, (int) (0.01 * capacity)));
		}

		private long lirs() {
			return this.stack.values().stream().filter((kind) -> kind == Kind.LIR).count();
		}

		private void toTop(int key, Kind kind) {
			this.stack.remove(key);
			this.stack.put(key, kind);
			if (kind != Kind.GONE) {
				this.gone.remove(key);
			}
		}

		private void prune() {
			while (!this.stack.isEmpty() && this.stack.entrySet().iterator().next().getValue() != Kind.LIR) {
				int bottom = this.stack.keySet().iterator().next();
				this.stack.remove(bottom);
				this.gone.remove(bottom);
			}
		}

		private void demote() {
			prune();
			int bottom = this.stack.keySet().iterator().next();
			this.stack.remove(bottom);
			this.queue.add(bottom);
			prune();
		}

		@Override
		public boolean use(int key) {
			Kind kind = this.stack.get(key);
			if (kind == Kind.LIR) {
				toTop(key, Kind.LIR);
				prune();
				return true;
			}
			if (this.queue.contains(key)) {
				this.queue.remove(key);
				if (kind != null) {
					toTop(key, Kind.LIR);
					if (lirs() > this.maxLirs) {
						demote();
					}
				}
				else {
					toTop(key, Kind.RESIDENT);
					this.queue.add(key);
				}
				return true;
			}
			if (lirs() + this.queue.size() == this.capacity) {
				evict();
			}
			kind = this.stack.get(key);
			if (kind == Kind.GONE) {
				toTop(key, Kind.LIR);
				if (lirs() > this.maxLirs) {
					demote();
				}
			}
			else if (lirs() < this.maxLirs) {
				toTop(key, Kind.LIR);
			}
			else {
				toTop(key, Kind.RESIDENT);
				this.queue.add(key);
			}
			return false;
		}

		private void evict() {
			if (this.queue.isEmpty()) {
				demote();
			}
			int victim = this.queue.iterator().next();
			this.queue.remove(victim);
			if (this.stack.containsKey(victim)) {
				this.stack.put(victim, Kind.GONE);
				this.gone.add(victim);
				if (this.gone.size() > 2 * this.capacity) {
					int oldest = this.gone.iterator().next();
					this.gone.remove(oldest);
					this.stack.remove(oldest);
				}
				prune();
			}
		}

		@Override
		public void remove(int key) {
			Kind kind = this.stack.get(key);
			if (kind == Kind.LIR || this.queue.contains(key)) {
				this.queue.remove(key);
				this.stack.remove(key);
				prune();
			}
		}

		@Override
		public Set<Integer> keys() {
			Set<Integer> keys = new LinkedHashSet<>(this.queue);
			this.stack.forEach((key, kind) -> {
				if (kind == Kind.LIR) {
					keys.add(key);
				}
			});
			return keys;
		}

	}

}
