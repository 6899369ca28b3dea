package io.github.vicinal.topic;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives messages to the handler of one subscription, as often as its settings say, and
 * counts what became of them. For implementations of {@link Topics}. Thread-safe.
 *
 * @param <T> the type of the payload
 * @since 0.1.0
 */
public final class MessageAttempts<T> {

	private static final Logger logger = LoggerFactory.getLogger(MessageAttempts.class);

	private final TopicSettings<T> settings;

	private final SubscriberSettings subscriber;

	private final MessageHandler<T> handler;

	/** Held while a message is handled, where one at a time is. */
	private final ReentrantLock oneAtATime = new ReentrantLock();

	private final LongAdder handled = new LongAdder();

	private final LongAdder failed = new LongAdder();

	private final LongAdder redelivered = new LongAdder();

	/** Open until the subscription is closing. */
	private final CountDownLatch closing = new CountDownLatch(1);

	private final AtomicBoolean notified = new AtomicBoolean();

	/**
	 * Creates the attempts of a subscription.
	 * @param settings of the topic
	 * @param subscriber how its messages are handled
	 * @param handler handles them
	 */
	public MessageAttempts(TopicSettings<T> settings, SubscriberSettings subscriber, MessageHandler<T> handler) {
		this.settings = settings;
		this.subscriber = subscriber;
		this.handler = handler;
	}

	/**
	 * Reads a message and has it handled, or given to the error handler if its payload
	 * cannot be read. Never throws, unless the JVM is at its end.
	 * @param message the message as it was published
	 * @param codec reads the payload
	 * @return whether the message is done; otherwise the subscription is closing, and
	 * another subscriber of the stream is to get the message
	 */
	public boolean handle(Message<byte[]> message, MessageCodec<T> codec) {
		Message<T> read;
		try {
			read = read(message, codec);
		}
		catch (UnreadableMessageException ex) {
			return inTurn(message, () -> unreadable(message, ex));
		}
		return inTurn(message, () -> attempt(read, message, codec));
	}

	private static <T> Message<T> read(Message<byte[]> message, MessageCodec<T> codec) {
		T payload;
		try {
			payload = codec.decode(message.payload());
		}
		catch (UnreadableMessageException ex) {
			throw ex;
		}
		catch (RuntimeException | Error ex) {
			// The thread goes on: all further messages wait for it.
			throw new UnreadableMessageException("The payload cannot be read: " + ex, ex);
		}
		return new Message<>(message.topic(), payload, message.headers(), message.publisher(), message.sequence(),
				message.publishedNanos(), message.redelivered());
	}

	private boolean inTurn(Message<?> message, BooleanSupplier handling) {
		if (message.redelivered()) {
			this.redelivered.increment();
		}
		if (this.subscriber.concurrency() > 1) {
			return handling.getAsBoolean();
		}
		this.oneAtATime.lock();
		try {
			return handling.getAsBoolean();
		}
		finally {
			this.oneAtATime.unlock();
		}
	}

	private boolean attempt(Message<T> first, Message<byte[]> published, MessageCodec<T> codec) {
		Message<T> message = first;
		long pause = this.subscriber.backOff().toNanos();
		for (int attempt = 1;; attempt++) {
			try {
				this.handler.handle(message);
				this.handled.increment();
				return true;
			}
			catch (Exception ex) {
				if (ex instanceof MessageReturnedException && isClosing()) {
					return false;
				}
				if (attempt == this.subscriber.maxAttempts()) {
					giveUp(message, published, ex);
					return true;
				}
				if (isClosingWithin(pause)) {
					if (this.settings.model() == TopicModel.STREAM) {
						return false;
					}
					giveUp(message, published, ex);
					return true;
				}
				pause *= 2;
			}
			catch (Error ex) {
				// The thread goes on: all further messages wait for it.
				giveUp(message, published, new IllegalStateException("The handler ended with an error: " + ex, ex));
				return true;
			}
			try {
				// The handler may have changed the payload.
				message = read(published, codec);
			}
			catch (UnreadableMessageException ex) {
				return unreadable(published, ex);
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
			return isClosing();
		}
	}

	private void giveUp(Message<T> message, Message<byte[]> published, Exception cause) {
		this.failed.increment();
		try {
			this.handler.failed(message, published.payload(), cause);
		}
		catch (RuntimeException ex) {
			logger.error("The error handler of subscriber '{}' failed for message {} of topic '{}'",
					this.subscriber.name(), message.sequence(), this.settings.name(), ex);
		}
	}

	/** It is done at once: its payload will not get better. */
	private boolean unreadable(Message<byte[]> message, UnreadableMessageException cause) {
		this.failed.increment();
		try {
			this.handler.unreadable(message, cause);
		}
		catch (RuntimeException ex) {
			logger.error("The error handler of subscriber '{}' failed for message {} of topic '{}'",
					this.subscriber.name(), message.sequence(), this.settings.name(), ex);
		}
		return true;
	}

	/** Ends pauses between attempts, and lets the handler know, once. */
	public void closing() {
		this.closing.countDown();
		if (!this.notified.compareAndSet(false, true)) {
			return;
		}
		try {
			this.handler.closing();
		}
		catch (RuntimeException ex) {
			logger.error("The handler of subscriber '{}' of topic '{}' failed when its subscription was closed",
					this.subscriber.name(), this.settings.name(), ex);
		}
	}

	private boolean isClosing() {
		return this.closing.getCount() == 0;
	}

	/**
	 * Returns the number of messages that were handled.
	 * @return a count
	 */
	public long handled() {
		return this.handled.sum();
	}

	/**
	 * Returns the number of messages that could not be handled.
	 * @return a count
	 */
	public long failed() {
		return this.failed.sum();
	}

	/**
	 * Returns the number of messages that another subscriber had before.
	 * @return a count
	 */
	public long redelivered() {
		return this.redelivered.sum();
	}

}
