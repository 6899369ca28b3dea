package io.github.vicinal.transport.direct;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.jvm.Neighbour;
import io.github.vicinal.server.ServiceRegistry;

/**
 * One application that can be called in this JVM. Callers with the same class loader
 * recognise it by this class. Thread-safe.
 */
final class DirectTarget implements Neighbour {

	private final ServiceRegistry services;

	private final Executor executor;

	private final @Nullable ClassLoader loader;

	private final BufferPool buffers = new BufferPool();

	private final LongAdder inFlight = new LongAdder();

	private volatile boolean closed;

	DirectTarget(ServiceRegistry services, Executor executor, @Nullable ClassLoader loader) {
		this.services = services;
		this.executor = executor;
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
		return this.executor;
	}

	/** The loader that the application's threads have as their context. */
	@Nullable ClassLoader loader() {
		return this.loader;
	}

	@Override
	public boolean enter() {
		// Counted first, then checked, so that closing waits for all calls that passed
		// the check.
		this.inFlight.increment();
		return !this.closed;
	}

	@Override
	public void leave() {
		this.inFlight.decrement();
	}

	@Override
	public boolean closed() {
		return this.closed;
	}

	void close() {
		this.closed = true;
	}

	/** Returns whether no call is in flight; call it again to be sure. */
	boolean quiet() {
		return this.inFlight.sum() == 0;
	}

}
