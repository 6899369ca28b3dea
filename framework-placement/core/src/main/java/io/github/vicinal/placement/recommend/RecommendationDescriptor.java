package io.github.vicinal.placement.recommend;

import java.util.List;
import java.util.Locale;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.solver.BoundMethod;
import io.github.vicinal.placement.verify.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Descriptor that {@link RecommendationJson} writes: a recommendation as values that a
 * JSON library writes as they are. Unknown values are {@code null} here, and absent from
 * JSON. Immutable.
 *
 * @param format names the form
 * @param version its version
 * @param givenUp redundancy that the plan gives up, one sentence each
 * @param action {@code none}, {@code undecided}, {@code keep} or {@code apply}
 * @param reason why
 * @param assumed what the verdict assumes, one sentence each
 * @param before what runs now
 * @param after what should run
 * @param gain what the difference is worth
 * @param savings the same as capacity and money
 * @param routes what requests of each route gain
 * @param moves steps from one to the other, in order
 * @param worthwhileMoves number of first moves that are worth making
 * @param merges services that might share a JVM
 * @param notSeen what is known to be missing, one sentence each
 * @param search how the plan was found
 * @since 0.1.0
 */
@JsonInclude(Include.NON_NULL)
@JsonPropertyOrder({ "format", "version", "givenUp", "action", "reason", "assumed", "before", "after", "gain",
		"savings", "routes", "moves", "worthwhileMoves", "merges", "notSeen", "search" })
public record RecommendationDescriptor(String format, int version, List<String> givenUp, String action, String reason,
		List<String> assumed, @Nullable SideDescriptor before, @Nullable SideDescriptor after,
		@Nullable GainDescriptor gain, @Nullable SavingsDescriptor savings, List<RouteDescriptor> routes,
		List<MoveDescriptor> moves, int worthwhileMoves, List<MergeDescriptor> merges, List<String> notSeen,
		SearchDescriptor search) {

	/**
	 * Describes a recommendation.
	 * @param recommendation the recommendation
	 * @return its description
	 */
	public static RecommendationDescriptor of(Recommendation recommendation) {
		return new RecommendationDescriptor(RecommendationJson.FORMAT, RecommendationJson.VERSION,
				recommendation.givenUp(), recommendation.action().name().toLowerCase(Locale.ROOT),
				recommendation.reason(), recommendation.assumed(),
				side(recommendation.before(), recommendation.beforeVerdict()),
				side(recommendation.after(), recommendation.afterVerdict()), gain(recommendation.gain()),
				savings(recommendation.savings()),
				recommendation.routes().stream().map(RecommendationDescriptor::route).toList(),
				recommendation.moves().stream().map(RecommendationDescriptor::move).toList(),
				recommendation.worthwhileMoves(),
				recommendation.merges().stream().map(RecommendationDescriptor::merge).toList(),
				recommendation.notSeen(),
				new SearchDescriptor(recommendation.solver(), recommendation.seed(), recommendation.iterations(),
						recommendation.time().toMillis(), recommendation.stopped(), recommendation.lowerBound(),
						words(recommendation.boundMethod()), recommendation.gap(), recommendation.relativeGap()));
	}

	private static @Nullable String words(@Nullable BoundMethod method) {
		return (method != null) ? method.words() : null;
	}

	private static @Nullable SideDescriptor side(@Nullable Plan plan, @Nullable Verdict verdict) {
		if (plan == null || verdict == null) {
			return null;
		}
		return new SideDescriptor(verdict.feasible(), verdict.violations(), verdict.checks(), verdict.weight().id(),
				verdict.weight().unit(), verdict.routing().id(), verdict.crossHostShare(),
				new ScoreDescriptor(verdict.objective(), verdict.communication(), verdict.imbalance(), verdict.moved(),
						verdict.replicas(), verdict.usedHosts(), verdict.hosts(), verdict.memory(),
						verdict.preferences()),
				verdict.unmeasuredEdges(), plan.replicas());
	}

	private static @Nullable GainDescriptor gain(@Nullable Gain gain) {
		return (gain == null) ? null
				: new GainDescriptor(gain.latencyMicrosPerSecond(), gain.latencyErrorMicrosPerSecond(),
						gain.cpuMicrosPerSecond(), gain.cpuErrorMicrosPerSecond(), gain.callsPerSecond(),
						gain.edgesWithoutCalls(), gain.edgesWithoutBytes());
	}

	private static @Nullable SavingsDescriptor savings(@Nullable Savings savings) {
		return (savings == null) ? null
				: new SavingsDescriptor(savings.cores(), savings.coresError(), savings.freedHosts(), savings.currency(),
						savings.coresPerMonth(), savings.coresErrorPerMonth(), savings.hostsPerMonth(),
						savings.mergedCores(), savings.mergedMib());
	}

	private static RouteDescriptor route(RouteGain gain) {
		return new RouteDescriptor(gain.route(), gain.callsPerSecond(), gain.beforeMicros(), gain.afterMicros(),
				gain.p99Micros(), gain.expectedP99Micros(), gain.sloMicros(),
				gain.limit().name().toLowerCase(Locale.ROOT));
	}

	private static MoveDescriptor move(Move move) {
		return new MoveDescriptor(move.service(), move.from(), move.to(), move.temporary(), move.fits(),
				move.latencyMicrosPerSecond());
	}

	private static MergeDescriptor merge(Merge merge) {
		return new MergeDescriptor(merge.services(), merge.trafficShare(), merge.savedCores(), merge.savedMib(),
				merge.allowed(), merge.known(), merge.obstacles());
	}

	/**
	 * A plan and what it achieves.
	 *
	 * @param feasible whether it breaks no rule
	 * @param violations rules that it breaks
	 * @param checked rules that were checked
	 * @param edgeWeight what is counted of an edge
	 * @param edgeWeightUnit the unit of that
	 * @param routing how calls choose among replicas
	 * @param crossHostShare share of the traffic that crosses hosts, from 0 to 1
	 * @param objective what is minimised, and its parts
	 * @param unmeasuredEdges number of edges without a figure for that
	 * @param plan number of replicas, by service and host
	 * @since 0.1.0
	 */
	@JsonPropertyOrder({ "feasible", "violations", "checked", "edgeWeight", "edgeWeightUnit", "routing",
			"crossHostShare", "objective", "unmeasuredEdges", "plan" })
	public record SideDescriptor(boolean feasible, List<String> violations, List<String> checked, String edgeWeight,
			String edgeWeightUnit, String routing, double crossHostShare, ScoreDescriptor objective,
			int unmeasuredEdges, Map<String, Map<String, Integer>> plan) {
	}

	/**
	 * The value of the objective, and its parts.
	 *
	 * @param value the value
	 * @param communication traffic between hosts
	 * @param imbalance imbalance of hosts
	 * @param movedReplicas number of replicas that move
	 * @param replicas number of all replicas
	 * @param usedHosts number of hosts in use
	 * @param hosts number of all hosts
	 * @param memory memory that is needed although JVMs are shared, as a part of what
	 * replicas need
	 * @param preferences part of the preferences that is not met
	 * @since 0.1.0
	 */
	@JsonPropertyOrder({ "value", "communication", "imbalance", "movedReplicas", "replicas", "usedHosts", "hosts",
			"memory", "preferences" })
	public record ScoreDescriptor(double value, double communication, double imbalance, int movedReplicas, int replicas,
			int usedHosts, int hosts, double memory, double preferences) {
	}

	/**
	 * Gain of one plan over another.
	 *
	 * @param latencyMicrosPerSecond time that callers wait less, in us/s
	 * @param latencyErrorMicrosPerSecond error of that, in us/s
	 * @param cpuMicrosPerSecond CPU time that is saved, in us/s
	 * @param cpuErrorMicrosPerSecond error of that, in us/s
	 * @param callsPerSecond calls that are counted, in 1/s
	 * @param edgesWithoutCalls number of edges whose calls are not known
	 * @param edgesWithoutBytes number of edges whose bytes are not known
	 * @since 0.1.0
	 */
	@JsonPropertyOrder({ "latencyMicrosPerSecond", "latencyErrorMicrosPerSecond", "cpuMicrosPerSecond",
			"cpuErrorMicrosPerSecond", "callsPerSecond", "edgesWithoutCalls", "edgesWithoutBytes" })
	public record GainDescriptor(double latencyMicrosPerSecond, double latencyErrorMicrosPerSecond,
			double cpuMicrosPerSecond, double cpuErrorMicrosPerSecond, double callsPerSecond, int edgesWithoutCalls,
			int edgesWithoutBytes) {
	}

	/**
	 * Savings as capacity and money.
	 *
	 * @param cores processors that calls need less
	 * @param coresError error of that
	 * @param freedHosts number of hosts that run nothing any more
	 * @param currency name of the currency
	 * @param coresPerMonth price of the saved processors for 730 hours
	 * @param coresErrorPerMonth error of that
	 * @param hostsPerMonth price of the freed hosts for 730 hours
	 * @param mergedCores processors that calls need less if services share JVMs
	 * @param mergedMib memory that this saves, in MiB
	 * @since 0.1.0
	 */
	@JsonInclude(Include.NON_NULL)
	@JsonPropertyOrder({ "cores", "coresError", "freedHosts", "currency", "coresPerMonth", "coresErrorPerMonth",
			"hostsPerMonth", "mergedCores", "mergedMib" })
	public record SavingsDescriptor(double cores, double coresError, int freedHosts, @Nullable String currency,
			@Nullable Double coresPerMonth, @Nullable Double coresErrorPerMonth, @Nullable Double hostsPerMonth,
			double mergedCores, long mergedMib) {
	}

	/**
	 * Gain of one kind of request.
	 *
	 * @param name what the request is
	 * @param callsPerSecond requests in 1/s
	 * @param beforeMicros mean waiting of a request for paths now, in us
	 * @param afterMicros the same with the plan, in us
	 * @param p99Micros 99th percentile of the time of a request now, in us
	 * @param expectedP99Micros the same with the plan, in us
	 * @param sloMicros the most that it may be, in us
	 * @param slo {@code unknown}, {@code kept}, {@code broken}, {@code restored} or
	 * {@code missed}
	 * @since 0.1.0
	 */
	@JsonInclude(Include.NON_NULL)
	@JsonPropertyOrder({ "name", "callsPerSecond", "beforeMicros", "afterMicros", "p99Micros", "expectedP99Micros",
			"sloMicros", "slo" })
	public record RouteDescriptor(String name, @Nullable Double callsPerSecond, double beforeMicros, double afterMicros,
			@Nullable Double p99Micros, @Nullable Double expectedP99Micros, @Nullable Double sloMicros, String slo) {
	}

	/**
	 * A step: one replica moves.
	 *
	 * @param service its service
	 * @param from the host that it leaves
	 * @param to the host that it goes to
	 * @param temporary whether it moves on later
	 * @param fits whether it finds room there
	 * @param latencyMicrosPerSecond waiting that it saves, in us/s
	 * @since 0.1.0
	 */
	@JsonPropertyOrder({ "service", "from", "to", "temporary", "fits", "latencyMicrosPerSecond" })
	public record MoveDescriptor(String service, String from, String to, boolean temporary, boolean fits,
			double latencyMicrosPerSecond) {
	}

	/**
	 * Services that might share a JVM.
	 *
	 * @param services the services
	 * @param trafficShare share of the traffic that is between them, from 0 to 1
	 * @param savedCores processors that their calls need less then
	 * @param savedMib memory that this saves, in MiB
	 * @param allowed whether nothing stands against it
	 * @param known whether a checker has looked at the services
	 * @param obstacles what stands against it
	 * @since 0.1.0
	 */
	@JsonPropertyOrder({ "services", "trafficShare", "savedCores", "savedMib", "allowed", "known", "obstacles" })
	public record MergeDescriptor(List<String> services, double trafficShare, double savedCores, long savedMib,
			boolean allowed, boolean known, List<String> obstacles) {
	}

	/**
	 * Search that found the plan.
	 *
	 * @param solver name of the solver
	 * @param seed what decided random choices
	 * @param iterations number of steps of the search
	 * @param timeMillis time that it took, in ms
	 * @param stopped whether it was stopped before its end
	 * @param lowerBound a proven lower bound of the objective
	 * @param lowerBoundFrom what the bound rests on, for people
	 * @param gap how far the plan may be from the best one
	 * @param relativeGap the same as a part of the plan's objective, from 0 to 1
	 * @since 0.1.0
	 */
	@JsonInclude(Include.NON_NULL)
	@JsonPropertyOrder({ "solver", "seed", "iterations", "timeMillis", "stopped", "lowerBound", "lowerBoundFrom", "gap",
			"relativeGap" })
	public record SearchDescriptor(String solver, long seed, long iterations, long timeMillis, boolean stopped,
			@Nullable Double lowerBound, @Nullable String lowerBoundFrom, @Nullable Double gap,
			@Nullable Double relativeGap) {
	}

}
