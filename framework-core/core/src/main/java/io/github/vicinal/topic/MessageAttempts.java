package io.github.vicinal.topic;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

import org.jspecify.annotations.Nullable;
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

	/** Whether the bytes of a message may be needed after its handler was called. */
	private final boolean copies;

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
		// Also of a batch whose first messages alone have failed, the rest comes again.
		this.copies = subscriber.maxAttempts() > 1 || subscriber.maxBatch() > 1 || handler.needsPublished();
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

	/**
	 * Reads messages and has them handled together, as far as their payloads can be read.
	 * Throws nothing but what the caller's own function throws, unless the JVM is at its
	 * end.
	 * @param messages the messages as they were published, in their order
	 * @param codec reads the payloads
	 * @param done given the number of messages, from the first one on, that are done;
	 * called on the calling thread when that grows
	 * @return whether all messages are done; otherwise the subscription is closing, and
	 * another subscriber of the stream is to get those that are not
	 */
	public boolean handleAll(List<Message<byte[]>> messages, MessageCodec<T> codec, IntConsumer done) {
		messages.forEach(this::count);
		return inTurn(new Batch(messages, codec, done)::handle);
	}

	/** The handler may change what it is given, so bytes that are needed again stay. */
	private Message<T> read(Message<byte[]> message, MessageCodec<T> codec) {
		T payload;
		try {
			byte[] bytes = message.payload();
			payload = codec.decode((this.copies && codec.isIdentity()) ? bytes.clone() : bytes);
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
		count(message);
		return inTurn(handling);
	}

	private void count(Message<?> message) {
		if (message.redelivered()) {
			this.redelivered.increment();
		}
	}

	private boolean inTurn(BooleanSupplier handling) {
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
			catch (Exception | Error ex) {
				// The thread goes on: all further messages wait for it.
				Throwable cause = (ex instanceof BatchFailedException failed) ? failed.getCause() : ex;
				if (isReturned(cause)) {
					return false;
				}
				if (attempt == this.subscriber.maxAttempts() || cause instanceof Error) {
					giveUp(message, published, cause);
					return true;
				}
				if (isClosingWithin(pause)) {
					if (this.settings.model() == TopicModel.STREAM) {
						return false;
					}
					giveUp(message, published, cause);
					return true;
				}
				pause *= 2;
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

	private boolean isReturned(@Nullable Throwable cause) {
		return cause instanceof MessageReturnedException && isClosing();
	}

	private void giveUp(Message<T> message, Message<byte[]> published, @Nullable Throwable cause) {
		this.failed.increment();
		try {
			this.handler.failed(message, published.payload(), (cause instanceof Exception exception) ? exception
					: new IllegalStateException("The handler ended with an error: " + cause, cause));
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

	/** Messages that are handled together. Used by one thread. */
	private final class Batch {

		private final List<Message<byte[]>> published;

		private final MessageCodec<T> codec;

		private final IntConsumer whenDone;

		/** Number of attempts of each message that have failed. */
		private final int[] failures;

		/** Number of messages that are done; they are the first ones. */
		private int done;

		Batch(List<Message<byte[]>> published, MessageCodec<T> codec, IntConsumer whenDone) {
			this.published = published;
			this.codec = codec;
			this.whenDone = whenDone;
			this.failures = new int[published.size()];
		}

		boolean handle() {
			do {
				if (!handleNext()) {
					return false;
				}
				if (this.done == this.published.size()) {
					return true;
				}
			}
			while (!isClosing());
			return false;
		}

		/** Returns {@code false} if the messages that are not done are to be returned. */
		private boolean handleNext() {
			// The handler may have changed payloads.
			List<Message<T>> messages = new ArrayList<>();
			for (Message<byte[]> each : this.published.subList(this.done, this.published.size())) {
				try {
					messages.add(read(each, this.codec));
				}
				catch (UnreadableMessageException ex) {
					if (messages.isEmpty()) {
						unreadable(each, ex);
						done(1);
						return true;
					}
					break;
				}
			}
			return attempt(Collections.unmodifiableList(messages));
		}

		private boolean attempt(List<Message<T>> messages) {
			try {
				MessageAttempts.this.handler.handleAll(messages);
			}
			catch (BatchFailedException ex) {
				if (ex.index() >= 0 && ex.index() < messages.size()) {
					handled(ex.index());
					return failed(messages.subList(ex.index(), messages.size()), 1, ex.getCause());
				}
				logger.warn(
						"The handler of subscriber '{}' of topic '{}' says that message {} of a batch of {} has failed, which there is not: the whole batch counts as failed",
						MessageAttempts.this.subscriber.name(), MessageAttempts.this.settings.name(), ex.index(),
						messages.size());
				return failed(messages, messages.size(), ex.getCause());
			}
			catch (Exception | Error ex) {
				// The thread goes on: all further messages wait for it.
				return failed(messages, messages.size(), ex);
			}
			handled(messages.size());
			return true;
		}

		private void handled(int count) {
			if (count > 0) {
				MessageAttempts.this.handled.add(count);
				done(count);
			}
		}

		private void done(int count) {
			this.done += count;
			this.whenDone.accept(this.done);
		}

		/**
		 * Pauses before the next attempt, or gives messages up.
		 * @param messages those that are not done
		 * @param count number of them that have failed; they are the first ones
		 */
		private boolean failed(List<Message<T>> messages, int count, @Nullable Throwable cause) {
			if (isReturned(cause)) {
				return false;
			}
			for (int i = 0; i < count; i++) {
				this.failures[this.done + i]++;
			}
			int last = 0;
			while (last < count && (cause instanceof Error
					|| this.failures[this.done + last] == MessageAttempts.this.subscriber.maxAttempts())) {
				last++;
			}
			if (last > 0) {
				giveUpFirst(messages.subList(0, last), cause);
				return true;
			}
			if (isClosingWithin(pause(this.failures[this.done]))) {
				if (MessageAttempts.this.settings.model() == TopicModel.PUB_SUB) {
					giveUpFirst(messages.subList(0, count), cause);
				}
				return this.done == this.published.size();
			}
			return true;
		}

		/** Returns nanoseconds, doubled for each attempt that has failed before. */
		private long pause(int failed) {
			long first = MessageAttempts.this.subscriber.backOff().toNanos();
			int doublings = Math.min(failed - 1, Long.SIZE - 2);
			return (first > Long.MAX_VALUE >> doublings) ? Long.MAX_VALUE : first << doublings;
		}

		private void giveUpFirst(List<Message<T>> messages, @Nullable Throwable cause) {
			for (Message<T> each : messages) {
				giveUp(each, this.published.get(this.done), cause);
				done(1);
			}
		}

	}

}
