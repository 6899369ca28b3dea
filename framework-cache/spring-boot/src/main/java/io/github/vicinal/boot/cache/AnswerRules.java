package io.github.vicinal.boot.cache;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import io.github.vicinal.boot.client.CallAnswer.Received;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * Decides whether and how long an answer may be used again, by RFC 9111. A cache of calls
 * is a shared cache, since it serves all users of the process. Answers to a single
 * caller, whom the key identifies, are those of a private cache.
 */
final class AnswerRules {

	/**
	 * Header names that are the same for all requests of a method, by arguments or not.
	 */
	private static final Set<String> SAME_FOR_ALL = Set.of("accept", "accept-charset", "accept-encoding",
			"content-type", "user-agent", "host", "origin", "access-control-request-method",
			"access-control-request-headers");

	/** {@code Date} is in whole seconds, and up to one in the past. */
	private static final Duration DATE_RESOLUTION = Duration.ofSeconds(1);

	/** Section 1.2.2: what is more is as good as this. */
	private static final long MOST_SECONDS = 1L << 31;

	private AnswerRules() {
	}

	/**
	 * Lifetime of an answer.
	 *
	 * @param nanos time since its arrival, positive if it may be kept
	 * @param reason why it must not be kept, or {@code null}
	 */
	record Verdict(long nanos, @Nullable String reason) {

		private static Verdict no(String reason) {
			return new Verdict(0, reason);
		}

	}

	/**
	 * Judges an answer.
	 * @param received the answer, {@code null} if it was not seen
	 * @param lifetime the longest time that it may be used
	 * @param ofOneCaller whether the key identifies the caller
	 * @param explained whether a request header is explained by the key, by lower-case
	 * name
	 * @return whether and how long it may be kept
	 */
	static Verdict judge(@Nullable Received received, Duration lifetime, boolean ofOneCaller,
			Predicate<String> explained) {
		if (received == null) {
			return Verdict.no("its status and headers were not seen");
		}
		if (received.status() != 200 && received.status() != 203) {
			return Verdict.no("its status is " + received.status());
		}
		HttpHeaders headers = received.headers();
		if (headers.containsHeader(HttpHeaders.SET_COOKIE)) {
			return Verdict.no("it has Set-Cookie");
		}
		Map<String, List<String>> control = directives(headers.getOrEmpty(HttpHeaders.CACHE_CONTROL));
		// Sections 5.2.2.5 and 5.2.2.4; nothing is revalidated here.
		for (String never : List.of("no-store", "no-cache")) {
			if (control.containsKey(never)) {
				return Verdict.no("it has Cache-Control: " + never);
			}
		}
		// Section 5.2.2.7, with or without field names.
		if (control.containsKey("private") && !ofOneCaller) {
			return Verdict.no("it has Cache-Control: private");
		}
		String varies = varies(headers, ofOneCaller, explained);
		if (varies != null) {
			return Verdict.no("it has Vary: " + varies);
		}
		Duration fresh = freshness(headers, control, received.at(), ofOneCaller);
		Duration allowed = (fresh != null && fresh.compareTo(lifetime) < 0) ? fresh : lifetime;
		long remaining = nanos(allowed.minus(age(received)));
		return (remaining > 0) ? new Verdict(remaining, null) : Verdict.no("it is too old already");
	}

	private static long nanos(Duration duration) {
		try {
			return duration.toNanos();
		}
		catch (ArithmeticException ex) {
			return duration.isNegative() ? 0 : Long.MAX_VALUE >> 1;
		}
	}

	/** Section 4.1: requests that differ in such a header need answers of their own. */
	private static @Nullable String varies(HttpHeaders headers, boolean ofOneCaller, Predicate<String> explained) {
		for (String line : headers.getOrEmpty(HttpHeaders.VARY)) {
			for (String name : line.split(",")) {
				String key = name.strip().toLowerCase(Locale.ROOT);
				if (key.equals("*")
						|| !(key.isEmpty() || ofOneCaller || SAME_FOR_ALL.contains(key) || explained.test(key))) {
					return name.strip();
				}
			}
		}
		return null;
	}

	/** Section 4.2.1. */
	private static @Nullable Duration freshness(HttpHeaders headers, Map<String, List<String>> control, Instant now,
			boolean ofOneCaller) {
		for (String name : ofOneCaller ? List.of("max-age") : List.of("s-maxage", "max-age")) {
			List<String> values = control.get(name);
			if (values != null) {
				// The shortest of several values; anything but a number means expired.
				return Duration.ofSeconds(values.stream().mapToLong((value) -> seconds(value, 0)).min().orElse(0));
			}
		}
		if (!headers.containsHeader(HttpHeaders.EXPIRES)) {
			return null;
		}
		// Section 5.3: what is no date has expired.
		Instant expires = date(headers, HttpHeaders.EXPIRES);
		Instant date = date(headers, HttpHeaders.DATE);
		return (expires != null) ? Duration.between((date != null) ? date : now, expires) : Duration.ZERO;
	}

	/**
	 * Section 4.2.3. Without {@code Age} and {@code Date}, the answer is as old as the
	 * request.
	 */
	private static Duration age(Received received) {
		String age = received.headers().getFirst(HttpHeaders.AGE);
		// Section 5.1: of several ones the first, and what is no number does not count.
		long stated = (age != null) ? seconds(age.split(",", 2)[0].strip(), 0) : 0;
		Duration corrected = Duration.ofSeconds(stated).plusNanos(received.delayNanos());
		Instant date = date(received.headers(), HttpHeaders.DATE);
		if (date == null) {
			return corrected;
		}
		Duration apparent = Duration.between(date.plus(DATE_RESOLUTION), received.at());
		return (apparent.compareTo(corrected) > 0) ? apparent : corrected;
	}

	private static @Nullable Instant date(HttpHeaders headers, String name) {
		try {
			long millis = headers.getFirstDate(name);
			return (millis != -1) ? Instant.ofEpochMilli(millis) : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private static long seconds(String value, long otherwise) {
		if (value.isEmpty() || !value.chars().allMatch((digit) -> digit >= '0' && digit <= '9')) {
			return otherwise;
		}
		return (value.length() > 10) ? MOST_SECONDS : Math.min(MOST_SECONDS, Long.parseLong(value));
	}

	/** Parses {@code Cache-Control}: names in lower case, with the values of each. */
	private static Map<String, List<String>> directives(List<String> lines) {
		Map<String, List<String>> directives = new HashMap<>();
		for (String line : lines) {
			for (String directive : split(line)) {
				int equals = directive.indexOf('=');
				String name = ((equals >= 0) ? directive.substring(0, equals) : directive).strip();
				String value = (equals >= 0) ? directive.substring(equals + 1).strip() : "";
				if (value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"")) {
					value = value.substring(1, value.length() - 1);
				}
				directives.computeIfAbsent(name.toLowerCase(Locale.ROOT), (absent) -> new ArrayList<>()).add(value);
			}
		}
		return directives;
	}

	/** Splits at commas that are not within quotes. */
	private static List<String> split(String line) {
		List<String> parts = new ArrayList<>();
		StringBuilder part = new StringBuilder();
		boolean quoted = false;
		for (int i = 0; i < line.length(); i++) {
			char next = line.charAt(i);
			if (next == '\\' && quoted && i + 1 < line.length()) {
				part.append(next).append(line.charAt(++i));
			}
			else if (next == ',' && !quoted) {
				parts.add(part.toString());
				part.setLength(0);
			}
			else {
				quoted ^= next == '"';
				part.append(next);
			}
		}
		parts.add(part.toString());
		// A quote that never ends must hide nothing.
		return quoted ? List.of(line.replace("\"", "").split(",")) : parts;
	}

}
