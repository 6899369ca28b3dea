package io.github.vicinal.topic.observation;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.github.vicinal.topic.TopicModel;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;

/**
 * The context of publishing one message. Its carrier are the headers of the message, to
 * which tracers add. Used by the publishing thread.
 *
 * @since 0.1.0
 */
public final class TopicPublishContext extends SenderContext<Map<String, String>> {

	private final String topic;

	private final TopicModel model;

	/**
	 * Creates a context.
	 * @param topic name of the topic
	 * @param model distribution of the messages
	 * @param headers what the application publishes with the message; not changed
	 */
	public TopicPublishContext(String topic, TopicModel model, Map<String, String> headers) {
		super((carrier, name, value) -> Objects.requireNonNull(carrier).put(name, value), Kind.PRODUCER);
		this.topic = topic;
		this.model = model;
		setCarrier(new LinkedHashMap<>(headers));
	}

	/**
	 * Returns the name of the topic.
	 * @return the name
	 */
	public String topic() {
		return this.topic;
	}

	/**
	 * Returns who gets the message.
	 * @return the model
	 */
	public TopicModel model() {
		return this.model;
	}

}
