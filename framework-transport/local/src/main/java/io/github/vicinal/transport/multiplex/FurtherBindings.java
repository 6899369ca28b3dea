package io.github.vicinal.transport.multiplex;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.transport.wire.ClientBinding;
import io.github.vicinal.transport.wire.WireException;

/**
 * Binds the contract of a path on further connections to its peer. No call waits for
 * that: calls go by the first connection until the contract is bound. Thread-safe.
 */
final class FurtherBindings {

	/** Time after which an answer to BIND is not expected any more. */
	private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

	/** Time for which a failure keeps a contract from being bound again. */
	static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final ClientBinding binding;

	private final CodecChoice codec;

	private final LongSupplier clock;

	private final Map<ClientEnd, State> states = new ConcurrentHashMap<>();

	/**
	 * Creates bindings of a contract.
	 * @param binding the contract, with its number on each connection to the peer
	 * @param codec the codec that was chosen on the first connection
	 * @param clock {@link System#nanoTime}
	 */
	FurtherBindings(ClientBinding binding, CodecChoice codec, LongSupplier clock) {
		this.binding = binding;
		this.codec = codec;
		this.clock = clock;
	}

	/**
	 * Returns whether calls may take a connection. Begins to bind the contract there when
	 * it is asked for the first time, and some time after a failure that may pass.
	 * @param connection a further connection
	 * @return {@code true} once the contract is bound
	 */
	boolean isBound(ClientEnd connection) {
		State known = this.states.get(connection);
		if (known == null) {
			this.states.keySet().removeIf((other) -> !other.isOpen());
			if (this.states.putIfAbsent(connection, State.NOT_BOUND) == null) {
				bind(connection);
			}
			return false;
		}
		if (known.retried && this.clock.getAsLong() - known.sinceNanos >= PAUSE_NANOS
				&& this.states.replace(connection, known, State.NOT_BOUND)) {
			bind(connection);
		}
		return known.bound;
	}

	@SuppressWarnings("FutureReturnValueIgnored") // The state says what came of it.
	private void bind(ClientEnd connection) {
		try {
			PendingCall call = connection.send(BindExchange.request(this.binding), false);
			connection.expire(call, System.nanoTime() + TIMEOUT_NANOS);
			call.answer()
				.whenComplete((answer, failure) -> this.states.replace(connection,
						(failure != null) ? failed(failure) : answered(answer)));
		}
		catch (ConnectionException | WireException ex) {
			this.states.replace(connection, failed(ex));
		}
	}

	private State answered(ReceivedFrame answer) {
		try {
			boolean chosen = BindExchange.bound(this.binding, answer).codec().name().equals(this.codec.codec().name());
			return chosen ? State.BOUND : State.NOT_BOUND;
		}
		catch (WireException ex) {
			return State.NOT_BOUND;
		}
	}

	/** A server with many calls to answer refuses what it may accept later. */
	private State failed(Throwable failure) {
		boolean passes = failure instanceof ConnectionException ex && ex.retryable();
		return passes ? new State(false, true, this.clock.getAsLong()) : State.NOT_BOUND;
	}

	/**
	 * State of the contract on a connection.
	 *
	 * @param bound whether the contract is bound
	 * @param retried whether it is to be bound again after a pause
	 * @param sinceNanos when the pause began
	 */
	private record State(boolean bound, boolean retried, long sinceNanos) {

		/** The answer is to come, or calls may never take the connection. */
		static final State NOT_BOUND = new State(false, false, 0);

		static final State BOUND = new State(true, false, 0);

	}

}
