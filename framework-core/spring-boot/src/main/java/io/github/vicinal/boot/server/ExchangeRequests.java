package io.github.vicinal.boot.server;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

import io.github.vicinal.exchange.HttpFields;
import io.github.vicinal.exchange.RequestHead;
import io.github.vicinal.exchange.ServerExchange;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.coyote.Request;
import org.apache.tomcat.util.http.MimeHeaders;
import org.apache.tomcat.util.http.parser.HttpParser;

/**
 * Fills the request of an exchange in, and refuses what Tomcat's parser of HTTP/1.1 would
 * have refused: an exchange has been parsed by nobody, and any process of this user may
 * have written it.
 */
final class ExchangeRequests {

	/** Space, slash, version and line end, and the empty line after the fields. */
	private static final int LINE_BYTES = 14;

	/** Colon, space and line end. */
	private static final int FIELD_BYTES = 4;

	private ExchangeRequests() {
	}

	/**
	 * Fills a request in.
	 * @return the status with which the container rejects it, 0 if it is acceptable
	 */
	static int fill(Request to, ServerExchange exchange, TomcatExchanges server) {
		RequestHead head = exchange.head();
		ConnectionFacts facts = server.facts(exchange);
		to.setMethod(head.method());
		String target = head.target();
		int query = target.indexOf('?');
		byte[] path = target.substring(0, (query >= 0) ? query : target.length()).getBytes(StandardCharsets.ISO_8859_1);
		to.requestURI().setBytes(path, 0, path.length);
		if (query >= 0) {
			byte[] bytes = target.substring(query + 1).getBytes(StandardCharsets.ISO_8859_1);
			to.queryString().setBytes(bytes, 0, bytes.length);
		}
		to.protocol().setString("HTTP/1.1");
		to.scheme().setString(facts.scheme());
		to.remoteAddr().setString(facts.remoteAddr());
		to.peerAddr().setString(facts.remoteAddr());
		to.localAddr().setString(facts.localAddr());
		to.localName().setString(facts.localName());
		to.setLocalPort(facts.localPort());
		to.setRemotePort(0);
		// The default servlet would leave files to a socket.
		to.setSendfile(false);
		return (isToken(head.method()) && isTarget(head, server) && fields(to, head, facts, server)) ? body(to, head)
				: HttpServletResponse.SC_BAD_REQUEST;
	}

	private static boolean isToken(String text) {
		if (text.isEmpty()) {
			return false;
		}
		for (int i = 0; i < text.length(); i++) {
			if (!HttpParser.isToken(text.charAt(i))) {
				return false;
			}
		}
		return true;
	}

	private static boolean isTarget(RequestHead head, TomcatExchanges server) {
		String target = head.target();
		if (!target.startsWith("/")) {
			return target.equals("*") && head.method().equals("OPTIONS");
		}
		HttpParser parser = server.protocol().getHttpParser();
		boolean query = false;
		for (int i = 0; i < target.length(); i++) {
			char c = target.charAt(i);
			if (c > 255 || (query ? !parser.isQueryRelaxed(c) : parser.isNotRequestTargetRelaxed(c))) {
				return false;
			}
			query |= c == '?';
		}
		return !head.method().equals("CONNECT");
	}

	private static boolean fields(Request to, RequestHead head, ConnectionFacts facts, TomcatExchanges server) {
		MimeHeaders headers = to.getMimeHeaders();
		HttpFields given = head.fields();
		int bytes = head.method().length() + head.target().length() + LINE_BYTES;
		int hosts = 0;
		try {
			for (int i = 0; i < given.size(); i++) {
				String name = given.name(i);
				// A parser takes the white space around a value off.
				String value = trimmed(given.value(i));
				bytes += name.length() + value.length() + FIELD_BYTES;
				if (!isToken(name) || !isValue(value)) {
					return false;
				}
				if (name.equalsIgnoreCase("host")) {
					hosts++;
					byte[] host = value.getBytes(StandardCharsets.ISO_8859_1);
					headers.addValue(name).setBytes(host, 0, host.length);
				}
				else {
					headers.addValue(name).setString(value);
				}
			}
			ofClient(headers, facts);
		}
		catch (IllegalStateException ex) {
			// More fields than the connector allows.
			return false;
		}
		return hosts == 1 && bytes <= server.protocol().getMaxHttpRequestHeaderSize();
	}

	/** Adds what the client's HTTP library adds by itself, as its requests showed. */
	private static void ofClient(MimeHeaders headers, ConnectionFacts facts) {
		facts.headers().forEach((name, values) -> {
			if (!name.equals("host") && headers.getValue(name) == null) {
				values.forEach((value) -> headers.addValue(facts.spelled(name)).setString(value));
			}
		});
	}

	/** RFC 9110, section 5.5: spaces and tabs around a value are not part of it. */
	static String trimmed(String value) {
		int start = 0;
		int end = value.length();
		while (start < end && isBlank(value.charAt(start))) {
			start++;
		}
		while (end > start && isBlank(value.charAt(end - 1))) {
			end--;
		}
		return (start == 0 && end == value.length()) ? value : value.substring(start, end);
	}

	private static boolean isBlank(char c) {
		return c == ' ' || c == '\t';
	}

	private static boolean isValue(String value) {
		for (int i = 0; i < value.length(); i++) {
			char c = value.charAt(i);
			if (c > 255 || (c != '\t' && HttpParser.isControl(c))) {
				return false;
			}
		}
		return true;
	}

	/** Checks that the length of the body is given once, and in one way. */
	private static int body(Request to, RequestHead head) {
		int lengths = 0;
		int encodings = 0;
		int rejected = 0;
		for (int i = 0; i < head.fields().size(); i++) {
			String value = head.fields().value(i);
			switch (head.fields().name(i).toLowerCase(Locale.ROOT)) {
				case "content-length" -> {
					lengths++;
					if (!isNumber(value)) {
						return HttpServletResponse.SC_BAD_REQUEST;
					}
				}
				case "transfer-encoding" -> {
					encodings++;
					if (!value.equalsIgnoreCase("chunked")) {
						rejected = HttpServletResponse.SC_NOT_IMPLEMENTED;
					}
				}
				case "expect" -> {
					if (value.equalsIgnoreCase("100-continue")) {
						to.setExpectation(true);
					}
					else {
						rejected = HttpServletResponse.SC_EXPECTATION_FAILED;
					}
				}
				default -> {
				}
			}
		}
		return (lengths + encodings <= 1) ? rejected : HttpServletResponse.SC_BAD_REQUEST;
	}

	private static boolean isNumber(String value) {
		return !value.isEmpty() && value.length() <= 18 && value.chars().allMatch((c) -> c >= '0' && c <= '9');
	}

}
