package io.github.vicinal.placement.recommend;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;

/** Finds services that a plan puts on the same hosts and that may share a JVM. */
final class MergePlanner {

	/** Pairs that are looked at, heaviest traffic first. */
	private static final int MAX_PAIRS = 200;

	private MergePlanner() {
	}

	/**
	 * Groups that may be merged first, then pairs that may not, each by falling traffic.
	 */
	static List<Merge> plan(PlacementModel model, Plan plan, MergeChecker checker) {
		Map<List<String>, Double> pairs = new HashMap<>();
		double all = 0;
		for (Edge edge : model.edges()) {
			PlacementModel.EdgeCost cost = model.cost(edge);
			if (cost == null) {
				continue;
			}
			all += cost.apart();
			if (plan.on(edge.from()).equals(plan.on(edge.to()))) {
				List<String> pair = (edge.from().compareTo(edge.to()) < 0) ? List.of(edge.from(), edge.to())
						: List.of(edge.to(), edge.from());
				pairs.merge(pair, cost.apart(), Double::sum);
			}
		}
		double total = (all > 0) ? all : 1;
		List<Map.Entry<List<String>, Double>> heaviest = new ArrayList<>(pairs.entrySet());
		heaviest.sort(Map.Entry.<List<String>, Double>comparingByValue()
			.reversed()
			.thenComparing((pair) -> pair.getKey().toString()));
		Map<String, Set<String>> groups = new TreeMap<>();
		List<Merge> refused = new ArrayList<>();
		for (Map.Entry<List<String>, Double> pair : heaviest.subList(0, Math.min(MAX_PAIRS, heaviest.size()))) {
			String one = pair.getKey().get(0);
			String other = pair.getKey().get(1);
			Set<String> first = groups.getOrDefault(one, new LinkedHashSet<>(Set.of(one)));
			Set<String> second = groups.getOrDefault(other, new LinkedHashSet<>(Set.of(other)));
			if (first == second) {
				continue;
			}
			List<String> obstacles = obstacles(first, second, checker);
			if (obstacles.isEmpty()) {
				first.addAll(second);
				first.forEach((member) -> groups.put(member, first));
			}
			else {
				refused.add(new Merge(pair.getKey(), pair.getValue() / total, obstacles));
			}
		}
		List<Merge> merges = new ArrayList<>();
		Set<Set<String>> listed = new HashSet<>();
		for (Set<String> group : groups.values()) {
			if (listed.add(group)) {
				double inside = pairs.entrySet()
					.stream()
					.filter((pair) -> group.containsAll(pair.getKey()))
					.mapToDouble(Map.Entry::getValue)
					.sum();
				merges.add(new Merge(group.stream().sorted().toList(), inside / total, List.of()));
			}
		}
		merges.sort((one, other) -> Double.compare(other.trafficShare(), one.trafficShare()));
		merges.addAll(refused);
		return merges;
	}

	/** Each member of one group has to get along with each of the other. */
	private static List<String> obstacles(Set<String> first, Set<String> second, MergeChecker checker) {
		List<String> obstacles = new ArrayList<>();
		for (String one : first) {
			for (String other : second) {
				List<String> found = checker.obstacles(one, other);
				boolean named = first.size() > 1 || second.size() > 1;
				found.forEach(
						(reason) -> obstacles.add(named ? "'%s' and '%s': %s".formatted(one, other, reason) : reason));
			}
		}
		return obstacles;
	}

}
