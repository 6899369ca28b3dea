package io.github.vicinal.topic.observation;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.vicinal.topic.Message;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;

/**
 * The context of one attempt to handle a message, or a batch of messages. Its carrier are
 * the headers of the message, whose trace goes on. A batch of several messages has none,
 * and begins a trace: its messages may belong to as many traces. Used by the handling
 * thread.
 *
 * @since 0.1.0
 */
public final class TopicProcessContext extends ReceiverContext<Map<String, String>> {

	private final List<? extends Message<?>> messages;

	private final boolean batch;

	private final String subscriber;

	/**
	 * Creates a context.
	 * @param message the message
	 * @param subscriber name of the subscriber
	 */
	public TopicProcessContext(Message<?> message, String subscriber) {
		this(List.of(message), false, subscriber);
	}

	/**
	 * Creates the context of a batch.
	 * @param messages the messages, at least one
	 * @param subscriber name of the subscriber
	 */
	public TopicProcessContext(List<? extends Message<?>> messages, String subscriber) {
		this(messages, true, subscriber);
	}

	private TopicProcessContext(List<? extends Message<?>> messages, boolean batch, String subscriber) {
		super((carrier, name) -> Objects.requireNonNull(carrier).get(name), Kind.CONSUMER);
		this.messages = messages;
		this.batch = batch;
		this.subscriber = subscriber;
		setCarrier((messages.size() == 1) ? message().headers() : Map.of());
	}

	/**
	 * Returns the message, or the first one of a batch.
	 * @return the message
	 */
	public Message<?> message() {
		return this.messages.get(0);
	}

	/**
	 * Returns all messages that are handled together.
	 * @return the messages, at least one
	 */
	public List<? extends Message<?>> messages() {
		return this.messages;
	}

	/**
	 * Returns whether the handler was given a batch, which may have one message.
	 * @return whether it is a batch
	 */
	public boolean isBatch() {
		return this.batch;
	}

	/**
	 * Returns the name of the subscriber.
	 * @return the name
	 */
	public String subscriber() {
		return this.subscriber;
	}

}
