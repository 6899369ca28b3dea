package io.github.vicinal.transport.uds;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.transport.wire.Watchdog;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one peer. Thread-safe.
 * <p>
 * The connection that was used last is used first, so that few are warm and the others
 * grow old and are closed. The lock is held for some instructions only, never while a
 * connection is opened.
 */
final class ConnectionPool implements Watchdog.Watched {

	private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private final UdsPeer peer;

	private final int limit;

	private final long acquireNanos;

	private final long idleNanos;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition freed = this.lock.newCondition();

	private final Deque<UdsConnection> idle = new ArrayDeque<>();

	private final Set<UdsConnection> busy = new HashSet<>();

	/** Connections that are open or being opened. */
	private int total;

	private boolean closed;

	ConnectionPool(UdsPeer peer) {
		this.peer = peer;
		this.limit = peer.options().maxConnectionsPerPeer();
		this.acquireNanos = peer.options().acquireTimeout().toNanos();
		this.idleNanos = peer.options().idleTimeout().toNanos();
	}

	/**
	 * Takes a connection; {@link #release} must follow.
	 * @param fresh whether it must be a new one
	 * @param deadline in the watchdog's time
	 */
	UdsConnection acquire(boolean fresh, long deadline) throws UdsException {
		UdsConnection unwanted = null;
		this.lock.lock();
		try {
			if (this.idle.isEmpty() && this.total >= this.limit) {
				awaitFreed(deadline);
			}
			if (this.closed) {
				throw UdsException.of(Reason.PEER_GONE, false, "the path is closed", null);
			}
			UdsConnection connection = this.idle.pollFirst();
			if (connection == null) {
				this.total++;
			}
			else if (fresh) {
				// Its place is taken by the new one.
				unwanted = connection;
			}
			else {
				this.busy.add(connection);
				return connection;
			}
		}
		finally {
			this.lock.unlock();
		}
		if (unwanted != null) {
			unwanted.close();
		}
		return open(deadline);
	}

	private void awaitFreed(long deadline) throws UdsException {
		long now = this.peer.watchdog().now();
		boolean byDeadline = deadline < now + this.acquireNanos;
		long patience = byDeadline ? deadline - now : this.acquireNanos;
		try {
			while (this.idle.isEmpty() && this.total >= this.limit && !this.closed) {
				if (patience <= 0) {
					throw UdsException.of(Reason.EXHAUSTED, false,
							"all %d connections to %s are in use and none became free before the %s"
								.formatted(this.limit, this.peer, byDeadline ? "deadline" : "acquire timeout"),
							null);
				}
				patience = this.freed.awaitNanos(patience);
			}
		}
		catch (InterruptedException ex) {
			this.freed.signal();
			Thread.currentThread().interrupt();
			throw UdsException.of(Reason.INTERRUPTED, false, "the calling thread was interrupted", ex);
		}
	}

	private UdsConnection open(long deadline) throws UdsException {
		UdsConnection opened = null;
		boolean kept = false;
		try {
			long latest = this.peer.watchdog().now() + this.peer.options().handshakeTimeout().toNanos();
			opened = UdsConnection.open(this.peer, Math.min(deadline, latest));
			kept = keep(opened);
			if (!kept) {
				throw UdsException.of(Reason.PEER_GONE, false, "the path is closed", null);
			}
			return opened;
		}
		finally {
			if (!kept) {
				leave();
				if (opened != null) {
					opened.close();
				}
			}
		}
	}

	private boolean keep(UdsConnection connection) {
		this.lock.lock();
		try {
			return !this.closed && this.busy.add(connection);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void leave() {
		this.lock.lock();
		try {
			this.total--;
			this.freed.signal();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Gives a connection back, or closes it if it is not usable. */
	void release(UdsConnection connection) {
		boolean usable = connection.usable();
		long now = this.peer.watchdog().now();
		this.lock.lock();
		try {
			this.busy.remove(connection);
			usable &= !this.closed;
			if (usable) {
				connection.idleSince = now;
				this.idle.addFirst(connection);
			}
			else {
				this.total--;
			}
			this.freed.signal();
		}
		finally {
			this.lock.unlock();
		}
		if (usable) {
			this.peer.watchdog().lookAt(now + this.idleNanos);
		}
		else {
			connection.close();
		}
	}

	@Override
	public long look(long now) {
		if (!this.lock.tryLock()) {
			return now + LOOK_AGAIN_NANOS;
		}
		List<UdsConnection> old = new ArrayList<>();
		try {
			UdsConnection oldest = this.idle.peekLast();
			while (oldest != null && oldest.idleSince + this.idleNanos <= now) {
				this.idle.removeLast();
				this.total--;
				old.add(oldest);
				oldest = this.idle.peekLast();
			}
			return next(now, oldest);
		}
		finally {
			this.lock.unlock();
			old.forEach(UdsConnection::close);
		}
	}

	private long next(long now, @Nullable UdsConnection oldest) {
		if (oldest != null) {
			return oldest.idleSince + this.idleNanos;
		}
		return (this.total > 0) ? now + this.idleNanos : Watchdog.NEVER;
	}

	/** Returns the number of connections that are open or being opened. */
	int size() {
		this.lock.lock();
		try {
			return this.total;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Closes idle connections, and those of calls in flight at once or when they end.
	 * @param cutOff whether calls in flight fail
	 */
	void close(boolean cutOff) {
		List<UdsConnection> closing;
		this.lock.lock();
		try {
			this.closed = true;
			closing = new ArrayList<>(this.idle);
			this.total -= this.idle.size();
			this.idle.clear();
			if (cutOff) {
				closing.addAll(this.busy);
			}
			this.freed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
		closing.forEach(UdsConnection::close);
	}

}
