package io.github.vicinal.topic.observation;

import java.util.Map;
import java.util.Objects;

import io.github.vicinal.topic.Message;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;

/**
 * The context of one attempt to handle a message. Its carrier are the headers of the
 * message. Used by the handling thread.
 *
 * @since 0.1.0
 */
public final class TopicProcessContext extends ReceiverContext<Map<String, String>> {

	private final Message<?> message;

	private final String subscriber;

	/**
	 * Creates a context.
	 * @param message the message
	 * @param subscriber name of the subscriber
	 */
	public TopicProcessContext(Message<?> message, String subscriber) {
		super((carrier, name) -> Objects.requireNonNull(carrier).get(name), Kind.CONSUMER);
		this.message = message;
		this.subscriber = subscriber;
		setCarrier(message.headers());
	}

	/**
	 * Returns the message.
	 * @return the message
	 */
	public Message<?> message() {
		return this.message;
	}

	/**
	 * Returns the name of the subscriber.
	 * @return the name
	 */
	public String subscriber() {
		return this.subscriber;
	}

}
