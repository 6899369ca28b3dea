package io.github.vicinal.boot.server;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Distinguishes headers that a client or its HTTP library has set from those that a proxy
 * added.
 */
final class ClientHeaders {

	/**
	 * Headers that HTTP clients add below Spring. Any other that the client did not name
	 * was added by something in between.
	 */
	private static final Set<String> OF_HTTP_CLIENTS = Set.of("host", "connection", "user-agent", "accept-encoding",
			"accept", "content-type", "content-length", "transfer-encoding", "expect", "upgrade", "http2-settings",
			"te", "vicinal-contract", "vicinal-headers");

	/** A client's cookie store adds it below Spring, and typed calls do not carry it. */
	private static final String COOKIE = "cookie";

	private ClientHeaders() {
	}

	/**
	 * Returns the lower-case names of the headers that the client knows of.
	 * @param sent the names as the client sent them, or {@code null}
	 */
	static Set<String> known(@Nullable String sent) {
		return (sent != null) ? new HashSet<>(Arrays.asList(sent.toLowerCase(Locale.ROOT).split(",", -1))) : Set.of();
	}

	/**
	 * Returns why the headers of a request keep its client on HTTP.
	 * @param names the names that a request has
	 * @param known those that its client knows of
	 * @return the reason, or empty
	 */
	static String refusal(Collection<String> names, Set<String> known) {
		String added = added(names, known);
		if (added == null) {
			return "";
		}
		return added.equals(COOKIE)
				? "the cookie store of the HTTP client, or something between client and server, adds the header cookie"
				: "something between client and server adds the header %s".formatted(added);
	}

	private static @Nullable String added(Collection<String> names, Set<String> known) {
		for (String given : names) {
			String name = given.toLowerCase(Locale.ROOT);
			if (!known.contains(name) && !OF_HTTP_CLIENTS.contains(name)) {
				return name;
			}
		}
		return null;
	}

}
