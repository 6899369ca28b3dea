package io.github.vicinal.boot.server;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Response headers as they arrive over HTTP. Tomcat writes them in ISO-8859-1, leaves out
 * those that this cannot express, and writes blanks for control characters. Clients
 * remove blanks around a value (RFC 9110, section 5.5).
 */
final class ResponseFields {

	private static final char LAST_LATIN = '\u00ff';

	private static final char DELETE = '\u007f';

	/** Length of a colon, a blank and the end of the line. */
	private static final int SEPARATORS = 4;

	private ResponseFields() {
	}

	/** Returns headers as clients receive them; the same object if nothing differs. */
	static Map<String, List<String>> received(Map<String, List<String>> headers) {
		for (Map.Entry<String, List<String>> header : headers.entrySet()) {
			if (differs(header.getKey(), header.getValue())) {
				return changed(headers);
			}
		}
		return headers;
	}

	/**
	 * Returns whether a response has more headers than the container writes; it fails
	 * then, whatever the handler has answered.
	 */
	static boolean areTooLong(Map<String, List<String>> headers, int limitBytes) {
		long bytes = 0;
		for (Map.Entry<String, List<String>> header : headers.entrySet()) {
			List<String> values = header.getValue();
			for (int i = 0; i < values.size(); i++) {
				bytes += header.getKey().length() + values.get(i).length() + SEPARATORS;
			}
		}
		return bytes > limitBytes;
	}

	private static boolean differs(String name, List<String> values) {
		for (int i = 0; i < values.size(); i++) {
			if (!values.get(i).equals(received(values.get(i)))) {
				return true;
			}
		}
		return !name.equals(received(name));
	}

	private static Map<String, List<String>> changed(Map<String, List<String>> headers) {
		Map<String, List<String>> received = new LinkedHashMap<>();
		headers.forEach((name, values) -> {
			String receivedName = received(name);
			List<String> receivedValues = new ArrayList<>(values.size());
			for (String value : values) {
				String receivedValue = received(value);
				if (receivedValue != null) {
					receivedValues.add(receivedValue);
				}
			}
			if (receivedName != null && !receivedValues.isEmpty()) {
				received.put(receivedName, receivedValues);
			}
		});
		return received;
	}

	/** Returns a text as it is received, or {@code null} if it cannot be sent. */
	static @Nullable String received(String text) {
		boolean blanks = false;
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c > LAST_LATIN) {
				return null;
			}
			blanks |= c <= ' ' || c == DELETE;
		}
		if (!blanks) {
			return text;
		}
		StringBuilder written = new StringBuilder(text);
		for (int i = 0; i < written.length(); i++) {
			char c = written.charAt(i);
			if ((c < ' ' && c != '\t') || c == DELETE) {
				written.setCharAt(i, ' ');
			}
		}
		String all = written.toString();
		return all.strip();
	}

}
