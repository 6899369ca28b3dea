package io.github.vicinal.placement.sources;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.github.vicinal.placement.model.PathCost;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.sources.InstanceReport.Outgoing;
import org.jspecify.annotations.Nullable;

/**
 * Turns what callers measured into path costs.
 * <p>
 * A caller knows how long a call takes it, which includes the service at the other end.
 * The cost of the path itself is the difference to the time that the called serves a call
 * on average. That average is over all callers and methods, and may differ from the one
 * of these calls by {@link #SERVED_ERROR}; where services are slow, this hides what the
 * path takes, and then nothing is concluded.
 */
final class PathCostEstimator {

	/**
	 * Relative deviation that the service time of one caller's calls may have from the
	 * mean of all.
	 */
	static final double SERVED_ERROR = 0.1;

	/**
	 * Calls of a pair after which its cost is evidence. Callers follow each call that
	 * they time by 1/128. Where they time all, less than a two-thousandth is left of a
	 * first call, which may take a thousand times as long as later ones.
	 */
	static final int WARM_CALLS = 1000;

	private static final double KIB = 1024;

	/** Name of the path within a JVM. */
	private static final String DIRECT = "direct";

	private final long minimumCalls;

	private final Side sameJvm = new Side();

	private final Side sameHost = new Side();

	private final Side otherHost = new Side();

	/**
	 * Creates an estimator without evidence.
	 * @param minimumCalls number of calls that are needed to replace a default
	 */
	PathCostEstimator(long minimumCalls) {
		this.minimumCalls = minimumCalls;
	}

	/**
	 * Adds the calls of one instance to another by one path.
	 * @param calls what the caller reports
	 * @param cost what it measured of them
	 * @param servedMicros the time that the called serves a call on average
	 * @param near whether both run on one host
	 */
	void add(Outgoing calls, Outgoing.Cost cost, double servedMicros, boolean near) {
		if (calls.calls() > 0) {
			Side side = near ? (calls.path().equals(DIRECT) ? this.sameJvm : this.sameHost) : this.otherHost;
			side.paths.computeIfAbsent(calls.path(), (path) -> new Sums()).add(calls, cost, servedMicros);
			if (calls.calls() >= WARM_CALLS) {
				side.warm.computeIfAbsent(calls.path(), (path) -> new Sums()).add(calls, cost, servedMicros);
			}
		}
	}

	/**
	 * Returns the costs.
	 * @return what was measured, defaults for the rest
	 */
	ObservedCosts estimate() {
		PathCosts defaults = PathCosts.defaults();
		List<String> notSeen = new ArrayList<>();
		PathCost near = this.sameHost.estimate("within a host", defaults.sameHost(), this.minimumCalls, notSeen);
		PathCost far = this.otherHost.estimate("between hosts", defaults.otherHost(), this.minimumCalls, notSeen);
		PathCost nearest = this.sameJvm.paths.isEmpty() ? defaults.nearest()
				: this.sameJvm.estimate("within a JVM", defaults.nearest(), this.minimumCalls, notSeen);
		boolean measured = near != defaults.sameHost() || far != defaults.otherHost() || nearest != defaults.nearest();
		if (near.latency(KIB) > far.latency(KIB)) {
			notSeen.add(String.format(Locale.ROOT,
					"calls within a host (%s) take %.0f us, those between hosts (%s) %.0f us%s; that moving saves no waiting is assumed",
					near.path(), near.latency(KIB), far.path(), far.latency(KIB),
					(far == defaults.otherHost()) ? ", which is the default"
							: (near == defaults.sameHost()) ? ", and the former is the default" : ""));
		}
		if (measured) {
			notSeen.add(
					"the CPU time of both ends of a call: callers measure their own; within and between hosts, the defaults stand");
		}
		PathCost host = near.atMost(far);
		return new ObservedCosts(new PathCosts(host, far, null, nearest.atMost(host)), paths(), notSeen);
	}

	private List<MeasuredPath> paths() {
		List<MeasuredPath> paths = new ArrayList<>();
		this.sameJvm.paths.forEach((path, sums) -> paths.add(sums.measured(path, true)));
		this.sameHost.paths.forEach((path, sums) -> paths.add(sums.measured(path, true)));
		this.otherHost.paths.forEach((path, sums) -> paths.add(sums.measured(path, false)));
		return paths;
	}

	/** All paths within a host, or all between hosts. */
	private static final class Side {

		private final Map<String, Sums> paths = new TreeMap<>();

		/** Those of pairs that have made {@link #WARM_CALLS}. */
		private final Map<String, Sums> warm = new TreeMap<>();

		PathCost estimate(String where, PathCost otherwise, long minimumCalls, List<String> notSeen) {
			Sums all = new Sums();
			this.warm.values().forEach(all::add);
			double made = this.paths.values().stream().mapToDouble((sums) -> sums.calls).sum();
			String stands = "; the default stands (%s, %.0f us)".formatted(otherwise.path(), otherwise.latencyMicros());
			if (made < Math.max(1, minimumCalls)) {
				notSeen.add("the cost of calls %s: %s%s".formatted(where, (made == 0) ? "nobody measured it"
						: "%.0f calls are less than the %d that count as evidence".formatted(made, minimumCalls),
						stands));
				return otherwise;
			}
			if (all.calls < Math.max(1, minimumCalls)) {
				notSeen.add(
						"the cost of calls %s: too few of its pairs of instances have made %d calls; until then first calls, which take longer, are too much of their mean%s"
							.formatted(where, WARM_CALLS, stands));
				return otherwise;
			}
			double micros = all.latency / all.calls;
			double error = Math.max(otherwise.relativeError(), all.error() / micros);
			if (!(micros > 0 && error < 1)) {
				notSeen.add(String.format(Locale.ROOT,
						"the cost of calls %s: of %.0f us that they take, services take %.0f us; what is left for the path is not certain enough%s",
						where, micros + all.served / all.calls, all.served / all.calls, stands));
				return otherwise;
			}
			double perByte = (all.bytes > 0) ? all.latencyOfBytes / all.bytes : 0;
			return new PathCost(names(), Math.max(0, all.latency - all.latencyOfBytes) / all.calls, perByte * KIB,
					otherwise.cpuMicros(), otherwise.cpuMicrosPerKib(), error);
		}

		/** The path with most calls first. */
		private String names() {
			return this.warm.entrySet()
				.stream()
				.sorted(Comparator.comparingDouble((Map.Entry<String, Sums> path) -> -path.getValue().calls))
				.map(Map.Entry::getKey)
				.collect(Collectors.joining("+"));
		}

	}

	/** Sums over pairs of instances, weighted by calls. */
	private static final class Sums {

		private double calls;

		private int pairs;

		private double latency;

		private double latencySquared;

		/** The part of the latency that grows with the bytes. */
		private double latencyOfBytes;

		private double bytes;

		private double served;

		private double callsWithCpu;

		private double cpu;

		void add(Outgoing made, Outgoing.Cost cost, double servedMicros) {
			double weight = made.calls();
			Double counted = made.bytes();
			double bytesPerCall = (counted != null) ? counted / weight : 0;
			double ofBytes = cost.nanosPerByte() * bytesPerCall / 1e3;
			double path = cost.fixedNanos() / 1e3 + ofBytes - servedMicros;
			this.calls += weight;
			this.pairs++;
			this.latency += weight * path;
			this.latencySquared += weight * path * path;
			this.latencyOfBytes += weight * Math.min(ofBytes, Math.max(0, path));
			this.bytes += weight * bytesPerCall;
			this.served += weight * servedMicros;
			Double caller = cost.callerCpuNanos();
			if (caller != null) {
				this.callsWithCpu += weight;
				this.cpu += weight * caller / 1e3;
			}
		}

		void add(Sums other) {
			this.calls += other.calls;
			this.pairs += other.pairs;
			this.latency += other.latency;
			this.latencySquared += other.latencySquared;
			this.latencyOfBytes += other.latencyOfBytes;
			this.bytes += other.bytes;
			this.served += other.served;
		}

		/**
		 * Deviation of a pair's path from the mean: the observed spread of pairs, and the
		 * part that service times may hide.
		 */
		double error() {
			double mean = this.latency / this.calls;
			double spread = (this.pairs > 1) ? Math.sqrt(Math.max(0, this.latencySquared / this.calls - mean * mean))
					: 0;
			return Math.hypot(spread, SERVED_ERROR * this.served / this.calls);
		}

		MeasuredPath measured(String path, boolean near) {
			@Nullable Double caller = (this.callsWithCpu > 0) ? this.cpu / this.callsWithCpu : null;
			return new MeasuredPath(path, near, this.calls, this.latency / this.calls, this.served / this.calls,
					caller);
		}

	}

}
