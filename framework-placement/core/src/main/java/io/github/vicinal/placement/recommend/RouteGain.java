package io.github.vicinal.placement.recommend;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Route;
import org.jspecify.annotations.Nullable;

/**
 * Time that the answer of a route waits for paths, before and after a plan. Only calls on
 * the critical path count, so this is what a request gains; the sum over all calls, which
 * {@link Gain} has, is what all callers together gain.
 *
 * @param route name of the route
 * @param callsPerSecond requests per second, {@code null} if nobody measured them
 * @param beforeMicros mean waiting of a request for paths now, in us
 * @param afterMicros the same with the plan, in us
 * @param p99Micros 99th percentile of the time of a request now, in us, {@code null} if
 * nobody measured it
 * @param expectedP99Micros the same with the plan, in us: changed by the difference of
 * the means
 * @param sloMicros the most that it may be, in us, {@code null} for no limit
 * @since 0.1.0
 */
public record RouteGain(String route, @Nullable Double callsPerSecond, double beforeMicros, double afterMicros,
		@Nullable Double p99Micros, @Nullable Double expectedP99Micros, @Nullable Double sloMicros) {

	/**
	 * State of a route's limit.
	 *
	 * @since 0.1.0
	 */
	public enum Slo {

		/** There is no limit, or nobody measured the route. */
		UNKNOWN,

		/** It is kept now and with the plan. */
		KEPT,

		/** The plan breaks it. */
		BROKEN,

		/** It is broken now, and the plan keeps it. */
		RESTORED,

		/** It is broken now and with the plan. */
		MISSED

	}

	static List<RouteGain> of(PlacementModel model, Plan before, Plan after) {
		Map<String, Double> bytes = new HashMap<>();
		for (Edge edge : model.edges()) {
			Double known = edge.bytesPerCall();
			if (known != null) {
				bytes.put(edge.from() + '\n' + edge.to(), known);
			}
		}
		List<RouteGain> gains = new ArrayList<>();
		for (Route route : model.routes()) {
			double now = waiting(model, route, before, bytes);
			double then = waiting(model, route, after, bytes);
			Double p99 = route.p99Micros();
			gains.add(new RouteGain(route.name(), route.callsPerSecond(), now, then, p99,
					(p99 != null) ? Double.valueOf(Math.max(0, p99 + then - now)) : null, route.sloMicros()));
		}
		return gains;
	}

	/** A service that does not run is taken for one on another host. */
	private static double waiting(PlacementModel model, Route route, Plan plan, Map<String, Double> bytes) {
		Map<String, String> zones = model.zones();
		double waiting = 0;
		for (Route.Hop hop : route.criticalPath()) {
			double size = bytes.getOrDefault(hop.from() + '\n' + hop.to(), 0.0);
			waiting += hop.calls() * waiting(model, plan, hop.from(), hop.to(), size, zones);
		}
		return waiting;
	}

	/** Time that a call waits for its path, in the mean. */
	private static double waiting(PlacementModel model, Plan plan, String from, String to, double bytes,
			Map<String, String> zones) {
		PathCosts costs = model.pathCosts();
		double local = plan.localShare(from, to, model.objective().routing());
		double near = (costs.otherZone() == null) ? 1 : plan.zoneShare(from, to, model.objective().routing(), zones);
		return local * costs.sameHost().latency(bytes) + (near - local) * costs.otherHost().latency(bytes)
				+ (1 - near) * costs.farthest().latency(bytes);
	}

	/**
	 * Returns what becomes of the route's limit.
	 * @return the state of the limit
	 */
	public Slo limit() {
		if (this.sloMicros == null || this.p99Micros == null || this.expectedP99Micros == null) {
			return Slo.UNKNOWN;
		}
		boolean now = this.p99Micros <= this.sloMicros;
		boolean then = this.expectedP99Micros <= this.sloMicros;
		return now ? (then ? Slo.KEPT : Slo.BROKEN) : (then ? Slo.RESTORED : Slo.MISSED);
	}

}
