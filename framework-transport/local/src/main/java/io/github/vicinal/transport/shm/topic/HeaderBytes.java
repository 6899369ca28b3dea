package io.github.vicinal.transport.shm.topic;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.transport.wire.PayloadReader;
import io.github.vicinal.transport.wire.WireException;

/** Headers of messages as bytes: a number of names and values with their lengths. */
final class HeaderBytes {

	static final byte[] NONE = {};

	private static final int MOST = 0xFFFF;

	private HeaderBytes() {
	}

	static void write(Map<String, String> headers, EncodeBuffer out) {
		writeShort(out, headers.size());
		headers.forEach((name, value) -> {
			writeText(out, name);
			writeText(out, value);
		});
	}

	static Map<String, String> read(byte[] bytes) throws WireException {
		if (bytes.length == 0) {
			return Map.of();
		}
		PayloadReader reader = new PayloadReader(bytes, 0, bytes.length);
		int count = reader.readUnsignedShort();
		Map<String, String> headers = new LinkedHashMap<>();
		for (int i = 0; i < count; i++) {
			headers.put(reader.readString(), reader.readString());
		}
		reader.requireEnd();
		return headers;
	}

	private static void writeText(EncodeBuffer out, String text) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		writeShort(out, bytes.length);
		out.write(bytes, 0, bytes.length);
	}

	private static void writeShort(EncodeBuffer out, int value) {
		if (value > MOST) {
			throw new TopicException(
					"A message has at most %d headers of at most %d bytes each, not %d".formatted(MOST, MOST, value));
		}
		out.write(value >> 8);
		out.write(value);
	}

}
