package io.github.vicinal.transport.wire;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

import org.slf4j.Logger;

/**
 * Counts refusals by their reason. The first one of each is worth a line in the log.
 * Thread-safe.
 */
public final class CountedRefusals {

	private static final String LINE = "{} ({}): {}";

	private static final String FIRST_LINE = LINE + "; further ones are only counted";

	private final Logger logger;

	private final String what;

	private final Map<String, LongAdder> counters;

	/**
	 * Creates counters that are all 0.
	 * @param logger gets the lines
	 * @param what begins them, such as {@code Refused}
	 */
	public CountedRefusals(Logger logger, String what) {
		this.logger = logger;
		this.what = what;
		Map<String, LongAdder> adders = new LinkedHashMap<>();
		for (Refusal refusal : Refusal.values()) {
			adders.put(refusal.id(), new LongAdder());
		}
		this.counters = Collections.unmodifiableMap(adders);
	}

	/** Returns the live counters, by {@link Refusal#id()}. */
	public Map<String, LongAdder> counters() {
		return this.counters;
	}

	/**
	 * Counts a refusal.
	 * @param refusal the reason
	 * @param text the reason, for people
	 */
	public void count(Refusal refusal, String text) {
		LongAdder counter = this.counters.get(refusal.id());
		if (counter == null) {
			return;
		}
		counter.increment();
		if (counter.sum() > 1) {
			this.logger.debug(LINE, this.what, refusal.id(), text);
		}
		else if (isExpected(refusal)) {
			this.logger.info(FIRST_LINE, this.what, refusal.id(), text);
		}
		else {
			this.logger.warn(FIRST_LINE, this.what, refusal.id(), text);
		}
	}

	/** Returns whether nobody has to do anything about it, as in each rolling restart. */
	private static boolean isExpected(Refusal refusal) {
		return refusal == Refusal.HTTP_REQUIRED || refusal == Refusal.SHUTTING_DOWN;
	}

}
