package io.github.vicinal.transport.direct;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;

/**
 * A call that runs on another thread, while the caller waits until its deadline. The
 * application that executes it may cancel it, which releases the caller.
 *
 * @param <T> the type of the outcome
 */
final class HandOff<T> extends FutureTask<T> {

	/**
	 * Set by the first of two: the thread that starts the call, or the caller that gives
	 * up.
	 */
	private final AtomicBoolean decided;

	HandOff(Work<T> work) {
		this(work, new AtomicBoolean());
	}

	private HandOff(Work<T> work, AtomicBoolean decided) {
		super(() -> {
			if (!decided.compareAndSet(false, true)) {
				throw new CancellationException();
			}
			return work.run();
		});
		this.decided = decided;
	}

	T await(long nanos) throws PathException {
		try {
			return get(nanos, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new PathException(Reason.INTERRUPTED, !abandon(), "the calling thread was interrupted", ex);
		}
		catch (TimeoutException ex) {
			throw new PathException(Reason.TIMEOUT, !abandon(), "the deadline passed before the handler returned",
					null);
		}
		catch (CancellationException ex) {
			throw new PathException(Reason.PEER_GONE, !abandon(), DirectCalls.CUT_OFF, ex);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof PathException thrown) {
				throw thrown;
			}
			throw new PathException(Reason.REFUSED, true, "the service threw instead of answering: " + ex.getCause(),
					ex.getCause());
		}
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
