package io.github.vicinal.requestserver;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

import io.github.vicinal.requestserver.Rejection.Reason;
import org.jspecify.annotations.Nullable;

/** A thread that waits for its permit. */
final class ThreadTicket extends Ticket {

	private final Thread thread = Thread.currentThread();

	private final long waitUntil;

	private volatile boolean decided;

	private volatile @Nullable Rejection rejection;

	ThreadTicket(String channel, List<Bulkhead> bulkheads, Priority priority, long deadlineNanos) {
		super(channel, bulkheads, priority, deadlineNanos);
		this.waitUntil = deadlineNanos;
	}

	@Override
	void granted() {
		this.decided = true;
		LockSupport.unpark(this.thread);
	}

	@Override
	void rejected(Rejection why) {
		this.rejection = why;
		this.decided = true;
		LockSupport.unpark(this.thread);
	}

	/**
	 * Waits until the ticket is granted, or is of no use any more.
	 * @return why the permit is not granted, or {@code null} if it is
	 */
	@Nullable Rejection await(PermitQueue queue, LongSupplier clock) {
		while (!this.decided) {
			long left = (this.waitUntil == NO_DEADLINE) ? Long.MAX_VALUE : this.waitUntil - clock.getAsLong();
			boolean interrupted = Thread.currentThread().isInterrupted();
			if (left <= 0 || interrupted) {
				Rejection withdrawn = queue.withdraw(this, (left <= 0) ? Reason.DEADLINE : Reason.INTERRUPTED);
				if (withdrawn != null) {
					return withdrawn;
				}
				awaitDecision();
			}
			else {
				LockSupport.parkNanos(queue, left);
			}
		}
		return this.rejection;
	}

	/**
	 * Waits for the outcome: another thread has taken the ticket and is about to decide
	 * it.
	 */
	private void awaitDecision() {
		boolean interrupted = false;
		while (!this.decided) {
			// An interrupted thread cannot park.
			interrupted |= Thread.interrupted();
			LockSupport.park(this);
		}
		if (interrupted) {
			this.thread.interrupt();
		}
	}

}
