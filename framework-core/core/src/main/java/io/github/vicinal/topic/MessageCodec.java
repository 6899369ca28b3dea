package io.github.vicinal.topic;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Map;

import io.github.vicinal.codec.EncodeBuffer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes and reads the payloads of one topic: {@code byte[]} and {@code String} as they
 * are, all else as JSON by the application's mapper. Thread-safe.
 *
 * @param <T> the type of the payload
 * @since 0.1.0
 */
public final class MessageCodec<T> {

	/** Maximum number of headers, and of bytes of a name or a value. */
	private static final int MAX_HEADER = 0xFFFF;

	/** Maximum number of bytes that one {@code char} takes in UTF-8. */
	private static final int MOST_BYTES_PER_CHAR = 3;

	/** Maximum number of characters of a name that an error repeats. */
	private static final int MAX_SHOWN = 64;

	private final Format format;

	private final ObjectWriter writer;

	private final ObjectReader reader;

	private MessageCodec(Format format, ObjectWriter writer, ObjectReader reader) {
		this.format = format;
		this.writer = writer;
		this.reader = reader;
	}

	/**
	 * Creates the codec of a topic.
	 * @param type the type of the payload
	 * @param mapper writes and reads what is neither bytes nor text
	 * @param <T> the type of the payload
	 * @return the codec
	 */
	public static <T> MessageCodec<T> of(Type type, JsonMapper mapper) {
		JavaType java = mapper.constructType(type);
		Format format = (type == byte[].class) ? Format.BYTES : (type == String.class) ? Format.TEXT : Format.JSON;
		return new MessageCodec<>(format, mapper.writerFor(java), mapper.readerFor(java));
	}

	/**
	 * Returns whether a subscriber can take what a publisher writes. One that takes bytes
	 * can take all.
	 * @param written the publisher's {@link #format()}
	 * @param read the subscriber's
	 * @return whether they fit
	 */
	public static boolean isReadableAs(String written, String read) {
		return written.equals(read) || read.equals(Format.BYTES.words);
	}

	/**
	 * Checks that all headers of a message have a name and a value that transports can
	 * carry: not {@code null}, and up to 65,535 bytes in UTF-8.
	 * @param topic name of the topic, for people
	 * @param headers the headers
	 * @throws TopicException if one has none or is too long, or if there are more than
	 * 65,535
	 */
	public static void requireHeaders(String topic, Map<String, String> headers) {
		if (headers.size() > MAX_HEADER) {
			throw new TopicException("A message of topic '%s' may have %d headers, and this one has %d".formatted(topic,
					MAX_HEADER, headers.size()));
		}
		headers.forEach((name, value) -> {
			if (name == null) {
				throw new TopicException("A header of a message of topic '%s' has no name (null), and the value '%s'"
					.formatted(topic, value));
			}
			if (value == null) {
				throw new TopicException(
						"The header '%s' of a message of topic '%s' has no value (null): leave the header out"
							.formatted(name, topic));
			}
			requireHeaderText(topic, "name", name, name);
			requireHeaderText(topic, "value", name, value);
		});
	}

	private static void requireHeaderText(String topic, String part, String name, String text) {
		// Only long texts are counted exactly.
		if (text.length() <= MAX_HEADER / MOST_BYTES_PER_CHAR) {
			return;
		}
		int bytes = text.getBytes(StandardCharsets.UTF_8).length;
		if (bytes > MAX_HEADER) {
			String shown = (name.length() > MAX_SHOWN) ? name.substring(0, MAX_SHOWN) + "…" : name;
			throw new TopicException(
					"The %s of the header '%s' of a message of topic '%s' may have %d bytes, and this one has %d: put it into the payload"
						.formatted(part, shown, topic, MAX_HEADER, bytes));
		}
	}

	/**
	 * Returns how payloads are written, on which publisher and subscriber must agree.
	 * @return {@code bytes}, {@code text} or {@code json}
	 */
	public String format() {
		return this.format.words;
	}

	/**
	 * Returns the bytes of a payload that is bytes already.
	 * @param payload the payload
	 * @return the same array, or {@code null} if it must be written
	 */
	public byte @Nullable [] bytes(T payload) {
		return (payload instanceof byte[] bytes) ? bytes : null;
	}

	/**
	 * Returns whether payloads are their bytes, so that {@link #decode} returns the array
	 * that it is given.
	 * @return whether they are
	 */
	boolean isIdentity() {
		return this.format == Format.BYTES;
	}

	/**
	 * Writes a payload.
	 * @param payload the payload
	 * @param out where to
	 * @throws TopicException if it cannot be written
	 */
	public void encode(T payload, EncodeBuffer out) {
		if (payload == null) {
			throw new TopicException("The payload is null: publish a value that stands for nothing");
		}
		if (this.format == Format.TEXT) {
			byte[] bytes = ((String) payload).getBytes(StandardCharsets.UTF_8);
			out.write(bytes, 0, bytes.length);
			return;
		}
		try {
			this.writer.writeValue(out, payload);
		}
		catch (RuntimeException ex) {
			String reason = (ex instanceof JacksonException json) ? json.getOriginalMessage() : ex.toString();
			throw new TopicException(
					"The payload, of type %s, cannot be written as JSON: %s. Publish a type that the application's JsonMapper can write"
						.formatted(payload.getClass().getTypeName(), reason),
					ex);
		}
	}

	/**
	 * Reads a payload.
	 * @param bytes all of it, and nothing else; belongs to the payload from now on
	 * @return the payload
	 * @throws UnreadableMessageException if it cannot be read
	 */
	@SuppressWarnings("unchecked") // the type was given with the settings
	public T decode(byte[] bytes) {
		return switch (this.format) {
			case BYTES -> (T) bytes;
			case TEXT -> (T) new String(bytes, StandardCharsets.UTF_8);
			case JSON -> {
				try {
					yield (T) this.reader.readValue(bytes);
				}
				catch (RuntimeException ex) {
					throw new UnreadableMessageException("The payload cannot be read: " + ex.getMessage(), ex);
				}
			}
		};
	}

	private enum Format {

		BYTES("bytes"), TEXT("text"), JSON("json");

		private final String words;

		Format(String words) {
			this.words = words;
		}

	}

}
