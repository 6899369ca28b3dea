package io.github.vicinal.boot.client;

import io.github.vicinal.path.PathException;
import io.github.vicinal.path.Reply;
import org.jspecify.annotations.Nullable;

/** Outcome of a call over a typed path. */
sealed interface Attempt {

	/**
	 * The handler returned.
	 *
	 * @param result what the contract method returns, without its asynchronous wrapping
	 */
	record Answered(@Nullable Object result) implements Attempt {
	}

	/**
	 * The handler failed; the HTTP client is to raise what it raises for such a response.
	 *
	 * @param failure the response
	 */
	record HandlerFailed(Reply.Failure failure) implements Attempt {
	}

	/**
	 * The call was certainly not executed, or may be repeated: HTTP is next.
	 *
	 * @param reason why the path could not carry it
	 */
	record GoOn(String reason) implements Attempt {
	}

	/**
	 * There is no answer, and the call must not be repeated.
	 *
	 * @param cause why
	 */
	record Unanswered(PathException cause) implements Attempt {
	}

}
