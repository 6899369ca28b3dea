package io.github.vicinal.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.cache.policy.FrequencySketch;
import org.jspecify.annotations.Nullable;

/**
 * Entries in sets of a few ways each: a key can only be in the set that its hash names,
 * and competes with the others of that set alone. One array of immutable nodes; look-ups,
 * updates and removals change one element and never wait. Beside it six bits of each
 * key's hash, its tag, eight to a word: a look-up compares the tags of a set at once, and
 * sees one node at most in most cases. A tag is written after its node, and is kept when
 * the node is removed, since it is only a hint.
 * <p>
 * Inserts into one group (a set, or as many sets as have eight ways together) exclude
 * each other, so that a key is never there twice. Of the 16 bits that tags leave free in
 * the group's first word, one is a lock, held for the few instructions of an insert, and
 * 15 are the version: how many inserts there were, modulo 32,768. An insert takes the
 * lock only if the word is as it was before its look-up. So that the version cannot come
 * round between the two, neither a clock nor an expiry is asked there; of the user's
 * code, only {@code equals} of keys with the same tag runs. Memory per entry beyond key
 * and value: 24 bytes for the node, 5 for its place, and a byte per place for stamps or
 * per set for tree bits; 16 more with time.
 * <p>
 * Replacement within a set is LRU by stamps, a byte for each place, which are written
 * only if they differ: time goes on by inserts, up to four steps for each insert that a
 * set sees on average. Or tree pseudo-LRU: a bit per inner node of a binary tree over the
 * ways points to the half that was not used last; with two ways that is LRU. With
 * admission, a new key displaces the one with the fewest uses only if it was asked for
 * more often: misses are counted by a {@link FrequencySketch}, hits by place. Stamps,
 * bits and uses are beside the nodes, so that the choice of a victim follows no
 * reference; they are written without synchronization, and a lost write only means a less
 * exact choice.
 * <p>
 * Source: R. Adas, G. Einziger, R. Friedman, Limited associativity caching in the data
 * plane (2022), section 3; PLRU: H. Al-Zoubi, A. Milenkovic, M. Milenkovic, Performance
 * evaluation of cache replacement policies for the SPEC CPU2000 benchmark suite (2004),
 * section 2.
 */
final class SetStore<K, V> extends Store<K, V> {

	private static final VarHandle NODE = MethodHandles.arrayElementVarHandle(Object[].class);

	private static final VarHandle DEADLINE;

	static {
		try {
			DEADLINE = MethodHandles.lookup().findVarHandle(TimedNode.class, "deadline", long.class);
		}
		catch (ReflectiveOperationException ex) {
			throw new ExceptionInInitializerError(ex);
		}
	}

	private static final VarHandle TAGS = MethodHandles.arrayElementVarHandle(long[].class);

	/** Tags in a word. */
	private static final int TAGS_PER_WORD = 8;

	private static final long EACH = 0x0101010101010101L;

	private static final long HIGH = 0x8080808080808080L;

	/** The bits of a tag. */
	private static final int TAG = 0x3F;

	private static final long ALL_TAGS = TAG * EACH;

	/** Somebody inserts. */
	static final long LOCK = 0x40L;

	/** Number of inserts in the remaining bits. */
	static final long VERSION = ~ALL_TAGS ^ LOCK;

	private static final long VERSION_ONE = 0x80L;

	/** Interval, in inserts into a group, at which one is counted for all of them. */
	private static final int INSERTS_SAMPLE = 8;

	private static final int SPREAD = 0x9E3779B1;

	/** Steps of fewer inserts are counted exactly. */
	static final int LEAST_SAMPLED_STEP = 16 * INSERTS_SAMPLE;

	/** The largest number of uses. */
	private static final int USES = 0xF;

	/** Stamps are modulo 256. */
	private static final int STAMP = 0xFF;

	private static final int STEPS_PER_TURN = 4;

	/**
	 * Steps in which a set is replaced on average: four times less than stamps have, so
	 * that they are hardly ever confused.
	 */
	private static final int STEPS_PER_LIFE = 64;

	/** A challenge ages the victim if this bit of the challenger's hash is 0. */
	private static final int AGING = 1;

	private static final int SPINS = 64;

	private final CacheBuilder<K, V> builder;

	private final Removals<K, V> removals;

	private final Deadlines<K, V> deadlines;

	private final boolean timed;

	private final int seed;

	private final int ways;

	private final int sets;

	private final @Nullable Object[] table;

	private final long[] tags;

	/** The tags of one set within a word. */
	private final long tagMask;

	private final int wayShift;

	/** Time of the last use of each place, or null if there are tree bits. */
	private final byte @Nullable [] stamps;

	/** Recent uses of the entry in each place; only with admission. */
	private final byte @Nullable [] uses;

	/** The tree bits of each set. */
	private final byte @Nullable [] trees;

	private final int[] pathBits;

	private final int[] awayBits;

	private final @Nullable FrequencySketch sketch;

	private final LongAdder size = new LongAdder();

	/** Inserts per step of time. */
	private final int step;

	private final Inserts inserts = new Inserts();

	/** The stamp of now. */
	private int time;

	private int sweepAt;

	/**
	 * Fields before and after keep the count, which all inserts change, off other lines.
	 */
	@SuppressWarnings("unused")
	private static class Front {

		private long p1;

		private long p2;

		private long p3;

		private long p4;

		private long p5;

		private long p6;

		private long p7;

	}

	private static class Count extends Front {

		/** Racy on purpose: a lost insert makes time go a little slower. */
		int count;

	}

	@SuppressWarnings("unused")
	private static final class Inserts extends Count {

		private long q1;

		private long q2;

		private long q3;

		private long q4;

		private long q5;

		private long q6;

		private long q7;

	}

	private static class Node<K, V> {

		final K key;

		final V value;

		Node(K key, V value) {
			this.key = key;
			this.value = value;
		}

	}

	private static final class TimedNode<K, V> extends Node<K, V> {

		final long written;

		volatile long deadline;

		TimedNode(K key, V value, long written, long deadline) {
			super(key, value);
			this.written = written;
			this.deadline = deadline;
		}

	}

	SetStore(CacheBuilder<K, V> builder, Removals<K, V> removals, int seed) {
		this.builder = builder;
		this.removals = removals;
		this.deadlines = new Deadlines<>(builder);
		this.timed = Deadlines.needed(builder);
		this.seed = seed;
		this.ways = builder.policy().ways();
		this.sets = (int) Math.max(1, (builder.maximum() + this.ways - 1) / this.ways);
		this.table = new Object[(builder.maximum() == 0) ? 0 : this.sets * this.ways];
		this.tags = new long[(this.table.length + TAGS_PER_WORD - 1) / TAGS_PER_WORD];
		this.tagMask = (this.ways >= TAGS_PER_WORD) ? -1L : (1L << (this.ways * Byte.SIZE)) - 1;
		this.wayShift = Integer.numberOfTrailingZeros(this.ways);
		boolean admits = builder.policy().admits();
		boolean tree = builder.policy().equals(CachePolicy.PLRU) || (this.ways == 2 && !admits);
		this.pathBits = tree ? paths(this.ways, false) : new int[0];
		this.awayBits = tree ? paths(this.ways, true) : new int[0];
		this.trees = tree ? new byte[this.sets] : null;
		this.stamps = tree ? null : new byte[this.table.length];
		this.uses = admits ? new byte[this.table.length] : null;
		this.sketch = admits ? new FrequencySketch(this.sets * this.ways, 10) : null;
		this.step = Math.max(1, this.sets / Math.max(1, Math.min(STEPS_PER_TURN, STEPS_PER_LIFE / this.ways)));
	}

	int hash(K key) {
		long mixed = (key.hashCode() ^ this.seed) * 0x9E3779B97F4A7C15L;
		mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
		return (int) (mixed >>> 32);
	}

	/** The upper bits of a product choose the set: any number of sets will do. */
	int set(int hash) {
		return (int) (((hash & 0xFFFFFFFFL) * this.sets) >>> 32);
	}

	@SuppressWarnings("unchecked")
	private static <K, V> Node<K, V> cast(Object node) {
		return (Node<K, V>) node;
	}

	@SuppressWarnings("unchecked")
	private @Nullable Node<K, V> node(int at) {
		return (Node<K, V>) NODE.getAcquire(this.table, at);
	}

	private long now() {
		return this.timed ? this.deadlines.now() : 0;
	}

	private boolean expired(Node<K, V> node, long now) {
		return this.timed && ((TimedNode<K, V>) node).deadline <= now;
	}

	/**
	 * Returns where tags of a set are those of a hash: the highest bit of each byte that
	 * is.
	 * @param at the place whose word it is
	 */
	private long candidates(int hash, int at) {
		long word = (long) TAGS.getAcquire(this.tags, at >> 3);
		long different = (word ^ ((hash & TAG) * EACH)) & ALL_TAGS;
		// No sum of a byte is more than 0xBE, so none is carried into the next one.
		long equal = ~(different + ~HIGH) & HIGH;
		return equal & (this.tagMask << (at << 3));
	}

	/** Returns the number of inserts per step of time, the resolution of stamps. */
	int step() {
		return this.step;
	}

	/** Returns where a key is, or -1. */
	private int find(K key, int hash) {
		int end = Math.min((set(hash) + 1) * this.ways, this.table.length);
		for (int first = end - this.ways; first < end && first >= 0; first += TAGS_PER_WORD) {
			long candidates = candidates(hash, first);
			while (candidates != 0) {
				int at = (first & -TAGS_PER_WORD) + (Long.numberOfTrailingZeros(candidates) >>> 3);
				Node<K, V> node = node(at);
				if (node != null && (node.key == key || node.key.equals(key))) {
					return at;
				}
				candidates &= candidates - 1;
			}
		}
		return -1;
	}

	@Override
	@Nullable V get(K key) {
		int hash = hash(key);
		int end = Math.min((set(hash) + 1) * this.ways, this.table.length);
		for (int first = end - this.ways; first < end && first >= 0; first += TAGS_PER_WORD) {
			long candidates = candidates(hash, first);
			while (candidates != 0) {
				int at = (first & -TAGS_PER_WORD) + (Long.numberOfTrailingZeros(candidates) >>> 3);
				Node<K, V> node = node(at);
				if (node != null && (node.key == key || node.key.equals(key))) {
					if (this.timed && !touch(node, at)) {
						return null;
					}
					onHit(at);
					return node.value;
				}
				candidates &= candidates - 1;
			}
		}
		return null;
	}

	private void onHit(int at) {
		byte[] all = this.stamps;
		if (all == null) {
			point(at);
			return;
		}
		byte now = (byte) this.time;
		if (all[at] != now) {
			all[at] = now;
		}
		byte[] counts = this.uses;
		if (counts != null && counts[at] < USES) {
			counts[at]++;
		}
	}

	/** Makes the tree point away from a way. */
	private void point(int at) {
		byte[] bits = this.trees;
		if (bits == null) {
			return;
		}
		int set = at >> this.wayShift;
		int way = at & (this.ways - 1);
		byte tree = bits[set];
		byte changed = (byte) ((tree & ~this.pathBits[way]) | this.awayBits[way]);
		if (changed != tree) {
			bits[set] = changed;
		}
	}

	/** The bits of the inner nodes on the path to each way, those set that must be. */
	private static int[] paths(int ways, boolean away) {
		int[] paths = new int[ways];
		for (int way = 0; way < ways; way++) {
			int inner = 1;
			for (int half = ways >> 1; half > 0; half >>= 1) {
				int upper = ((way & half) != 0) ? 1 : 0;
				paths[way] |= (away ? 1 - upper : 1) << inner;
				inner = 2 * inner + upper;
			}
		}
		return paths;
	}

	private int pointedWay(byte[] bits, int set) {
		int tree = bits[set];
		int inner = 1;
		int way = 0;
		for (int half = this.ways >> 1; half > 0; half >>= 1) {
			int upper = (tree >>> inner) & 1;
			way += upper * half;
			inner = 2 * inner + upper;
		}
		return way;
	}

	private boolean touch(Node<K, V> node, int at) {
		TimedNode<K, V> it = (TimedNode<K, V>) node;
		while (true) {
			long now = now();
			long deadline = it.deadline;
			if (deadline <= now) {
				take(at, node, RemovalCause.EXPIRED);
				return false;
			}
			if (!this.deadlines.changeOnRead()) {
				return true;
			}
			long changed = this.deadlines.afterRead(it.key, it.value, now, it.written, deadline);
			// A read that took long to decide must not undo another: it decides anew.
			if (changed == deadline || DEADLINE.compareAndSet(it, deadline, changed) || !this.deadlines.areDecided()) {
				return true;
			}
		}
	}

	private boolean take(int at, Node<K, V> node, RemovalCause cause) {
		if (!NODE.compareAndSet(this.table, at, node, null)) {
			return false;
		}
		this.size.decrement();
		this.removals.add(node.key, node.value, 1, cause);
		return true;
	}

	@Override
	@Nullable V peek(K key) {
		int at = find(key, hash(key));
		Node<K, V> node = (at >= 0) ? node(at) : null;
		return (node == null || !node.key.equals(key) || expired(node, now())) ? null : node.value;
	}

	@Override
	long age(K key) {
		int at = find(key, hash(key));
		Node<K, V> node = (at >= 0) ? node(at) : null;
		return (node instanceof TimedNode<?, ?> it) ? now() - it.written : 0;
	}

	/**
	 * Makes the node for a value.
	 * @param asked the key; the one of the node that is replaced is kept, since only that
	 * one is known to be nobody else's
	 */
	private Node<K, V> newNode(K asked, V value, @Nullable Node<K, V> old, long now) {
		K key = (old != null) ? old.key : asked;
		if (!this.timed) {
			return new Node<>(key, value);
		}
		long deadline = (old == null) ? this.deadlines.afterCreate(key, value, now)
				: this.deadlines.afterUpdate(key, value, now, ((TimedNode<K, V>) old).deadline);
		return new TimedNode<>(key, value, now, deadline);
	}

	@Override
	@Nullable V put(K key, V value) {
		return write(key, value, false, null);
	}

	@Override
	@Nullable V putIfAbsent(K key, V value) {
		return write(key, value, true, null);
	}

	@Override
	boolean add(K key, V value, Flight<K, V> flight) {
		return write(key, value, true, flight) == null;
	}

	/**
	 * Returns the value that was there, or the one that a displaced flight did not store.
	 */
	private @Nullable V write(K key, V value, boolean onlyIfAbsent, @Nullable Flight<K, V> flight) {
		int hash = hash(key);
		int set = set(hash);
		if (this.table.length == 0) {
			this.removals.add(key, value, 1, RemovalCause.SIZE);
			return null;
		}
		Node<K, V> added = null;
		while (true) {
			long now = now();
			long word = groupWord(set);
			int at = find(key, hash);
			Node<K, V> old = (at >= 0) ? node(at) : null;
			if (old != null && old.key.equals(key)) {
				if (expired(old, now)) {
					take(at, old, RemovalCause.EXPIRED);
				}
				else if (onlyIfAbsent) {
					onHit(at);
					return old.value;
				}
				else if (update(at, old, newNode(key, value, old, now))) {
					return old.value;
				}
				continue;
			}
			if (at >= 0) {
				continue;
			}
			if (added == null) {
				added = newNode(key, value, null, now);
				if (this.sketch != null) {
					this.sketch.add(hash);
				}
				if (this.builder.expiry() != null) {
					// It was asked, and may have taken any time: the word is old.
					continue;
				}
			}
			if (flight != null && !flight.beginStoring()) {
				return value;
			}
			if (insert(added, hash, set, word, now)) {
				return null;
			}
		}
	}

	private boolean update(int at, Node<K, V> old, Node<K, V> node) {
		if (!NODE.compareAndSet(this.table, at, old, node)) {
			return false;
		}
		if (old.value != node.value) {
			this.removals.add(old.key, old.value, 1, RemovalCause.REPLACED);
		}
		onHit(at);
		return true;
	}

	/**
	 * Puts a node into a set in which its key was not.
	 * @param word the group's word before that was seen
	 * @param now the time before that
	 * @return false if somebody else inserted since, or changed the place
	 */
	private boolean insert(Node<K, V> node, int hash, int set, long word, long now) {
		int at = victim(set, now);
		// Read only if necessary, because an entry that was not used for long is in no
		// cache of the processor.
		Object victim = NODE.getAcquire(this.table, at);
		boolean dead = this.timed && victim != null && expired(cast(victim), now);
		if (victim != null && !dead && refuses(at, hash)) {
			this.removals.add(node.key, node.value, 1, RemovalCause.SIZE);
			return true;
		}
		int group = group(set);
		if ((word & LOCK) != 0 || !TAGS.compareAndSet(this.tags, group, word, word | LOCK)) {
			pause(set);
			return false;
		}
		boolean done = NODE.compareAndSet(this.table, at, victim, node);
		long version = nextVersion(word);
		TAGS.setRelease(this.tags, group, version | ((done ? tagged(word, group, at, hash) : word) & ALL_TAGS));
		if (!done) {
			return false;
		}
		if (victim == null) {
			this.size.increment();
		}
		else if (this.removals.areReported()) {
			Node<K, V> gone = cast(victim);
			this.removals.add(gone.key, gone.value, 1, dead ? RemovalCause.EXPIRED : RemovalCause.SIZE);
		}
		settle(at, hash);
		advance(version, group);
		if (this.timed) {
			sweep(now);
		}
		return true;
	}

	/**
	 * Returns the version after that of a word. All bits between those of the version are
	 * set for the sum, so that they hand on what is carried.
	 */
	static long nextVersion(long word) {
		return ((word | ~VERSION) + VERSION_ONE) & VERSION;
	}

	/** Returns the index of a group's first word. */
	private int group(int set) {
		return set << this.wayShift >> 3;
	}

	private long groupWord(int set) {
		return (long) TAGS.getVolatile(this.tags, group(set));
	}

	/**
	 * Returns a group's first word with a new tag, or the word itself, if the tag is in
	 * another one, which nobody else writes meanwhile.
	 */
	private long tagged(long word, int group, int at, int hash) {
		int index = at >> 3;
		long tag = (long) (hash & TAG) << (at << 3);
		long others = ~((long) TAG << (at << 3));
		if (index == group) {
			return (word & others) | tag;
		}
		TAGS.setRelease(this.tags, index, (this.tags[index] & others) | tag);
		return word;
	}

	private void pause(int set) {
		for (int i = 0; (groupWord(set) & LOCK) != 0; i++) {
			if (i < SPINS) {
				Thread.onSpinWait();
			}
			else {
				Thread.yield();
			}
		}
	}

	/**
	 * The count is on a cache line that all threads write to, so it is left alone mostly.
	 */
	private void advance(long version, int group) {
		boolean sampled = this.step >= LEAST_SAMPLED_STEP;
		// Groups start alike, and must not all be counted at the same time.
		if (sampled && low(version) != (group * SPREAD) >>> (Integer.SIZE - 3)) {
			return;
		}
		int count = this.inserts.count + (sampled ? INSERTS_SAMPLE : 1);
		if (count >= this.step) {
			this.inserts.count = 0;
			this.time = (this.time + 1) & STAMP;
		}
		else {
			this.inserts.count = count;
		}
	}

	/** Returns the version modulo {@link #INSERTS_SAMPLE}. */
	static int low(long version) {
		return (int) (((version >>> 7) & 1) | ((version >>> 13) & 6));
	}

	/** Notes that the entry of a place is new. */
	private void settle(int at, int hash) {
		byte[] all = this.stamps;
		if (all == null) {
			point(at);
			return;
		}
		all[at] = (byte) this.time;
		if (this.uses != null && this.sketch != null) {
			this.uses[at] = (byte) this.sketch.estimate(hash);
		}
	}

	/** An empty way, else one that has expired, else the one that the policy gives up. */
	private int victim(int set, long now) {
		int base = set * this.ways;
		for (int at = base; at < base + this.ways; at++) {
			if (NODE.getAcquire(this.table, at) == null) {
				return at;
			}
		}
		if (this.timed) {
			for (int at = base; at < base + this.ways; at++) {
				Node<K, V> node = node(at);
				if (node == null || expired(node, now)) {
					return at;
				}
			}
		}
		byte[] all = this.stamps;
		if (all == null) {
			return base + ((this.trees != null) ? pointedWay(this.trees, set) : 0);
		}
		int oldest = base;
		int highestAge = Integer.MIN_VALUE;
		for (int at = base; at < base + this.ways; at++) {
			int age = (this.time - all[at]) & STAMP;
			if (this.uses != null) {
				// The fewest uses first, the age decides among equals.
				age -= this.uses[at] << Byte.SIZE;
			}
			if (age > highestAge) {
				highestAge = age;
				oldest = at;
			}
		}
		return oldest;
	}

	/**
	 * Every other challenge costs a victim that survives one of its uses: so they age.
	 */
	private boolean refuses(int at, int hash) {
		if (this.sketch == null || this.uses == null) {
			return false;
		}
		byte count = this.uses[at];
		if (this.sketch.estimate(hash) > count) {
			return false;
		}
		if (count > 0 && (hash & AGING) == 0) {
			this.uses[at] = (byte) (count - 1);
		}
		return true;
	}

	/** Looks at one place for what has expired. */
	private void sweep(long now) {
		int at = this.sweepAt + 1;
		if (at >= this.table.length) {
			at = 0;
		}
		this.sweepAt = at;
		Node<K, V> node = node(at);
		if (node != null && expired(node, now)) {
			take(at, node, RemovalCause.EXPIRED);
		}
	}

	@Override
	@Nullable V replace(K key, V value) {
		int hash = hash(key);
		while (true) {
			int at = find(key, hash);
			Node<K, V> old = (at >= 0) ? node(at) : null;
			if (at < 0) {
				return null;
			}
			if (old == null || !old.key.equals(key)) {
				continue;
			}
			long now = now();
			if (expired(old, now)) {
				take(at, old, RemovalCause.EXPIRED);
				return null;
			}
			if (update(at, old, newNode(key, value, old, now))) {
				return old.value;
			}
		}
	}

	@Override
	boolean replace(K key, V expected, V value, @Nullable Flight<K, V> flight) {
		int hash = hash(key);
		while (true) {
			int at = find(key, hash);
			Node<K, V> old = (at >= 0) ? node(at) : null;
			if (at < 0) {
				return false;
			}
			if (old == null || !old.key.equals(key)) {
				continue;
			}
			long now = now();
			if (expired(old, now)) {
				take(at, old, RemovalCause.EXPIRED);
				return false;
			}
			if (!same(expected, old.value)) {
				return false;
			}
			Node<K, V> node = newNode(key, value, old, now);
			if (flight != null && !flight.beginStoring()) {
				return false;
			}
			if (update(at, old, node)) {
				return true;
			}
		}
	}

	@Override
	@Nullable V remove(K key) {
		return takeIf(key, null);
	}

	@Override
	boolean remove(K key, Object expected) {
		return takeIf(key, expected) != null;
	}

	@Override
	void removeAll() {
		for (int at = 0; at < this.table.length; at++) {
			Node<K, V> node = node(at);
			while (node != null
					&& !take(at, node, expired(node, now()) ? RemovalCause.EXPIRED : RemovalCause.EXPLICIT)) {
				node = node(at);
			}
		}
	}

	private @Nullable V takeIf(K key, @Nullable Object expected) {
		int hash = hash(key);
		while (true) {
			int at = find(key, hash);
			Node<K, V> old = (at >= 0) ? node(at) : null;
			if (at < 0) {
				return null;
			}
			if (old == null || !old.key.equals(key)) {
				continue;
			}
			if (expired(old, now())) {
				take(at, old, RemovalCause.EXPIRED);
				return null;
			}
			if (expected != null && !same(expected, old.value)) {
				return null;
			}
			if (take(at, old, RemovalCause.EXPLICIT)) {
				return old.value;
			}
		}
	}

	@Override
	Iterator<Map.Entry<K, V>> iterator() {
		return new Iterator<>() {
			private int at;

			private Map.@Nullable Entry<K, V> next = advance();

			private Map.@Nullable Entry<K, V> advance() {
				while (this.at < SetStore.this.table.length) {
					Node<K, V> node = node(this.at++);
					if (node != null && !expired(node, now())) {
						return new SimpleImmutableEntry<>(node.key, node.value);
					}
				}
				return null;
			}

			@Override
			public boolean hasNext() {
				return this.next != null;
			}

			@Override
			public Map.Entry<K, V> next() {
				Map.Entry<K, V> result = this.next;
				if (result == null) {
					throw new NoSuchElementException();
				}
				this.next = advance();
				return result;
			}
		};
	}

	@Override
	long size() {
		return Math.max(0, this.size.sum());
	}

	@Override
	void cleanUp() {
		if (this.timed) {
			long now = now();
			for (int at = 0; at < this.table.length; at++) {
				Node<K, V> node = node(at);
				if (node != null && expired(node, now)) {
					take(at, node, RemovalCause.EXPIRED);
				}
			}
		}
	}

	@Override
	CacheReport report() {
		String name = this.builder.policy().name();
		return new CacheReport(name, name, this.table.length, size(), 0, List.of(), 0, 0, 0, List.of(), List.of());
	}

}
