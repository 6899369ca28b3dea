package io.github.vicinal.boot.topic;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.UnreadableMessageException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls a listener with each message or batch, waits until it is done with it, and passes
 * on what it could not handle: to the error handler, then to the dead-letter topic, then
 * to the log.
 */
final class ListenerHandler implements MessageHandler<Object> {

	private static final Logger logger = LoggerFactory.getLogger(ListenerHandler.class);

	private final ListenerInvoker invoker;

	private final boolean manual;

	private final @Nullable TopicErrorHandler errorHandler;

	private final @Nullable DeadLetters deadLetters;

	/** Outcomes that threads of this listener wait for. */
	private final Set<PendingAcknowledgement> pending = ConcurrentHashMap.newKeySet();

	private volatile boolean closing;

	/**
	 * Creates a handler.
	 * @param invoker calls the listener
	 * @param manual whether the listener takes an acknowledgement
	 * @param errorHandler what is given the messages that were given up
	 * @param deadLetters where they go then
	 */
	ListenerHandler(ListenerInvoker invoker, boolean manual, @Nullable TopicErrorHandler errorHandler,
			@Nullable DeadLetters deadLetters) {
		this.invoker = invoker;
		this.manual = manual;
		this.errorHandler = errorHandler;
		this.deadLetters = deadLetters;
	}

	@Override
	public void handle(Message<Object> message) throws Exception {
		PendingAcknowledgement acknowledgement = this.manual ? new PendingAcknowledgement() : null;
		awaitEnd(this.invoker.invoke(message, acknowledgement), acknowledgement);
	}

	@Override
	public void handleAll(List<Message<Object>> messages) throws Exception {
		PendingAcknowledgement acknowledgement = this.manual ? new PendingAcknowledgement() : null;
		awaitEnd(this.invoker.invokeAll(messages, acknowledgement), acknowledgement);
	}

	private void awaitEnd(@Nullable Object result, @Nullable PendingAcknowledgement acknowledgement) throws Exception {
		CompletionStage<?> stage = AsyncResults.stage(result);
		if (stage != null) {
			PendingAcknowledgement end = new PendingAcknowledgement();
			end.endsWith(stage);
			await(end);
		}
		if (acknowledgement != null) {
			await(acknowledgement);
		}
	}

	private void await(PendingAcknowledgement acknowledgement) throws Exception {
		this.pending.add(acknowledgement);
		try {
			if (this.closing) {
				acknowledgement.closing();
			}
			acknowledgement.await();
		}
		finally {
			this.pending.remove(acknowledgement);
		}
	}

	@Override
	public void closing() {
		this.closing = true;
		this.pending.forEach(PendingAcknowledgement::closing);
	}

	/** Dead letters have the bytes that were published. */
	@Override
	public boolean needsPublished() {
		return this.deadLetters != null;
	}

	@Override
	public void failed(Message<Object> message, byte[] published, Exception cause) {
		Exception last = giveAway(message, published, cause);
		if (last != null) {
			MessageHandler.super.failed(message, last);
		}
	}

	@Override
	public void unreadable(Message<byte[]> message, UnreadableMessageException cause) {
		if (giveAway(message, message.payload(), cause) != null) {
			MessageHandler.super.unreadable(message, cause);
		}
	}

	/** Returns why a message is still here, {@code null} if it is not. */
	private @Nullable Exception giveAway(Message<?> message, byte[] published, Exception cause) {
		Exception last = cause;
		if (this.errorHandler != null) {
			try {
				this.errorHandler.handle(message, cause);
				return null;
			}
			catch (Exception ex) {
				last = ex;
			}
		}
		if (this.deadLetters != null) {
			try {
				this.deadLetters.publish(message, published, last);
				logger.warn("Message {} of topic '{}' could not be handled and is now in topic '{}': {}",
						message.sequence(), message.topic(), this.deadLetters.topic(), last.toString());
				return null;
			}
			catch (RuntimeException ex) {
				last.addSuppressed(ex);
			}
		}
		return last;
	}

}
