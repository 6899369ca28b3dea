package io.github.vicinal.transport.wire;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.codec.EncodeBuffer;

/**
 * Headers in a frame: an unsigned 16-bit count, and as many pairs of name and value, each
 * an unsigned 16-bit length and that many bytes of UTF-8. No headers are no bytes at all.
 * A header with several values is several pairs.
 */
final class HeaderBlock {

	private HeaderBlock() {
	}

	/**
	 * Appends the headers of a call.
	 * @return the length of the block in bytes
	 */
	public static int write(EncodeBuffer out, Map<String, String> headers, WireLimits limits) throws WireException {
		if (headers.isEmpty()) {
			return 0;
		}
		int start = begin(out);
		for (Map.Entry<String, String> header : headers.entrySet()) {
			Payload.writeText(out, header.getKey());
			Payload.writeText(out, header.getValue());
		}
		return end(out, start, headers.size(), limits);
	}

	/**
	 * Appends the headers of a reply.
	 * @return the length of the block in bytes
	 */
	public static int writeLists(EncodeBuffer out, Map<String, List<String>> headers, WireLimits limits)
			throws WireException {
		if (headers.isEmpty()) {
			return 0;
		}
		int start = begin(out);
		int count = 0;
		for (Map.Entry<String, List<String>> header : headers.entrySet()) {
			for (String value : header.getValue()) {
				Payload.writeText(out, header.getKey());
				Payload.writeText(out, value);
				count++;
			}
		}
		return end(out, start, count, limits);
	}

	private static int begin(EncodeBuffer out) {
		int start = out.size();
		Payload.writeShort(out, 0);
		return start;
	}

	private static int end(EncodeBuffer out, int start, int count, WireLimits limits) throws WireException {
		int length = out.size() - start;
		if (count > limits.maxHeaders() || length > limits.maxHeaderBytes()) {
			throw new WireException(Refusal.TOO_LARGE,
					"%d headers of %d bytes are more than the limit of %d headers of %d bytes".formatted(count, length,
							limits.maxHeaders(), limits.maxHeaderBytes()));
		}
		out.array()[start] = (byte) (count >>> 8);
		out.array()[start + 1] = (byte) count;
		return length;
	}

	public static Map<String, String> read(byte[] bytes, int offset, int length, WireLimits limits)
			throws WireException {
		if (length == 0) {
			return Map.of();
		}
		PayloadReader in = new PayloadReader(bytes, offset, length);
		int count = count(in, limits);
		Map<String, String> headers = new LinkedHashMap<>();
		for (int i = 0; i < count; i++) {
			String name = in.readString();
			if (headers.put(name, in.readString()) != null) {
				throw new WireException(Refusal.MALFORMED, "a header that stands twice");
			}
		}
		in.requireEnd();
		return Collections.unmodifiableMap(headers);
	}

	public static Map<String, List<String>> readLists(byte[] bytes, int offset, int length, WireLimits limits)
			throws WireException {
		if (length == 0) {
			return Map.of();
		}
		PayloadReader in = new PayloadReader(bytes, offset, length);
		int count = count(in, limits);
		Map<String, List<String>> headers = new LinkedHashMap<>();
		for (int i = 0; i < count; i++) {
			headers.computeIfAbsent(in.readString(), (name) -> new ArrayList<>(1)).add(in.readString());
		}
		in.requireEnd();
		return headers;
	}

	private static int count(PayloadReader in, WireLimits limits) throws WireException {
		int count = in.readUnsignedShort();
		if (count > limits.maxHeaders()) {
			throw new WireException(Refusal.TOO_LARGE,
					"%d headers are more than the limit of %d".formatted(count, limits.maxHeaders()));
		}
		return count;
	}

}
