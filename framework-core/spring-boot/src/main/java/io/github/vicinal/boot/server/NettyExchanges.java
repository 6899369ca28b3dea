package io.github.vicinal.boot.server;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import io.github.vicinal.exchange.ExchangeHandler;
import io.github.vicinal.exchange.ServerExchange;
import io.github.vicinal.server.HttpRequiredException;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.reactor.netty.NettyWebServer;
import org.springframework.boot.web.server.WebServer;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.HttpHeadResponseDecorator;

/**
 * Hands exchanges to the handler behind an embedded Reactor Netty, on the threads of its
 * event loops. Everything behind it runs as for any request: web filters, security,
 * codecs, error handlers, observations. Thread-safe.
 */
final class NettyExchanges implements ExchangeHandler {

	/** Reactor Netty has no limit of its own. */
	private static final Duration IO_TIMEOUT = Duration.ofSeconds(20);

	private final Supplier<@Nullable WebServer> webServer;

	private final Supplier<Collection<NettyReactiveWebServerFactory>> factories;

	private final ConnectionTickets tickets;

	private volatile @Nullable NettyServer server;

	/**
	 * Creates the handler of an application.
	 * @param webServer its web server, {@code null} before it has started
	 * @param factories what may have made the web server
	 * @param tickets name the connections of clients
	 */
	public NettyExchanges(Supplier<@Nullable WebServer> webServer,
			Supplier<Collection<NettyReactiveWebServerFactory>> factories, ConnectionTickets tickets) {
		this.webServer = webServer;
		this.factories = factories;
		this.tickets = tickets;
	}

	@Override
	public Optional<String> refusal() {
		if (this.server != null) {
			return Optional.empty();
		}
		if (!(this.webServer.get() instanceof NettyWebServer found)) {
			return Optional.of("its web server is not an embedded Reactor Netty");
		}
		try {
			NettyServer known = NettyServer.of(found, this.factories.get());
			if (known.unlike().isPresent()) {
				return known.unlike();
			}
			this.server = known;
			return Optional.empty();
		}
		catch (UnknownLayoutException | LinkageError | ClassCastException ex) {
			return Optional
				.of("this version of Reactor Netty differs from those that exchanges are made for: " + ex.getMessage());
		}
	}

	private NettyServer server() {
		NettyServer known = this.server;
		if (known == null) {
			throw new IllegalStateException("No exchange was offered");
		}
		return known;
	}

	@Override
	public void check(ServerExchange exchange) {
		ConnectionFacts facts = this.tickets.required(exchange.ticket());
		facts.requireKnown(exchange.head().fields());
		NettyRequest.check(exchange, facts, server().config());
	}

	/** Handlers of such an application never run on threads that may block. */
	@Override
	public void serveHere(ServerExchange exchange) {
		try {
			serveElsewhere(exchange);
		}
		catch (RejectedExecutionException ex) {
			throw new HttpRequiredException("the web server takes no further requests");
		}
	}

	@Override
	public void serveElsewhere(ServerExchange exchange) {
		ConnectionFacts facts = this.tickets.required(exchange.ticket());
		EventLoop loop = server().loop();
		loop.execute(() -> serve(exchange, facts, loop));
	}

	/**
	 * Goes on with an exchange on its event loop.
	 * @param loop the event loop
	 * @param exchange ends if the event loop has
	 * @param task what is to be done
	 */
	static void goOn(EventLoop loop, ServerExchange exchange, Runnable task) {
		try {
			loop.execute(task);
		}
		catch (RejectedExecutionException ex) {
			exchange.end(new IOException("The server has stopped", ex));
		}
	}

	private void serve(ServerExchange exchange, ConnectionFacts facts, EventLoop loop) {
		NettyRequest request = new NettyRequest(exchange, facts, loop);
		NettyResponse response = new NettyResponse(exchange, loop, request.getMethod().equals(HttpMethod.HEAD));
		Disposable handling;
		try {
			handling = server().handler()
				.handle(request,
						request.getMethod().equals(HttpMethod.HEAD) ? new HttpHeadResponseDecorator(response)
								: response)
				.subscribe((nothing) -> {
				}, response::fail, response::complete);
		}
		catch (RuntimeException ex) {
			response.fail(ex);
			return;
		}
		exchange.whenAbandoned(() -> goOn(loop, exchange, () -> {
			handling.dispose();
			exchange.end(new IOException("The client has gone"));
		}));
	}

	@Override
	public Duration ioTimeout() {
		return IO_TIMEOUT;
	}

}
