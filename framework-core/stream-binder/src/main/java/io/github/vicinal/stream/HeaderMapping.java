package io.github.vicinal.stream;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.boot.topic.TopicHeaders;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.cloud.stream.binder.BinderHeaders;
import org.springframework.messaging.MessageHeaders;

/**
 * Turns headers of Spring into those of a topic, which are text, and back. Text travels
 * as it is. Other values of the types that {@link HeaderType} names travel as text with a
 * header of their own that says what they were. The rest stays in this process.
 */
final class HeaderMapping {

	private static final Log logger = LogFactory.getLog(HeaderMapping.class);

	/** Prefix of the header that names the type of another one. */
	static final String TYPE_PREFIX = "vicinal-type-";

	/**
	 * Headers that each message gets anew, or that mean something to one process only.
	 */
	private static final Set<String> OWN = Set.of(MessageHeaders.ID, MessageHeaders.TIMESTAMP,
			MessageHeaders.REPLY_CHANNEL, MessageHeaders.ERROR_CHANNEL, TopicHeaders.TOPIC, TopicHeaders.PUBLISHER,
			TopicHeaders.SEQUENCE, TopicHeaders.REDELIVERED, TopicHeaders.BATCH_HEADERS);

	/** Headers of Spring Cloud Stream for the binding that sends. */
	private static final String OF_BINDING = "scst_";

	private HeaderMapping() {
	}

	/** Returns the headers of a message to be published. */
	static Map<String, String> toTopic(Map<String, Object> headers) {
		Map<String, String> mapped = new LinkedHashMap<>();
		headers.forEach((name, value) -> {
			if (value == null || OWN.contains(name) || name.startsWith(OF_BINDING) || name.startsWith(TYPE_PREFIX)) {
				return;
			}
			HeaderType type = HeaderType.of(value);
			if (type == null) {
				logger.debug("The header '%s' stays in this process: it is a %s".formatted(name,
						value.getClass().getName()));
				return;
			}
			mapped.put(name, type.write(value));
			if (type != HeaderType.TEXT) {
				mapped.put(TYPE_PREFIX + name, type.word());
			}
		});
		return mapped;
	}

	/** Returns headers of a message to be published with those of its partition. */
	static Map<String, String> withPartition(Map<String, String> headers, int partition) {
		Map<String, String> more = new LinkedHashMap<>(headers);
		more.put(BinderHeaders.PARTITION_HEADER, Integer.toString(partition));
		more.put(TYPE_PREFIX + BinderHeaders.PARTITION_HEADER, HeaderType.INTEGER.word());
		return more;
	}

	/** Returns the partition of a message that was published, 0 if it has none. */
	static int partition(Map<String, String> headers) {
		String partition = headers.get(BinderHeaders.PARTITION_HEADER);
		try {
			return (partition != null) ? Integer.parseInt(partition) : 0;
		}
		catch (NumberFormatException ex) {
			return 0;
		}
	}

	/** Returns the headers of a message that was published. */
	static Map<String, Object> fromTopic(Map<String, String> headers) {
		Map<String, Object> mapped = new HashMap<>();
		headers.forEach((name, value) -> {
			if (!name.startsWith(TYPE_PREFIX) && !OWN.contains(name)) {
				mapped.put(name, read(value, headers.get(TYPE_PREFIX + name)));
			}
		});
		return mapped;
	}

	/** A value that is not of the type that it claims stays text. */
	private static Object read(String value, @Nullable String type) {
		try {
			return HeaderType.named(type).read(value);
		}
		catch (RuntimeException ex) {
			return value;
		}
	}

}
