package io.github.vicinal.boot.server;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.github.vicinal.requestserver.RequestServer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Ends the typed paths and the request server while the web server shuts down gracefully:
 * in the same phase, at the same time, and with its time. Calls that are in flight end;
 * new ones go to other instances. A context that is only stopped, or paused between
 * tests, goes on later.
 */
final class ServerLifecycle implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

	/** Phase of Boot's graceful shutdown of the web server. */
	public static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 1024;

	private static final Logger logger = LoggerFactory.getLogger(ServerLifecycle.class);

	private final ApplicationContext context;

	private final Supplier<List<ServiceCatalog>> catalogs;

	private final Supplier<@Nullable RequestServer> server;

	private final Duration timeout;

	private volatile boolean running;

	private volatile boolean closing;

	/**
	 * Creates the life cycle.
	 * @param context the application
	 * @param catalogs whose paths are closed first
	 * @param server drained last; {@code null} if there is none
	 * @param timeout how long calls and requests in flight may take to end, all together
	 */
	public ServerLifecycle(ApplicationContext context, Supplier<List<ServiceCatalog>> catalogs,
			Supplier<@Nullable RequestServer> server, Duration timeout) {
		this.context = context;
		this.catalogs = catalogs;
		this.server = server;
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
		long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(this.timeout);
		// Beans are gone by the time that calls have ended, if these outlast the phase.
		List<ServiceCatalog> offered = this.catalogs.get();
		RequestServer requests = this.server.get();
		offered.forEach(ServiceCatalog::stopAccepting);
		offered.forEach((catalog) -> catalog.close(until(deadline)));
		try {
			if (requests != null && !requests.drain(until(deadline))) {
				logger.info("Requests did not end within {} ms and go on", this.timeout.toMillis());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Cuts off what has further calls to come, if the application ends. What has ended in
	 * time is not affected.
	 */
	void cutOff() {
		if (this.closing) {
			this.catalogs.get().forEach(ServiceCatalog::cutOff);
		}
	}

	private static Duration until(long deadline) {
		return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
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
		}, "vicinal-server-shutdown");
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
