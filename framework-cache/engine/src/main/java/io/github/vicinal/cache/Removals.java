package io.github.vicinal.cache;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removals that the listener does not know of yet. Engines add to it, under a lock
 * perhaps; the listener is told later, without any.
 */
final class Removals<K, V> {

	private static final Logger LOG = LoggerFactory.getLogger(Cache.class);

	private final String cache;

	private final @Nullable RemovalListener<? super K, ? super V> listener;

	private final Executor executor;

	private final @Nullable Counters counters;

	private final Queue<Removal<K, V>> queue = new ConcurrentLinkedQueue<>();

	/** One thread at a time, so that a listener that uses the cache does not recurse. */
	private final AtomicBoolean telling = new AtomicBoolean();

	private record Removal<K, V>(K key, V value, RemovalCause cause) {
	}

	Removals(String cache, @Nullable RemovalListener<? super K, ? super V> listener, Executor executor,
			@Nullable Counters counters) {
		this.cache = cache;
		this.listener = listener;
		this.executor = executor;
		this.counters = counters;
	}

	/** Returns whether anybody wants to know; otherwise nothing needs to be added. */
	boolean areToldOf() {
		return this.counters != null || this.listener != null;
	}

	void add(K key, V value, int weight, RemovalCause cause) {
		if (this.counters != null && cause.wasEvicted()) {
			this.counters.removed(cause, weight);
		}
		if (this.listener != null) {
			this.queue.add(new Removal<>(key, value, cause));
		}
	}

	void tell() {
		if (this.listener == null) {
			return;
		}
		while (!this.queue.isEmpty() && this.telling.compareAndSet(false, true)) {
			try {
				Removal<K, V> removal;
				while ((removal = this.queue.poll()) != null) {
					tell(this.listener, removal);
				}
			}
			finally {
				this.telling.set(false);
			}
		}
	}

	private void tell(RemovalListener<? super K, ? super V> to, Removal<K, V> removal) {
		Runnable call = () -> {
			try {
				to.onRemoval(removal.key, removal.value, removal.cause);
			}
			catch (Throwable ex) {
				LOG.warn("The removal listener of cache '{}' failed", this.cache, ex);
			}
		};
		try {
			this.executor.execute(call);
		}
		catch (RejectedExecutionException ex) {
			call.run();
		}
	}

}
