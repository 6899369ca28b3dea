package io.github.vicinal.transport.wire;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

import org.slf4j.Logger;

/**
 * Counters of a server. Thread-safe; the counters only grow, except where noted.
 *
 * @since 0.1.0
 */
public final class ServerMetrics {

	private final LongAdder accepted = new LongAdder();

	private final LongAdder open = new LongAdder();

	private final LongAdder calls = new LongAdder();

	private final LongAdder inFlight = new LongAdder();

	private final LongAdder bytes = new LongAdder();

	private final CountedRefusals refusals;

	/**
	 * Creates counters that are all 0.
	 * @param logger gets the first refusal of each kind
	 */
	public ServerMetrics(Logger logger) {
		this.refusals = new CountedRefusals(logger, "Refused");
	}

	/**
	 * Returns the reasons for which a server refuses, the keys of {@link #refusals()}.
	 * @return lower-case names
	 */
	public static List<String> reasons() {
		return Arrays.stream(Refusal.values()).map(Refusal::id).toList();
	}

	/**
	 * Returns the number of connections that were accepted.
	 * @return the counter
	 */
	public LongAdder accepted() {
		return this.accepted;
	}

	/**
	 * Returns the number of connections that are open.
	 * @return a gauge
	 */
	public LongAdder open() {
		return this.open;
	}

	/**
	 * Returns the number of calls that were executed, whatever their outcome.
	 * @return the counter
	 */
	public LongAdder calls() {
		return this.calls;
	}

	/**
	 * Returns the number of calls that are being executed.
	 * @return a gauge
	 */
	public LongAdder inFlight() {
		return this.inFlight;
	}

	/**
	 * Returns the number of bytes of calls and replies that were carried.
	 * @return the counter, in bytes
	 */
	public LongAdder bytes() {
		return this.bytes;
	}

	/**
	 * Returns the number of connections, bindings and calls that were refused, by reason.
	 * @return an unmodifiable map with all reasons, such as {@code malformed},
	 * {@code too-large} or {@code stranger}
	 */
	public Map<String, LongAdder> refusals() {
		return this.refusals.counters();
	}

	/** Counts a refusal; the first one of each kind is worth a line in the log. */
	public void refused(Refusal refusal, String text) {
		this.refusals.count(refusal, text);
	}

}
