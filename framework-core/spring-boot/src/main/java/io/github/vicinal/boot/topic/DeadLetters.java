package io.github.vicinal.boot.topic;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

import io.github.vicinal.topic.DeadLetterHeaders;
import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;

/** The topic of messages that a listener could not handle. */
final class DeadLetters {

	private static final int MAX_TEXT = 1024;

	private final Supplier<Topics> topics;

	private final String topic;

	private final Supplier<TopicSettings<Object>> settings;

	private final String subscriber;

	/**
	 * Creates the dead letters of a listener.
	 * @param topics where the topic is
	 * @param topic its name
	 * @param settings its settings, which are known once all listeners are
	 * @param subscriber name of the listener
	 */
	DeadLetters(Supplier<Topics> topics, String topic, Supplier<TopicSettings<Object>> settings, String subscriber) {
		this.topics = topics;
		this.topic = topic;
		this.settings = settings;
		this.subscriber = subscriber;
	}

	String topic() {
		return this.topic;
	}

	/** Opens the topic, so that what it lacks is known when the application starts. */
	void open() {
		this.topics.get().topic(this.settings.get());
	}

	/**
	 * Publishes a message as it was published first: the listener's type may leave out
	 * some of it, and the listener may have changed the rest.
	 * @param message the message
	 * @param published the bytes of its payload
	 * @param cause what went wrong
	 */
	void publish(Message<?> message, byte[] published, Exception cause) {
		this.topics.get().topic(this.settings.get()).publishWritten(published, headers(message, cause));
	}

	private Map<String, String> headers(Message<?> message, Exception cause) {
		Map<String, String> headers = new LinkedHashMap<>(message.headers());
		headers.put(DeadLetterHeaders.TOPIC, message.topic());
		headers.put(DeadLetterHeaders.PUBLISHER, message.publisher());
		headers.put(DeadLetterHeaders.SEQUENCE, Long.toString(message.sequence()));
		headers.put(DeadLetterHeaders.SUBSCRIBER, this.subscriber);
		headers.put(DeadLetterHeaders.EXCEPTION, cause.getClass().getName());
		String text = String.valueOf(cause.getMessage());
		headers.put(DeadLetterHeaders.EXCEPTION_MESSAGE,
				(text.length() > MAX_TEXT) ? text.substring(0, MAX_TEXT) : text);
		return headers;
	}

}
