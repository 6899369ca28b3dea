package io.github.vicinal.transport.direct;

import java.time.Duration;
import java.util.concurrent.Executor;

import io.github.vicinal.jvm.Neighbour;
import io.github.vicinal.server.ServiceRegistry;
import org.jspecify.annotations.Nullable;

/**
 * One application that can be called in this JVM. Callers with the same class loader
 * recognise it by this class. Thread-safe.
 */
final class DirectTarget implements Neighbour {

	private final ServiceRegistry services;

	private final RunningCalls running;

	private final @Nullable ClassLoader loader;

	private final BufferPool buffers = new BufferPool();

	private volatile boolean closed;

	DirectTarget(ServiceRegistry services, Executor executor, @Nullable ClassLoader loader) {
		this.services = services;
		this.running = new RunningCalls(executor);
		this.loader = loader;
	}

	ServiceRegistry services() {
		return this.services;
	}

	@Override
	public Session open() {
		return new FrameSession(this.services, this.loader, this.buffers);
	}

	@Override
	public Executor executor() {
		return this.running;
	}

	/** The loader that the application's threads have as their context. */
	@Nullable ClassLoader loader() {
		return this.loader;
	}

	@Override
	public boolean enter() {
		// Counted first, then checked, so that closing waits for all calls that passed
		// the check.
		this.running.begin();
		return !this.closed;
	}

	@Override
	public boolean leave() {
		return this.running.end();
	}

	@Override
	public boolean closed() {
		return this.closed;
	}

	void close() {
		this.closed = true;
	}

	/**
	 * Waits until no call is in flight.
	 * @param timeout how long at most
	 * @return whether that is so
	 */
	boolean await(Duration timeout) {
		return this.running.await(timeout);
	}

	/** Releases callers and interrupts the threads that execute calls. */
	void cutOff() {
		this.running.cutOff();
	}

}
