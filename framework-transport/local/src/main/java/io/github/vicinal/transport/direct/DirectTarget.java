package io.github.vicinal.transport.direct;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.server.ServiceRegistry;

/** One application that can be called in this JVM. Thread-safe. */
final class DirectTarget {

	private final ServiceRegistry services;

	private final Executor executor;

	private final @Nullable ClassLoader loader;

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

	Executor executor() {
		return this.executor;
	}

	/** The loader that the application's threads have as their context. */
	@Nullable ClassLoader loader() {
		return this.loader;
	}

	/**
	 * Announces a call; {@link #leave()} must follow in any case.
	 * @return whether it may go on
	 */
	boolean enter() {
		// First counted, then checked: whoever closes waits for all that passed.
		this.inFlight.increment();
		return !this.closed;
	}

	void leave() {
		this.inFlight.decrement();
	}

	boolean closed() {
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
