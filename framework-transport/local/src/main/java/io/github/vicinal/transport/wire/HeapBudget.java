package io.github.vicinal.transport.wire;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bounds the heap that large payloads of one peer take at a time while they are encoded
 * and decoded, and what is kept of it for the next ones. Thread-safe.
 * <p>
 * A thread that needs more than there is waits until others have given some back. The
 * lease that has held a part of the budget for the longest time never waits, so one
 * always goes on, and a payload that is larger than the whole budget gets through alone.
 */
public final class HeapBudget {

	/** Arrays of up to this size do not count, and their users never wait. */
	public static final int SMALL_BYTES = 256 * 1024;

	private static final long PATIENCE_SECONDS = 5;

	private static final long MOST_KEPT_BYTES = 8 << 20;

	private static final int KEPT_SHARE = 4;

	private static final int HEAP_SHARE = 16;

	private static final long LARGEST_DEFAULT_BYTES = 64L << 20;

	private final long maxBytes;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	/** Leases that hold something or wait for it, in the order of their arrival. */
	private final Deque<Lease> holders = new ArrayDeque<>();

	private long used;

	private final AtomicLong kept = new AtomicLong();

	/**
	 * Creates a budget.
	 * @param maxBytes how much may be used at a time
	 */
	public HeapBudget(long maxBytes) {
		this.maxBytes = maxBytes;
	}

	/**
	 * Returns how much heap larger calls and replies may take by default, per peer.
	 * @return bytes: a sixteenth of the heap, but at most 64 MiB
	 */
	public static long defaultBytes() {
		return Math.min(Runtime.getRuntime().maxMemory() / HEAP_SHARE, LARGEST_DEFAULT_BYTES);
	}

	/**
	 * Creates a part of the budget.
	 * @return a part that holds nothing
	 */
	public Lease lease() {
		return new Lease();
	}

	/**
	 * Returns how much heap is in use or kept.
	 * @return bytes
	 */
	public long bytes() {
		this.lock.lock();
		try {
			return this.used + this.kept.get();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Returns how much heap is kept for the next calls.
	 * @return bytes
	 */
	public long keptBytes() {
		return this.kept.get();
	}

	private boolean keep(long more) {
		long most = Math.min(MOST_KEPT_BYTES, this.maxBytes / KEPT_SHARE);
		while (true) {
			long before = this.kept.get();
			if (more > 0 && before + more > most) {
				return false;
			}
			if (this.kept.compareAndSet(before, before + more)) {
				return true;
			}
		}
	}

	/** Share of the budget that one call holds. Used by one thread at a time. */
	public final class Lease {

		private long bytes;

		/** Written under the lock. */
		private long keptBytes;

		/** Guarded by the lock. */
		private boolean retired;

		/**
		 * Ensures that this much is held. Waits for it if there is not enough, and takes
		 * it beyond the budget after {@value #PATIENCE_SECONDS} s, since the call may
		 * have been executed and must not fail for this. An interrupt does not end that.
		 * @param wanted bytes in all
		 */
		public void cover(long wanted) {
			if (!cover(wanted, TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS))) {
				force(wanted);
			}
		}

		/**
		 * Ensures that this much is held, and waits for it if there is not enough. An
		 * interrupt does not end the wait.
		 * @param wanted bytes in all
		 * @param patienceNanos maximum time to wait
		 * @return {@code false} if that time has passed; then nothing more is held than
		 * before
		 */
		public boolean cover(long wanted, long patienceNanos) {
			HeapBudget budget = HeapBudget.this;
			if (wanted <= this.bytes) {
				return true;
			}
			boolean interrupted = false;
			budget.lock.lock();
			try {
				if (this.bytes == 0) {
					budget.holders.add(this);
				}
				long end = System.nanoTime() + patienceNanos;
				long left = patienceNanos;
				while (budget.used + wanted - this.bytes > budget.maxBytes && budget.holders.peek() != this) {
					if (left <= 0) {
						if (this.bytes == 0) {
							budget.holders.remove(this);
						}
						return false;
					}
					try {
						budget.changed.awaitNanos(left);
					}
					catch (InterruptedException ex) {
						interrupted = true;
					}
					left = end - System.nanoTime();
				}
				hold(wanted);
				return true;
			}
			finally {
				budget.lock.unlock();
				if (interrupted) {
					Thread.currentThread().interrupt();
				}
			}
		}

		/**
		 * Ensures that this much is held, even beyond the budget.
		 * @param wanted bytes in all
		 */
		public void force(long wanted) {
			HeapBudget budget = HeapBudget.this;
			budget.lock.lock();
			try {
				if (this.bytes == 0) {
					budget.holders.add(this);
				}
				hold(Math.max(wanted, this.bytes));
			}
			finally {
				budget.lock.unlock();
			}
		}

		/** Under the lock. */
		private void hold(long wanted) {
			HeapBudget.this.used += wanted - this.bytes;
			this.bytes = wanted;
		}

		/**
		 * Gives back what is not needed any more.
		 * @param needed bytes that are still in use
		 */
		public void reduce(long needed) {
			HeapBudget budget = HeapBudget.this;
			if (needed >= this.bytes) {
				return;
			}
			budget.lock.lock();
			try {
				budget.used -= this.bytes - needed;
				this.bytes = needed;
				if (needed == 0) {
					budget.holders.remove(this);
				}
				budget.changed.signalAll();
			}
			finally {
				budget.lock.unlock();
			}
		}

		/**
		 * Gives all back at the end of a call.
		 * @param size of the arrays that the next call could use again
		 * @return whether they may be kept; if not, let go of them
		 */
		public boolean end(long size) {
			reduce(0);
			if (size == this.keptBytes) {
				return true;
			}
			HeapBudget.this.lock.lock();
			try {
				boolean kept = !this.retired && HeapBudget.this.keep(size - this.keptBytes);
				if (!kept) {
					HeapBudget.this.keep(-this.keptBytes);
				}
				this.keptBytes = kept ? size : 0;
				return kept;
			}
			finally {
				HeapBudget.this.lock.unlock();
			}
		}

		/**
		 * Keeps nothing any more, because there will be no next call. Called by any
		 * thread; a call that has not ended yet gives back what it holds when it does.
		 */
		public void retire() {
			HeapBudget.this.lock.lock();
			try {
				this.retired = true;
				HeapBudget.this.keep(-this.keptBytes);
				this.keptBytes = 0;
			}
			finally {
				HeapBudget.this.lock.unlock();
			}
		}

	}

}
