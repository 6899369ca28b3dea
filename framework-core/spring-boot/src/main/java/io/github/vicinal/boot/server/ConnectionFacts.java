package io.github.vicinal.boot.server;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * What the server saw of a client's connection when the client sent a real HTTP request:
 * addresses, and the headers that HTTP clients add below Spring. Requests of typed calls
 * show the same, so that rules on addresses and headers neither open nor close.
 *
 * @param scheme {@code http} or {@code https}
 * @param remoteAddr IP address of the client
 * @param localAddr IP address at which the request arrived
 * @param localName name of that address
 * @param localPort TCP port at which the request arrived
 * @param headers headers that HTTP clients add by themselves, by lower-case name
 */
record ConnectionFacts(String scheme, String remoteAddr, String localAddr, String localName, int localPort,
		Map<String, String> headers) {

	/** Headers that HTTP clients add by themselves and that do not depend on the call. */
	private static final List<String> CLIENT_HEADERS = List.of("host", "connection", "user-agent", "accept-encoding");

	private static final int MAX_CHARS = 2048;

	ConnectionFacts {
		headers = Map.copyOf(headers);
	}

	/**
	 * Reads the facts of a request that arrived over HTTP.
	 * @return the facts, or {@code null} if they are too large to be kept
	 */
	static @Nullable ConnectionFacts of(HttpServletRequest request) {
		Map<String, String> headers = new LinkedHashMap<>();
		int chars = 0;
		for (String name : CLIENT_HEADERS) {
			String value = request.getHeader(name);
			// The JDK's client asks for HTTP/2 with its first request only.
			if (value != null && !value.toLowerCase(Locale.ROOT).contains("upgrade")) {
				headers.put(name, value);
				chars += value.length();
			}
		}
		if (chars > MAX_CHARS) {
			return null;
		}
		return new ConnectionFacts(request.getScheme(), text(request.getRemoteAddr()), text(request.getLocalAddr()),
				text(request.getLocalName()), request.getLocalPort(), headers);
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
		return this.headers.getOrDefault("host", "");
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
