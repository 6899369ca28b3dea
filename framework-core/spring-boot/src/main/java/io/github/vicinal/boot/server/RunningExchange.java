package io.github.vicinal.boot.server;

import io.github.vicinal.exchange.ServerExchange;
import org.jspecify.annotations.Nullable;

/**
 * Knows which exchange a thread executes. A handler may make further exchanges on its
 * thread, directly. Thread-safe.
 */
final class RunningExchange {

	private final ThreadLocal<@Nullable ServerExchange> running = new ThreadLocal<>();

	/**
	 * Executes an exchange on the calling thread.
	 * @param exchange the exchange
	 * @param task executes it
	 */
	void run(ServerExchange exchange, Runnable task) {
		ServerExchange outer = this.running.get();
		this.running.set(exchange);
		try {
			task.run();
		}
		finally {
			if (outer != null) {
				this.running.set(outer);
			}
			else {
				this.running.remove();
			}
		}
	}

	/**
	 * Returns the exchange that the calling thread executes.
	 * @return the exchange, or {@code null} if it executes a request over HTTP
	 */
	@Nullable ServerExchange current() {
		return this.running.get();
	}

}
