package io.github.vicinal.boot.topic;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

import io.github.vicinal.topic.Acknowledgement;
import io.github.vicinal.topic.MessageReturnedException;

/** The end of one message, for which the thread that called the listener waits. */
final class PendingAcknowledgement implements Acknowledgement {

	private final CompletableFuture<Boolean> done = new CompletableFuture<>();

	@Override
	public void acknowledge() {
		this.done.complete(true);
	}

	@Override
	public void reject(Exception cause) {
		this.done.completeExceptionally(cause);
	}

	/** Gives the message back, unless it was handled or rejected. */
	void closing() {
		this.done.completeExceptionally(new MessageReturnedException());
	}

	/** Takes the end of a stage for the end of the message. */
	void endsWith(CompletionStage<?> stage) {
		stage.whenComplete((result, failure) -> {
			Throwable cause = (failure instanceof CompletionException && failure.getCause() != null)
					? failure.getCause() : failure;
			if (cause == null) {
				acknowledge();
			}
			else {
				this.done.completeExceptionally(cause);
			}
		});
	}

	/** Waits for the end. */
	void await() throws Exception {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					this.done.get();
					return;
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof Error error) {
				throw error;
			}
			throw (ex.getCause() instanceof Exception cause) ? cause : ex;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
