package io.github.vicinal.boot.server;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import io.github.vicinal.exchange.HttpFields;
import io.github.vicinal.server.HttpRequiredException;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Facts of a client's connection, seen when the client sent a real HTTP request:
 * addresses, and the headers that HTTP clients add below Spring. Requests of typed calls
 * show the same facts, so that rules on addresses and headers decide as they do over
 * HTTP.
 *
 * @param scheme {@code http} or {@code https}
 * @param remoteAddr IP address of the client
 * @param localAddr IP address at which the request arrived
 * @param localName name of that address
 * @param localPort TCP port at which the request arrived
 * @param own lower-case names of the headers that libraries add by themselves and that
 * the client itself set
 * @param headers headers that HTTP clients add by themselves, by lower-case name
 * @param framing how the client says where requests end
 * @param spelled the names of headers as HTTP clients spell them, by lower-case name
 */
record ConnectionFacts(String scheme, String remoteAddr, String localAddr, String localName, int localPort,
		Set<String> own, Map<String, List<String>> headers, BodyFraming framing,
		Map<String, String> spelled) implements ClientConnection {

	/** Headers that HTTP clients add by themselves and that do not depend on the call. */
	private static final List<String> CLIENT_HEADERS = List.of("host", "connection", "user-agent", "accept-encoding",
			"accept");

	private static final String ACCEPT = "accept";

	/** Those of them that a client may set for some of its requests. */
	private static final Set<String> OF_REQUESTS = Set.of("user-agent", "accept-encoding", ACCEPT);

	private static final int MAX_CHARS = 2048;

	/** Maximum length of the headers of a client, with their names. */
	static final int MAX_BYTES = MAX_CHARS + 128;

	ConnectionFacts {
		own = Set.copyOf(own);
		headers = Map.copyOf(headers);
		spelled = Map.copyOf(spelled);
	}

	ConnectionFacts(String scheme, String remoteAddr, String localAddr, String localName, int localPort,
			Set<String> own, Map<String, List<String>> headers) {
		this(scheme, remoteAddr, localAddr, localName, localPort, own, headers, new BodyFraming(), Map.of());
	}

	/**
	 * Reads the facts of a request that arrived over HTTP.
	 * @param request the request
	 * @param known lower-case names of the headers that the client itself set
	 * @return the facts, or {@code null} if they are too large to be kept
	 */
	static @Nullable ConnectionFacts of(HttpServletRequest request, Set<String> known) {
		return of(request, null, known);
	}

	/**
	 * Reads the facts of a request that arrived over HTTP.
	 * @param request the request
	 * @param socket its connection, {@code null} if it is that which the request shows
	 * @param known lower-case names of the headers that the client itself set
	 * @return the facts, or {@code null} if they are too large to be kept
	 */
	static @Nullable ConnectionFacts of(HttpServletRequest request, RequestSockets.@Nullable Socket socket,
			Set<String> known) {
		Map<String, List<String>> headers = ofLibrary((name) -> Collections.list(request.getHeaders(name)), known);
		if (headers == null) {
			return null;
		}
		Map<String, String> spelled = spelled(Collections.list(request.getHeaderNames()));
		if (socket == null) {
			return new ConnectionFacts(request.getScheme(), text(request.getRemoteAddr()), text(request.getLocalAddr()),
					text(request.getLocalName()), request.getLocalPort(), own(known), headers, BodyFraming.of(request),
					spelled);
		}
		return new ConnectionFacts(socket.scheme(), socket.remoteAddr(), socket.localAddr(),
				text(request.getLocalName()), socket.localPort(), own(known), headers, BodyFraming.of(request),
				spelled);
	}

	/**
	 * Returns how the headers that HTTP clients add by themselves are spelled.
	 * @param names the names of a request
	 */
	static Map<String, String> spelled(Collection<String> names) {
		Map<String, String> spelled = new HashMap<>();
		for (String name : names) {
			String lower = name.toLowerCase(Locale.ROOT);
			if (CLIENT_HEADERS.contains(lower)) {
				spelled.put(lower, name);
			}
		}
		return spelled;
	}

	/**
	 * Returns a name as the client's HTTP library spells it.
	 * @param name the lower-case name
	 */
	String spelled(String name) {
		return this.spelled.getOrDefault(name, name);
	}

	/**
	 * Returns the headers that an HTTP library adds by itself.
	 * @param values returns the values of a header
	 * @param known lower-case names of the headers that the client itself set
	 * @return values by lower-case name, {@code null} if they are too large to be kept
	 */
	static @Nullable Map<String, List<String>> ofLibrary(Function<String, List<String>> values, Set<String> known) {
		Map<String, List<String>> headers = new LinkedHashMap<>();
		int chars = 0;
		for (String name : CLIENT_HEADERS) {
			List<String> found = values.apply(name);
			// The JDK's client asks for HTTP/2 with its first request only.
			if (!found.isEmpty() && !known.contains(name)
					&& !found.get(0).toLowerCase(Locale.ROOT).contains("upgrade")) {
				headers.put(name, List.copyOf(found));
				chars += found.stream().mapToInt(String::length).sum();
			}
		}
		return (chars <= MAX_CHARS) ? headers : null;
	}

	/**
	 * Returns the facts of a request whose contract says what is accepted, which says
	 * nothing about the client.
	 */
	ConnectionFacts withoutAccept() {
		if (!sendsAccept()) {
			return this;
		}
		Set<String> others = new HashSet<>(this.own);
		others.remove(ACCEPT);
		return new ConnectionFacts(this.scheme, this.remoteAddr, this.localAddr, this.localName, this.localPort, others,
				this.headers, this.framing, this.spelled);
	}

	/** Whether the client itself set the header {@code Accept}. */
	boolean sendsAccept() {
		return this.own.contains(ACCEPT);
	}

	/**
	 * Returns which of the headers that libraries add by themselves a client has set.
	 * @param known lower-case names of all headers that it has set
	 */
	static Set<String> own(Set<String> known) {
		Set<String> own = new HashSet<>(OF_REQUESTS);
		own.retainAll(known);
		return own;
	}

	/**
	 * Checks that it is known what the client's library would add to a request.
	 * @param given the headers of the request, as far as the client has set them
	 * @throws HttpRequiredException if the client has set more for the request that
	 * showed it, so that the library added less
	 */
	void requireKnown(HttpFields given) {
		for (String name : this.own) {
			if (!given.contains(name)) {
				throw new HttpRequiredException(
						"it is not known what the client's HTTP library says in '%s' by itself".formatted(name));
			}
		}
	}

	private static String text(@Nullable String value) {
		return (value != null) ? value : "";
	}

	/** Whether the client's connection was encrypted. */
	boolean secure() {
		return "https".equals(this.scheme);
	}

	/** The {@code Host} header, empty if there was none. */
	String host() {
		return this.headers.getOrDefault("host", List.of("")).get(0);
	}

	/** The host in the {@code Host} header. */
	String serverName() {
		String host = host();
		int colon = portColon(host);
		return (colon >= 0) ? host.substring(0, colon) : host;
	}

	/** The port in the {@code Host} header, else that of the scheme. */
	int serverPort() {
		String host = host();
		int colon = portColon(host);
		if (colon >= 0) {
			try {
				return Integer.parseInt(host.substring(colon + 1));
			}
			catch (NumberFormatException ex) {
				// Tomcat would have refused the request.
				return -1;
			}
		}
		return secure() ? 443 : 80;
	}

	/** An IPv6 address holds colons of its own. */
	private static int portColon(String host) {
		return host.indexOf(':', host.lastIndexOf(']') + 1);
	}

}
