package io.github.vicinal.boot.server;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.vicinal.exchange.ServerExchange;
import io.github.vicinal.server.HttpRequiredException;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpChannel;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Jetty;
import org.eclipse.jetty.util.VirtualThreads;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.jetty.JettyWebServer;
import org.springframework.boot.web.server.WebServer;

/**
 * Hands exchanges to Jetty's channels, which is where requests go once their bytes have
 * been parsed. Everything behind it runs as for any request: customizers of the
 * connector, handlers, filters, sessions, asynchronous servlets, error pages and the
 * request log. Thread-safe.
 */
final class JettyExchanges extends ServletExchanges {

	private static final Logger logger = LoggerFactory.getLogger(JettyExchanges.class);

	private static final Duration DEFAULT_IO_TIMEOUT = Duration.ofSeconds(20);

	/** Prefix of the versions whose streams and channels work as these classes expect. */
	private static final String VERSIONS = "12.1.";

	private final HttpChannel.Factory channels = new HttpChannel.DefaultFactory();

	private volatile @Nullable ServerConnector connector;

	/**
	 * Creates the handler of an application.
	 * @param webServer its web server, {@code null} before it has started
	 * @param isolation keeps the caller's thread state away
	 * @param tickets name the connections of clients
	 * @param running gets to know the exchange of each thread
	 */
	public JettyExchanges(Supplier<@Nullable WebServer> webServer, ThreadIsolation isolation, ConnectionTickets tickets,
			RunningExchange running) {
		super(webServer, isolation, tickets, running);
	}

	@Override
	protected @Nullable String connect(@Nullable WebServer webServer) {
		if (!(webServer instanceof JettyWebServer jetty)) {
			return "its web server is not an embedded Jetty";
		}
		try {
			if (!Jetty.VERSION.startsWith(VERSIONS)) {
				return "exchanges are made for Jetty 12.1, and this is Jetty %s".formatted(Jetty.VERSION);
			}
			ServerConnector found = connector(jetty);
			if (found == null) {
				return "Jetty has no connector of its own for port %d".formatted(jetty.getPort());
			}
			String reason = unlike(found);
			if (reason == null) {
				this.connector = found;
			}
			return reason;
		}
		catch (LinkageError | ClassCastException ex) {
			return "this version of Jetty differs from those that exchanges are made for: " + ex;
		}
	}

	private static @Nullable ServerConnector connector(JettyWebServer jetty) {
		for (Connector each : jetty.getServer().getConnectors()) {
			if (each instanceof ServerConnector candidate && candidate.getLocalPort() == jetty.getPort()) {
				return candidate;
			}
		}
		return null;
	}

	/** Returns what the connector does that exchanges would miss. */
	private static @Nullable String unlike(ServerConnector connector) {
		Collection<ConnectionFactory> factories = connector.getConnectionFactories();
		ConnectionFactory first = connector.getDefaultConnectionFactory();
		if (first.getProtocol().equals("SSL")) {
			return "its connector accepts TLS only, and exchanges have no certificates";
		}
		if (first.getClass() != HttpConnectionFactory.class) {
			return "its connector begins with %s".formatted(first.getProtocol());
		}
		if (factories.size() > 1) {
			return "its connector speaks more than HTTP/1.1: %s".formatted(connector.getProtocols());
		}
		if (connector.getClass() != ServerConnector.class) {
			return "the application makes the connector of Jetty itself (%s)".formatted(connector.getClass().getName());
		}
		return null;
	}

	private ServerConnector connector() {
		ServerConnector known = this.connector;
		if (known == null) {
			throw new IllegalStateException("No exchange was offered");
		}
		return known;
	}

	@Override
	protected Executor executor() {
		return VirtualThreads.getExecutor(connector().getServer().getThreadPool());
	}

	@Override
	protected Runnable prepare(ServerExchange exchange, ClientConnection client) {
		ServerConnector known = connector();
		if (!known.isRunning()) {
			throw new HttpRequiredException("the web server has stopped");
		}
		int port = known.getLocalPort();
		// A connector that shuts down has none.
		if (port > 0 && client.localPort() != port) {
			throw new HttpRequiredException("its client is connected to another connector of Jetty");
		}
		HttpConnectionFactory http = known.getConnectionFactory(HttpConnectionFactory.class);
		JettyRequest request = JettyRequest.of(exchange.head(), client, http.getHttpConfiguration());
		JettyEndPoint socket = new JettyEndPoint(exchange, client, known.getScheduler(), known.getIdleTimeout());
		JettyConnection connection = new JettyConnection(known, http.getHttpConfiguration(), socket,
				request.isPersistent());
		return () -> serve(exchange, request, connection, http.getInputBufferSize());
	}

	private void serve(ServerExchange exchange, JettyRequest request, JettyConnection connection, int bufferBytes) {
		HttpChannel channel = this.channels.newHttpChannel(connection);
		JettyStream stream = new JettyStream(exchange, request, channel, connection, executor(), bufferBytes);
		try {
			channel.initialize();
			channel.setHttpStream(stream);
			channel.onRequest(request.metaData()).run();
		}
		catch (RuntimeException | Error ex) {
			logger.error("An exchange failed in the container", ex);
			exchange.end(new IOException("The server has failed", ex));
			return;
		}
		stream.handled();
	}

	@Override
	public Duration ioTimeout() {
		long millis = connector().getIdleTimeout();
		return (millis > 0) ? Duration.ofMillis(millis) : DEFAULT_IO_TIMEOUT;
	}

}
