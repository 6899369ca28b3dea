package io.github.vicinal.boot.server;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.vicinal.peer.ContractInquiry;
import io.github.vicinal.peer.PeerAnnouncement;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Way in which a client's HTTP library marks the end of a request: by a length, in
 * chunks, or not at all. Libraries differ, and the same library differs by HTTP method,
 * so this is learned from the client's HTTP requests. Until then the way of most
 * libraries is assumed.
 * <p>
 * Learned framings do not distinguish connections, so instances for clients of one kind
 * are equal. Thread-safe.
 */
final class BodyFraming {

	private static final String CONTENT_LENGTH = "content-length";

	private static final String TRANSFER_ENCODING = "transfer-encoding";

	private static final List<String> WITH_CONTENT = List.of("POST", "PUT", "PATCH");

	/** Prefix of the {@code User-Agent} of the JDK's {@code HttpClient}. */
	private static final String JDK_CLIENT = "Java-http-client/";

	/** Prefix of the {@code User-Agent} of Reactor Netty. */
	private static final String REACTOR_NETTY = "ReactorNetty/";

	/** Prefix of the {@code User-Agent} of {@code HttpURLConnection}. */
	private static final String URL_CONNECTION = "Java/";

	private static final List<String> ZERO_BYTES = List.of("0");

	private static final List<String> CHUNKS = List.of("chunked");

	/** Maximum number of HTTP methods. */
	private static final int MAX_METHODS = 16;

	private final String method;

	private final Way way;

	/** Whether the client is a {@code WebClient}, which says the length of its bodies. */
	private final boolean reactive;

	/** Framing by HTTP method, for requests with a body. */
	private final Map<String, Way> withBody = new ConcurrentHashMap<>();

	/** Framing by HTTP method, for requests without one. */
	private final Map<String, Way> withoutBody = new ConcurrentHashMap<>();

	/** Framing headers of a request. */
	private enum Way {

		NOTHING, ZERO, LENGTH, CHUNKED,

		/** Two clients with equal connections do it in different ways. */
		UNCERTAIN

	}

	/** Creates an unknown framing. */
	BodyFraming() {
		this("", Way.UNCERTAIN, false);
	}

	private BodyFraming(String method, Way way, boolean reactive) {
		this.method = method;
		this.way = way;
		this.reactive = reactive;
	}

	/** Reads the framing of a request that arrived over HTTP. */
	static BodyFraming of(HttpServletRequest request) {
		String length = request.getHeader(CONTENT_LENGTH);
		Way way = (request.getHeader(TRANSFER_ENCODING) != null) ? Way.CHUNKED
				: (length == null) ? Way.NOTHING : length.equals("0") ? Way.ZERO : Way.LENGTH;
		String asked = request.getHeader(PeerAnnouncement.REQUEST_HEADER);
		return new BodyFraming(request.getMethod(), way, asked != null && ContractInquiry.parse(asked).reactive());
	}

	/** Returns whether the client is a {@code WebClient}. */
	boolean isReactive() {
		return this.reactive;
	}

	/**
	 * Learns from a request of the same client.
	 * @param request the framing of the request
	 * @param body whether the request is for a handler that takes a body
	 */
	void learn(BodyFraming request, boolean body) {
		if (body && (request.way == Way.NOTHING || request.way == Way.ZERO)) {
			// The handler takes a body that may be missing, and it is.
			return;
		}
		Map<String, Way> ways = body ? this.withBody : this.withoutBody;
		if (ways.size() < MAX_METHODS || ways.containsKey(request.method)) {
			ways.merge(request.method, request.way, (known, seen) -> (known == seen) ? known : Way.UNCERTAIN);
		}
	}

	/**
	 * Adds the headers that the HTTP request would have had, unless they depend on the
	 * bytes of the body.
	 * @param headers the other headers, by lower-case name
	 * @param httpMethod the HTTP method
	 * @param body whether there is a body
	 * @return whether the length of the body is missing
	 */
	boolean addTo(Map<String, List<String>> headers, String httpMethod, boolean body) {
		Way known = (body ? this.withBody : this.withoutBody).get(httpMethod);
		switch ((known != null) ? known : usual(headers, httpMethod, body)) {
			case ZERO -> headers.put(CONTENT_LENGTH, ZERO_BYTES);
			case CHUNKED -> headers.put(TRANSFER_ENCODING, CHUNKS);
			case LENGTH -> {
				return body;
			}
			default -> {
			}
		}
		return false;
	}

	private Way usual(Map<String, List<String>> headers, String httpMethod, boolean body) {
		if (body) {
			return this.reactive ? Way.LENGTH : Way.CHUNKED;
		}
		if (this.withoutBody.get("GET") == Way.ZERO) {
			return Way.ZERO;
		}
		String client = headers.getOrDefault("user-agent", List.of("")).get(0);
		boolean framed = WITH_CONTENT.contains(httpMethod)
				|| (httpMethod.equals("DELETE") && !client.startsWith(JDK_CLIENT) && !client.startsWith(REACTOR_NETTY));
		if (!framed) {
			return Way.NOTHING;
		}
		return client.startsWith(URL_CONNECTION) ? Way.CHUNKED : Way.ZERO;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof BodyFraming framing && framing.reactive == this.reactive;
	}

	@Override
	public int hashCode() {
		return Boolean.hashCode(this.reactive);
	}

	@Override
	public String toString() {
		return this.withoutBody + ", with a body " + this.withBody;
	}

}
