package io.github.vicinal.transport.wire;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * What a server counts. Thread-safe; the counters only grow, except where noted.
 *
 * @since 0.1.0
 */
public final class ServerMetrics {

	private final LongAdder accepted = new LongAdder();

	private final LongAdder open = new LongAdder();

	private final LongAdder calls = new LongAdder();

	private final LongAdder inFlight = new LongAdder();

	private final LongAdder bytes = new LongAdder();

	private final Map<String, LongAdder> refusals;

	/** Creates counters that are all 0. */
	public ServerMetrics() {
		Map<String, LongAdder> adders = new LinkedHashMap<>();
		for (Refusal refusal : Refusal.values()) {
			adders.put(refusal.id(), new LongAdder());
		}
		this.refusals = Collections.unmodifiableMap(adders);
	}

	/**
	 * Returns the reasons for which a server refuses, the keys of {@link #refusals()}.
	 * @return lower-case names
	 */
	public static List<String> reasons() {
		return Arrays.stream(Refusal.values()).map(Refusal::id).toList();
	}

	/**
	 * Returns how many connections were accepted.
	 * @return the counter
	 */
	public LongAdder accepted() {
		return this.accepted;
	}

	/**
	 * Returns how many connections are open.
	 * @return a gauge
	 */
	public LongAdder open() {
		return this.open;
	}

	/**
	 * Returns how many calls were executed, whatever their outcome.
	 * @return the counter
	 */
	public LongAdder calls() {
		return this.calls;
	}

	/**
	 * Returns how many calls are being executed.
	 * @return a gauge
	 */
	public LongAdder inFlight() {
		return this.inFlight;
	}

	/**
	 * Returns how many bytes of calls and replies were carried.
	 * @return the counter, in bytes
	 */
	public LongAdder bytes() {
		return this.bytes;
	}

	/**
	 * Returns how many connections, bindings and calls were refused, by reason.
	 * @return an unmodifiable map with all reasons, such as {@code malformed},
	 * {@code too-large} or {@code stranger}
	 */
	public Map<String, LongAdder> refusals() {
		return this.refusals;
	}

	public void refused(Refusal refusal) {
		LongAdder adder = this.refusals.get(refusal.id());
		if (adder != null) {
			adder.increment();
		}
	}

}
