package io.github.vicinal.transport.shm.bell;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;

/**
 * Bells that are the words themselves: the kernel wakes the threads that sleep on them.
 */
final class FutexBells implements Bells {

	private static final long TIMESPEC_BYTES = 16;

	/**
	 * An interrupt does not end the system call, so a limited sleep is this long at most.
	 */
	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	/**
	 * Half of the length of an unlimited sleep. The kernel finds sleepers by the page of
	 * the word; if the other side has truncated the file, no ring can wake them. Threads
	 * of the server return after that time, and end if others sleep, too.
	 */
	private static final long CLOSED_LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

	private final FutexCalls calls;

	/** A {@code timespec} that never changes, so that many can sleep by it. */
	private final MemorySegment unlimited;

	private final FutexBell server;

	private final FutexBell poller;

	private final FutexBell[] lanes;

	private volatile boolean closed;

	FutexBells(BellWords words, FutexCalls calls) {
		this.calls = calls;
		// Keeps the mapped buffer, and with it the memory, for as long as these bells
		// live.
		MemorySegment memory = MemorySegment.ofBuffer(words.memory().duplicate().clear());
		MemorySegment times = Arena.ofAuto().allocate(TIMESPEC_BYTES * (words.lanes() + 3L), TIMESPEC_BYTES);
		this.unlimited = times.asSlice(TIMESPEC_BYTES * (words.lanes() + 2L), TIMESPEC_BYTES);
		set(this.unlimited, CLOSED_LOOK_NANOS);
		this.server = new FutexBell(memory, words.server(), times, words.lanes(), false);
		this.poller = new FutexBell(memory, words.poller(), times, words.lanes() + 1L, false);
		this.lanes = new FutexBell[words.lanes()];
		for (int i = 0; i < this.lanes.length; i++) {
			this.lanes[i] = new FutexBell(memory, words.lane().applyAsInt(i), times, i, true);
		}
	}

	@Override
	public String kind() {
		return BellSupport.FUTEX;
	}

	@Override
	public Bell server() {
		return this.server;
	}

	@Override
	public Bell poller() {
		return this.poller;
	}

	@Override
	public Bell lane(int lane) {
		return this.lanes[lane];
	}

	@Override
	public int lanes() {
		return this.lanes.length;
	}

	private static void set(MemorySegment time, long nanos) {
		time.set(ValueLayout.JAVA_LONG, 0, nanos / 1_000_000_000);
		time.set(ValueLayout.JAVA_LONG, Long.BYTES, nanos % 1_000_000_000);
	}

	@Override
	public void close() {
		// Only memory is held, which is freed with the last reference.
		this.closed = true;
	}

	/** One word. */
	private final class FutexBell implements Bell {

		private final MemorySegment word;

		private final MemorySegment time;

		private final boolean interruptible;

		FutexBell(MemorySegment memory, long offset, MemorySegment times, long index, boolean interruptible) {
			this.word = memory.asSlice(offset, Integer.BYTES);
			this.time = times.asSlice(index * TIMESPEC_BYTES, TIMESPEC_BYTES);
			this.interruptible = interruptible;
		}

		@Override
		public void await(long nanos) {
			long sleep = this.interruptible ? Math.min(nanos, LOOK_NANOS) : nanos;
			if (sleep == FOREVER) {
				long begin = System.nanoTime();
				long start = begin;
				do {
					start = System.nanoTime();
					FutexBells.this.calls.await(this.word, FutexBells.this.unlimited);
				}
				while (System.nanoTime() - start >= CLOSED_LOOK_NANOS && start - begin < CLOSED_LOOK_NANOS
						&& !FutexBells.this.closed);
				return;
			}
			set(this.time, sleep);
			FutexBells.this.calls.await(this.word, this.time);
		}

		@Override
		public void ring() {
			FutexBells.this.calls.wake(this.word);
		}

	}

}
