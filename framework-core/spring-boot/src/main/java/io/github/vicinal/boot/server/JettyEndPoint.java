package io.github.vicinal.boot.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.github.vicinal.exchange.ServerExchange;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.IdleTimeout;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for the socket of an exchange: its addresses, its idle time-out, and its end.
 * Bytes do not pass it. Idle time is not watched before something waits, because most
 * exchanges never wait. Thread-safe.
 */
final class JettyEndPoint extends IdleTimeout implements EndPoint {

	private final ServerExchange exchange;

	private final InetSocketAddress remote;

	private final InetSocketAddress local;

	private final long created = System.currentTimeMillis();

	private volatile @Nullable Connection connection;

	private volatile Consumer<TimeoutException> onIdle = (timeout) -> {
	};

	private volatile boolean watched;

	private volatile boolean closed;

	JettyEndPoint(ServerExchange exchange, ClientConnection client, Scheduler scheduler, long idleMillis) {
		super(scheduler);
		this.exchange = exchange;
		this.remote = address(client.remoteAddr(), 0);
		this.local = address(client.localAddr(), client.localPort());
		setIdleTimeout(idleMillis);
	}

	/** The texts are literals, so nothing is looked up. */
	private static InetSocketAddress address(String literal, int port) {
		try {
			return new InetSocketAddress(InetAddress.getByName(literal), port);
		}
		catch (UnknownHostException ex) {
			return InetSocketAddress.createUnresolved(literal, port);
		}
	}

	/**
	 * Begins to watch the idle time.
	 * @param action runs each time when it is over
	 */
	void watch(Consumer<TimeoutException> action) {
		notIdle();
		if (!this.watched) {
			this.onIdle = action;
			this.watched = true;
			onOpen();
		}
	}

	/** Ends with the exchange. */
	void ended() {
		this.closed = true;
		if (this.watched) {
			onClose();
		}
	}

	@Override
	protected void onIdleExpired(TimeoutException timeout) {
		this.onIdle.accept(timeout);
	}

	/** An end point that is not open has no timer. */
	@Override
	public boolean isOpen() {
		return this.watched && !this.closed;
	}

	@Override
	public void close(@Nullable Throwable cause) {
		this.exchange.end(new IOException("The server has closed the connection", cause));
	}

	@Override
	public void shutdownOutput() {
		close(null);
	}

	@Override
	public boolean isOutputShutdown() {
		return this.closed;
	}

	@Override
	public boolean isInputShutdown() {
		return this.closed;
	}

	@Override
	public SocketAddress getLocalSocketAddress() {
		return this.local;
	}

	@Override
	public SocketAddress getRemoteSocketAddress() {
		return this.remote;
	}

	@Override
	public long getCreatedTimeStamp() {
		return this.created;
	}

	@Override
	public @Nullable Callback cancelWrite(Throwable cause) {
		return null;
	}

	@Override
	public Object getTransport() {
		return this.exchange;
	}

	@Override
	public void fillInterested(Callback callback) {
		throw new UnsupportedOperationException("An exchange has no socket");
	}

	@Override
	public boolean tryFillInterested(Callback callback) {
		return false;
	}

	@Override
	public boolean isFillInterested() {
		return false;
	}

	@Override
	public @Nullable Connection getConnection() {
		return this.connection;
	}

	@Override
	public void setConnection(@Nullable Connection newConnection) {
		this.connection = newConnection;
	}

	@Override
	public void onClose(@Nullable Throwable cause) {
		ended();
	}

	@Override
	public void upgrade(Connection newConnection) {
		throw new UnsupportedOperationException("An exchange cannot become another connection");
	}

}
