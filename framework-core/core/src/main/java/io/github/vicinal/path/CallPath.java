package io.github.vicinal.path;

import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import io.github.vicinal.codec.CodecChoice;

/**
 * One way to reach one peer for one contract. Thread-safe.
 * <p>
 * <pre class="code">
 * try {
 *     Reply reply = path.call(frame);
 * }
 * catch (PathException ex) {
 *     if (!ex.maybeExecuted() || frame.method().idempotent()) {
 *         // the next path
 *     }
 * }
 * </pre>
 *
 * @since 0.1.0
 */
public interface CallPath extends AutoCloseable {

	/**
	 * Returns the kind of path.
	 * @return the kind
	 */
	PathKind kind();

	/**
	 * Returns the codec in use and why.
	 * @return the choice
	 */
	CodecChoice codec();

	/**
	 * Makes a call and waits for its answer on the calling thread. The arguments in the
	 * frame are never changed nor kept; the body of the reply belongs to the caller.
	 * @param frame the call
	 * @return the peer's answer
	 * @throws PathException if there is no answer; the path may be closed then
	 */
	Reply call(CallFrame frame) throws PathException;

	/**
	 * Makes a call without holding the calling thread.
	 * <p>
	 * Unless a path overrides this method, a thread of the executor makes the call and
	 * waits for its answer. A path that can wait without a thread overrides it together
	 * with {@link #callsLater()}, and uses the executor only for work that may block. The
	 * stage completes on any thread of the path or the executor, so dependent actions
	 * must not block. Cancelling it does not end the call; the deadline of the frame
	 * does, and so does {@link #close()}. A path that {@linkplain #callsLater() waits
	 * without a thread} also ends it when the frame is {@linkplain CallFrame#abandon
	 * abandoned}, and lets the peer know if it can.
	 * @param frame the call; it belongs to the path until the stage completes
	 * @param executor runs work that may block, never on the thread that calls this
	 * method
	 * @return a stage that completes with the peer's answer, or with a
	 * {@link PathException} if there is none; the path may be closed then
	 */
	default CompletionStage<Reply> callLater(CallFrame frame, Executor executor) {
		return LaterCalls.make(() -> call(frame), executor);
	}

	/**
	 * Returns whether {@link #callLater} waits for answers without holding a thread.
	 * Callers that wait for the answer of a call themselves do not ask.
	 * @return {@code false} if a thread of the executor waits
	 */
	default boolean callsLater() {
		return false;
	}

	/**
	 * Returns whether calls can still succeed.
	 * @return {@code false} once the path is closed or its peer is known to be gone
	 */
	boolean isOpen();

	/**
	 * Returns why this path takes no further calls although its peer is well, as when
	 * keys were replaced. The path that takes its place may be connected at once, whereas
	 * one to a peer that is lost is tried less and less often.
	 * @return the reason, for people; empty while the path is open, and if it was closed
	 * or its peer is gone
	 */
	default String reasonToRenew() {
		return "";
	}

	/**
	 * Returns the number of bytes of calls and replies that this path has carried.
	 * @return bytes, 0 where nothing is serialised
	 */
	long bytesCarried();

	/**
	 * Returns what only this kind of path has to say of its state, for people.
	 * @return names and values, mostly none
	 */
	default Map<String, Object> details() {
		return Map.of();
	}

	/** Closes the path. Calls in flight may fail. Never throws. */
	@Override
	void close();

}
