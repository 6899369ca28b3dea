package io.github.vicinal.transport.shm.bell;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;

/** Bells that are the words themselves: the kernel wakes who sleeps on them. */
final class FutexBells implements Bells {

	private static final long TIMESPEC_BYTES = 16;

	/** An interrupt does not end the system call, so a limited sleep is this long at most. */
	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private final FutexCalls calls;

	private final FutexBell server;

	private final FutexBell poller;

	private final FutexBell[] lanes;

	FutexBells(BellWords words, FutexCalls calls) {
		this.calls = calls;
		// Keeps the mapped buffer, and with it the memory, for as long as these bells live.
		MemorySegment memory = MemorySegment.ofBuffer(words.memory().duplicate().clear());
		MemorySegment times = Arena.ofAuto().allocate(TIMESPEC_BYTES * (words.lanes() + 2L), TIMESPEC_BYTES);
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
	public void close() {
		// Nothing is held but memory, which goes with the last reference.
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
				FutexBells.this.calls.await(this.word, MemorySegment.NULL);
				return;
			}
			this.time.set(ValueLayout.JAVA_LONG, 0, sleep / 1_000_000_000);
			this.time.set(ValueLayout.JAVA_LONG, Long.BYTES, sleep % 1_000_000_000);
			FutexBells.this.calls.await(this.word, this.time);
		}

		@Override
		public void ring() {
			FutexBells.this.calls.wake(this.word);
		}

	}

}
