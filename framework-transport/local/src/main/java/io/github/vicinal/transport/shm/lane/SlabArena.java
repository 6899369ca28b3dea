package io.github.vicinal.transport.shm.lane;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.github.vicinal.transport.wire.DaemonThread;
import org.jspecify.annotations.Nullable;

/**
 * Memory for payloads that do not fit into a lane, in one direction of a segment. The
 * side that writes payloads owns it: the set of free slabs is kept only here, in memory
 * that the other side cannot reach. Thread-safe.
 * <p>
 * An <em>arena</em> is a file with <em>slabs</em> of one size: powers of two up to 1 MiB,
 * above that multiples of 1 MiB. There are no arenas until they are needed; a new one is
 * announced to the other side, used once that has mapped it, while calls go on, and stays
 * until the pair ends. When the limit is reached, or there is no space, a thread that
 * needs a slab waits for one. It does not wait if no arena has slabs that are large
 * enough. Memory is made by a thread of its own, because it may take longer than a caller
 * has, and because an interrupt of the thread that writes an announcement would close the
 * connection.
 */
final class SlabArena {

	/*-
	 * A slab allocator [1] without constructors and without returning memory. One size
	 * per arena makes allocation a pop and freeing a push, nothing is split or merged,
	 * and no word of the allocator lies in memory that the other side can write. The
	 * price is waste within slabs: under one half of a slab from 16 KiB to 1 MiB, and
	 * under 1 MiB above that, if there is one of the right size.
	 *
	 * allocate() tries, in this order:
	 *
	 * 1. a free slab of the smallest size that holds the payload and is at most MAX_WASTE
	 *    times as large
	 * 2. slabs that the other side has read and that this side has not taken back yet
	 *    (reclaim). The other side never frees: it only marks in its lane that it has read.
	 * 3. a new arena, made by a thread of its own; one at a time
	 * 4. to wait, while anything of this may still help (mayComeFree); then also slabs that
	 *    are far too large, unless those of the right size are being made
	 *
	 * Waiters stand in a queue and each has a condition of its own, as they wait for
	 * different sizes. A slab that comes free wakes the first waiter that can use it.
	 * That waiter wakes the next when it leaves, so that no slab is left over while a
	 * waiter sleeps. The order of arrival is not guaranteed: a thread that does
	 * not wait yet may take a slab that was meant for a waiter that is waking up.
	 *
	 * Only the first waiter polls for slabs that were read, every RECLAIM_NANOS, because
	 * the other side does not ring when it has read. It polls without the lock.
	 *
	 * A failed growth is remembered by its size (noGrowthBytes). Waiters do not repeat
	 * it, a new call does, and a growth that succeeds clears that memory.
	 *
	 * [1] Bonwick: The slab allocator. An object-caching kernel memory allocator (1994)
	 */

	static final int SMALLEST_SLAB_BYTES = 16 * 1024;

	private static final int MIB = 1 << 20;

	/** Minimum size of an arena in bytes. */
	private static final int SMALLEST_ARENA_BYTES = 256 * 1024;

	/** Maximum ratio of a slab's size to its payload. */
	private static final int MAX_WASTE = 8;

	static final int MAX_ARENAS = 256;

	private static final long RECLAIM_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

	private final MemoryFiles memoryFiles;

	private final long maxBytes;

	private final LaneLimits.Announcer announcer;

	private final Runnable reclaim;

	private final BooleanSupplier mayReclaim;

	private final ReentrantLock lock = new ReentrantLock();

	/** Threads that wait for a slab, in the order of their arrival. */
	private final Deque<Waiting> waiting = new ArrayDeque<>();

	private final List<Arena> arenas = new ArrayList<>();

	private long bytes;

	/** File of the arena that is being made. Guarded by the lock. */
	private @Nullable Path making;

	/** Size of the slabs that are being made; 0 if none are. */
	private int growingBytes;

	/** The least that could not be had when somebody tried last, in bytes. */
	private long noGrowthBytes = Long.MAX_VALUE;

	private boolean closed;

	private int slabsInUse;

	private @Nullable String noGrowth;

	/**
	 * Creates an arena without memory.
	 * @param memoryFiles where files are for a while
	 * @param maxBytes how much memory there may be
	 * @param announcer announces new files to the other side
	 * @param reclaim gives back slabs that the other side has read
	 * @param mayReclaim whether that may ever find any; after a change to that
	 * {@link #wakeFirst} follows
	 */
	SlabArena(MemoryFiles memoryFiles, long maxBytes, LaneLimits.Announcer announcer, Runnable reclaim,
			BooleanSupplier mayReclaim) {
		this.memoryFiles = memoryFiles;
		this.maxBytes = maxBytes;
		this.announcer = announcer;
		this.reclaim = reclaim;
		this.mayReclaim = mayReclaim;
	}

	/**
	 * Takes a slab.
	 * @param length number of bytes that it must hold
	 * @param deadlineNanos until when to wait for one
	 * @return the slab, or {@code null} if none became free in time, there will never be
	 * one of that size, or the arena was closed
	 * @throws InterruptedException if the thread was interrupted while it waited
	 */
	@Nullable Slab allocate(int length, long deadlineNanos) throws InterruptedException {
		return allocate(length, deadlineNanos, deadlineNanos);
	}

	/**
	 * Takes a slab.
	 * @param length number of bytes that it must hold
	 * @param busyNanos until when to wait for one that is in use
	 * @param growthNanos until when to wait while memory is being made
	 * @return as above
	 * @throws InterruptedException if the thread was interrupted while it waited
	 */
	@Nullable Slab allocate(int length, long busyNanos, long growthNanos) throws InterruptedException {
		Slab slab = take(length);
		if (slab == null) {
			// First, as what comes back need not be made.
			this.reclaim.run();
			slab = tryAllocate(length, false);
		}
		return (slab != null) ? slab : await(length, busyNanos, growthNanos);
	}

	private @Nullable Slab await(int length, long busyNanos, long growthNanos) throws InterruptedException {
		Waiting self = new Waiting(length, this.lock.newCondition());
		this.lock.lockInterruptibly();
		try {
			this.waiting.add(self);
			// Memory that was added before this waiter registered has not notified it.
			Slab slab = tryAllocate(length, true);
			if (slab == null) {
				slab = find(length, anySize(length));
			}
			while (slab == null) {
				long deadlineNanos = (this.growingBytes > 0) ? growthNanos : busyNanos;
				long left = (deadlineNanos == Long.MAX_VALUE) ? Long.MAX_VALUE : deadlineNanos - System.nanoTime();
				if (left <= 0 || this.closed || !mayComeFree(length)) {
					return this.closed ? null : find(length, true);
				}
				sleep(self, left);
				slab = tryAllocate(length, true);
				if (slab == null) {
					slab = find(length, anySize(length));
				}
			}
			return slab;
		}
		finally {
			boolean looked = this.waiting.peek() == self;
			this.waiting.remove(self);
			if (looked) {
				wakeFirst();
			}
			wakeNext();
			this.lock.unlock();
		}
	}

	/**
	 * Sleeps until something may have changed for this waiter. Under the lock, which it
	 * gives away meanwhile. The other side does not say what it has read, so the first
	 * waiter looks at times.
	 */
	@SuppressWarnings("WaitNotInLoop")
	private void sleep(Waiting self, long nanos) throws InterruptedException {
		// A free slab that does not suit this waiter may suit another.
		wakeNext();
		boolean looks = this.waiting.peek() == self && this.mayReclaim.getAsBoolean();
		self.changed.awaitNanos(looks ? Math.min(nanos, RECLAIM_NANOS) : nanos);
		if (looks) {
			this.lock.unlock();
			try {
				this.reclaim.run();
			}
			finally {
				this.lock.lock();
			}
		}
	}

	/** Wakes the first of those who can take what is free. Under the lock. */
	private void wakeNext() {
		for (Waiting one : this.waiting) {
			if (best(one.length, anySize(one.length)) != null) {
				one.changed.signal();
				return;
			}
		}
	}

	/** Lets the first waiter look for slabs that have been read. */
	void wakeFirst() {
		this.lock.lock();
		try {
			Waiting first = this.waiting.peek();
			if (first != null) {
				first.changed.signal();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Under the lock. */
	private void wakeAll() {
		for (Waiting one : this.waiting) {
			one.changed.signal();
		}
	}

	/** Returns whether slabs that are far too large will do. Under the lock. */
	private boolean anySize(int length) {
		return this.growingBytes != slabBytes(length);
	}

	private @Nullable Slab take(int length) {
		this.lock.lock();
		try {
			return find(length, false);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Under the lock. */
	private boolean mayComeFree(int length) {
		return this.growingBytes > 0 || largeEnough(length)
				|| (growth(slabBytes(length)) > 0 && slabBytes(length) < this.noGrowthBytes);
	}

	private boolean largeEnough(int length) {
		for (Arena arena : this.arenas) {
			if (arena.slabBytes >= length) {
				return true;
			}
		}
		return false;
	}

	/** Returns the number of slabs that a new arena may have, 0 if there may be none. */
	private int growth(int size) {
		if (this.arenas.size() >= MAX_ARENAS) {
			return 0;
		}
		return (int) Math.min(Math.max(1, SMALLEST_ARENA_BYTES / size), (this.maxBytes - this.bytes) / size);
	}

	/** Allocates a slab. A waiting thread does not repeat what failed meanwhile. */
	private @Nullable Slab tryAllocate(int length, boolean again) {
		int size = slabBytes(length);
		this.lock.lock();
		try {
			Slab slab = find(length, false);
			if (slab == null && !(again && size >= this.noGrowthBytes)) {
				startToGrow(size);
			}
			return slab;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Under the lock. */
	private void startToGrow(int size) {
		int count = growth(size);
		if (this.closed || this.growingBytes > 0 || count == 0) {
			return;
		}
		int number = this.arenas.size();
		Thread thread = DaemonThread.create("vicinal-shm-memory", () -> grow(number, size, count));
		this.growingBytes = size;
		try {
			thread.start();
		}
		catch (OutOfMemoryError ex) {
			// No thread may be available, which must not look as if one were at work.
			grown(null, size, String.valueOf(ex.getMessage()));
		}
	}

	private void grow(int number, int size, int count) {
		Arena arena = null;
		String problem = "it failed";
		try {
			arena = make(number, size, count);
		}
		catch (IOException | RuntimeException | Error ex) {
			problem = String.valueOf(ex.getMessage());
		}
		this.lock.lock();
		try {
			grown(arena, size, problem);
		}
		finally {
			this.lock.unlock();
		}
	}

	private Arena make(int number, int size, int count) throws IOException {
		String name = Segment.newName();
		Path file = this.memoryFiles.directory().resolve(name);
		making(file);
		try {
			Memory memory = this.memoryFiles.create(name, size * count);
			this.announcer.announce(number, name, size * count);
			return new Arena(number, size, count, memory);
		}
		finally {
			// The side that maps the file deletes it.
			delete(file);
		}
	}

	/** Under the lock. */
	private void grown(@Nullable Arena arena, int size, String problem) {
		this.growingBytes = 0;
		if (arena != null) {
			this.arenas.add(arena);
			this.bytes += arena.bytes();
			this.noGrowth = null;
			this.noGrowthBytes = Long.MAX_VALUE;
		}
		else {
			this.noGrowth = problem;
			this.noGrowthBytes = size;
		}
		wakeAll();
	}

	private void making(Path file) {
		this.lock.lock();
		try {
			this.making = file;
		}
		finally {
			this.lock.unlock();
		}
	}

	private static void delete(@Nullable Path file) {
		if (file != null) {
			// Never throws, unlike the same method of the newer interface.
			file.toFile().delete();
		}
	}

	/**
	 * Makes no more memory, lets nobody wait for any, and removes the name that a dead
	 * other side did not.
	 */
	void close() {
		this.lock.lock();
		try {
			this.closed = true;
			wakeAll();
			delete(this.making);
		}
		finally {
			this.lock.unlock();
		}
	}

	private @Nullable Slab find(int length, boolean anySize) {
		// A payload put into a slab after the end is lost, and may look like a call.
		Arena best = this.closed ? null : best(length, anySize);
		return (best != null) ? take(best) : null;
	}

	private @Nullable Arena best(int length, boolean anySize) {
		Arena best = null;
		long largest = Math.max(SMALLEST_SLAB_BYTES, (long) MAX_WASTE * length);
		// Each call looks for a slab, and iterators are not always optimized away.
		for (int i = 0; i < this.arenas.size(); i++) {
			Arena arena = this.arenas.get(i);
			boolean fits = arena.slabBytes >= length && (anySize || arena.slabBytes <= largest);
			if (fits && !arena.free.isEmpty() && (best == null || arena.slabBytes < best.slabBytes)) {
				best = arena;
			}
		}
		return best;
	}

	private Slab take(Arena arena) {
		this.slabsInUse++;
		return arena.free.pop();
	}

	void free(Slab slab) {
		this.lock.lock();
		try {
			this.slabsInUse--;
			slab.arena.free.push(slab);
			if (!this.waiting.isEmpty()) {
				wakeNext();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	static int slabBytes(int length) {
		if (length > MIB) {
			return (int) (((long) length + MIB - 1) / MIB * MIB);
		}
		return Math.max(SMALLEST_SLAB_BYTES, Integer.highestOneBit(Math.max(1, length - 1)) << 1);
	}

	/** Returns why there is no slab of this size, for people. */
	String whyExhausted(int length) {
		this.lock.lock();
		try {
			if (this.growingBytes > 0) {
				return "another slab is being created, but was not available in time";
			}
			String problem = this.noGrowth;
			if (problem != null && growth(slabBytes(length)) > 0) {
				return problem;
			}
			if (largeEnough(length)) {
				return "%d slabs are in use and the limit of %d bytes allows no more".formatted(this.slabsInUse,
						this.maxBytes);
			}
			return "the limit of %d bytes (vicinal.shm.max-memory-per-peer, the smaller of both sides) leaves %d"
				.formatted(this.maxBytes, this.maxBytes - this.bytes);
		}
		finally {
			this.lock.unlock();
		}
	}

	int slabsInUse() {
		this.lock.lock();
		try {
			return this.slabsInUse;
		}
		finally {
			this.lock.unlock();
		}
	}

	long bytes() {
		this.lock.lock();
		try {
			return this.bytes;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Slabs of one size. */
	private static final class Arena {

		final int number;

		final int slabBytes;

		final Memory memory;

		final Deque<Slab> free = new ArrayDeque<>();

		Arena(int number, int slabBytes, int count, Memory memory) {
			this.number = number;
			this.slabBytes = slabBytes;
			this.memory = memory;
			for (int i = count - 1; i >= 0; i--) {
				this.free.push(new Slab(this, i * slabBytes));
			}
		}

		long bytes() {
			return this.memory.bytes();
		}

	}

	/** A thread that waits for a slab. */
	private static final class Waiting {

		final int length;

		final Condition changed;

		Waiting(int length, Condition changed) {
			this.length = length;
			this.changed = changed;
		}

	}

	/** Room for one payload. */
	static final class Slab {

		private final Arena arena;

		private final int offset;

		private Slab(Arena arena, int offset) {
			this.arena = arena;
			this.offset = offset;
		}

		int place() {
			return this.arena.number;
		}

		int offset() {
			return this.offset;
		}

		int bytes() {
			return this.arena.slabBytes;
		}

		Memory memory() {
			return this.arena.memory;
		}

	}

}
