package io.github.vicinal.channel;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractMethod;

/**
 * One call on its way to a peer. The arguments are the caller's own objects on the client
 * side and the callee's own on the server side; a path copies in between.
 *
 * @param contract the contract that is called
 * @param method the method that is called
 * @param arguments its arguments, in order; not to be changed
 * @param deadlineNanos the {@link System#nanoTime()} of this JVM after which the caller
 * no longer waits, or {@link #NO_DEADLINE}
 * @param headers propagated context, such as {@code traceparent}; lower-case names
 * @since 0.1
 */
@SuppressWarnings("ArrayRecordComponent")
public record CallFrame(Contract contract, ContractMethod method, @Nullable Object[] arguments, long deadlineNanos,
		Map<String, String> headers) {

	/** Says that the caller waits for as long as it takes. */
	public static final long NO_DEADLINE = Long.MAX_VALUE;

	/**
	 * Returns how long the caller still waits.
	 * @return nanoseconds, at most 0 if the deadline has passed, {@link #NO_DEADLINE} if
	 * there is none
	 */
	public long remainingNanos() {
		return (this.deadlineNanos == NO_DEADLINE) ? NO_DEADLINE : this.deadlineNanos - System.nanoTime();
	}

}
