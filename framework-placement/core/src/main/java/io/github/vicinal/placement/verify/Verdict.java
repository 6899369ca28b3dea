package io.github.vicinal.placement.verify;

import java.util.List;

import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Routing;

/**
 * The verifier's word on a plan.
 *
 * @param violations what the plan breaks, one sentence each; empty if it is feasible
 * @param checks what was checked, one short phrase each
 * @param weight the quantity of an edge that is counted
 * @param routing the routing that is assumed
 * @param crossHostShare the part of the traffic that goes between hosts
 * @param communication cost of traffic, as a part of what it would cost if all of it went
 * between hosts, of different zones if these cost more; equals the share unless the
 * weight is one of path costs
 * @param imbalance variance of the utilisation of hosts, summed over resources
 * @param moved replicas that run elsewhere than now
 * @param replicas all replicas
 * @param usedHosts hosts that run anything
 * @param hosts all hosts
 * @param memory the memory that replicas need, less what shared JVMs save, as a part of
 * the former; 1 where no services may share a JVM
 * @param preferences the part of the preferences, by their weights, that is not met; 0
 * without any
 * @param objective the weighted sum of the parts
 * @param unmeasuredEdges edges whose quantity nobody measured, which count nothing
 * @since 0.1.0
 */
public record Verdict(List<String> violations, List<String> checks, EdgeWeight weight, Routing routing,
		double crossHostShare, double communication, double imbalance, int moved, int replicas, int usedHosts,
		int hosts, double memory, double preferences, double objective, int unmeasuredEdges) {

	public Verdict {
		violations = List.copyOf(violations);
		checks = List.copyOf(checks);
	}

	/**
	 * Returns whether the plan breaks nothing.
	 * @return whether there are no violations
	 */
	public boolean feasible() {
		return this.violations.isEmpty();
	}

}
