package io.github.vicinal.transport.direct;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;

import io.github.vicinal.jvm.Neighbour;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.Reply;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one path, and what they need of the callee. Decides on which thread the
 * callee's part of a call runs: a handler that may take long runs on the callee's, so
 * that its caller need not wait for it. Thread-safe.
 *
 * @param <T> what belongs to the callee. It is let go when the callee has stopped, as it
 * would keep the callee's class loader in memory
 */
final class DirectCalls<T> {

	/** Reason for the missing outcome of a call whose application has ended. */
	static final String CUT_OFF = "the application has ended before its handler";

	private static final String STOPPED = "the application has stopped";

	/** Number of calls without a deadline of which one is timed. */
	private static final int SAMPLE_MASK = 15;

	/** {@code null} when the callee has stopped, or the path is closed. */
	private volatile @Nullable Callee<T> callee;

	private volatile boolean closed;

	DirectCalls(Neighbour neighbour, T parts) {
		this.callee = new Callee<>(neighbour, parts);
	}

	/**
	 * Returns the callee of a call, or throws what a call fails with that is not to be
	 * begun.
	 */
	Callee<T> requireOpen() throws PathException {
		Callee<T> known = this.callee;
		if (this.closed) {
			throw new PathException(Reason.PEER_GONE, false, "the path is closed", null);
		}
		if (known == null) {
			throw new PathException(Reason.PEER_GONE, false, STOPPED, null);
		}
		if (Thread.currentThread().isInterrupted()) {
			throw new PathException(Reason.INTERRUPTED, false, "the calling thread was interrupted before the call",
					null);
		}
		return known;
	}

	static Reply call(Neighbour callee, DeadlineRule rule, CallFrame frame, Work work) throws PathException {
		if (frame.deadlineNanos() == CallFrame.NO_DEADLINE && rule.trusted()
				&& (ThreadLocalRandom.current().nextInt() & SAMPLE_MASK) != 0) {
			return callHere(callee, rule, frame, work);
		}
		return callObserved(callee, rule, frame, work);
	}

	private static Reply callObserved(Neighbour callee, DeadlineRule rule, CallFrame frame, Work work)
			throws PathException {
		long start = System.nanoTime();
		boolean limited = frame.deadlineNanos() != CallFrame.NO_DEADLINE;
		long remaining = limited ? frame.deadlineNanos() - start : Long.MAX_VALUE;
		if (remaining <= 0) {
			throw new PathException(Reason.TIMEOUT, false, "the deadline had passed before the call", null);
		}
		Reply reply = rule.trusted() ? callHere(callee, rule, frame, work)
				: callElsewhere(callee, rule, frame, work, remaining);
		long took = System.nanoTime() - start;
		rule.observe(took, Math.min(remaining, DeadlineRule.LONG_NANOS));
		if (limited && took > remaining) {
			throw new PathException(Reason.TIMEOUT, true, "the deadline passed before the handler returned", null);
		}
		return reply;
	}

	private static Reply callHere(Neighbour callee, DeadlineRule rule, CallFrame frame, Work work)
			throws PathException {
		try {
			return execute(callee, work, frame.headers());
		}
		finally {
			if (Thread.currentThread().isInterrupted()) {
				rule.interruptedHere();
			}
		}
	}

	private static Reply execute(Neighbour callee, Work work, Map<String, String> headers) throws PathException {
		Reply reply = null;
		PathException failure = null;
		boolean cutOff = false;
		try {
			if (callee.enter()) {
				reply = work.run(headers);
			}
			else {
				failure = new PathException(Reason.PEER_GONE, false, STOPPED, null);
			}
		}
		catch (PathException ex) {
			failure = ex;
		}
		finally {
			cutOff = callee.leave();
		}
		if (cutOff) {
			// A result of an interrupted handler is no answer.
			throw new PathException(Reason.PEER_GONE, failure == null || failure.maybeExecuted(), CUT_OFF, failure);
		}
		if (reply == null) {
			throw Objects.requireNonNull(failure);
		}
		return reply;
	}

	private static Reply callElsewhere(Neighbour callee, DeadlineRule rule, CallFrame frame, Work work, long remaining)
			throws PathException {
		// The caller may be gone, and its map changed, while the handler still runs.
		Map<String, String> headers = Map.copyOf(frame.headers());
		HandOff<Reply> handOff = new HandOff<>(() -> {
			try {
				return execute(callee, work, headers);
			}
			finally {
				if (Thread.interrupted()) {
					rule.interruptedElsewhere();
				}
			}
		});
		try {
			callee.executor().execute(handOff);
		}
		catch (RejectedExecutionException ex) {
			if (frame.deadlineNanos() == CallFrame.NO_DEADLINE && !callee.closed()) {
				return callHere(callee, rule, frame, work);
			}
			throw new PathException(callee.closed() ? Reason.PEER_GONE : Reason.EXHAUSTED, false,
					"the callee's executor takes no more calls", ex);
		}
		try {
			return handOff.await(remaining);
		}
		catch (PathException ex) {
			if (ex.reason() == Reason.TIMEOUT) {
				rule.observe(Long.MAX_VALUE, remaining);
			}
			throw ex;
		}
	}

	boolean isOpen() {
		Callee<T> known = this.callee;
		return !this.closed && known != null && !known.neighbour.closed();
	}

	/** Calls in flight end normally. */
	void close() {
		this.closed = true;
		release();
	}

	boolean isTo(Neighbour neighbour) {
		Callee<T> known = this.callee;
		return known != null && known.neighbour == neighbour;
	}

	/** Lets the callee go, which has stopped. Calls in flight end normally. */
	void release() {
		this.callee = null;
	}

	/**
	 * An application that answers.
	 *
	 * @param <T> the type of its parts
	 * @param neighbour the application
	 * @param parts what calls need of it
	 */
	record Callee<T>(Neighbour neighbour, T parts) {
	}

	/** The callee's part of a call. */
	@FunctionalInterface
	interface Work {

		/**
		 * Runs it on the calling thread.
		 * @param headers of the call
		 */
		Reply run(Map<String, String> headers) throws PathException;

	}

}
