package io.github.vicinal.boot.server;

import java.net.SocketAddress;
import java.util.EventListener;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.util.Attributes;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one exchange: that by which its client has sent an HTTP request, as
 * far as handlers can see it. Thread-safe.
 */
final class JettyConnection extends Attributes.Lazy implements ConnectionMetaData, Connection {

	private static final AtomicLong IDS = new AtomicLong();

	private final String id = "vicinal-" + IDS.incrementAndGet();

	private final Connector connector;

	private final HttpConfiguration config;

	private final JettyEndPoint endPoint;

	private volatile boolean persistent;

	/**
	 * Creates a connection.
	 * @param connector the connector on which requests of the client arrive
	 * @param config how the connector treats them
	 * @param endPoint stands in for the socket
	 * @param persistent whether the client would use the connection for further requests
	 */
	JettyConnection(Connector connector, HttpConfiguration config, JettyEndPoint endPoint, boolean persistent) {
		this.connector = connector;
		this.config = config;
		this.endPoint = endPoint;
		this.persistent = persistent;
		endPoint.setConnection(this);
	}

	@Override
	public String getId() {
		return this.id;
	}

	@Override
	public HttpConfiguration getHttpConfiguration() {
		return this.config;
	}

	@Override
	public HttpVersion getHttpVersion() {
		return HttpVersion.HTTP_1_1;
	}

	@Override
	public String getProtocol() {
		return HttpVersion.HTTP_1_1.asString();
	}

	@Override
	public Connection getConnection() {
		return this;
	}

	@Override
	public Connector getConnector() {
		return this.connector;
	}

	@Override
	public boolean isPersistent() {
		return this.persistent;
	}

	/** Notes that a real connection would be closed behind the response. */
	void endsWithResponse() {
		this.persistent = false;
	}

	@Override
	public @Nullable SocketAddress getRemoteSocketAddress() {
		return this.endPoint.getRemoteSocketAddress();
	}

	@Override
	public @Nullable SocketAddress getLocalSocketAddress() {
		SocketAddress configured = this.config.getLocalAddress();
		return (configured != null) ? configured : this.endPoint.getLocalSocketAddress();
	}

	@Override
	public JettyEndPoint getEndPoint() {
		return this.endPoint;
	}

	/** Nothing happens to such a connection that could be listened to. */
	@Override
	public void addEventListener(EventListener listener) {
		// Opened and closed with its exchange.
	}

	@Override
	public void removeEventListener(EventListener listener) {
		// See above.
	}

	@Override
	public void onOpen() {
		// Nothing is read before the exchange begins.
	}

	@Override
	public void onClose(@Nullable Throwable cause) {
		// The exchange has ended.
	}

	@Override
	public void close() {
		this.endPoint.close();
	}

	@Override
	public boolean onIdleExpired(TimeoutException timeout) {
		return false;
	}

	@Override
	public long getMessagesIn() {
		return 1;
	}

	@Override
	public long getMessagesOut() {
		return 1;
	}

	@Override
	public long getBytesIn() {
		return 0;
	}

	@Override
	public long getBytesOut() {
		return 0;
	}

	@Override
	public long getCreatedTimeStamp() {
		return this.endPoint.getCreatedTimeStamp();
	}

	/** The superclass compares attributes. */
	@Override
	public boolean equals(@Nullable Object other) {
		return this == other;
	}

	@Override
	public int hashCode() {
		return System.identityHashCode(this);
	}

	@Override
	public String toString() {
		return this.id;
	}

}
