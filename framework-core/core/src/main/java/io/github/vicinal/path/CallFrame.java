package io.github.vicinal.path;

import java.util.Map;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;
import org.jspecify.annotations.Nullable;

/**
 * One call on its way to a peer. The arguments are the caller's own objects on the client
 * side and the callee's own on the server side; a path copies in between. Belongs to the
 * thread that makes the call. Any thread may {@linkplain #abandon abandon} it.
 * <p>
 * On the client, abandoning a call ends one that completes later. On the server, it is
 * what a lost connection is to an HTTP request: a call that waits for a permit is not
 * executed, and nobody reads the answer of one whose handler runs.
 *
 * @since 0.1.0
 */
public final class CallFrame {

	/** Says that the caller waits for as long as it takes. */
	public static final long NO_DEADLINE = Long.MAX_VALUE;

	private final Contract contract;

	private final ContractMethod method;

	private final @Nullable Object[] arguments;

	private final long deadlineNanos;

	private final Map<String, String> headers;

	private int bytes;

	private boolean timed;

	private long serviceNanos;

	private volatile boolean abandoned;

	/** Guarded by this object. */
	private @Nullable Runnable onAbandoned;

	/** Thread that waits for a permit. Written by itself, under this object's monitor. */
	private @Nullable Thread waiting;

	/** Whether that thread was interrupted. Guarded by this object. */
	private boolean interrupted;

	/**
	 * Creates a frame.
	 * @param contract the contract that is called
	 * @param method the method that is called
	 * @param arguments its arguments, in order; not to be changed
	 * @param deadlineNanos the {@link System#nanoTime()} of this JVM after which the
	 * caller no longer waits, or {@link #NO_DEADLINE}
	 * @param headers propagated context, such as {@code traceparent}, and what the client
	 * adds to its requests; lower-case names. The values of a header that occurs several
	 * times are separated by line feeds, which no value of a header can contain
	 */
	public CallFrame(Contract contract, ContractMethod method, @Nullable Object[] arguments, long deadlineNanos,
			Map<String, String> headers) {
		this.contract = contract;
		this.method = method;
		this.arguments = arguments;
		this.deadlineNanos = deadlineNanos;
		this.headers = headers;
	}

	/**
	 * Returns the contract that is called.
	 * @return the contract
	 */
	public Contract contract() {
		return this.contract;
	}

	/**
	 * Returns the method that is called.
	 * @return the method
	 */
	public ContractMethod method() {
		return this.method;
	}

	/**
	 * Returns the arguments.
	 * @return the arguments, in order; not to be changed
	 */
	public @Nullable Object[] arguments() {
		return this.arguments;
	}

	/**
	 * Returns until when the caller waits.
	 * @return a {@link System#nanoTime()}, or {@link #NO_DEADLINE}
	 */
	public long deadlineNanos() {
		return this.deadlineNanos;
	}

	/**
	 * Returns the propagated context, and what the client adds to its requests.
	 * @return values by lower-case names; several values of one header are separated by
	 * line feeds
	 */
	public Map<String, String> headers() {
		return this.headers;
	}

	/**
	 * Returns how long the caller still waits.
	 * @return nanoseconds, at most 0 if the deadline has passed, {@link #NO_DEADLINE} if
	 * there is none
	 */
	public long remainingNanos() {
		return (this.deadlineNanos == NO_DEADLINE) ? NO_DEADLINE : this.deadlineNanos - System.nanoTime();
	}

	/**
	 * Notes the number of bytes of the call and its reply. A path that serialises says so
	 * once it has an answer, on the thread that makes the call.
	 * @param carried bytes, at least 0
	 */
	public void carried(long carried) {
		this.bytes = (int) Math.min(carried, Integer.MAX_VALUE);
	}

	/**
	 * Returns the number of bytes that the call and its reply took.
	 * @return bytes, 0 if the path did not say, at most {@link Integer#MAX_VALUE}
	 */
	public int bytes() {
		return this.bytes;
	}

	/**
	 * Asks the peer for its service time. A path that serialises passes the question on.
	 */
	public void time() {
		this.timed = true;
	}

	/**
	 * Returns whether the caller wants to know the service time.
	 * @return {@code false} unless {@link #time} was called
	 */
	public boolean isTimed() {
		return this.timed;
	}

	/**
	 * Notes how long the call waited and ran at the peer. On the client it is what the
	 * peer claims, which may be any number.
	 * @param nanos nanoseconds
	 */
	public void served(long nanos) {
		this.serviceNanos = nanos;
	}

	/**
	 * Returns how long the call waited and ran at the peer.
	 * @return nanoseconds, unchecked; 0 if the peer did not say
	 */
	public long serviceNanos() {
		return this.serviceNanos;
	}

	/**
	 * Notes that the caller does not wait for the answer any more. Called by any thread;
	 * has an effect once.
	 */
	public void abandon() {
		Runnable task;
		synchronized (this) {
			if (this.abandoned) {
				return;
			}
			this.abandoned = true;
			task = this.onAbandoned;
			this.onAbandoned = null;
			interruptWaiting();
		}
		if (task != null) {
			task.run();
		}
	}

	/** Under this object's monitor. */
	private void interruptWaiting() {
		if (this.waiting != null) {
			this.interrupted = true;
			this.waiting.interrupt();
		}
	}

	/**
	 * Returns whether the caller has given up.
	 * @return {@code false} as long as somebody waits for the answer
	 */
	public boolean isAbandoned() {
		return this.abandoned;
	}

	/**
	 * Runs a task when the caller gives up, at once if it has. Replaces the task that was
	 * set before.
	 * @param task runs at most once, on any thread; must not block
	 */
	public void whenAbandoned(Runnable task) {
		synchronized (this) {
			if (!this.abandoned) {
				this.onAbandoned = task;
				return;
			}
		}
		task.run();
	}

	/**
	 * Notes that the calling thread waits before the call is executed. It is interrupted
	 * if the caller gives up meanwhile, until {@link #endWaiting()}, which must follow on
	 * the same thread.
	 */
	public void beginWaiting() {
		synchronized (this) {
			this.waiting = Thread.currentThread();
			if (this.abandoned) {
				interruptWaiting();
			}
		}
	}

	/**
	 * Notes that the calling thread does not wait any more, if it has waited: from now on
	 * {@link #abandon()} interrupts nobody.
	 * @return whether the caller still waits for the answer
	 */
	public boolean endWaiting() {
		if (this.waiting != null) {
			synchronized (this) {
				this.waiting = null;
				if (this.interrupted) {
					this.interrupted = false;
					Thread.interrupted();
				}
			}
		}
		return !this.abandoned;
	}

}
