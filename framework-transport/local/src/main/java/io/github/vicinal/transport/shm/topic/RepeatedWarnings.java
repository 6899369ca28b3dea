package io.github.vicinal.transport.shm.topic;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;

/**
 * Warnings about attempts that are repeated until they succeed: each text is logged as a
 * warning once, and at debug level from then on. Thread-safe.
 */
final class RepeatedWarnings {

	/** Texts may name peers, so their number must have an end. */
	private static final int MAX_KNOWN = 256;

	private final Logger logger;

	private final Set<String> known = ConcurrentHashMap.newKeySet();

	RepeatedWarnings(Logger logger) {
		this.logger = logger;
	}

	void warn(String text) {
		if (this.known.size() >= MAX_KNOWN) {
			this.known.clear();
		}
		if (this.known.add(text)) {
			this.logger.warn("{}; repetitions are logged at debug level", text);
		}
		else {
			this.logger.debug("{}", text);
		}
	}

}
