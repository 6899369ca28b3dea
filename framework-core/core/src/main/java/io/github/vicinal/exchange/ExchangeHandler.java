package io.github.vicinal.exchange;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;

import io.github.vicinal.server.HttpRequiredException;

/**
 * Executes exchanges: a web server, past its sockets. Thread-safe.
 *
 * @since 0.1.0
 */
public interface ExchangeHandler {

	/**
	 * Returns why no exchange can be executed.
	 * @return the reason, or empty
	 */
	Optional<String> refusal();

	/**
	 * Checks that an exchange can be executed.
	 * @param exchange the exchange
	 * @throws HttpRequiredException if the request has to come over HTTP
	 */
	void check(ServerExchange exchange);

	/**
	 * Executes an exchange on the calling thread, which carries nothing of its caller
	 * into the application meanwhile. An asynchronous handler may go on when this method
	 * has returned.
	 * @param exchange the exchange, which is ended sooner or later
	 */
	void serveHere(ServerExchange exchange);

	/**
	 * Executes an exchange on a thread of the web server.
	 * @param exchange the exchange, which is ended sooner or later
	 * @throws RejectedExecutionException if there is none
	 */
	void serveElsewhere(ServerExchange exchange);

	/**
	 * Returns how long a read or a write may wait for the client.
	 * @return the time after which the client counts as gone
	 */
	Duration ioTimeout();

}
