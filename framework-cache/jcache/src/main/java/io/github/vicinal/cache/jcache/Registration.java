package io.github.vicinal.cache.jcache;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.configuration.Factory;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryEventFilter;
import javax.cache.event.CacheEntryExpiredListener;
import javax.cache.event.CacheEntryListener;
import javax.cache.event.CacheEntryListenerException;
import javax.cache.event.CacheEntryRemovedListener;
import javax.cache.event.CacheEntryUpdatedListener;
import javax.cache.event.EventType;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listener of a cache. Asynchronous ones learn of events on the executor, one at a time
 * and in their order.
 */
final class Registration<K, V> {

	private static final Logger LOG = LoggerFactory.getLogger(Registration.class);

	private final CacheEntryListenerConfiguration<K, V> configuration;

	private final CacheEntryListener<? super K, ? super V> listener;

	private final @Nullable CacheEntryEventFilter<? super K, ? super V> filter;

	private final Executor executor;

	private final Queue<Event<K, V>> waiting = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean delivering = new AtomicBoolean();

	Registration(CacheEntryListenerConfiguration<K, V> configuration, Executor executor) {
		this.configuration = configuration;
		this.listener = configuration.getCacheEntryListenerFactory().create();
		Factory<CacheEntryEventFilter<? super K, ? super V>> filters = configuration.getCacheEntryEventFilterFactory();
		this.filter = (filters != null) ? filters.create() : null;
		this.executor = executor;
	}

	CacheEntryListenerConfiguration<K, V> configuration() {
		return this.configuration;
	}

	CacheEntryListener<? super K, ? super V> listener() {
		return this.listener;
	}

	boolean wants(EventType type) {
		return switch (type) {
			case CREATED -> this.listener instanceof CacheEntryCreatedListener;
			case UPDATED -> this.listener instanceof CacheEntryUpdatedListener;
			case REMOVED -> this.listener instanceof CacheEntryRemovedListener;
			case EXPIRED -> this.listener instanceof CacheEntryExpiredListener;
		};
	}

	/**
	 * Notifies the listener, now or later.
	 * @throws CacheEntryListenerException if a synchronous listener or the filter failed
	 */
	void accept(Event<K, V> event) {
		try {
			if (this.filter != null && !this.filter.evaluate(event)) {
				return;
			}
			Event<K, V> seen = this.configuration.isOldValueRequired() ? event : event.withoutOld();
			if (this.configuration.isSynchronous()) {
				deliver(seen);
			}
			else {
				this.waiting.add(seen);
				this.executor.execute(this::deliverWaiting);
			}
		}
		catch (CacheEntryListenerException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw new CacheEntryListenerException("A listener failed at " + event, ex);
		}
	}

	private void deliverWaiting() {
		while (!this.waiting.isEmpty() && this.delivering.compareAndSet(false, true)) {
			try {
				Event<K, V> next;
				while ((next = this.waiting.poll()) != null) {
					deliverQuietly(next);
				}
			}
			finally {
				this.delivering.set(false);
			}
		}
	}

	private void deliverQuietly(Event<K, V> event) {
		try {
			deliver(event);
		}
		catch (Throwable ex) {
			// Events behind it are delivered after any failure.
			LOG.warn("A listener failed at {}", event, ex);
		}
	}

	@SuppressWarnings("unchecked")
	private void deliver(Event<K, V> event) {
		List<CacheEntryEvent<? extends K, ? extends V>> events = List.of(event);
		switch (event.getEventType()) {
			case CREATED -> ((CacheEntryCreatedListener<K, V>) this.listener).onCreated(events);
			case UPDATED -> ((CacheEntryUpdatedListener<K, V>) this.listener).onUpdated(events);
			case REMOVED -> ((CacheEntryRemovedListener<K, V>) this.listener).onRemoved(events);
			case EXPIRED -> ((CacheEntryExpiredListener<K, V>) this.listener).onExpired(events);
		}
	}

}
