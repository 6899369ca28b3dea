package io.github.vicinal.transport.shm.topic;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;

import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.MessageCodec;
import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.MessageReturnedException;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.SubscriptionReport;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A subscriber: its handler, its numbers, and a link to each publisher that it knows. */
final class ShmSubscription<T> implements Subscription {

	private static final Logger logger = LoggerFactory.getLogger(ShmSubscription.class);

	private final TopicSettings<T> settings;

	private final SubscriberSettings subscriber;

	private final MessageHandler<T> handler;

	private final MessageCodec<T> codec;

	private final Consumer<ShmSubscription<T>> onClose;

	private final Consumer<ShmSubscription<T>> onEnd;

	/** Makes threads, by name. */
	private final BiFunction<String, Runnable, Thread> threads;

	/** Links by instance id of the publisher. */
	private final Map<String, PublisherLink<T>> links = new ConcurrentHashMap<>();

	/** Held while a message is handled, where one at a time is. */
	private final ReentrantLock oneAtATime = new ReentrantLock();

	private final LongAdder handled = new LongAdder();

	private final LongAdder failed = new LongAdder();

	private final LongAdder redelivered = new LongAdder();

	private final LongAdder dropped = new LongAdder();

	private volatile boolean closed;

	/** Open until the subscription is closing. */
	private final CountDownLatch closing = new CountDownLatch(1);

	private final AtomicBoolean notified = new AtomicBoolean();

	private final AtomicBoolean ended = new AtomicBoolean();

	ShmSubscription(TopicSettings<T> settings, SubscriberSettings subscriber, MessageHandler<T> handler,
			MessageCodec<T> codec, Consumer<ShmSubscription<T>> onClose, Consumer<ShmSubscription<T>> onEnd,
			BiFunction<String, Runnable, Thread> threads) {
		this.settings = settings;
		this.subscriber = subscriber;
		this.handler = handler;
		this.codec = codec;
		this.onClose = onClose;
		this.onEnd = onEnd;
		this.threads = threads;
	}

	String topic() {
		return this.settings.name();
	}

	TopicModel model() {
		return this.settings.model();
	}

	String name() {
		return this.subscriber.name();
	}

	/** In publish/subscribe messages of one publisher are handled in their order. */
	int threads() {
		return (this.settings.model() == TopicModel.STREAM) ? this.subscriber.concurrency() : 1;
	}

	MessageCodec<T> codec() {
		return this.codec;
	}

	Map<String, PublisherLink<T>> links() {
		return this.links;
	}

	boolean isClosed() {
		return this.closed;
	}

	/**
	 * Has a message handled. Never throws, unless the JVM is at its end.
	 * @return whether the message is done; otherwise the subscription is closing, and
	 * another subscriber of the stream is to get the message
	 */
	boolean handle(Message<T> message) {
		if (message.redelivered()) {
			this.redelivered.increment();
		}
		if (this.subscriber.concurrency() > 1) {
			return attempt(message);
		}
		this.oneAtATime.lock();
		try {
			return attempt(message);
		}
		finally {
			this.oneAtATime.unlock();
		}
	}

	private boolean attempt(Message<T> message) {
		long pause = this.subscriber.backOff().toNanos();
		for (int attempt = 1;; attempt++) {
			try {
				this.handler.handle(message);
				this.handled.increment();
				return true;
			}
			catch (Exception ex) {
				if (ex instanceof MessageReturnedException && this.closed) {
					return false;
				}
				if (attempt == this.subscriber.maxAttempts()) {
					giveUp(message, ex);
					return true;
				}
				if (isClosingWithin(pause)) {
					if (this.settings.model() == TopicModel.STREAM) {
						return false;
					}
					giveUp(message, ex);
					return true;
				}
				pause *= 2;
			}
			catch (Error ex) {
				// The thread goes on: all further messages wait for it.
				giveUp(message, new IllegalStateException("The handler ended with an error: " + ex, ex));
				return true;
			}
		}
	}

	/** Waits before the next attempt, but not for longer than the subscription lasts. */
	private boolean isClosingWithin(long nanos) {
		try {
			return this.closing.await(nanos, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			// By the handler; nobody else knows this thread.
			return this.closed;
		}
	}

	private void giveUp(Message<T> message, Exception cause) {
		this.failed.increment();
		try {
			this.handler.failed(message, cause);
		}
		catch (RuntimeException ex) {
			logger.error("The error handler of subscriber '{}' failed for message {} of topic '{}'", name(),
					message.sequence(), topic(), ex);
		}
	}

	void unreadable(String publisher, long sequence, RuntimeException cause) {
		this.failed.increment();
		logger.error("Message {} of publisher {} of topic '{}' cannot be read by subscriber '{}' and is left: {}",
				sequence, publisher, topic(), name(), cause.getMessage());
	}

	void dropped(long messages) {
		this.dropped.add(messages);
	}

	/** Leaves a publisher whose log cannot be what it says. */
	void damaged(String publisher, String reason) {
		logger.warn("Subscriber '{}' leaves publisher {} of topic '{}': {}", name(), publisher, topic(), reason);
		PublisherLink<T> link = this.links.get(publisher);
		if (link != null) {
			link.leave(reason);
		}
	}

	@Override
	public SubscriptionReport report() {
		Map<String, String> publishers = new TreeMap<>();
		int attached = 0;
		for (PublisherLink<T> link : this.links.values()) {
			publishers.put(link.instance(), link.state());
			attached += link.isAttached() ? 1 : 0;
		}
		return new SubscriptionReport(topic(), name(), this.handled.sum(), this.failed.sum(), this.redelivered.sum(),
				this.dropped.sum(), attached, publishers);
	}

	/**
	 * A handler that closes its own subscription does not wait for the others, nor for
	 * itself.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.closing.countDown();
		notifyHandler();
		this.onClose.accept(this);
		if (this.links.values().stream().anyMatch(PublisherLink::isOwnThread)) {
			this.threads.apply("end-" + topic(), this::end).start();
			return;
		}
		end();
	}

	private void notifyHandler() {
		if (!this.notified.compareAndSet(false, true)) {
			return;
		}
		try {
			this.handler.closing();
		}
		catch (RuntimeException ex) {
			logger.error("The handler of subscriber '{}' of topic '{}' failed when its subscription was closed", name(),
					topic(), ex);
		}
	}

	private void end() {
		this.links.values().forEach(PublisherLink::close);
		this.links.values().forEach(PublisherLink::awaitEnd);
		this.links.clear();
		if (this.ended.compareAndSet(false, true)) {
			this.onEnd.accept(this);
		}
	}

}
