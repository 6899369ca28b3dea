package io.github.vicinal.boot.server;

import java.util.function.Supplier;

import org.springframework.context.SmartLifecycle;

/**
 * Cuts off what outlasts the graceful shutdown, before the web server stops. The web
 * server interrupts its threads when it stops, and over HTTP it closes the connections
 * first: what an interrupted handler answers reaches no client.
 * <p>
 * {@link ServerLifecycle} does the same when its time is over, but on a thread of its
 * own, which may be late where the machine is busy. This one runs on the thread that
 * stops the web server next.
 */
final class CutOffLifecycle implements SmartLifecycle {

	private final Supplier<ServerLifecycle> lifecycle;

	private volatile boolean running;

	/**
	 * Creates the life cycle.
	 * @param lifecycle knows what is to be cut off, and whether the application ends; not
	 * a dependency of this bean, which would be stopped before it
	 */
	CutOffLifecycle(Supplier<ServerLifecycle> lifecycle) {
		this.lifecycle = lifecycle;
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		this.lifecycle.get().cutOff();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/** Stops between the graceful shutdown and the web server. */
	@Override
	public int getPhase() {
		return ServerLifecycle.PHASE - 1;
	}

}
