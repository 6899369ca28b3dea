package io.github.vicinal.transport.multiplex;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A frame that was sent, or is about to be, and waits for its answer. Thread-safe. */
public final class PendingCall {

	private final CompletableFuture<ReceivedFrame> answer = new CompletableFuture<>();

	private final long correlation;

	private final BooleanSupplier maybeExecuted;

	private final Consumer<PendingCall> givenUp;

	PendingCall(long correlation, BooleanSupplier maybeExecuted, Consumer<PendingCall> givenUp) {
		this.correlation = correlation;
		this.maybeExecuted = maybeExecuted;
		this.givenUp = givenUp;
	}

	/**
	 * Returns the answer to come. It fails with a {@link ConnectionException}.
	 * @return a future that the connection completes
	 */
	public CompletableFuture<ReceivedFrame> answer() {
		return this.answer;
	}

	/**
	 * Returns what the frame of the call carries as its correlation.
	 * @return a number that no other call of the connection has
	 */
	public long correlation() {
		return this.correlation;
	}

	/** Notes that nobody waits for the answer any more. Called once. */
	void giveUp() {
		this.givenUp.accept(this);
	}

	/**
	 * Returns whether the other side may have executed something.
	 * @return {@code false} if it certainly has not
	 */
	public boolean maybeExecuted() {
		return this.maybeExecuted.getAsBoolean();
	}

}
