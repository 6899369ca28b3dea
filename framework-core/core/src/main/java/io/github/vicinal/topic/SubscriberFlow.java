package io.github.vicinal.topic;

import java.util.concurrent.Flow;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The subscription of one {@link Flow.Subscriber}. The thread that handles a message
 * waits until the subscriber asks for one, and calls it.
 */
final class SubscriberFlow<T> implements MessageHandler<T>, Flow.Subscription {

	private final Flow.Subscriber<? super Message<T>> subscriber;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	/** Guarded by the lock, as all that follows. */
	private long demand;

	private boolean ended;

	/** The subscription is closing, so that messages may be returned. */
	private boolean closing;

	private boolean emitting;

	/** The last signal, if it has to wait until the subscriber has returned. */
	private @Nullable Consumer<Flow.Subscriber<?>> lastSignal;

	private @Nullable Subscription subscription;

	private SubscriberFlow(Flow.Subscriber<? super Message<T>> subscriber) {
		this.subscriber = subscriber;
	}

	/**
	 * Subscribes.
	 * @param topics makes the subscription of a handler
	 */
	static <T> void subscribe(Flow.Subscriber<? super Message<T>> subscriber,
			Function<MessageHandler<T>, Subscription> topics) {
		SubscriberFlow<T> flow = new SubscriberFlow<>(subscriber);
		subscriber.onSubscribe(flow);
		flow.start(topics);
	}

	private void start(Function<MessageHandler<T>, Subscription> topics) {
		if (isEnded()) {
			return;
		}
		try {
			Subscription made = topics.apply(this);
			this.lock.lock();
			try {
				this.subscription = made;
			}
			finally {
				this.lock.unlock();
			}
			if (isEnded()) {
				closeSubscription();
			}
		}
		catch (RuntimeException ex) {
			end((last) -> last.onError(ex));
		}
	}

	private boolean isEnded() {
		this.lock.lock();
		try {
			return this.ended;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void handle(Message<T> message) {
		awaitDemand();
		boolean returned = false;
		try {
			this.subscriber.onNext(message);
			returned = true;
		}
		finally {
			if (!returned) {
				// Against the rules, so nothing more is said to it.
				cancel();
			}
			emitted();
		}
	}

	private void awaitDemand() {
		this.lock.lock();
		try {
			while ((this.demand == 0 || this.ended) && !this.closing) {
				this.changed.awaitUninterruptibly();
			}
			if (this.closing) {
				throw new MessageReturnedException();
			}
			if (this.demand != Long.MAX_VALUE) {
				this.demand--;
			}
			this.emitting = true;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void emitted() {
		Consumer<Flow.Subscriber<?>> last;
		this.lock.lock();
		try {
			this.emitting = false;
			last = this.lastSignal;
			this.lastSignal = null;
		}
		finally {
			this.lock.unlock();
		}
		if (last != null) {
			last.accept(this.subscriber);
		}
	}

	@Override
	public boolean isObserved() {
		return false;
	}

	@Override
	public void closing() {
		this.lock.lock();
		try {
			this.closing = true;
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
		end(Flow.Subscriber::onComplete);
	}

	@Override
	public void request(long count) {
		if (count <= 0) {
			end((last) -> last.onError(new IllegalArgumentException(
					"A subscriber must ask for at least one message (rule 3.9 of Reactive Streams), not %d"
						.formatted(count))));
			closeSubscription();
			return;
		}
		this.lock.lock();
		try {
			this.demand = (Long.MAX_VALUE - this.demand < count) ? Long.MAX_VALUE : this.demand + count;
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void cancel() {
		end(null);
		closeSubscription();
	}

	/** Ends the flow once, with a signal that follows all others. */
	private void end(@Nullable Consumer<Flow.Subscriber<?>> signal) {
		this.lock.lock();
		try {
			if (this.ended) {
				return;
			}
			this.ended = true;
			this.changed.signalAll();
			if (this.emitting) {
				this.lastSignal = signal;
				return;
			}
		}
		finally {
			this.lock.unlock();
		}
		if (signal != null) {
			signal.accept(this.subscriber);
		}
	}

	/** On a thread of its own: closing waits for the subscriber, who may be calling. */
	private void closeSubscription() {
		Subscription open;
		this.lock.lock();
		try {
			open = this.subscription;
			this.subscription = null;
		}
		finally {
			this.lock.unlock();
		}
		if (open != null) {
			Thread closing = new Thread(null, open::close, "vicinal-topic-cancel", 0, false);
			closing.setDaemon(true);
			closing.start();
		}
	}

}
