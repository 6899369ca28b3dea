package io.github.vicinal.transport.multiplex;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

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

	private final ClientBinding binding;

	private final CodecChoice codec;

	/**
	 * Whether the contract is bound, by connection: {@code false} while it is being
	 * bound, and if it cannot be.
	 */
	private final Map<ClientEnd, Boolean> bound = new ConcurrentHashMap<>();

	/**
	 * Creates bindings of a contract.
	 * @param binding the contract, with its number on each connection to the peer
	 * @param codec the codec that was chosen on the first connection
	 */
	FurtherBindings(ClientBinding binding, CodecChoice codec) {
		this.binding = binding;
		this.codec = codec;
	}

	/**
	 * Returns whether calls may take a connection. Begins to bind the contract there when
	 * it is asked for the first time.
	 * @param connection a further connection
	 * @return {@code true} once the contract is bound
	 */
	boolean isBound(ClientEnd connection) {
		Boolean known = this.bound.get(connection);
		if (known != null) {
			return known;
		}
		this.bound.keySet().removeIf((other) -> !other.isOpen());
		if (this.bound.putIfAbsent(connection, false) == null) {
			bind(connection);
		}
		return false;
	}

	@SuppressWarnings("FutureReturnValueIgnored") // Without an answer nothing changes.
	private void bind(ClientEnd connection) {
		try {
			PendingCall call = connection.send(BindExchange.request(this.binding), false);
			connection.expire(call, System.nanoTime() + TIMEOUT_NANOS);
			call.answer().thenAccept((answer) -> {
				if (chosen(answer)) {
					this.bound.replace(connection, true);
				}
			});
		}
		catch (ConnectionException | WireException ex) {
			// The connection has ended meanwhile; the first one carries the calls.
		}
	}

	private boolean chosen(ReceivedFrame answer) {
		try {
			return BindExchange.bound(this.binding, answer).codec().name().equals(this.codec.codec().name());
		}
		catch (WireException ex) {
			return false;
		}
	}

}
