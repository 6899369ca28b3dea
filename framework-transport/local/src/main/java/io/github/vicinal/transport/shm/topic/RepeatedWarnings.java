package io.github.vicinal.transport.shm.topic;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

import org.slf4j.Logger;

/**
 * Warnings about attempts that are repeated until they succeed: each text is logged as a
 * warning once, and at debug level from then on. Texts that differ only in numbers are
 * the same. Thread-safe.
 */
final class RepeatedWarnings {

	/** Texts may name peers, so their number must have an end. */
	private static final int MAX_KNOWN = 256;

	/** A number that is a word of its own, and not part of a name. */
	private static final Pattern NUMBER = Pattern.compile("(?<=\\s)-?\\d+(?=[\\s.,;)]|$)");

	private final Logger logger;

	private final Set<String> known = ConcurrentHashMap.newKeySet();

	RepeatedWarnings(Logger logger) {
		this.logger = logger;
	}

	void warn(String text) {
		warn(text, text);
	}

	/**
	 * Logs a text.
	 * @param text the text
	 * @param key what repetitions of it have in common
	 */
	void warn(String text, String key) {
		if (this.known.size() >= MAX_KNOWN) {
			this.known.clear();
		}
		if (this.known.add(NUMBER.matcher(key).replaceAll("#"))) {
			this.logger.warn("{}; repetitions are logged at debug level", text);
		}
		else {
			this.logger.debug("{}", text);
		}
	}

}
