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

	/** Traffic of each pair, and of all. */
	private final Map<List<String>, Double> traffic = new HashMap<>();

	private double all;

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
			if (cost != null) {
				this.all += cost.apart();
				this.traffic.merge(pair(edge), cost.apart(), Double::sum);
			}
		}
	}

	private static List<String> pair(Edge edge) {
		return (edge.from().compareTo(edge.to()) < 0) ? List.of(edge.from(), edge.to())
				: List.of(edge.to(), edge.from());
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
		double inside = this.traffic.entrySet()
			.stream()
			.filter((pair) -> group.containsAll(pair.getKey()))
			.mapToDouble(Map.Entry::getValue)
			.sum();
		return new Merge(group.stream().sorted().toList(), inside / ((this.all > 0) ? this.all : 1), savedCores(group),
				savedMib(group), obstacles);
	}

	/** With uniform routing a call finds the replica of its own JVM by chance. */
	private double savedCores(Collection<String> group) {
		PathCosts costs = this.model.pathCosts();
		double saved = 0;
		for (Edge edge : this.model.edges()) {
			Double calls = edge.callsPerSecond();
			if (calls == null || !group.contains(edge.from()) || !group.contains(edge.to())) {
				continue;
			}
			Double known = edge.bytesPerCall();
			double bytes = (known != null) ? known : 0;
			double share = (this.model.objective().routing() == Routing.LOCALITY) ? 1
					: 1.0 / Math.max(1, replicas(edge.to()));
			saved += share * calls * (costs.sameHost().cpu(bytes) - costs.nearest().cpu(bytes)) / MICROS;
		}
		return saved;
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
		List<Map.Entry<List<String>, Double>> heaviest = new ArrayList<>(this.traffic.entrySet());
		heaviest.removeIf((pair) -> !candidate.test(pair.getKey()));
		heaviest.sort(Map.Entry.<List<String>, Double>comparingByValue()
			.reversed()
			.thenComparing((pair) -> pair.getKey().get(0))
			.thenComparing((pair) -> pair.getKey().get(1)));
		Map<String, Set<String>> groups = new TreeMap<>();
		Map<List<String>, List<String>> refused = new LinkedHashMap<>();
		for (Map.Entry<List<String>, Double> pair : heaviest.subList(0, Math.min(MAX_PAIRS, heaviest.size()))) {
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
