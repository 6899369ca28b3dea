package io.github.vicinal.transport.tcp;

import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.PathException;
import io.github.vicinal.transport.multiplex.ClientEnd;
import io.github.vicinal.transport.multiplex.ConnectionException;
import io.github.vicinal.transport.multiplex.PendingCall;
import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.wire.DaemonThread;
import io.github.vicinal.transport.wire.WireLimits;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections to one peer: the first one, and further ones while
 * {@link SendQueueWatch it keeps calls waiting}. A call takes the first connection unless
 * that has a backlog, or else the one that has the least to send. So further ones become
 * idle when there are fewer calls, and are closed. The first connection decides whether
 * there is a path: if it ends, the further ones take no more calls, and close when those
 * in flight have ended. Thread-safe.
 */
final class PeerConnections implements ClientEnd {

	private static final Logger logger = LoggerFactory.getLogger(PeerConnections.class);

	/** Time for which a failure keeps further connections from being tried again. */
	private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final Further[] NONE = {};

	private final InetSocketAddress address;

	/** Replaced at most once, while it is being opened. */
	private volatile ClientConnection first;

	private final Opener opener;

	private final Function<Runnable, ClientConnection> maker;

	private final IntSupplier generation;

	private final int maxFurther;

	private final long idleNanos;

	/** Replaced under this object's monitor. */
	private volatile Further[] further = NONE;

	/** Whether a further connection is being opened. */
	private boolean opening;

	private long nextAttempt = System.nanoTime();

	/** Whether there are no further connections any more. */
	private boolean ended;

	/**
	 * Creates connections that are not open.
	 * @param address where they lead to
	 * @param maker makes a connection that calls a listener when it keeps calls waiting
	 * @param opener opens a connection
	 * @param generation returns how often the SSL bundle was reloaded
	 * @param options maximum number of connections, and when idle ones are closed
	 */
	PeerConnections(InetSocketAddress address, Function<Runnable, ClientConnection> maker, Opener opener,
			IntSupplier generation, TcpOptions options) {
		this.address = address;
		this.maker = maker;
		this.opener = opener;
		this.generation = generation;
		this.maxFurther = options.maxConnectionsPerPeer() - 1;
		this.idleNanos = options.idleTimeout().toNanos();
		this.first = maker.apply(this::congested);
	}

	/** Returns where the connections lead to. */
	InetSocketAddress address() {
		return this.address;
	}

	/**
	 * Opens the first connection. Blocks for the handshake timeout at most, or twice as
	 * long if one that was opened ahead ends instead of saying who is there.
	 */
	void open() throws ConnectionException {
		try {
			this.opener.open(this.first);
		}
		catch (ConnectionException ex) {
			if (!this.first.isOpenedAhead() || this.first.isOpen() || !hasEnded(ex)) {
				throw ex;
			}
			logger.debug("{} is connected to anew: {}", this.first, ex.getMessage());
			this.first.close();
			this.first = this.maker.apply(this::congested);
			this.opener.open(this.first);
		}
	}

	/** The server has ended the connection, or has missed the first frame on it. */
	private static boolean hasEnded(ConnectionException failure) {
		return failure.retryable() && (failure.reason() == PathException.Reason.PEER_GONE
				|| failure.reason() == PathException.Reason.TIMEOUT);
	}

	/**
	 * A connection keeps calls waiting: opens a further one in the background, unless
	 * there are enough of them.
	 */
	void congested() {
		synchronized (this) {
			if (this.ended || this.opening || System.nanoTime() - this.nextAttempt < 0 || isFull()) {
				return;
			}
			this.opening = true;
		}
		try {
			DaemonThread.create("vicinal-tcp-connection", this::openFurther).start();
		}
		catch (OutOfMemoryError ex) {
			// No thread can be had, and the event loop must go on.
			attempted(false);
		}
	}

	/**
	 * Forgets those that have ended: they take no more calls, and close by themselves.
	 */
	private boolean isFull() {
		this.further = Arrays.stream(this.further).filter((one) -> one.connection.isOpen()).toArray(Further[]::new);
		return this.further.length >= this.maxFurther;
	}

	private void openFurther() {
		boolean added = false;
		try {
			added = opened(this.maker.apply(this::congested));
		}
		catch (ConnectionException | RuntimeException | Error ex) {
			logger.debug("No further connection to {}: {}", this.first, ex.toString());
		}
		finally {
			attempted(added);
		}
	}

	private boolean opened(ClientConnection made) throws ConnectionException {
		boolean added = false;
		try {
			this.opener.open(made);
			added = suits(made) && add(made);
			return added;
		}
		finally {
			if (!added) {
				made.close();
			}
		}
	}

	/** A frame is made for any of the connections. */
	private boolean suits(ClientConnection made) {
		return made.maxRequestBytes() == this.first.maxRequestBytes()
				&& made.compressedFromBytes() == this.first.compressedFromBytes()
				&& made.generation() == this.generation.getAsInt();
	}

	private boolean add(ClientConnection made) {
		Further added = new Further(made);
		synchronized (this) {
			if (this.ended) {
				return false;
			}
			Further[] more = Arrays.copyOf(this.further, this.further.length + 1);
			more[more.length - 1] = added;
			this.further = more;
		}
		lookLater(added);
		return true;
	}

	private synchronized void attempted(boolean succeeded) {
		this.opening = false;
		if (!succeeded) {
			this.nextAttempt = System.nanoTime() + PAUSE_NANOS;
		}
	}

	private void lookLater(Further one) {
		try {
			one.connection.later(() -> look(one), this.idleNanos);
		}
		catch (RejectedExecutionException ex) {
			// The event loops have ended, and with them the connection.
		}
	}

	/**
	 * Closes a further connection that has ended, or was not used since the last look.
	 */
	private void look(Further one) {
		boolean used = one.used;
		one.used = false;
		if (one.connection.isOpen() && (used || !one.connection.isIdle())) {
			lookLater(one);
			return;
		}
		synchronized (this) {
			this.further = Arrays.stream(this.further).filter((other) -> other != one).toArray(Further[]::new);
		}
		// A call that has chosen it meanwhile ends normally, or goes by the first one.
		one.connection.drain("is not needed any more");
	}

	@Override
	public @Nullable ClientEnd further(Predicate<ClientEnd> bound) {
		Further[] known = this.further;
		if (known.length == 0 || !this.first.isBacklogged()) {
			return null;
		}
		long least = this.first.unsentBytes();
		Further chosen = null;
		for (Further one : known) {
			long unsent = one.connection.unsentBytes();
			if (unsent < least && one.connection.isOpen() && bound.test(one.connection)) {
				least = unsent;
				chosen = one;
			}
		}
		if (chosen == null) {
			return null;
		}
		if (!chosen.used) {
			chosen.used = true;
		}
		return chosen.connection;
	}

	/** Opens no further connections, and returns those that there are. */
	private synchronized List<ClientConnection> end() {
		this.ended = true;
		List<ClientConnection> known = Arrays.stream(this.further).map(Further::connection).toList();
		this.further = NONE;
		return known;
	}

	/**
	 * Takes no further calls, and closes once those in flight have ended, or the drain
	 * timeout has passed, for new connections.
	 */
	void renew(String why) {
		List<ClientConnection> known = end();
		this.first.renew(why);
		known.forEach((one) -> one.renew(why));
	}

	/** Returns the number of times that the SSL bundle had been reloaded before. */
	int generation() {
		return this.first.generation();
	}

	@Override
	public int nextBinding() {
		return this.first.nextBinding();
	}

	@Override
	public ReceivedFrame ask(EncodeBuffer out) throws ConnectionException {
		return this.first.ask(out);
	}

	@Override
	public PendingCall send(EncodeBuffer out, boolean executable) throws ConnectionException {
		return this.first.send(out, executable);
	}

	@Override
	public ReceivedFrame await(PendingCall call, long deadlineNanos) throws ConnectionException {
		return this.first.await(call, deadlineNanos);
	}

	@Override
	public void expire(PendingCall call, long deadlineNanos) {
		this.first.expire(call, deadlineNanos);
	}

	@Override
	public void abandon(PendingCall call) {
		this.first.abandon(call);
	}

	@Override
	public boolean isOpen() {
		return this.first.isOpen();
	}

	@Override
	public String reasonToRenew() {
		return this.first.reasonToRenew();
	}

	@Override
	public int maxRequestBytes() {
		return this.first.maxRequestBytes();
	}

	@Override
	public int compressedFromBytes() {
		return this.first.compressedFromBytes();
	}

	@Override
	public WireLimits limits() {
		return this.first.limits();
	}

	@Override
	public Map<String, Object> details() {
		Further[] known = this.further;
		Map<String, Object> details = new LinkedHashMap<>(this.first.details());
		int inFlight = this.first.inFlight();
		for (Further one : known) {
			inFlight += one.connection.inFlight();
		}
		details.put("inFlight", inFlight);
		details.put("connections", 1 + known.length);
		return details;
	}

	@Override
	public void leave() {
		List<ClientConnection> known = end();
		this.first.leave();
		known.forEach(ClientConnection::leave);
	}

	@Override
	public void close() {
		List<ClientConnection> known = end();
		this.first.close();
		known.forEach(ClientConnection::close);
	}

	@Override
	public String toString() {
		return this.first.toString();
	}

	/** Opens connections to the peer. */
	@FunctionalInterface
	interface Opener {

		/** Opens one. Blocks for the handshake timeout at most. */
		void open(ClientConnection connection) throws ConnectionException;

	}

	/** A further connection, and whether a call has taken it since the last look. */
	private static final class Further {

		private final ClientConnection connection;

		private volatile boolean used = true;

		Further(ClientConnection connection) {
			this.connection = connection;
		}

		ClientConnection connection() {
			return this.connection;
		}

	}

}
