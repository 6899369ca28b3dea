package io.github.vicinal.cache;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removals that the listener does not know of yet. Engines add to it, under a lock
 * perhaps; the listener is told later, without any.
 */
final class Removals<K, V> {

	private static final Logger LOG = LoggerFactory.getLogger(Cache.class);

	/**
	 * If so many wait, each call that removes tells some. Beyond what waits already, a
	 * call tells no more than these.
	 */
	private static final int MANY = 256;

	/** More than a call removes, but for those that remove many on purpose. */
	private static final int HELP = 16;

	private final String cache;

	private final @Nullable RemovalListener<? super K, ? super V> listener;

	private final Executor executor;

	private final @Nullable Counters counters;

	private final Queue<Removal<K, V>> queue = new ConcurrentLinkedQueue<>();

	private final AtomicInteger waiting = new AtomicInteger();

	/**
	 * Who tells for all, in order: one thread at a time. A listener that uses the cache
	 * there is not called again within itself.
	 */
	private final AtomicReference<@Nullable Thread> teller = new AtomicReference<>();

	/** Others, who tell a few each so that no more are removed than are told of. */
	private final Set<Thread> helpers = ConcurrentHashMap.newKeySet();

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
			this.waiting.incrementAndGet();
			this.queue.add(new Removal<>(key, value, cause));
		}
	}

	/** Tells what waits, but not without end what others remove meanwhile. */
	void tell() {
		if (this.listener != null && !this.queue.isEmpty()) {
			tell(this.listener, this.waiting.get() + MANY);
		}
	}

	/** Tells all that waits. */
	void tellAll() {
		if (this.listener != null) {
			tell(this.listener, Integer.MAX_VALUE);
		}
	}

	private void tell(RemovalListener<? super K, ? super V> to, int most) {
		Thread me = Thread.currentThread();
		int told = 0;
		while (told < most && !this.queue.isEmpty()) {
			if (this.teller.compareAndSet(null, me)) {
				try {
					told += tellSome(to, most - told);
				}
				finally {
					this.teller.set(null);
				}
			}
			else {
				if (this.waiting.get() >= MANY && this.teller.get() != me && this.helpers.add(me)) {
					try {
						tellSome(to, HELP);
					}
					finally {
						this.helpers.remove(me);
					}
				}
				return;
			}
		}
	}

	private int tellSome(RemovalListener<? super K, ? super V> to, int most) {
		int told = 0;
		Removal<K, V> removal;
		while (told < most && (removal = this.queue.poll()) != null) {
			this.waiting.decrementAndGet();
			tell(to, removal);
			told++;
		}
		return told;
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
		catch (Throwable ex) {
			// Whatever it is, the executor did not take it.
			call.run();
		}
	}

}
