package io.github.vicinal.stream;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

import io.github.vicinal.boot.topic.TopicHeaders;
import io.github.vicinal.topic.BatchFailedException;
import io.github.vicinal.topic.DeadLetterHeaders;
import io.github.vicinal.topic.Topic;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHandler;
import org.springframework.messaging.MessagingException;
import org.springframework.messaging.support.ErrorMessage;

/** Publishes messages that a function could not handle to a stream of dead letters. */
final class DeadLetterHandler implements MessageHandler {

	private static final Log logger = LogFactory.getLog(DeadLetterHandler.class);

	private static final int MAX_TEXT = 1024;

	/** Another binding may have closed the topic since the last letter. */
	private final Supplier<Topic<byte[]>> letters;

	private final String subscriber;

	/**
	 * Creates a handler.
	 * @param letters opens the topic of the dead letters
	 * @param subscriber name of the consumer that failed
	 */
	DeadLetterHandler(Supplier<Topic<byte[]>> letters, String subscriber) {
		this.letters = letters;
		this.subscriber = subscriber;
	}

	@Override
	public void handleMessage(Message<?> message) {
		if (!(message instanceof ErrorMessage error)) {
			throw new MessagingException(message, "Not an error message");
		}
		Message<?> failed = error.getOriginalMessage();
		if (failed == null || !(failed.getPayload() instanceof byte[] payload)) {
			throw new MessagingException(message, "The error message does not say which message failed",
					error.getPayload());
		}
		Throwable cause = cause(error.getPayload());
		Map<String, String> headers = new LinkedHashMap<>(HeaderMapping.toTopic(failed.getHeaders()));
		headers.put(DeadLetterHeaders.TOPIC, text(failed, TopicHeaders.TOPIC));
		headers.put(DeadLetterHeaders.PUBLISHER, text(failed, TopicHeaders.PUBLISHER));
		headers.put(DeadLetterHeaders.SEQUENCE, text(failed, TopicHeaders.SEQUENCE));
		headers.put(DeadLetterHeaders.SUBSCRIBER, this.subscriber);
		headers.put(DeadLetterHeaders.EXCEPTION, cause.getClass().getName());
		String why = String.valueOf(cause.getMessage());
		headers.put(DeadLetterHeaders.EXCEPTION_MESSAGE, (why.length() > MAX_TEXT) ? why.substring(0, MAX_TEXT) : why);
		Topic<byte[]> topic = this.letters.get();
		topic.publish(payload, headers);
		logger.warn("Message %s of topic '%s' could not be handled and is now in topic '%s': %s".formatted(
				headers.get(DeadLetterHeaders.SEQUENCE), headers.get(DeadLetterHeaders.TOPIC), topic.settings().name(),
				cause));
	}

	private static String text(Message<?> message, String header) {
		return String.valueOf(message.getHeaders().get(header));
	}

	/**
	 * Spring Integration wraps what the function has thrown, which may say which message
	 * of a batch failed.
	 */
	private static Throwable cause(Throwable thrown) {
		Throwable cause = thrown;
		while ((cause instanceof MessagingException || cause instanceof BatchFailedException)
				&& cause.getCause() != null) {
			cause = Objects.requireNonNull(cause.getCause());
		}
		return cause;
	}

}
