package io.github.vicinal.transport.shm.topic;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

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

	/** Maximum number of publishers for which a subscription knows where it left off. */
	private static final int MAX_LEFT_OFF = 256;

	private final RepeatedWarnings warnings = new RepeatedWarnings(logger);

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

	/** Links to publishers of other hosts whose messages do not come by a copy here. */
	private final Map<String, RemoteStream<T>> remotes = new ConcurrentHashMap<>();

	/**
	 * Position at which this subscription left off, by instance id of the publisher.
	 * Guarded by itself.
	 */
	private final Map<String, Resume> leftOff = new LinkedHashMap<>() {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Resume> eldest) {
			return size() > MAX_LEFT_OFF;
		}

	};

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

	/** Returns the log of attempts that fail again and again. */
	RepeatedWarnings warnings() {
		return this.warnings;
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

	/** Returns the maximum number of messages that are handled together. */
	int maxBatch() {
		return this.subscriber.maxBatch();
	}

	/** Returns the number of messages of a stream that each thread holds. */
	int held() {
		return (this.settings.model() == TopicModel.STREAM) ? maxBatch() : 1;
	}

	MessageCodec<T> codec() {
		return this.codec;
	}

	Map<String, PublisherLink<T>> links() {
		return this.links;
	}

	Map<String, RemoteStream<T>> remotes() {
		return this.remotes;
	}

	private List<SubscriptionLink> allLinks() {
		return Stream.<SubscriptionLink>concat(this.links.values().stream(), this.remotes.values().stream()).toList();
	}

	/** Notes that all messages of a publisher up to its end were handled. */
	void leftOff(String publisher, Resume resume) {
		synchronized (this.leftOff) {
			this.leftOff.remove(publisher);
			this.leftOff.put(publisher, resume);
		}
	}

	/** Returns where this subscription left off. */
	Resume resume(String publisher) {
		synchronized (this.leftOff) {
			return this.leftOff.getOrDefault(publisher, Resume.NONE);
		}
	}

	boolean isClosed() {
		return this.closed;
	}

	/**
	 * Passes a message to its handler.
	 * @return whether it is done; otherwise another subscriber is to get it
	 */
	boolean handle(Message<byte[]> message) {
		return this.attempts.handle(message, this.codec);
	}

	/**
	 * Passes messages to the handler together.
	 * @param done given the number of messages, from the first one on, that are done
	 * @return whether all are done; otherwise another subscriber is to get the others
	 */
	boolean handleAll(List<Message<byte[]>> messages, IntConsumer done) {
		return this.attempts.handleAll(messages, this.codec, done);
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
		for (SubscriptionLink link : allLinks()) {
			publishers.put(link.publisher(), link.state());
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
		if (allLinks().stream().anyMatch(SubscriptionLink::isOwnThread)) {
			this.threads.apply("end-" + topic(), this::end).start();
			return;
		}
		end();
	}

	private void end() {
		List<SubscriptionLink> all = allLinks();
		all.forEach(SubscriptionLink::close);
		all.forEach(SubscriptionLink::awaitEnd);
		this.links.clear();
		this.remotes.clear();
		if (this.ended.compareAndSet(false, true)) {
			this.onEnd.accept(this);
		}
	}

}
