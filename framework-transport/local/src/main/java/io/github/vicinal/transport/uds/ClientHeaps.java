package io.github.vicinal.transport.uds;

import java.util.HashMap;
import java.util.Map;

import io.github.vicinal.transport.wire.SocketHeap;

/**
 * Heap for the large frames of each client of a server, shared by the client's
 * connections. Thread-safe.
 */
final class ClientHeaps {

	private final long maxBytesPerClient;

	/** Guarded by this. */
	private final Map<String, Shared> clients = new HashMap<>();

	ClientHeaps(long maxBytesPerClient) {
		this.maxBytesPerClient = maxBytesPerClient;
	}

	/** Returns a client's heap; {@link #release} must follow. */
	synchronized SocketHeap acquire(String client) {
		Shared shared = this.clients.computeIfAbsent(client,
				(key) -> new Shared(new SocketHeap(this.maxBytesPerClient)));
		shared.users++;
		return shared.heap;
	}

	synchronized void release(String client) {
		Shared shared = this.clients.get(client);
		if (shared != null && --shared.users == 0) {
			this.clients.remove(client);
		}
	}

	synchronized long bytes() {
		return this.clients.values().stream().mapToLong((shared) -> shared.heap.bytes()).sum();
	}

	/** What one client has. */
	private static final class Shared {

		final SocketHeap heap;

		/** Guarded by the map's owner. */
		int users;

		Shared(SocketHeap heap) {
			this.heap = heap;
		}

	}

}
