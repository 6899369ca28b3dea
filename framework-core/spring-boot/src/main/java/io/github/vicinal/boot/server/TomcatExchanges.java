package io.github.vicinal.boot.server;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.github.vicinal.exchange.ServerExchange;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.WebServer;

/**
 * Hands exchanges to Tomcat's adapter, which is where requests go once their bytes have
 * been parsed. Everything behind it runs as for any request: valves, constraints,
 * filters, sessions, asynchronous handlers, error pages and the access log. Thread-safe.
 */
final class TomcatExchanges extends ServletExchanges {

	/** Maximum number of processors that are kept for further exchanges. */
	private static final int MAX_POOLED = 256;

	private static final Duration DEFAULT_IO_TIMEOUT = Duration.ofSeconds(20);

	private final ConcurrentLinkedDeque<ExchangeProcessor> pool = new ConcurrentLinkedDeque<>();

	private final AtomicInteger pooled = new AtomicInteger();

	private volatile @Nullable AbstractHttp11Protocol<?> protocol;

	/**
	 * Creates the handler of an application.
	 * @param webServer its web server, {@code null} before it has started
	 * @param isolation keeps the caller's thread state away
	 * @param tickets name the connections of clients
	 * @param running gets to know the exchange of each thread
	 */
	public TomcatExchanges(Supplier<@Nullable WebServer> webServer, ThreadIsolation isolation,
			ConnectionTickets tickets, RunningExchange running) {
		super(webServer, isolation, tickets, running);
	}

	@Override
	protected @Nullable String connect(@Nullable WebServer webServer) {
		if (!(webServer instanceof TomcatWebServer server)) {
			return "its web server is not an embedded Tomcat";
		}
		Connector connector = server.getTomcat().getConnector();
		if (!(connector.getProtocolHandler() instanceof AbstractHttp11Protocol<?> found)) {
			return "its connector speaks %s".formatted(connector.getProtocol());
		}
		if (found.isSSLEnabled() || connector.getSecure()) {
			return "its connector accepts TLS only, and exchanges have no certificates";
		}
		try {
			new ExchangeProcessor(this, found).recycle();
		}
		catch (LinkageError | RuntimeException ex) {
			return "this version of Tomcat differs from those that exchanges are made for: " + ex;
		}
		this.protocol = found;
		return null;
	}

	AbstractHttp11Protocol<?> protocol() {
		AbstractHttp11Protocol<?> known = this.protocol;
		if (known == null) {
			throw new IllegalStateException("No exchange was offered");
		}
		return known;
	}

	@Override
	protected @Nullable Executor executor() {
		return protocol().getExecutor();
	}

	@Override
	protected Runnable prepare(ServerExchange exchange, ClientConnection client) {
		return () -> serve(exchange);
	}

	private void serve(ServerExchange exchange) {
		ExchangeProcessor processor = this.pool.poll();
		if (processor == null) {
			processor = new ExchangeProcessor(this, protocol());
		}
		else {
			this.pooled.decrementAndGet();
		}
		processor.begin(exchange);
	}

	void release(ExchangeProcessor processor) {
		if (this.pooled.incrementAndGet() <= MAX_POOLED) {
			this.pool.push(processor);
		}
		else {
			this.pooled.decrementAndGet();
		}
	}

	@Override
	public Duration ioTimeout() {
		int millis = protocol().getConnectionTimeout();
		return (millis > 0) ? Duration.ofMillis(millis) : DEFAULT_IO_TIMEOUT;
	}

}
