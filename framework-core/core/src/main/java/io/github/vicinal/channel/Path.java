package io.github.vicinal.channel;

import java.util.Map;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.peer.PathKind;

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
public interface Path extends AutoCloseable {

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
	 * Returns whether calls can still succeed.
	 * @return {@code false} once the path is closed or its peer is known to be gone
	 */
	boolean isOpen();

	/**
	 * Returns how many bytes of calls and replies this path has carried.
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
