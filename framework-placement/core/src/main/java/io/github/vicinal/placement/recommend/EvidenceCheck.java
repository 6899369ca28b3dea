package io.github.vicinal.placement.recommend;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.Evidence;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;

/**
 * Decides whether a model carries enough evidence for a verdict, and what a verdict
 * assumes. A demand that nobody states counts as 0 in the search, and would make every
 * plan fit.
 */
final class EvidenceCheck {

	/** Maximum number of names in a sentence. */
	private static final int MAX_NAMES = 5;

	private final PlacementModel model;

	private final long measured;

	EvidenceCheck(PlacementModel model) {
		this.model = model;
		this.measured = model.edges().stream().filter((edge) -> model.cost(edge) != null).count();
	}

	/**
	 * Returns what keeps a plan from being recommended.
	 * @param moved names of the services that it moves or starts
	 * @return one sentence without a full stop each; empty if the evidence suffices
	 */
	List<String> missing(Set<String> moved) {
		List<String> missing = new ArrayList<>();
		Set<String> unlocated = this.model.doubts().unlocated();
		if (!unlocated.isEmpty()) {
			missing.add("it is not known where all replicas of %s run".formatted(names(unlocated)));
		}
		List<String> unanswered = this.model.doubts().unanswered();
		if (!unanswered.isEmpty()) {
			missing.add("%d source%s did not answer: %s%s".formatted(unanswered.size(),
					(unanswered.size() == 1) ? "" : "s", unanswered.get(0), (unanswered.size() == 1) ? "" : "; ..."));
		}
		if (this.measured == 0 && this.model.objective().communication() > 0) {
			missing.add("nobody measured %s between the services".formatted(this.model.objective().weight().id()));
		}
		else if (this.model.objective().communication() > 0
				&& this.model.edges().stream().noneMatch((edge) -> apart(edge) > 0)) {
			missing.add("no traffic between the services was seen");
		}
		// That nothing is to move rests on all edges.
		List<Edge> basis = basis(moved.isEmpty() ? this.model.serviceIndex().keySet() : moved);
		if (!basis.isEmpty() && basis.stream().allMatch((edge) -> edge.evidence().partial())) {
			Edge first = basis.get(0);
			missing.add("all evidence%s is partial, such as '%s' -> '%s': %s"
				.formatted(moved.isEmpty() ? "" : " of what moves", first.from(), first.to(), first.evidence().note()));
		}
		List<String> limited = limited();
		boolean counted = this.model.hosts().stream().anyMatch((host) -> host.maxReplicas() < Integer.MAX_VALUE);
		if (limited.isEmpty() && !counted) {
			missing.add("nobody says how much %s or %s the hosts have and the services need".formatted(Resources.CPU,
					Resources.MEMORY));
		}
		for (String resource : limited) {
			Set<String> unknown = unknown(resource);
			unknown.retainAll(moved);
			if (!unknown.isEmpty()) {
				missing.add("nobody says how much %s %s need%s".formatted(resource, names(unknown),
						(unknown.size() == 1) ? "s" : ""));
			}
		}
		return missing;
	}

	/**
	 * Returns what a recommendation assumes.
	 * @return one sentence without a full stop each
	 */
	List<String> assumed() {
		List<String> assumed = new ArrayList<>();
		List<String> limited = limited();
		for (String resource : List.of(Resources.CPU, Resources.MEMORY)) {
			Set<String> unknown = unknown(resource);
			if (!limited.contains(resource)) {
				assumed.add("every host has enough %s: nobody says how much".formatted(resource));
			}
			else if (!unknown.isEmpty()) {
				assumed.add("%s need%s no %s: nobody says how much".formatted(names(unknown),
						(unknown.size() == 1) ? "s" : "", resource));
			}
		}
		if (this.model.current() == null) {
			assumed.add("nothing runs yet: no 'current' says where, so hosts and zones in use are not known");
		}
		List<Edge> edges = this.model.edges();
		if (this.measured < edges.size()) {
			assumed.add("%d of %d edges carry nothing: nobody measured their %s".formatted(edges.size() - this.measured,
					edges.size(), this.model.objective().weight().id()));
		}
		long stated = edges.stream().filter((edge) -> this.model.cost(edge) != null && given(edge)).count();
		if (stated > 0) {
			assumed.add("%d of %d edges have the %s that the model states: nobody measured them".formatted(stated,
					edges.size(), this.model.objective().weight().id()));
		}
		long partial = edges.stream().filter((edge) -> edge.evidence().partial()).count();
		if (partial > 0) {
			assumed.add("%d of %d edges rest on partial evidence, which is taken for all of it".formatted(partial,
					edges.size()));
		}
		if (this.model.services().stream().anyMatch((service) -> service.replicas() > 1)) {
			assumed.add((this.model.objective().routing() == Routing.UNIFORM)
					? "calls choose among replicas with equal probability (routing uniform)"
					: "calls prefer replicas on the caller's host (routing local)");
		}
		if (this.model.pathCosts().equals(PathCosts.defaults())) {
			assumed.add("calls cost what they cost on the machine of the defaults (pathCosts)");
		}
		return assumed;
	}

	/** Whether an edge's figures stand in a file, without a sample behind them. */
	private static boolean given(Edge edge) {
		return edge.evidence().source().equals(Evidence.GIVEN) && edge.evidence().samples() == 0;
	}

	/** Measured edges of what moves, the heaviest first. */
	private List<Edge> basis(Set<String> moved) {
		return this.model.edges()
			.stream()
			.filter((edge) -> moved.contains(edge.from()) || moved.contains(edge.to()))
			.map((edge) -> Map.entry(edge, apart(edge)))
			.filter((edge) -> edge.getValue() > 0)
			.sorted(Map.Entry.<Edge, Double>comparingByValue().reversed())
			.map(Map.Entry::getKey)
			.toList();
	}

	private double apart(Edge edge) {
		PlacementModel.EdgeCost cost = this.model.cost(edge);
		return (cost != null) ? cost.apart() : 0;
	}

	/** Resources that plans can run out of: other names are extras of some services. */
	private List<String> limited() {
		return List.of(Resources.CPU, Resources.MEMORY)
			.stream()
			.filter((resource) -> this.model.hosts()
				.stream()
				.map(Host::capacity)
				.anyMatch((capacity) -> capacity.amounts().containsKey(resource)))
			.toList();
	}

	private Set<String> unknown(String resource) {
		return this.model.services()
			.stream()
			.filter((service) -> !service.demand().amounts().containsKey(resource))
			.map(Service::name)
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static String names(Set<String> names) {
		String shown = names.stream()
			.limit(MAX_NAMES)
			.map((name) -> "'" + name + "'")
			.collect(Collectors.joining(", "));
		return (names.size() <= MAX_NAMES) ? shown : shown + " and %d more".formatted(names.size() - MAX_NAMES);
	}

}
