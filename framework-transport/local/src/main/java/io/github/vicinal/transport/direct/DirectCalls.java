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

/**
 * Decides on which thread the callee's part of a call runs. A handler that may take long
 * runs on the callee's, so that its caller need not wait for it. Thread-safe.
 */
final class DirectCalls {

	/** Reason for the missing outcome of a call whose application has ended. */
	static final String CUT_OFF = "the application has ended before its handler";

	/** Number of calls without a deadline of which one is timed. */
	private static final int SAMPLE_MASK = 15;

	private final Neighbour callee;

	private volatile boolean closed;

	DirectCalls(Neighbour callee) {
		this.callee = callee;
	}

	/** Throws what a call fails with that is not to be begun. */
	void requireOpen() throws PathException {
		if (this.closed) {
			throw new PathException(Reason.PEER_GONE, false, "the path is closed", null);
		}
		if (Thread.currentThread().isInterrupted()) {
			throw new PathException(Reason.INTERRUPTED, false, "the calling thread was interrupted before the call",
					null);
		}
	}

	Reply call(DeadlineRule rule, CallFrame frame, Work work) throws PathException {
		if (frame.deadlineNanos() == CallFrame.NO_DEADLINE && rule.trusted()
				&& (ThreadLocalRandom.current().nextInt() & SAMPLE_MASK) != 0) {
			return callHere(rule, frame, work);
		}
		return callObserved(rule, frame, work);
	}

	private Reply callObserved(DeadlineRule rule, CallFrame frame, Work work) throws PathException {
		long start = System.nanoTime();
		boolean limited = frame.deadlineNanos() != CallFrame.NO_DEADLINE;
		long remaining = limited ? frame.deadlineNanos() - start : Long.MAX_VALUE;
		if (remaining <= 0) {
			throw new PathException(Reason.TIMEOUT, false, "the deadline had passed before the call", null);
		}
		Reply reply = rule.trusted() ? callHere(rule, frame, work) : callElsewhere(rule, frame, work, remaining);
		long took = System.nanoTime() - start;
		rule.observe(took, Math.min(remaining, DeadlineRule.LONG_NANOS));
		if (limited && took > remaining) {
			throw new PathException(Reason.TIMEOUT, true, "the deadline passed before the handler returned", null);
		}
		return reply;
	}

	private Reply callHere(DeadlineRule rule, CallFrame frame, Work work) throws PathException {
		try {
			return execute(work, frame.headers());
		}
		finally {
			if (Thread.currentThread().isInterrupted()) {
				rule.interruptedHere();
			}
		}
	}

	private Reply execute(Work work, Map<String, String> headers) throws PathException {
		Reply reply = null;
		PathException failure = null;
		boolean cutOff = false;
		try {
			if (this.callee.enter()) {
				reply = work.run(headers);
			}
			else {
				failure = new PathException(Reason.PEER_GONE, false, "the application has stopped", null);
			}
		}
		catch (PathException ex) {
			failure = ex;
		}
		finally {
			cutOff = this.callee.leave();
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

	private Reply callElsewhere(DeadlineRule rule, CallFrame frame, Work work, long remaining) throws PathException {
		// The caller may be gone, and its map changed, while the handler still runs.
		Map<String, String> headers = Map.copyOf(frame.headers());
		HandOff<Reply> handOff = new HandOff<>(() -> {
			try {
				return execute(work, headers);
			}
			finally {
				if (Thread.interrupted()) {
					rule.interruptedElsewhere();
				}
			}
		});
		try {
			this.callee.executor().execute(handOff);
		}
		catch (RejectedExecutionException ex) {
			if (frame.deadlineNanos() == CallFrame.NO_DEADLINE && !this.callee.closed()) {
				return callHere(rule, frame, work);
			}
			throw new PathException(this.callee.closed() ? Reason.PEER_GONE : Reason.EXHAUSTED, false,
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
		return !this.closed && !this.callee.closed();
	}

	/** Calls in flight end normally. */
	void close() {
		this.closed = true;
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
