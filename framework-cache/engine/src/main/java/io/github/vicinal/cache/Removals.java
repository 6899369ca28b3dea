package io.github.vicinal.cache;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removals that the listener does not know of yet. Engines add to it, under a lock
 * perhaps; the listener is notified later, without any.
 */
final class Removals<K, V> {

	private static final Logger LOG = LoggerFactory.getLogger(Cache.class);

	/**
	 * Number of pending removals from which each call that removes delivers some. A call
	 * delivers no more than this number beyond those already pending.
	 */
	private static final int MANY = 256;

	/** More than any call removes, except calls that remove many on purpose. */
	private static final int HELP = 16;

	private final String cache;

	private final @Nullable RemovalListener<? super K, ? super V> listener;

	private final Executor executor;

	/** Delivers removals that are too many for one call. */
	private final Executor background;

	private final @Nullable Counters counters;

	private final Queue<Removal<K, V>> queue = new ConcurrentLinkedQueue<>();

	private final AtomicInteger waiting = new AtomicInteger();

	/**
	 * The thread that notifies listeners for all others, in order; at most one at a time.
	 * A listener that uses the cache is not called again within itself.
	 */
	private final AtomicReference<@Nullable Thread> notifier = new AtomicReference<>();

	/** Whether a task of the executor is to deliver pending removals. */
	private final AtomicBoolean leftToOthers = new AtomicBoolean();

	/** Others, who notify of a few each, so that removals do not outrun notifications. */
	private final Set<Thread> helpers = ConcurrentHashMap.newKeySet();

	private record Removal<K, V>(K key, V value, RemovalCause cause) {
	}

	Removals(String cache, @Nullable RemovalListener<? super K, ? super V> listener, Executor executor,
			Executor background, @Nullable Counters counters) {
		this.cache = cache;
		this.listener = listener;
		this.executor = executor;
		this.background = background;
		this.counters = counters;
	}

	/** Returns whether anybody wants to know; otherwise nothing needs to be added. */
	boolean areReported() {
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

	/** Notifies of what waits, but not without end what others remove meanwhile. */
	void notifyListener() {
		if (this.listener != null && !this.queue.isEmpty()) {
			notifyListener(this.listener, this.waiting.get() + MANY);
		}
	}

	/**
	 * Lets another thread notify the listener, unless one does already: a look-up that
	 * finds a value never runs the listener. If the executor takes no task, the next
	 * operation that is no such look-up notifies.
	 */
	void notifyElsewhere() {
		if (this.listener == null || this.queue.isEmpty() || this.notifier.get() != null
				|| !this.leftToOthers.compareAndSet(false, true)) {
			return;
		}
		try {
			this.background.execute(this::notifyOfRest);
		}
		catch (RuntimeException | Error ex) {
			this.leftToOthers.set(false);
			LOG.debug("The executor of cache '{}' rejected a task", this.cache, ex);
		}
	}

	private void notifyOfRest() {
		// First, so that what is added from now on finds another task.
		this.leftToOthers.set(false);
		notifyOfAll();
	}

	/** Notifies of all that waits, unless another thread does. */
	void notifyOfAll() {
		if (this.listener != null) {
			notifyListener(this.listener, Integer.MAX_VALUE);
		}
	}

	private void notifyListener(RemovalListener<? super K, ? super V> to, int most) {
		Thread me = Thread.currentThread();
		if (this.helpers.contains(me)) {
			return;
		}
		int notified = 0;
		while (!this.queue.isEmpty() && this.notifier.compareAndSet(null, me)) {
			if (notified >= most && handOver()) {
				return;
			}
			try {
				notified += notifyOfSome(to, (notified < most) ? most - notified : Integer.MAX_VALUE);
			}
			finally {
				this.notifier.compareAndSet(me, null);
			}
		}
		if (this.waiting.get() >= MANY && this.notifier.get() != me) {
			this.helpers.add(me);
			try {
				notifyOfSome(to, HELP);
			}
			finally {
				this.helpers.remove(me);
			}
		}
	}

	/** Lets another thread notify of the rest; returns whether there is one. */
	private boolean handOver() {
		this.leftToOthers.set(true);
		this.notifier.set(null);
		try {
			this.background.execute(this::notifyOfRest);
			return true;
		}
		catch (RuntimeException | Error ex) {
			this.leftToOthers.set(false);
			LOG.debug("The executor of cache '{}' rejected a task", this.cache, ex);
			return !this.notifier.compareAndSet(null, Thread.currentThread());
		}
	}

	private int notifyOfSome(RemovalListener<? super K, ? super V> to, int most) {
		int notified = 0;
		Removal<K, V> removal;
		while (notified < most && (removal = this.queue.poll()) != null) {
			this.waiting.decrementAndGet();
			notifyListener(to, removal);
			notified++;
		}
		return notified;
	}

	private void notifyListener(RemovalListener<? super K, ? super V> to, Removal<K, V> removal) {
		AtomicBoolean begun = new AtomicBoolean();
		Runnable call = () -> {
			if (begun.getAndSet(true)) {
				return;
			}
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
			// It may have taken the task all the same, and run it now or later.
			call.run();
		}
	}

}
