package io.github.vicinal.transport.tcp;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

import org.slf4j.Logger;

/**
 * Counts TLS handshakes that failed, by their kind. The first one of each kind is logged.
 * Thread-safe.
 */
final class HandshakeCounters {

	private final Logger logger;

	private final Map<HandshakeFailure.Kind, LongAdder> counters = new EnumMap<>(HandshakeFailure.Kind.class);

	HandshakeCounters(Logger logger) {
		this.logger = logger;
		for (HandshakeFailure.Kind kind : HandshakeFailure.Kind.values()) {
			this.counters.put(kind, new LongAdder());
		}
	}

	/**
	 * Counts a failure.
	 * @param kind its kind
	 * @param text what happened and what to do
	 */
	void count(HandshakeFailure.Kind kind, String text) {
		LongAdder counter = this.counters.get(kind);
		if (counter == null) {
			return;
		}
		counter.increment();
		if (counter.sum() == 1) {
			this.logger.warn("TLS of the path tcp failed ({}): {}; further ones are only counted", kind.id(), text);
		}
	}

	/** Returns the number of times that a kind of failure occurred. */
	long sum(HandshakeFailure.Kind kind) {
		LongAdder counter = this.counters.get(kind);
		return (counter != null) ? counter.sum() : 0;
	}

}
