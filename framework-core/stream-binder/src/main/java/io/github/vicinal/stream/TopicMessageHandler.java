package io.github.vicinal.stream;

import java.util.List;
import java.util.Map;

import io.github.vicinal.topic.TopicException;
import org.jspecify.annotations.Nullable;

import org.springframework.cloud.stream.binder.BinderHeaders;
import org.springframework.context.Lifecycle;
import org.springframework.integration.handler.AbstractMessageHandler;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.MessageHandlingException;
import org.springframework.messaging.support.ErrorMessage;

/** Publishes what a producer binding sends. Thread-safe. */
final class TopicMessageHandler extends AbstractMessageHandler implements Lifecycle {

	private final Destinations destinations;

	private final String topic;

	private final DestinationPublisher publisher;

	private final boolean headers;

	private final boolean partitioned;

	private final @Nullable MessageChannel errorChannel;

	private volatile boolean running;

	/** Guarded by this. */
	private boolean destroyed;

	/**
	 * Creates a handler, which becomes a publisher at once.
	 * @param destinations of the binder
	 * @param topic of the destination
	 * @param single whether the destination is one stream for all consumers
	 * @param requiredGroups groups whose messages wait for their first consumer
	 * @param headers whether headers travel
	 * @param partitions number of partitions, 0 if there are none
	 * @param errorChannel is sent what could not be published, besides the exception
	 */
	TopicMessageHandler(Destinations destinations, String topic, boolean single, List<String> requiredGroups,
			boolean headers, int partitions, @Nullable MessageChannel errorChannel) {
		this.destinations = destinations;
		this.topic = topic;
		this.headers = headers;
		this.errorChannel = errorChannel;
		this.partitioned = partitions > 0;
		this.publisher = destinations.open(topic, single, requiredGroups, partitions);
	}

	@Override
	public String getComponentType() {
		return "vicinal:outbound-channel-adapter";
	}

	@Override
	protected void handleMessageInternal(Message<?> message) {
		try {
			if (!this.running) {
				throw new TopicException("The binding of destination '%s' is stopped".formatted(this.topic));
			}
			if (!(message.getPayload() instanceof byte[] payload)) {
				throw new TopicException(
						"The payload for destination '%s' is a %s, and not bytes: set the binding's content-type"
							.formatted(this.topic, message.getPayload().getClass().getName()));
			}
			Map<String, String> mapped = this.headers ? HeaderMapping.toTopic(message.getHeaders()) : Map.of();
			if (this.partitioned
					&& message.getHeaders().get(BinderHeaders.PARTITION_HEADER) instanceof Integer partition) {
				this.publisher.publish(payload, HeaderMapping.withPartition(mapped, partition), partition);
			}
			else {
				this.publisher.publish(payload, mapped, TopicNames.NO_PARTITION);
			}
		}
		catch (RuntimeException ex) {
			MessageHandlingException failure = new MessageHandlingException(message, ex);
			if (this.errorChannel != null) {
				this.errorChannel.send(new ErrorMessage(failure, message));
			}
			throw failure;
		}
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public void destroy() {
		super.destroy();
		stop();
		synchronized (this) {
			if (this.destroyed) {
				return;
			}
			this.destroyed = true;
		}
		this.destinations.close(this.topic);
	}

}
