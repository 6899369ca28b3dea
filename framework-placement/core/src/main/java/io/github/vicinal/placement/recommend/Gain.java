package io.github.vicinal.placement.recommend;

import java.util.HashMap;
import java.util.Map;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.PathCost;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
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
		Sum latency = new Sum();
		Sum cpu = new Sum();
		PathCosts costs = model.pathCosts();
		PathCost near = costs.sameHost();
		PathCost far = costs.otherHost();
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
			double nearer = rate * (after.localShare(edge.from(), edge.to(), model.objective().routing())
					- before.localShare(edge.from(), edge.to(), model.objective().routing()));
			long samples = edge.evidence().samples();
			latency.add(nearer, far.latency(bytes), near.latency(bytes), samples);
			cpu.add(nearer, far.cpu(bytes), near.cpu(bytes), samples);
		}
		return new Gain(latency.gain, latency.error(costs), cpu.gain, cpu.error(costs), calls, withoutCalls,
				withoutBytes);
	}

	private static final class Sum {

		private double gain;

		private double far;

		private double near;

		private double sampling;

		void add(double calls, double far, double near, long samples) {
			double gain = calls * (far - near);
			this.gain += gain;
			this.far += calls * far;
			this.near += calls * near;
			this.sampling += (samples > 0) ? gain * gain / samples : 0;
		}

		double error(PathCosts costs) {
			double far = this.far * costs.otherHost().relativeError();
			double near = this.near * costs.sameHost().relativeError();
			return Math.sqrt(far * far + near * near + this.sampling);
		}

	}

}
