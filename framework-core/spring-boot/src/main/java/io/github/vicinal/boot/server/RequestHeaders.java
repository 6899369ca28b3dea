package io.github.vicinal.boot.server;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.vicinal.path.CallFrame;
import io.github.vicinal.peer.PeerAnnouncement;
import org.jspecify.annotations.Nullable;

/**
 * The headers that a call would have had as an HTTP request: what the contract and the
 * arguments say, what the client adds to all requests, and what its HTTP client adds.
 */
final class RequestHeaders {

	/**
	 * Headers about the connection or the body. A frame has neither, whatever it claims.
	 */
	private static final Set<String> NOT_FROM_FRAMES = Set.of("host", "connection", "keep-alive", "content-length",
			"transfer-encoding", "te", "trailer", "upgrade", "expect", "proxy-connection", "http2-settings",
			PeerAnnouncement.TICKET_HEADER);

	private static final String CONTENT_LENGTH = "content-length";

	private static final String CONTENT_TYPE = "content-type";

	private final Map<String, List<String>> values;

	/**
	 * Writes the body to find its length; {@code null} if the length is known, or not
	 * said.
	 */
	private @Nullable Supplier<byte[]> body;

	private RequestHeaders(Map<String, List<String>> values) {
		this.values = values;
	}

	/**
	 * Returns the headers of a call.
	 * @param body writes the body if its length is looked at
	 */
	static RequestHeaders of(RequestTemplate target, CallFrame frame, ConnectionFacts facts,
			Function<RequestHeaders, byte[]> body) {
		Map<String, List<String>> values = new LinkedHashMap<>();
		values.putAll(facts.headers());
		put(values, "accept", facts.sendsAccept() ? target.accept() : target.declaredAccept());
		put(values, CONTENT_TYPE, target.contentType(facts.framing().isReactive()));
		target.fixedHeaders().forEach((name, value) -> values.put(name, List.of(value)));
		frame.headers().forEach((name, value) -> {
			if (!NOT_FROM_FRAMES.contains(name)
					&& !(name.equals(CONTENT_TYPE) && target.contentType(false).isEmpty())) {
				values.put(name, split(value));
			}
		});
		target.addArguments(frame.arguments(), values);
		long length = target.plainLength(frame.arguments(), values);
		if (length >= 0) {
			values.put(CONTENT_LENGTH, List.of(Long.toString(length)));
		}
		RequestHeaders headers = new RequestHeaders(values);
		if (length < 0 && facts.framing().addTo(values, target.httpMethod(), target.hasBody())) {
			headers.body = () -> body.apply(headers);
		}
		return headers;
	}

	/** Most calls never ask for the length, which takes the whole body to know. */
	private void addLength() {
		Supplier<byte[]> unwritten = this.body;
		if (unwritten != null) {
			this.body = null;
			this.values.put(CONTENT_LENGTH, List.of(Integer.toString(unwritten.get().length)));
		}
	}

	private static void put(Map<String, List<String>> values, String name, String value) {
		if (!value.isEmpty()) {
			values.put(name, List.of(value));
		}
	}

	private static List<String> split(String value) {
		if (value.indexOf('\n') < 0) {
			return List.of(value);
		}
		List<String> parts = new ArrayList<>();
		Collections.addAll(parts, value.split("\n", -1));
		return parts;
	}

	/** Returns the values of a header, by its lower-case name. */
	List<String> get(String name) {
		if (name.equals(CONTENT_LENGTH)) {
			addLength();
		}
		return this.values.getOrDefault(name, List.of());
	}

	@Nullable String first(String name) {
		List<String> all = get(name);
		return all.isEmpty() ? null : all.get(0);
	}

	Map<String, List<String>> all() {
		addLength();
		return this.values;
	}

}
