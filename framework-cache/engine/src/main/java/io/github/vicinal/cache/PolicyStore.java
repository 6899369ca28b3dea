package io.github.vicinal.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

import io.github.vicinal.cache.policy.PolicyFactory;
import io.github.vicinal.cache.policy.ReplacementPolicy;
import io.github.vicinal.cache.policy.Slots;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Entries in a hash map with a {@link ReplacementPolicy} beside it. One thread at a time
 * notifies the policy of reads (from a lossy buffer) and writes (from a lossless queue).
 * <p>
 * An entry lives as long as its {@code cell} is not null: the step from a cell to null,
 * by compare-and-set, decides who removed it and why, and its place in the map and in the
 * policy follow. Memory per entry beyond key and value: the map's node and table, 24
 * bytes for the entry, 20 for its slot, and what the policy adds; with time or weight, a
 * cell of 40 bytes.
 */
final class PolicyStore<K, V> extends Store<K, V> {

	/*-
	 * The map answers; the policy only learns. Replacement policies are lists and
	 * counters that two threads must not change at once, and a lock around each read
	 * would be the bottleneck. As in BP-Wrapper [1] and Caffeine's BoundedLocalCache [2],
	 * operations on the map are concurrent, are noted in buffers, and are replayed
	 * against the policy by the thread that has the lock.
	 *
	 * - A read goes into a stripe of `reads`. The thread that fills a stripe tries to get
	 *   the lock. If it fails, it sets `readsWait` and goes on; further reads overwrite
	 *   older ones. A policy that misses a few reads still approximates.
	 * - A write is never lost: it is applied under the lock if that is free, else queued.
	 *   It brings the number of its thread's stripe, so that the policy meets the reads of
	 *   a thread before its later write. Above MAX_PENDING writers wait for the lock, which
	 *   bounds by how much the cache exceeds its maximum.
	 * - A thread that gives the lock back checks whether others left work while it was
	 *   held, and tries to take it again (unlock). Without that second check a write could
	 *   wait until the next operation.
	 *
	 * In strict mode there are no buffers: each operation takes the lock, and the victims
	 * are those of the textbook policy.
	 *
	 * The life of an entry as the policy sees it is its slot. Map and policy may learn of
	 * one entry in different orders: a read or a removal may be replayed before the
	 * insert.
	 *
	 *   NEW ---read--> NEW_AND_READ        the hit is replayed after the insert
	 *    |                  |
	 *    +----- insert -----+--> slot >= 0 --- evicted or removed ---> DEAD
	 *    |                                                              ^
	 *    +---- refused by the policy, or removed before its insert -----+
	 *
	 * The life of an entry as callers see it is its cell. Only the compare-and-set to
	 * null ends it, so exactly one of eviction, expiry and removal reports it. An evicted
	 * entry is unlinked from the map after the lock was given back (Dead), as the map
	 * calls equals of keys, which is the application's code. Until then, look-ups find a
	 * null cell, which is a miss.
	 *
	 * Expired entries are removed when they are met. Each write also checks SWEEP slots,
	 * going round all slots, so that no thread and no timer wheel is needed and work per
	 * write is constant.
	 *
	 * [1] Ding, Jiang, Zhang: BP-Wrapper. A system framework making any replacement
	 *     algorithms (almost) lock contention free (2009)
	 * [2] Manes: design of Caffeine, github.com/ben-manes/caffeine
	 */

	private static final Logger LOG = LoggerFactory.getLogger(Cache.class);

	/** Maximum number of queued writes; the next writer waits for the lock instead. */
	private static final int MAX_PENDING = 64;

	/** Number of slots that each write checks for expired entries. */
	private static final int SWEEP = 4;

	private static final int NEW = -1;

	private static final int DEAD = -2;

	/** As new, and has been read before the policy learned of it. */
	private static final int NEW_AND_READ = -3;

	/** In place of the hash of an entry that is removed already. */
	private static final int UNUSED = 0;

	/** Number of inserts after which the capacity in entries is estimated again. */
	private static final int RESIZE_INTERVAL = 256;

	/** Expected number of entries with weights before any is known. */
	private static final int FIRST_CAPACITY = 1024;

	private static final VarHandle CELL;

	private static final VarHandle DEADLINE;

	static {
		try {
			CELL = MethodHandles.lookup().findVarHandle(Entry.class, "cell", Object.class);
			DEADLINE = MethodHandles.lookup().findVarHandle(Cell.class, "deadline", long.class);
		}
		catch (ReflectiveOperationException ex) {
			throw new ExceptionInInitializerError(ex);
		}
	}

	private final ConcurrentHashMap<K, Entry<K>> map = new ConcurrentHashMap<>();

	private final CacheBuilder<K, V> builder;

	private final Removals<K, V> removals;

	private final Deadlines<K, V> deadlines;

	private final @Nullable Weigher<? super K, ? super V> weigher;

	/** Whether an entry's cell is a {@link Cell}; otherwise it is the value itself. */
	private final boolean celled;

	private final boolean timed;

	private final boolean strict;

	private final long maximum;

	private final int seed;

	private final @Nullable ReadBuffer<Entry<K>> reads;

	private final ReadBuffer.Consumer<Entry<K>> applyRead = this::applyRead;

	private final Queue<Write<K>> writes = new ConcurrentLinkedQueue<>();

	private final AtomicInteger pending = new AtomicInteger();

	/**
	 * Set if a stripe is full and the lock is taken; the lock holder then drains for all.
	 * Racy on purpose: the next thread that gives the lock back sees the flag at the
	 * latest.
	 */
	private boolean readsWait;

	/** Guards all that follows. */
	private final ReentrantLock lock = new ReentrantLock();

	private final Slots slots;

	private final ReplacementPolicy policy;

	private @Nullable Entry<K>[] bySlot;

	/** Weight of each slot in the sum; null without a weigher, where each weighs 1. */
	private int @Nullable [] weights;

	private int count;

	private long weight;

	private int capacity;

	private int sinceResize;

	private int sweepAt;

	private @Nullable Dead<K, V> dead;

	private static final class Entry<K> {

		final K key;

		/** The value or a {@link Cell} of it; null once the entry is removed. */
		volatile @Nullable Object cell;

		/** Guarded by the store's lock. */
		int slot = NEW;

		Entry(K key, Object cell) {
			this.key = key;
			this.cell = cell;
		}

	}

	private static final class Cell<V> {

		final V value;

		final int weight;

		final long written;

		volatile long deadline;

		Cell(V value, int weight, long written, long deadline) {
			this.value = value;
			this.weight = weight;
			this.written = written;
			this.deadline = deadline;
		}

	}

	/**
	 * A change that the policy must learn of, after what its thread read before.
	 *
	 * @param entry the entry
	 * @param hash the hash of its key
	 * @param stripe the stripe that its thread's reads are in
	 */
	private record Write<K>(Entry<K> entry, int hash, int stripe) {
	}

	/** An entry that the policy evicted, to be taken out of the map without a lock. */
	private record Dead<K, V>(Entry<K> entry, @Nullable Dead<K, V> next) {
	}

	@SuppressWarnings({ "unchecked", "rawtypes" })
	PolicyStore(CacheBuilder<K, V> builder, Removals<K, V> removals, int seed, PolicyFactory factory) {
		this.builder = builder;
		this.removals = removals;
		this.deadlines = new Deadlines<>(builder);
		this.weigher = builder.weigher();
		this.timed = Deadlines.needed(builder);
		this.celled = this.timed || this.weigher != null;
		this.strict = builder.isStrict();
		this.maximum = builder.maximum();
		this.seed = seed;
		this.reads = this.strict ? null
				: new ReadBuffer<>(ReadBuffer.stripes(Runtime.getRuntime().availableProcessors()));
		this.capacity = (int) Math.max(1,
				Math.min(this.maximum, (this.weigher != null) ? FIRST_CAPACITY : Integer.MAX_VALUE));
		int expected = Math.min(this.capacity + 1, 1 << 10);
		this.slots = new Slots(expected);
		this.bySlot = new Entry[expected];
		this.policy = factory.create(this.slots, this.capacity);
	}

	/**
	 * The policy's hash must not be predictable, because known hashes allow colliding
	 * keys.
	 */
	private int hash(K key) {
		long mixed = (key.hashCode() ^ this.seed) * 0x9E3779B97F4A7C15L;
		mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
		return (int) (mixed >>> 32);
	}

	@SuppressWarnings("unchecked")
	private V value(Object cell) {
		return this.celled ? ((Cell<V>) cell).value : (V) cell;
	}

	@SuppressWarnings("unchecked")
	private boolean expired(Object cell, long now) {
		return this.timed && ((Cell<V>) cell).deadline <= now;
	}

	private long now() {
		return this.timed ? this.deadlines.now() : 0;
	}

	private int weight(Object cell) {
		return (this.weigher != null) ? ((Cell<?>) cell).weight : 1;
	}

	@Override
	@Nullable V get(K key) {
		Entry<K> entry = this.map.get(key);
		if (entry == null) {
			return null;
		}
		Object cell = entry.cell;
		if (cell == null) {
			return null;
		}
		if (this.timed && !touch(entry, cell)) {
			return null;
		}
		onRead(entry);
		return value(cell);
	}

	/** Returns whether the entry has not expired, and prolongs its life. */
	@SuppressWarnings("unchecked")
	private boolean touch(Entry<K> entry, Object cell) {
		Cell<V> timedCell = (Cell<V>) cell;
		while (true) {
			long now = now();
			long deadline = timedCell.deadline;
			if (deadline <= now) {
				expire(entry, cell);
				return false;
			}
			if (!this.deadlines.changeOnRead()) {
				return true;
			}
			long changed = this.deadlines.afterRead(entry.key, timedCell.value, now, timedCell.written, deadline);
			// A read that took long to decide must not undo another: it decides anew.
			if (changed == deadline || DEADLINE.compareAndSet(timedCell, deadline, changed)
					|| !this.deadlines.areDecided()) {
				return true;
			}
		}
	}

	private void expire(Entry<K> entry, Object cell) {
		if (CELL.compareAndSet(entry, cell, null)) {
			this.removals.add(entry.key, value(cell), weight(cell), RemovalCause.EXPIRED);
			this.map.remove(entry.key, entry);
			onWrite(entry, UNUSED);
		}
	}

	@Override
	@Nullable V peek(K key) {
		Entry<K> entry = this.map.get(key);
		Object cell = (entry != null) ? entry.cell : null;
		return (cell == null || expired(cell, now())) ? null : value(cell);
	}

	@Override
	@SuppressWarnings("unchecked")
	long age(K key) {
		Entry<K> entry = this.map.get(key);
		Object cell = (entry != null) ? entry.cell : null;
		return (cell == null || !this.timed) ? 0 : now() - ((Cell<V>) cell).written;
	}

	/**
	 * Makes the cell for a value.
	 * @param old the cell that it replaces, if any
	 */
	@SuppressWarnings("unchecked")
	private Object newCell(K key, V value, @Nullable Object old) {
		if (!this.celled) {
			return value;
		}
		int itsWeight = 1;
		if (this.weigher != null) {
			itsWeight = this.weigher.weigh(key, value);
			if (itsWeight < 0) {
				throw new IllegalArgumentException(
						"Cache '%s': the weigher returned %d for key '%s', but a weight is at least 0"
							.formatted(this.builder.name(), itsWeight, key));
			}
		}
		long now = now();
		long deadline = Deadlines.NEVER;
		if (this.timed) {
			deadline = (old == null) ? this.deadlines.afterCreate(key, value, now)
					: this.deadlines.afterUpdate(key, value, now, ((Cell<V>) old).deadline);
		}
		return new Cell<>(value, itsWeight, now, deadline);
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
		Entry<K> added = null;
		while (true) {
			Entry<K> entry = this.map.get(key);
			if (entry == null) {
				if (added == null) {
					added = new Entry<>(key, newCell(key, value, null));
				}
				if (flight != null && !flight.beginStoring()) {
					return value;
				}
				entry = this.map.putIfAbsent(key, added);
				if (entry == null) {
					onWrite(added, hash);
					return null;
				}
			}
			Object old = entry.cell;
			if (old == null) {
				this.map.remove(key, entry);
				continue;
			}
			if (expired(old, now())) {
				expire(entry, old);
				continue;
			}
			if (onlyIfAbsent) {
				onRead(entry);
				return value(old);
			}
			if (swap(entry, hash, old, newCell(key, value, old))) {
				return value(old);
			}
		}
	}

	/**
	 * Replaces a value. The policy may learn of this before it learns of the entry's
	 * insertion, so it needs the hash.
	 */
	private boolean swap(Entry<K> entry, int hash, Object old, Object cell) {
		if (!CELL.compareAndSet(entry, old, cell)) {
			return false;
		}
		if (value(old) != value(cell)) {
			this.removals.add(entry.key, value(old), weight(old), RemovalCause.REPLACED);
		}
		if (this.weigher != null) {
			onWrite(entry, hash);
		}
		else {
			onRead(entry);
		}
		return true;
	}

	@Override
	@Nullable V replace(K key, V value) {
		int hash = hash(key);
		while (true) {
			Entry<K> entry = this.map.get(key);
			Object old = (entry != null) ? entry.cell : null;
			if (entry == null || old == null) {
				return null;
			}
			if (expired(old, now())) {
				expire(entry, old);
				return null;
			}
			if (swap(entry, hash, old, newCell(key, value, old))) {
				return value(old);
			}
		}
	}

	@Override
	boolean replace(K key, V expected, V value, @Nullable Flight<K, V> flight) {
		int hash = hash(key);
		while (true) {
			Entry<K> entry = this.map.get(key);
			Object old = (entry != null) ? entry.cell : null;
			if (entry == null || old == null || !same(expected, value(old))) {
				return false;
			}
			if (expired(old, now())) {
				expire(entry, old);
				return false;
			}
			Object cell = newCell(key, value, old);
			if (flight != null && !flight.beginStoring()) {
				return false;
			}
			if (swap(entry, hash, old, cell)) {
				return true;
			}
		}
	}

	@Override
	@Nullable V remove(K key) {
		while (true) {
			Entry<K> entry = this.map.get(key);
			Object old = (entry != null) ? entry.cell : null;
			if (entry == null || old == null) {
				return null;
			}
			if (expired(old, now())) {
				expire(entry, old);
				return null;
			}
			if (kill(entry, old)) {
				return value(old);
			}
		}
	}

	@Override
	boolean remove(K key, Object expected) {
		while (true) {
			Entry<K> entry = this.map.get(key);
			Object old = (entry != null) ? entry.cell : null;
			if (entry == null || old == null || !same(expected, value(old))) {
				return false;
			}
			if (expired(old, now())) {
				expire(entry, old);
				return false;
			}
			if (kill(entry, old)) {
				return true;
			}
		}
	}

	@Override
	void removeAll() {
		this.map.keySet().forEach(this::remove);
	}

	private boolean kill(Entry<K> entry, Object cell) {
		if (!CELL.compareAndSet(entry, cell, null)) {
			return false;
		}
		this.map.remove(entry.key, entry);
		this.removals.add(entry.key, value(cell), weight(cell), RemovalCause.EXPLICIT);
		onWrite(entry, UNUSED);
		return true;
	}

	private void onRead(Entry<K> entry) {
		if (this.reads == null) {
			this.lock.lock();
			try {
				applyWrites();
				applyRead(entry);
			}
			finally {
				unlock();
			}
		}
		else if (this.reads.offer(entry)) {
			if (this.lock.tryLock()) {
				try {
					drain();
				}
				finally {
					unlock();
				}
			}
			else if (!this.readsWait) {
				this.readsWait = true;
			}
		}
	}

	private void onWrite(Entry<K> entry, int hash) {
		ReadBuffer<Entry<K>> buffer = this.reads;
		if (buffer == null) {
			this.lock.lock();
		}
		else if (!this.lock.tryLock()) {
			boolean locked;
			this.writes.add(new Write<>(entry, hash, buffer.stripe()));
			if (this.pending.incrementAndGet() > MAX_PENDING) {
				this.lock.lock();
				locked = true;
			}
			else {
				locked = this.lock.tryLock();
			}
			if (locked) {
				try {
					applyWrites();
				}
				finally {
					unlock();
				}
			}
			return;
		}
		try {
			applyWrites();
			if (buffer != null) {
				buffer.drain(buffer.stripe(), this.applyRead);
			}
			apply(entry, hash);
			if (this.timed) {
				sweep(SWEEP);
			}
		}
		finally {
			unlock();
		}
	}

	/** Replays pending operations against the policy; called with the lock. */
	private void drain() {
		applyWrites();
		if (this.reads != null) {
			this.reads.drain(this.applyRead);
		}
	}

	/**
	 * Drains for those who could not get the lock, and gives it back; then looks for
	 * their writes.
	 */
	private void unlock() {
		try {
			drainForOthers();
		}
		finally {
			release();
		}
		// Repeated for reads at most once: readers are never blocked, so there may always
		// be more reads, and the next lock holder drains them, too.
		boolean again = true;
		while (((again && this.readsWait) || !this.writes.isEmpty()) && this.lock.tryLock()) {
			try {
				if (again) {
					drainForOthers();
				}
				again = false;
				applyWrites();
			}
			finally {
				release();
			}
		}
	}

	private void drainForOthers() {
		if (this.readsWait) {
			// First, so that a thread that comes meanwhile is not missed.
			this.readsWait = false;
			drain();
		}
	}

	/** Gives the lock back, and takes what was evicted out of the map. */
	private void release() {
		Dead<K, V> evicted = this.dead;
		this.dead = null;
		this.lock.unlock();
		for (; evicted != null; evicted = evicted.next) {
			try {
				this.map.remove(evicted.entry.key, evicted.entry);
			}
			catch (RuntimeException ex) {
				// The failure concerns neither this thread nor the other evicted entries.
				LOG.warn("A key of cache '{}' that was evicted cannot be removed", this.builder.name(), ex);
			}
		}
	}

	private void applyRead(Entry<K> entry) {
		if (entry.slot >= 0) {
			this.policy.onHit(entry.slot);
		}
		else if (entry.slot == NEW) {
			entry.slot = NEW_AND_READ;
		}
	}

	private void applyWrites() {
		Write<K> write;
		while ((write = this.writes.poll()) != null) {
			this.pending.decrementAndGet();
			if (this.reads != null) {
				this.reads.drain(write.stripe, this.applyRead);
			}
			apply(write.entry, write.hash);
		}
	}

	private void apply(Entry<K> entry, int hash) {
		Object cell = entry.cell;
		if (cell == null) {
			if (entry.slot >= 0) {
				this.policy.onRemove(entry.slot);
				free(entry);
			}
			entry.slot = DEAD;
		}
		else if (entry.slot == NEW || entry.slot == NEW_AND_READ) {
			boolean read = entry.slot == NEW_AND_READ;
			insert(entry, cell, hash);
			if (read) {
				applyRead(entry);
			}
		}
		else if (entry.slot >= 0) {
			this.policy.onHit(entry.slot);
			if (this.weigher != null) {
				reweigh(entry, cell);
			}
		}
	}

	private void insert(Entry<K> entry, Object cell, int hash) {
		int itsWeight = weight(cell);
		int slot = this.slots.allocate(hash);
		while (this.weight + itsWeight > this.maximum) {
			if (itsWeight > this.maximum || this.count == 0) {
				refuse(entry, slot);
				return;
			}
			int victim = this.policy.evict(slot);
			if (victim == slot) {
				refuse(entry, slot);
				return;
			}
			evict(victim);
		}
		if (slot >= this.bySlot.length) {
			this.bySlot = Arrays.copyOf(this.bySlot, slot + (slot >> 1) + 1);
			if (this.weights != null) {
				this.weights = Arrays.copyOf(this.weights, this.bySlot.length);
			}
		}
		this.bySlot[slot] = entry;
		entry.slot = slot;
		this.count++;
		account(slot, itsWeight);
		this.policy.onInsert(slot);
		if (this.weigher != null && ++this.sinceResize >= RESIZE_INTERVAL) {
			resize();
		}
	}

	private void refuse(Entry<K> entry, int slot) {
		this.slots.release(slot);
		entry.slot = DEAD;
		bury(entry, RemovalCause.SIZE);
	}

	private void evict(int slot) {
		Entry<K> entry = this.bySlot[slot];
		if (entry == null) {
			throw new IllegalStateException("The policy evicted slot " + slot + ", which is not in use");
		}
		free(entry);
		entry.slot = DEAD;
		bury(entry, RemovalCause.SIZE);
	}

	private void bury(Entry<K> entry, RemovalCause cause) {
		Object cell = CELL.getAndSet(entry, null);
		if (cell != null) {
			this.removals.add(entry.key, value(cell), weight(cell), cause);
			this.dead = new Dead<>(entry, this.dead);
		}
	}

	private void free(Entry<K> entry) {
		int slot = entry.slot;
		account(slot, 0);
		this.bySlot[slot] = null;
		this.slots.release(slot);
		this.count--;
	}

	private void account(int slot, int itsWeight) {
		if (this.weigher == null) {
			this.weight += (itsWeight > 0) ? 1 : -1;
			return;
		}
		if (this.weights == null) {
			this.weights = new int[this.bySlot.length];
		}
		this.weight += itsWeight - this.weights[slot];
		this.weights[slot] = itsWeight;
	}

	private void reweigh(Entry<K> entry, Object cell) {
		int slot = entry.slot;
		account(slot, weight(cell));
		if (weight(cell) > this.maximum) {
			this.policy.onRemove(slot);
			evict(slot);
		}
		while (this.weight > this.maximum && this.count > 0) {
			evict(this.policy.evict(Slots.NONE));
		}
	}

	/**
	 * With weights, the capacity in entries is estimated from the present ones. The
	 * policy gets at most twice their number, so that it does not allocate for a guess
	 * from the first few entries.
	 */
	private void resize() {
		this.sinceResize = 0;
		double mean = (double) Math.max(1, this.weight) / Math.max(1, this.count);
		long known = Math.max(FIRST_CAPACITY, 2L * Integer.highestOneBit(Math.max(1, this.count)));
		int fits = (int) Math.max(1, Math.min(Math.min(Slots.MAX_SLOTS / 2, known), this.maximum / mean));
		if (Math.abs((long) fits - this.capacity) > this.capacity / 10) {
			this.capacity = fits;
			this.policy.resize(fits);
		}
	}

	private void sweep(int slotsToSee) {
		long now = now();
		for (int i = 0; i < slotsToSee; i++) {
			if (this.sweepAt >= this.bySlot.length) {
				this.sweepAt = 0;
			}
			Entry<K> entry = this.bySlot[this.sweepAt++];
			Object cell = (entry != null) ? entry.cell : null;
			if (entry != null && cell != null && expired(cell, now) && CELL.compareAndSet(entry, cell, null)) {
				this.removals.add(entry.key, value(cell), weight(cell), RemovalCause.EXPIRED);
				this.policy.onRemove(entry.slot);
				free(entry);
				entry.slot = DEAD;
				this.dead = new Dead<>(entry, this.dead);
			}
		}
	}

	@Override
	Iterator<Map.Entry<K, V>> iterator() {
		Iterator<Entry<K>> entries = this.map.values().iterator();
		return new Iterator<>() {
			private Map.@Nullable Entry<K, V> next = advance();

			private Map.@Nullable Entry<K, V> advance() {
				while (entries.hasNext()) {
					Entry<K> entry = entries.next();
					Object cell = entry.cell;
					if (cell != null && !expired(cell, now())) {
						return new SimpleImmutableEntry<>(entry.key, value(cell));
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
		return this.map.mappingCount();
	}

	@Override
	void cleanUp() {
		this.lock.lock();
		try {
			drain();
			if (this.timed) {
				sweep(this.bySlot.length);
			}
		}
		finally {
			unlock();
		}
	}

	@Override
	CacheReport report() {
		this.lock.lock();
		try {
			drain();
			return Engines.report(this.builder.policy().name(), this.policy, this.maximum, size());
		}
		finally {
			unlock();
		}
	}

}
