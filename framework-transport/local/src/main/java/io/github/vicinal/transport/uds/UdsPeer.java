package io.github.vicinal.transport.uds;

import java.nio.file.Path;
import java.util.IdentityHashMap;
import java.util.Map;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.transport.wire.ClientBinding;
import io.github.vicinal.transport.wire.PeerCheck;
import io.github.vicinal.transport.wire.SocketHeap;
import io.github.vicinal.transport.wire.Watchdog;
import org.jspecify.annotations.Nullable;

/**
 * One peer as the client sees it: shared by the paths of all contracts. Thread-safe.
 */
final class UdsPeer {

	private final String self;

	private final String expected;

	private final Path socket;

	private final UdsOptions options;

	private final PeerCheck peerCheck;

	private final Watchdog watchdog;

	private final Codecs codecs;

	private final ConnectionPool pool;

	private final SocketHeap heap;

	private final Map<Contract, ClientBinding> bindings = new IdentityHashMap<>();

	private volatile boolean ended;

	/** Guarded by the provider's lock. */
	int users;

	UdsPeer(String self, String expected, Path socket, UdsOptions options, PeerCheck peerCheck, Watchdog watchdog,
			Codecs codecs) {
		this.self = self;
		this.expected = expected;
		this.socket = socket;
		this.options = options;
		this.peerCheck = peerCheck;
		this.watchdog = watchdog;
		this.codecs = codecs;
		this.heap = new SocketHeap(options.maxHeapBytes());
		this.pool = new ConnectionPool(this);
		watchdog.add(this.pool);
	}

	/**
	 * Returns the binding of a contract: always the same one, so that a path that comes
	 * and goes does not use up numbers.
	 */
	synchronized ClientBinding binding(Contract contract) {
		return this.bindings.computeIfAbsent(contract,
				(key) -> new ClientBinding(this.bindings.size(), contract, this.codecs));
	}

	/**
	 * Runs an action with a connection, and once more with a new one if the first proves
	 * stale.
	 * @param deadline in the watchdog's time
	 */
	<T> T with(long deadline, Use<T> use) throws UdsException {
		if (Thread.currentThread().isInterrupted()) {
			throw UdsException.of(Reason.INTERRUPTED, false, "the calling thread is interrupted", null);
		}
		UdsConnection connection = this.pool.acquire(false, deadline);
		try {
			return use.with(connection);
		}
		catch (UdsException ex) {
			if (!ex.staleConnection()) {
				throw ex;
			}
		}
		finally {
			this.pool.release(connection);
		}
		connection = this.pool.acquire(true, deadline);
		try {
			return use.with(connection);
		}
		finally {
			this.pool.release(connection);
		}
	}

	/** An instance id never comes back, so neither does its peer. */
	void ended() {
		this.ended = true;
	}

	UdsException gone(String why, @Nullable Throwable cause) {
		this.ended = true;
		return UdsException.of(Reason.PEER_GONE, false, "%s is gone: %s".formatted(this, why), cause);
	}

	boolean hasEnded() {
		return this.ended;
	}

	String describe(String what) {
		return this + " " + what;
	}

	void close(boolean cutOff) {
		this.pool.close(cutOff);
		this.watchdog.remove(this.pool);
	}

	SocketHeap heap() {
		return this.heap;
	}

	ConnectionPool pool() {
		return this.pool;
	}

	String self() {
		return this.self;
	}

	String expected() {
		return this.expected;
	}

	Path socket() {
		return this.socket;
	}

	UdsOptions options() {
		return this.options;
	}

	PeerCheck peerCheck() {
		return this.peerCheck;
	}

	Watchdog watchdog() {
		return this.watchdog;
	}

	@Override
	public String toString() {
		return "the peer " + this.expected;
	}

	/** Action on a connection. */
	@FunctionalInterface
	interface Use<T> {

		T with(UdsConnection connection) throws UdsException;

	}

}
