package io.github.vicinal.placement.recommend;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.JvmSharing;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Service;

/** Finds services that may share a JVM. */
final class MergePlanner {

	/** Pairs that are looked at, heaviest traffic first. */
	private static final int MAX_PAIRS = 200;

	private static final double MICROS = 1e6;

	private final PlacementModel model;

	private final MergeChecker checker;

	private final Map<String, Service> services = new HashMap<>();

	private final Map<List<String>, Calls> pairs = new HashMap<>();

	/** Traffic of all pairs. */
	private double all;

	/** Calls between two services, in both directions. */
	private static final class Calls {

		double traffic;

		/** Whether anybody measured the traffic. */
		boolean measured;

		/** Processors that they save within a JVM. */
		double cores;

	}

	/**
	 * Creates a planner.
	 * @param model what is placed where
	 * @param checker knows about services that the model says nothing about
	 */
	MergePlanner(PlacementModel model, MergeChecker checker) {
		this.model = model;
		this.checker = (one,
				other) -> model.sharing()
					.groups()
					.stream()
					.anyMatch((group) -> group.contains(one) && group.contains(other)) ? List.of()
							: checker.obstacles(one, other);
		model.services().forEach((service) -> this.services.put(service.name(), service));
		for (Edge edge : model.edges()) {
			PlacementModel.EdgeCost cost = model.cost(edge);
			Double rate = edge.callsPerSecond();
			if (cost == null && rate == null) {
				continue;
			}
			Calls calls = this.pairs.computeIfAbsent(pair(edge.from(), edge.to()), (pair) -> new Calls());
			if (cost != null) {
				this.all += cost.apart();
				calls.traffic += cost.apart();
				calls.measured = true;
			}
			calls.cores += (rate != null) ? savedCores(edge, rate) : 0;
		}
	}

	private static List<String> pair(String one, String other) {
		return (one.compareTo(other) < 0) ? List.of(one, other) : List.of(other, one);
	}

	/**
	 * Returns what may share a JVM wherever it runs. A service is in the group with which
	 * it exchanges most; services with different numbers of replicas are never in one.
	 * @return disjoint groups
	 */
	List<Set<String>> groups() {
		Grouping grouping = group((pair) -> replicas(pair.get(0)) == replicas(pair.get(1)));
		return List.copyOf(grouping.groups);
	}

	private int replicas(String name) {
		Service service = this.services.get(name);
		return (service != null) ? service.replicas() : 0;
	}

	/**
	 * Returns what may share a JVM in a plan: groups that may first, then pairs that may
	 * not, each by falling traffic.
	 * @param plan the plan
	 * @return the groups and pairs
	 */
	List<Merge> merges(Plan plan) {
		Grouping grouping = group((pair) -> plan.on(pair.get(0)).equals(plan.on(pair.get(1))));
		List<Merge> merges = new ArrayList<>();
		grouping.groups.forEach((group) -> merges.add(merge(group, List.of())));
		merges.sort(Comparator.comparingDouble((Merge merge) -> -merge.trafficShare()));
		grouping.refused.forEach((pair, obstacles) -> merges.add(merge(pair, obstacles)));
		return merges;
	}

	private Merge merge(Collection<String> group, List<String> obstacles) {
		List<String> members = group.stream().sorted().toList();
		double inside = 0;
		double saved = 0;
		for (int i = 0; i < members.size(); i++) {
			for (int j = i + 1; j < members.size(); j++) {
				Calls calls = this.pairs.get(List.of(members.get(i), members.get(j)));
				inside += (calls != null) ? calls.traffic : 0;
				saved += (calls != null) ? calls.cores : 0;
			}
		}
		return new Merge(members, inside / ((this.all > 0) ? this.all : 1), saved, savedMib(group), obstacles);
	}

	/** With uniform routing a call finds the replica of its own JVM by chance. */
	private double savedCores(Edge edge, double calls) {
		PathCosts costs = this.model.pathCosts();
		Double known = edge.bytesPerCall();
		double bytes = (known != null) ? known : 0;
		double share = (this.model.objective().routing() == Routing.LOCALITY) ? 1
				: 1.0 / Math.max(1, replicas(edge.to()));
		return share * calls * (costs.sameHost().cpu(bytes) - costs.nearest().cpu(bytes)) / MICROS;
	}

	/** All but the largest service save, and none more than it needs. */
	private long savedMib(Collection<String> group) {
		return group.stream()
			.map(this.services::get)
			.map((service) -> service.replicas()
					* Math.min(this.model.sharing().savedMib(), service.demand().get(Resources.MEMORY)))
			.sorted(Comparator.reverseOrder())
			.skip(1)
			.mapToLong(Long::longValue)
			.sum();
	}

	/** Joins pairs, heaviest traffic first, as long as all members get along. */
	private Grouping group(Predicate<List<String>> candidate) {
		List<Map.Entry<List<String>, Calls>> heaviest = new ArrayList<>(this.pairs.entrySet());
		heaviest.removeIf((pair) -> !pair.getValue().measured || !candidate.test(pair.getKey()));
		heaviest.sort(Comparator.comparingDouble((Map.Entry<List<String>, Calls> pair) -> -pair.getValue().traffic)
			.thenComparing((pair) -> pair.getKey().get(0))
			.thenComparing((pair) -> pair.getKey().get(1)));
		Map<String, Set<String>> groups = new TreeMap<>();
		Map<List<String>, List<String>> refused = new LinkedHashMap<>();
		for (Map.Entry<List<String>, Calls> pair : heaviest.subList(0, Math.min(MAX_PAIRS, heaviest.size()))) {
			String one = pair.getKey().get(0);
			String other = pair.getKey().get(1);
			Set<String> first = groups.getOrDefault(one, new LinkedHashSet<>(Set.of(one)));
			Set<String> second = groups.getOrDefault(other, new LinkedHashSet<>(Set.of(other)));
			if (first == second) {
				continue;
			}
			List<String> obstacles = obstacles(first, second);
			if (obstacles.isEmpty()) {
				first.addAll(second);
				first.forEach((member) -> groups.put(member, first));
			}
			else {
				refused.put(pair.getKey(), obstacles);
			}
		}
		Set<Set<String>> listed = new HashSet<>();
		return new Grouping(groups.values().stream().filter(listed::add).toList(), refused);
	}

	/**
	 * Each member of one group has to get along with each of the other. Where nothing is
	 * known of any, that is said once.
	 */
	private List<String> obstacles(Set<String> first, Set<String> second) {
		List<String> obstacles = new ArrayList<>();
		boolean known = false;
		for (String one : first) {
			for (String other : second) {
				List<String> found = this.checker.obstacles(one, other);
				known |= !found.equals(List.of(MergeChecker.UNKNOWN));
				boolean named = first.size() > 1 || second.size() > 1;
				found.forEach(
						(reason) -> obstacles.add(named ? "'%s' and '%s': %s".formatted(one, other, reason) : reason));
			}
		}
		return known ? obstacles : List.of(MergeChecker.UNKNOWN);
	}

	/** Groups that may share a JVM, and pairs that may not, with the obstacles. */
	private record Grouping(List<Set<String>> groups, Map<List<String>, List<String>> refused) {
	}

	/**
	 * Returns the model with the groups that it names, or else with those that the
	 * checker allows.
	 */
	static PlacementModel withSharing(PlacementModel model, MergeChecker checker) {
		return model.sharing().groups().isEmpty()
				? model.with(new JvmSharing(new MergePlanner(model, checker).groups(), checker.savedMib())) : model;
	}

}
