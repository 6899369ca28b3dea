package io.github.vicinal.server;

import java.util.Map;
import java.util.Optional;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;
import io.github.vicinal.requestserver.RejectedRequestException;

/**
 * One contract that this process offers. Thread-safe.
 *
 * @since 0.1.0
 */
public interface Service {

	/**
	 * Returns the contract, as this side knows it.
	 * @return the contract
	 */
	Contract contract();

	/**
	 * Returns why calls must come by HTTP.
	 * @return the reason, or empty if any path may be used
	 */
	Optional<String> refusal();

	/**
	 * Returns the methods whose calls must come by HTTP although the contract is offered.
	 * @return reasons by index of the method; none unless overridden
	 */
	default Map<Integer, String> httpOnlyMethods() {
		return Map.of();
	}

	/**
	 * Returns the codecs of the application that answers.
	 * @return its codecs
	 */
	Codecs codecs();

	/**
	 * Executes a call on the calling thread, in the context of the application that
	 * answers and of nothing else: no thread-local state of the caller is visible to the
	 * handler, and none of the handler's remains.
	 * @param frame the call; its arguments belong to the callee
	 * @return the outcome; a handler's failure is a {@link Reply.Failure}, never an
	 * exception
	 * @throws HttpRequiredException if only an HTTP request can be answered; the call was
	 * not executed
	 */
	Reply invoke(CallFrame frame);

	/**
	 * Executes a call as {@link #invoke(CallFrame)} does, after the calling thread has
	 * waited for a permit, if it has to.
	 * @param frame the call; its arguments belong to the callee
	 * @param beforeWaiting called at most once, on the calling thread, before it waits,
	 * possibly for long
	 * @return the outcome
	 * @throws RejectedRequestException if nobody waits for the call any more; it was not
	 * executed. A call that is refused for another reason has an outcome
	 * @throws HttpRequiredException if only an HTTP request can be answered; the call was
	 * not executed
	 */
	default Reply invoke(CallFrame frame, Runnable beforeWaiting) {
		return invoke(frame);
	}

	/**
	 * Returns the answer for a value of {@link #invoke} that cannot be encoded.
	 * @param frame the call
	 * @param failure why not
	 * @return the failure that HTTP would have made of it
	 */
	default Reply.Failure unencodable(CallFrame frame, RuntimeException failure) {
		return new Reply.Failure(500, Map.of(), new byte[0], failure.getClass().getName());
	}

	/**
	 * Begins nothing more: calls are left to HTTP, except those that belong to something
	 * in flight. Does nothing unless overridden.
	 */
	default void stopAccepting() {
	}

	/**
	 * Returns whether something is in flight that has further calls to come.
	 * @return {@code false} unless overridden: each call is complete in itself
	 */
	default boolean isBusy() {
		return false;
	}

	/** Ends what has further calls to come, as the end of a connection does. */
	default void cutOff() {
	}

}
