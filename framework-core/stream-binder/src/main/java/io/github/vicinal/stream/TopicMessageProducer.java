package io.github.vicinal.stream;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.github.vicinal.boot.topic.TopicHeaders;
import io.github.vicinal.topic.BatchHandler;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.MessageReturnedException;
import io.github.vicinal.topic.Subscription;
import org.jspecify.annotations.Nullable;

import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.integration.core.RecoveryCallback;
import org.springframework.integration.endpoint.MessageProducerSupport;
import org.springframework.integration.support.ErrorMessageUtils;
import org.springframework.messaging.support.MessageBuilder;

/**
 * Sends the messages of a subscription to a consumer binding. A message is handled when
 * the function has returned, or when what is left of it was given to the error channel.
 */
final class TopicMessageProducer extends MessageProducerSupport {

	private final Function<MessageHandler<byte[]>, Subscription> subscribe;

	private final boolean headers;

	private final @Nullable RetryTemplate retries;

	private final @Nullable RecoveryCallback<?> recovery;

	/** Whether a message that is not handled at the stop comes again. */
	private final boolean redelivered;

	private final boolean batches;

	/** Guarded by the lifecycle's lock. */
	private @Nullable Subscription subscription;

	/**
	 * Creates a producer of messages.
	 * @param subscribe subscribes, while the binding runs
	 * @param headers whether headers travel
	 * @param retries attempts a message again, {@code null} if each is attempted once
	 * @param recovery takes a message after its last attempt
	 * @param redelivered whether a message that is not handled at the stop comes again
	 * @param batches whether the function takes lists, which needs retries and a recovery
	 */
	TopicMessageProducer(Function<MessageHandler<byte[]>, Subscription> subscribe, boolean headers,
			@Nullable RetryTemplate retries, @Nullable RecoveryCallback<?> recovery, boolean redelivered,
			boolean batches) {
		this.subscribe = subscribe;
		this.headers = headers;
		this.retries = retries;
		this.recovery = recovery;
		this.redelivered = redelivered;
		this.batches = batches;
	}

	@Override
	public String getComponentType() {
		return "vicinal:inbound-channel-adapter";
	}

	@Override
	protected void doStart() {
		super.doStart();
		this.subscription = this.subscribe.apply(handler());
	}

	private MessageHandler<byte[]> handler() {
		if (this.retries == null || this.recovery == null) {
			return (message) -> sendMessage(message(message));
		}
		ConsumerRetries consumer = new ConsumerRetries(this.retries);
		return this.batches ? new AttemptingBatches(consumer, this.recovery) : new Attempting(consumer, this.recovery);
	}

	@Override
	protected void doStop() {
		Subscription open = this.subscription;
		this.subscription = null;
		if (open != null) {
			open.close();
		}
		super.doStop();
	}

	private org.springframework.messaging.Message<byte[]> message(Message<byte[]> message) {
		return MessageBuilder.withPayload(message.payload())
			.copyHeaders(this.headers ? HeaderMapping.fromTopic(message.headers()) : Map.of())
			.setHeader(TopicHeaders.TOPIC, message.topic())
			.setHeader(TopicHeaders.PUBLISHER, message.publisher())
			.setHeader(TopicHeaders.SEQUENCE, message.sequence())
			.setHeader(TopicHeaders.REDELIVERED, message.redelivered())
			.build();
	}

	/** Attempts each message until the binding stops. */
	private final class Attempting implements MessageHandler<byte[]> {

		private final ConsumerRetries retries;

		private final RecoveryCallback<?> recovery;

		Attempting(ConsumerRetries retries, RecoveryCallback<?> recovery) {
			this.retries = retries;
			this.recovery = recovery;
		}

		@Override
		public void handle(Message<byte[]> message) {
			org.springframework.messaging.Message<byte[]> received = message(message);
			try {
				this.retries.execute(() -> {
					sendMessage(received);
					return true;
				});
			}
			catch (RetryException ex) {
				if (this.retries.isStopping() && TopicMessageProducer.this.redelivered) {
					throw new MessageReturnedException();
				}
				this.recovery.recover(ErrorMessageUtils.getAttributeAccessor(received, received), ex.getCause());
			}
		}

		@Override
		public void closing() {
			this.retries.stop();
		}

	}

	/** Attempts batches until the binding stops. */
	private final class AttemptingBatches implements BatchHandler<byte[]> {

		private final ConsumerRetries retries;

		private final RecoveryCallback<?> recovery;

		AttemptingBatches(ConsumerRetries retries, RecoveryCallback<?> recovery) {
			this.retries = retries;
			this.recovery = recovery;
		}

		@Override
		public void handleAll(List<Message<byte[]>> messages) {
			new BatchAttempts(messages.stream().map(TopicMessageProducer.this::message).toList(), this.retries,
					TopicMessageProducer.this::sendMessage, this::recover)
				.handle(TopicMessageProducer.this.redelivered);
		}

		private void recover(org.springframework.messaging.Message<byte[]> message, Throwable cause) {
			this.recovery.recover(ErrorMessageUtils.getAttributeAccessor(message, message), cause);
		}

		@Override
		public void closing() {
			this.retries.stop();
		}

	}

}
