package io.github.vicinal.jvm;

import java.util.concurrent.Executor;

/**
 * An application that others in its JVM can call. Thread-safe.
 * <p>
 * A call is made on the thread of the caller, between {@link #enter()} and
 * {@link #leave()}, or is handed to the {@link #executor()}, which does the same there:
 *
 * <pre class="code">
 * try {
 *     if (!neighbour.enter()) {
 *         // it has stopped
 *     }
 *     byte[] answer = session.answer(frame, length);
 * }
 * finally {
 *     if (neighbour.leave()) {
 *         // it has stopped before the answer
 *     }
 * }
 * </pre>
 *
 * @since 0.1.0
 */
public interface Neighbour {

	/**
	 * Opens a session.
	 * @return a session; it need not be closed
	 */
	Session open();

	/**
	 * Returns what runs calls that must not hold the caller's thread for longer than
	 * their deadline. A task that is a {@link java.util.concurrent.Future} is cancelled
	 * if it has not ended when the application ends.
	 * @return an executor of the application that answers
	 */
	Executor executor();

	/**
	 * Announces a call; {@link #leave()} must follow in any case.
	 * @return whether it may go on; {@code false} once the application stops
	 */
	boolean enter();

	/**
	 * Ends what {@link #enter()} began, on the same thread.
	 * @return whether the call was cut off, because the application has ended and the
	 * call had not: what it returned is no answer
	 */
	boolean leave();

	/**
	 * Returns whether the application has stopped.
	 * @return {@code true} if it answers nothing more
	 */
	boolean closed();

	/**
	 * Agreement of one caller with the neighbour. Thread-safe.
	 *
	 * @since 0.1.0
	 */
	@FunctionalInterface
	interface Session {

		/**
		 * Answers a frame on the calling thread, with the context of the application that
		 * answers. The format of frames is a matter of both sides; each names its
		 * version.
		 * @param frame begins with the frame; it is not kept
		 * @param length how long the frame is, in bytes
		 * @return the frame that answers it; it belongs to the caller
		 */
		byte[] answer(byte[] frame, int length);

	}

}
