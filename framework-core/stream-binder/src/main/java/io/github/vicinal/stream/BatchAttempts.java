package io.github.vicinal.stream;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.github.vicinal.boot.topic.TopicHeaders;
import io.github.vicinal.topic.BatchFailedException;
import io.github.vicinal.topic.MessageReturnedException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.retry.RetryException;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.support.MessageBuilder;

/**
 * Attempts at one batch. A function that throws a {@link BatchFailedException} has
 * handled the messages before the one that failed, which begins the next list; anything
 * else means that the whole list has failed. Each message has as many attempts as one
 * that comes alone. Used by one thread.
 */
final class BatchAttempts {

	private final List<Message<byte[]>> messages;

	private final ConsumerRetries retries;

	private final Consumer<Message<?>> function;

	private final BiConsumer<Message<byte[]>, Throwable> recovery;

	/** Number of messages that are done; they are the first ones. */
	private int done;

	/** Whether the last attempt has failed at the first message that is not done. */
	private boolean oneFailed;

	/**
	 * Exception of the function when it came to another message, which was the first
	 * attempt of that message.
	 */
	private @Nullable RuntimeException firstFailure;

	/**
	 * Creates the attempts at a batch.
	 * @param messages the messages
	 * @param retries how they are attempted
	 * @param function is given lists of them
	 * @param recovery takes a message after its last attempt
	 */
	BatchAttempts(List<Message<byte[]>> messages, ConsumerRetries retries, Consumer<Message<?>> function,
			BiConsumer<Message<byte[]>, Throwable> recovery) {
		this.messages = messages;
		this.retries = retries;
		this.function = function;
		this.recovery = recovery;
	}

	/**
	 * Has all messages handled or recovered.
	 * @param redelivered whether messages that are not handled at the stop come again
	 */
	void handle(boolean redelivered) {
		while (this.done < this.messages.size()) {
			try {
				this.retries.execute(this::attempt);
			}
			catch (RetryException ex) {
				if (this.retries.isStopping() && redelivered) {
					throw new BatchFailedException(this.done, new MessageReturnedException());
				}
				recover(ex.getCause());
			}
		}
	}

	private boolean attempt() {
		RuntimeException first = this.firstFailure;
		if (first != null) {
			this.firstFailure = null;
			throw first;
		}
		List<Message<byte[]>> rest = this.messages.subList(this.done, this.messages.size());
		try {
			this.function.accept(batch(rest));
		}
		catch (RuntimeException ex) {
			int index = failed(ex);
			this.oneFailed = index >= 0 && index < rest.size();
			if (!this.oneFailed || index == 0) {
				throw ex;
			}
			this.done += index;
			this.firstFailure = ex;
			return true;
		}
		this.done = this.messages.size();
		return true;
	}

	/** Returns which message a function names, a negative number if it names none. */
	private static int failed(Throwable thrown) {
		for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
			if (cause instanceof BatchFailedException failed) {
				return failed.index();
			}
		}
		return -1;
	}

	private void recover(Throwable cause) {
		int end = this.oneFailed ? this.done + 1 : this.messages.size();
		while (this.done < end) {
			try {
				this.recovery.accept(this.messages.get(this.done), cause);
			}
			catch (RuntimeException ex) {
				throw new BatchFailedException(this.done, ex);
			}
			this.done++;
		}
	}

	/** A list has the headers that are the same in all messages, and those of each. */
	private static Message<List<byte[]>> batch(List<Message<byte[]>> messages) {
		Map<String, Object> common = new HashMap<>(messages.get(0).getHeaders());
		messages.forEach((message) -> common.entrySet().retainAll(message.getHeaders().entrySet()));
		common.remove(MessageHeaders.ID);
		common.remove(MessageHeaders.TIMESTAMP);
		return MessageBuilder.withPayload(messages.stream().map(Message::getPayload).toList())
			.copyHeaders(common)
			.setHeader(TopicHeaders.BATCH_HEADERS, messages.stream().map(Message::getHeaders).toList())
			.build();
	}

}
