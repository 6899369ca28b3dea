package io.github.vicinal.transport.direct;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;

/**
 * A call that runs on another thread, while the caller waits until its deadline.
 *
 * @param <T> the type of the outcome
 */
final class HandOff<T> implements Runnable {

	private final Work<T> work;

	/**
	 * Set by the first of two: the thread that starts the call, or the caller that gives
	 * up.
	 */
	private final AtomicBoolean decided = new AtomicBoolean();

	private final CountDownLatch done = new CountDownLatch(1);

	private @Nullable T outcome;

	private @Nullable Throwable failure;

	HandOff(Work<T> work) {
		this.work = work;
	}

	@Override
	public void run() {
		if (!this.decided.compareAndSet(false, true)) {
			return;
		}
		try {
			this.outcome = this.work.run();
		}
		catch (Throwable ex) {
			this.failure = ex;
		}
		finally {
			this.done.countDown();
		}
	}

	T await(long nanos) throws PathException {
		boolean ended;
		try {
			ended = this.done.await(nanos, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new PathException(Reason.INTERRUPTED, !abandon(), "the calling thread was interrupted", ex);
		}
		if (!ended) {
			throw new PathException(Reason.TIMEOUT, !abandon(), "the deadline passed before the handler returned",
					null);
		}
		Throwable thrown = this.failure;
		if (thrown instanceof PathException ex) {
			throw ex;
		}
		T value = this.outcome;
		if (value == null) {
			throw new PathException(Reason.REFUSED, true, "the service threw instead of answering: " + thrown, thrown);
		}
		return value;
	}

	/** Returns whether it is certain now that the call is never executed. */
	private boolean abandon() {
		return this.decided.compareAndSet(false, true);
	}

	/** The task that runs on the other thread. */
	@FunctionalInterface
	interface Work<T> {

		T run() throws PathException;

	}

}
