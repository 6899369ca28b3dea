package io.github.vicinal.boot.server;

import java.time.Duration;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

import io.github.vicinal.requestserver.RequestServer;

/**
 * Ends the typed paths and the request server while the web server shuts down gracefully:
 * in the same phase, at the same time. Calls that are in flight end; new ones go to other
 * instances. A context that is only stopped, or paused between tests, goes on later.
 */
public final class RequestServerLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

	/** That of Boot's graceful shutdown of the web server. */
	public static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 1024;

	private static final Logger logger = LoggerFactory.getLogger(RequestServerLifecycle.class);

	private final ApplicationContext context;

	private final RequestServer server;

	private final Supplier<Iterable<ServiceCatalog>> catalogs;

	private final Duration timeout;

	private volatile boolean running;

	private volatile boolean closing;

	/**
	 * Creates the life cycle.
	 * @param context the application
	 * @param server drained last
	 * @param catalogs whose paths are closed first
	 * @param timeout how long the server waits for what it has accepted
	 */
	public RequestServerLifecycle(ApplicationContext context, RequestServer server,
			Supplier<Iterable<ServiceCatalog>> catalogs, Duration timeout) {
		this.context = context;
		this.server = server;
		this.catalogs = catalogs;
		this.timeout = timeout;
	}

	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		this.closing |= event.getApplicationContext() == this.context;
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		if (!this.closing) {
			return;
		}
		for (ServiceCatalog catalog : this.catalogs.get()) {
			catalog.close();
		}
		try {
			if (!this.server.drain(this.timeout)) {
				logger.info("Requests did not end within {} ms and go on", this.timeout.toMillis());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void stop(Runnable callback) {
		Thread thread = new Thread(() -> {
			try {
				stop();
			}
			finally {
				callback.run();
			}
		}, "vicinal-request-server-shutdown");
		thread.start();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
