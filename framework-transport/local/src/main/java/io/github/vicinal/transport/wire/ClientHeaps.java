package io.github.vicinal.transport.wire;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Budgets of heap for the large frames of each client of a server, shared by all
 * connections of the client. Thread-safe.
 *
 * @param <T> the type of budgets
 */
public final class ClientHeaps<T> {

	private final Supplier<T> maker;

	private final ToLongFunction<T> bytes;

	/** Guarded by this. */
	private final Map<String, Shared<T>> clients = new HashMap<>();

	/**
	 * Creates budgets.
	 * @param maker makes one for a client
	 * @param bytes returns how much of one is in use or kept
	 */
	public ClientHeaps(Supplier<T> maker, ToLongFunction<T> bytes) {
		this.maker = maker;
		this.bytes = bytes;
	}

	/**
	 * Returns a client's budget; {@link #release} must follow.
	 * @param client its instance id
	 * @return the same one for all connections that the client has
	 */
	public synchronized T acquire(String client) {
		Shared<T> shared = this.clients.computeIfAbsent(client, (key) -> new Shared<>(this.maker.get()));
		shared.users++;
		return shared.heap;
	}

	public synchronized void release(String client) {
		Shared<T> shared = this.clients.get(client);
		if (shared != null && --shared.users == 0) {
			this.clients.remove(client);
		}
	}

	/**
	 * Returns how much heap is in use or kept.
	 * @return bytes, of all clients
	 */
	public synchronized long bytes() {
		return this.clients.values().stream().mapToLong((shared) -> this.bytes.applyAsLong(shared.heap)).sum();
	}

	/** Share of one client. */
	private static final class Shared<T> {

		final T heap;

		/** Guarded by the map's owner. */
		int users;

		Shared(T heap) {
			this.heap = heap;
		}

	}

}
