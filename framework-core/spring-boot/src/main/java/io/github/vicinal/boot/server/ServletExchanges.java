package io.github.vicinal.boot.server;

import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

import io.github.vicinal.exchange.ExchangeHandler;
import io.github.vicinal.exchange.ServerExchange;
import io.github.vicinal.server.HttpRequiredException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.web.server.WebServer;

/**
 * Hands exchanges to an embedded servlet container, behind its sockets and its parser.
 * Subclasses know one container. Thread-safe.
 */
abstract class ServletExchanges implements ExchangeHandler {

	private final Supplier<@Nullable WebServer> webServer;

	private final ThreadIsolation isolation;

	private final ConnectionTickets tickets;

	private final RunningExchange running;

	private volatile boolean offered;

	/**
	 * Creates the handler of an application.
	 * @param webServer its web server, {@code null} before it has started
	 * @param isolation keeps the caller's thread state away
	 * @param tickets name the connections of clients
	 * @param running gets to know the exchange of each thread
	 */
	protected ServletExchanges(Supplier<@Nullable WebServer> webServer, ThreadIsolation isolation,
			ConnectionTickets tickets, RunningExchange running) {
		this.webServer = webServer;
		this.isolation = isolation;
		this.tickets = tickets;
		this.running = running;
	}

	@Override
	public final Optional<String> refusal() {
		if (this.offered) {
			return Optional.empty();
		}
		Optional<String> reason = Optional.ofNullable(connect(this.webServer.get()));
		this.offered = reason.isEmpty();
		return reason;
	}

	/**
	 * Finds the container behind the web server. Called until it returns {@code null},
	 * and before any other method.
	 * @param server the web server, {@code null} before it has started
	 * @return why the container can execute no exchange, or {@code null} if it can
	 */
	protected abstract @Nullable String connect(@Nullable WebServer server);

	/**
	 * Prepares the execution of an exchange.
	 * @param exchange the exchange
	 * @param client the client's connection
	 * @return executes the exchange, and ends it sooner or later
	 * @throws HttpRequiredException if the request has to come over HTTP
	 */
	protected abstract Runnable prepare(ServerExchange exchange, ClientConnection client);

	/**
	 * Returns the threads on which the container executes requests.
	 * @return the executor, {@code null} once the container has stopped
	 */
	protected abstract @Nullable Executor executor();

	ConnectionFacts facts(ServerExchange exchange) {
		return this.tickets.required(exchange.ticket());
	}

	@Override
	public void check(ServerExchange exchange) {
		facts(exchange).requireKnown(exchange.head().fields());
	}

	@Override
	public void serveHere(ServerExchange exchange) {
		Runnable task = prepare(exchange, facts(exchange));
		this.isolation.run(null, () -> {
			this.running.run(exchange, task);
			return true;
		});
	}

	@Override
	public void serveElsewhere(ServerExchange exchange) {
		Runnable task = prepare(exchange, facts(exchange));
		Executor threads = executor();
		if (threads == null) {
			throw new RejectedExecutionException("the web server has stopped");
		}
		threads.execute(() -> this.running.run(exchange, task));
	}

}
