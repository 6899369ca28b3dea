package io.github.vicinal.transport.shm.topic;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import java.util.function.Consumer;

import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.MessageAttempts;
import io.github.vicinal.topic.MessageCodec;
import io.github.vicinal.topic.MessageHandler;
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

	private final MessageAttempts<T> attempts;

	private final MessageCodec<T> codec;

	private final Consumer<ShmSubscription<T>> onClose;

	private final Consumer<ShmSubscription<T>> onEnd;

	/** Makes threads, by name. */
	private final BiFunction<String, Runnable, Thread> threads;

	/** Links by instance id of the publisher. */
	private final Map<String, PublisherLink<T>> links = new ConcurrentHashMap<>();

	private final LongAdder dropped = new LongAdder();

	private volatile boolean closed;

	private final AtomicBoolean ended = new AtomicBoolean();

	ShmSubscription(TopicSettings<T> settings, SubscriberSettings subscriber, MessageHandler<T> handler,
			MessageCodec<T> codec, Consumer<ShmSubscription<T>> onClose, Consumer<ShmSubscription<T>> onEnd,
			BiFunction<String, Runnable, Thread> threads) {
		this.settings = settings;
		this.subscriber = subscriber;
		this.attempts = new MessageAttempts<>(settings, subscriber, handler);
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
	 * Has a message handled.
	 * @return whether it is done; otherwise another subscriber is to get it
	 */
	boolean handle(Message<T> message) {
		return this.attempts.handle(message);
	}

	void unreadable(String publisher, long sequence, RuntimeException cause) {
		this.attempts.unreadable(publisher, sequence, cause);
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
		return new SubscriptionReport(topic(), name(), this.attempts.handled(), this.attempts.failed(),
				this.attempts.redelivered(), this.dropped.sum(), attached, publishers);
	}

	/**
	 * A handler that closes its own subscription does not wait for the others, nor for
	 * itself.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.attempts.closing();
		this.onClose.accept(this);
		if (this.links.values().stream().anyMatch(PublisherLink::isOwnThread)) {
			this.threads.apply("end-" + topic(), this::end).start();
			return;
		}
		end();
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
