package io.github.vicinal.placement.recommend;

import java.util.HashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.PathCost;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;

/**
 * Expected savings of a plan, by the path costs of the model, with standard errors. The
 * error has two parts: that of the path costs, which all edges share, and that of each
 * edge's number of samples. Traffic of a service that does not run before counts nothing:
 * there is nothing that it could save.
 *
 * @param latencyMicrosPerSecond time that callers wait less, in us per second of all
 * traffic
 * @param latencyErrorMicrosPerSecond its standard error
 * @param cpuMicrosPerSecond CPU time saved on both ends, in us per second
 * @param cpuErrorMicrosPerSecond its standard error
 * @param callsPerSecond calls that the figures are about
 * @param edgesWithoutCalls edges whose calls nobody measured; they count nothing
 * @param edgesWithoutBytes edges whose bytes nobody measured; they count by the fixed
 * part of the path costs alone
 * @since 0.1.0
 */
public record Gain(double latencyMicrosPerSecond, double latencyErrorMicrosPerSecond, double cpuMicrosPerSecond,
		double cpuErrorMicrosPerSecond, double callsPerSecond, int edgesWithoutCalls, int edgesWithoutBytes) {

	static Gain between(PlacementModel model, Plan before, Plan after) {
		PathCosts costs = model.pathCosts();
		Sum latency = new Sum(costs);
		Sum cpu = new Sum(costs);
		Map<String, String> zones = model.zones();
		Map<String, Service> services = new HashMap<>();
		model.services().forEach((service) -> services.put(service.name(), service));
		double calls = 0;
		int withoutCalls = 0;
		int withoutBytes = 0;
		for (Edge edge : model.edges()) {
			Double rate = edge.callsPerSecond();
			if (rate == null) {
				withoutCalls++;
				continue;
			}
			if (before.total(edge.from()) == 0 || before.total(edge.to()) == 0) {
				continue;
			}
			Double known = edge.bytesPerCall();
			withoutBytes += (known == null && rate > 0) ? 1 : 0;
			double bytes = (known != null) ? known : 0;
			calls += rate;
			Routing routing = model.objective().routing();
			double nearer = rate * (after.localShare(edge.from(), edge.to(), routing)
					- before.localShare(edge.from(), edge.to(), routing));
			double closer = (costs.otherZone() == null) ? 0
					: rate * (after.zoneShare(edge.from(), edge.to(), routing, zones)
							- before.zoneShare(edge.from(), edge.to(), routing, zones));
			long samples = edge.evidence().samples();
			latency.add(nearer, closer, (path) -> path.latency(bytes), samples);
			cpu.add(nearer, closer, (path) -> path.cpu(bytes), samples);
		}
		return new Gain(latency.gain, latency.error(), cpu.gain, cpu.error(), calls, withoutCalls, withoutBytes);
	}

	/** Difference of a plan, and what it owes to each path, which errs by itself. */
	private static final class Sum {

		private final PathCosts costs;

		private double gain;

		/** Cost that calls save, by the path that they leave or take. */
		private double zone;

		private double far;

		private double near;

		private double sampling;

		Sum(PathCosts costs) {
			this.costs = costs;
		}

		/**
		 * Adds an edge.
		 * @param nearer calls that stay on a host more than before
		 * @param closer calls that stay in a zone more than before
		 * @param cost what a call by a path costs
		 * @param samples calls behind the figures
		 */
		void add(double nearer, double closer, ToDoubleFunction<PathCost> cost, long samples) {
			double zone = closer * cost.applyAsDouble(this.costs.farthest());
			double far = (nearer - closer) * cost.applyAsDouble(this.costs.otherHost());
			double near = -nearer * cost.applyAsDouble(this.costs.sameHost());
			double gain = zone + far + near;
			this.gain += gain;
			this.zone += zone;
			this.far += far;
			this.near += near;
			this.sampling += (samples > 0) ? gain * gain / samples : 0;
		}

		double error() {
			double zone = this.zone * this.costs.farthest().relativeError();
			double far = this.far * this.costs.otherHost().relativeError();
			double near = this.near * this.costs.sameHost().relativeError();
			return Math.sqrt(zone * zone + far * far + near * near + this.sampling);
		}

	}

}
