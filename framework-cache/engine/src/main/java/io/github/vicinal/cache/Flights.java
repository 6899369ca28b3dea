package io.github.vicinal.cache;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;

import org.jspecify.annotations.Nullable;

/** The loads of a cache that are under way: at most one for each key. */
final class Flights<K, V> {

	private final String cache;

	private final ConcurrentMap<K, Flight<V>> byKey = new ConcurrentHashMap<>();

	/** Which thread waits for which load: cycles would wait for ever. */
	private final ConcurrentMap<Thread, Flight<V>> waiting = new ConcurrentHashMap<>();

	Flights(String cache) {
		this.cache = cache;
	}

	/**
	 * Takes off, unless there is a flight for the key.
	 * @return the other flight, or {@code null} if it is now {@code mine}
	 */
	@Nullable Flight<V> join(K key, Flight<V> mine) {
		return this.byKey.putIfAbsent(key, mine);
	}

	@Nullable Flight<V> find(K key) {
		return this.byKey.isEmpty() ? null : this.byKey.get(key);
	}

	void end(K key, Flight<V> flight) {
		this.byKey.remove(key, flight);
		flight.end();
	}

	void displace(K key) {
		if (this.byKey.isEmpty()) {
			return;
		}
		Flight<V> flight = this.byKey.get(key);
		if (flight != null) {
			flight.displace();
			this.byKey.remove(key, flight);
		}
	}

	void displaceAll() {
		this.byKey.keySet().forEach(this::displace);
	}

	/** Waits for the outcome of another's load. */
	@Nullable V await(K key, Flight<V> flight) {
		if (!flight.isDone()) {
			enter(key, flight);
		}
		try {
			return flight.get();
		}
		catch (ExecutionException ex) {
			Throwable cause = (ex.getCause() != null) ? ex.getCause() : ex;
			if (cause instanceof RuntimeException unchecked) {
				throw unchecked;
			}
			if (cause instanceof Error error) {
				throw error;
			}
			throw new CompletionException(cause);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new CompletionException("Interrupted while waiting for a load of cache '" + this.cache + "'", ex);
		}
		finally {
			this.waiting.remove(Thread.currentThread());
		}
	}

	/** Waits until another's load is over, whatever its outcome. */
	void awaitEnd(K key, Flight<V> flight) {
		if (!flight.isDone()) {
			enter(key, flight);
		}
		try {
			flight.handle((value, ex) -> null).get();
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new CompletionException("Interrupted while waiting for a load of cache '" + this.cache + "'", ex);
		}
		finally {
			this.waiting.remove(Thread.currentThread());
		}
	}

	/**
	 * First says that it waits, then looks: of the threads of a cycle, one will see it.
	 */
	private void enter(K key, Flight<V> flight) {
		Thread me = Thread.currentThread();
		this.waiting.put(me, flight);
		Flight<V> next = flight;
		for (int steps = 0; next != null && steps < 10_000; steps++) {
			Thread owner = next.owner();
			if (owner == null) {
				return;
			}
			if (owner == me) {
				this.waiting.remove(me);
				throw new IllegalStateException(
						"Cache '%s': the load of key '%s' waits for itself: a loader must not ask for a key whose load needs its own"
							.formatted(this.cache, key));
			}
			next = this.waiting.get(owner);
		}
	}

}
