package io.github.vicinal.path;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Completes calls later that can only be made by a thread that waits for their answer.
 *
 * @since 0.1.0
 */
public final class LaterCalls {

	private LaterCalls() {
	}

	/**
	 * Lets a thread make a call.
	 * @param call the call
	 * @param executor runs the call
	 * @return a stage that completes as the call does; with a {@link PathException} if
	 * the executor takes no call, or cannot start a thread for it
	 */
	public static CompletionStage<Reply> make(BlockingCall call, Executor executor) {
		CompletableFuture<Reply> answer = new CompletableFuture<>();
		try {
			executor.execute(() -> {
				try {
					answer.complete(call.make());
				}
				catch (PathException | RuntimeException | Error ex) {
					answer.completeExceptionally(ex);
				}
			});
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			// A native thread that cannot be started is an OutOfMemoryError.
			answer.completeExceptionally(new PathException(PathException.Reason.EXHAUSTED, false,
					"the executor of calls that complete later takes no further call: " + ex.getMessage(), ex));
		}
		return answer;
	}

	/**
	 * A call that returns when it is answered.
	 *
	 * @since 0.1.0
	 */
	@FunctionalInterface
	public interface BlockingCall {

		/**
		 * Makes the call.
		 * @return the reply
		 * @throws PathException if there is no answer
		 */
		Reply make() throws PathException;

	}

}
