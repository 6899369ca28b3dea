package io.github.vicinal.boot.placement;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Calls that channels no longer report: they forget peers that no call is for, and a path
 * that is opened again counts bytes anew. Without this the same calls would appear again
 * as those that only the meters know, and sums over channels would fall, which looks like
 * a restart. Not thread-safe.
 */
final class PastCalls {

	private final Map<Series, Counted> last = new HashMap<>();

	private final Map<Ends, Counted> past = new HashMap<>();

	private final Map<String, Double> pastByAddress = new HashMap<>();

	private final Map<Series, Counted> next = new HashMap<>();

	/**
	 * A count of a channel.
	 *
	 * @param channel name of the channel
	 * @param ends what is called
	 * @param path the path
	 */
	record Series(String channel, Ends ends, String path) {
	}

	/**
	 * The called side.
	 *
	 * @param target the caller's name for it
	 * @param address its address
	 */
	record Ends(String target, String address) {
	}

	/**
	 * Calls and their bytes.
	 *
	 * @param calls number of calls
	 * @param bytes bytes of calls and replies
	 */
	record Counted(double calls, double bytes) {

		Counted plus(Counted other) {
			return new Counted(this.calls + other.calls, this.bytes + other.bytes);
		}

	}

	/** Notes a count of the report that is being made. */
	void add(Series series, Counted counted) {
		this.next.merge(series, counted, Counted::plus);
	}

	/** Ends a report: what it has less than the one before is past. */
	void end() {
		this.last.forEach((series, before) -> {
			Counted now = this.next.getOrDefault(series, new Counted(0, 0));
			Counted lost = new Counted((now.calls() < before.calls()) ? before.calls() : 0,
					(now.bytes() < before.bytes()) ? before.bytes() : 0);
			if (lost.calls() > 0 || lost.bytes() > 0) {
				this.past.merge(series.ends(), lost, Counted::plus);
			}
			if (lost.calls() > 0) {
				this.pastByAddress.merge(series.ends().address(), lost.calls(), Double::sum);
			}
		});
		this.last.clear();
		this.last.putAll(this.next);
		this.next.clear();
		// What nobody reports any more counts anew if it comes back.
		Set<Ends> reported = new HashSet<>();
		this.last.keySet().forEach((series) -> reported.add(series.ends()));
		this.past.keySet().retainAll(reported);
	}

	/** Returns what is past of the ends that are still reported. */
	Map<Ends, Counted> past() {
		return this.past;
	}

	/** Returns all calls that are past, by the address that was called. */
	Map<String, Double> byAddress() {
		return this.pastByAddress;
	}

}
