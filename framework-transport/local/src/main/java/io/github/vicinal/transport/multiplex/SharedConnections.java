package io.github.vicinal.transport.multiplex;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Connections to peers, one for each, which all paths to the peer share. A connection
 * ends with the last path that uses it. Thread-safe.
 *
 * @param <C> the type of the connections
 */
public final class SharedConnections<C extends ClientEnd> {

	private static final int STRIPES = 64;

	/** Keeps two paths from opening two connections to one peer. */
	private final Object[] connecting = new Object[STRIPES];

	/** By the instance ids of the peers. Guarded by this. */
	private final Map<String, C> connections = new HashMap<>();

	/**
	 * Number of paths that use a connection, also one that was replaced. Guarded by this.
	 */
	private final Map<C, Integer> users = new HashMap<>();

	/** Guarded by this. */
	private boolean closed;

	/** Creates an empty set. */
	public SharedConnections() {
		Arrays.setAll(this.connecting, (i) -> new Object());
	}

	/**
	 * Returns the connection to a peer, a new one if there is none. Blocks while one is
	 * being opened. {@link #release} must follow.
	 * @param instanceId the peer
	 * @param opener opens a connection
	 * @return the connection; {@code null} after {@link #close()}
	 * @throws ConnectionException if none can be opened
	 */
	public @Nullable C acquire(String instanceId, Opener<C> opener) throws ConnectionException {
		synchronized (this.connecting[Math.floorMod(instanceId.hashCode(), STRIPES)]) {
			C known = existing(instanceId);
			if (known != null || isClosed()) {
				return known;
			}
			C connection = opener.create();
			boolean kept = false;
			try {
				opener.open(connection);
				kept = keep(instanceId, connection);
			}
			finally {
				if (!kept) {
					connection.close();
				}
			}
			return kept ? connection : null;
		}
	}

	private synchronized @Nullable C existing(String instanceId) {
		C connection = this.connections.get(instanceId);
		if (this.closed || connection == null || !connection.isOpen()) {
			return null;
		}
		this.users.merge(connection, 1, Integer::sum);
		return connection;
	}

	private synchronized boolean isClosed() {
		return this.closed;
	}

	private synchronized boolean keep(String instanceId, C connection) {
		if (this.closed) {
			return false;
		}
		this.users.put(connection, 1);
		this.connections.put(instanceId, connection);
		return true;
	}

	/**
	 * Gives a connection back, which ends if nobody else uses it.
	 * @param connection what {@link #acquire} returned
	 */
	public void release(C connection) {
		synchronized (this) {
			Integer left = this.users.computeIfPresent(connection, (key, count) -> (count > 1) ? count - 1 : null);
			if (left != null) {
				return;
			}
			this.connections.values().remove(connection);
		}
		// Without the lock: calls that fail run what waits for them.
		connection.leave();
	}

	/**
	 * Returns the connections that new paths may use.
	 * @return a copy
	 */
	public synchronized List<C> all() {
		return List.copyOf(this.connections.values());
	}

	/** Calls in flight fail, and there are no further connections. */
	public void close() {
		List<C> open;
		synchronized (this) {
			this.closed = true;
			open = all();
			this.connections.clear();
		}
		open.forEach(ClientEnd::close);
	}

	/**
	 * Opens connections.
	 *
	 * @param <C> the type of the connections
	 */
	public interface Opener<C> {

		/**
		 * Creates a connection that is not open.
		 * @return the connection
		 */
		C create();

		/**
		 * Opens a connection. Blocks.
		 * @param connection what {@link #create()} returned
		 * @throws ConnectionException if it cannot be opened
		 */
		void open(C connection) throws ConnectionException;

	}

}
