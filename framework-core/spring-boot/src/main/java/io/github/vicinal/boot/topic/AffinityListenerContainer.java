package io.github.vicinal.boot.topic;

import java.util.function.Supplier;

import io.github.vicinal.topic.AffinityListener;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.SubscriptionReport;
import org.jspecify.annotations.Nullable;

/**
 * One listener: a method with {@link AffinityListener}, which is subscribed while the
 * container runs. Thread-safe.
 *
 * @since 0.1.0
 */
public final class AffinityListenerContainer {

	private final String listenerId;

	private final String place;

	private final boolean autoStartup;

	private final Supplier<Subscription> subscribe;

	/** Guarded by this. */
	private @Nullable Subscription subscription;

	AffinityListenerContainer(String listenerId, String place, boolean autoStartup, Supplier<Subscription> subscribe) {
		this.listenerId = listenerId;
		this.place = place;
		this.autoStartup = autoStartup;
		this.subscribe = subscribe;
	}

	/**
	 * Returns the id of the listener.
	 * @return the id
	 */
	public String getListenerId() {
		return this.listenerId;
	}

	/** Returns class and method, for people. */
	String place() {
		return this.place;
	}

	/**
	 * Returns whether the listener starts with the application.
	 * @return what the annotation says
	 */
	public boolean isAutoStartup() {
		return this.autoStartup;
	}

	/**
	 * Returns whether the listener is subscribed.
	 * @return whether it runs
	 */
	public synchronized boolean isRunning() {
		return this.subscription != null;
	}

	/** Subscribes the listener, unless it is subscribed. */
	public synchronized void start() {
		if (this.subscription == null) {
			this.subscription = this.subscribe.get();
		}
	}

	/**
	 * Ends the subscription: waits until the listener has returned from the messages that
	 * it has.
	 */
	public void stop() {
		Subscription open;
		synchronized (this) {
			open = this.subscription;
			this.subscription = null;
		}
		if (open != null) {
			open.close();
		}
	}

	/**
	 * Returns what the listener has got since it was started.
	 * @return numbers of this moment, {@code null} if it does not run
	 */
	public synchronized @Nullable SubscriptionReport report() {
		return (this.subscription != null) ? this.subscription.report() : null;
	}

}
