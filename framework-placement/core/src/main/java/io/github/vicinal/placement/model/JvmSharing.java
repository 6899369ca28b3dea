package io.github.vicinal.placement.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Services that may share a JVM, and the memory that this saves. What they save enters
 * the objective: calls between two of a group on one host cost
 * {@link PathCosts#sameJvm()}, and a JVM that is not needed frees its memory.
 *
 * @param groups disjoint groups of services; any two of a group may share a JVM
 * @param savedMib memory that each service beyond the first of a JVM saves, in MiB
 * @since 0.1.0
 */
public record JvmSharing(List<Set<String>> groups, long savedMib) {

	/**
	 * Default of the saved memory, in MiB: a JVM of its own cost 219 MiB, a further
	 * application with class loaders of its own up to 57.
	 */
	public static final long DEFAULT_SAVED_MIB = 160;

	public JvmSharing {
		if (savedMib < 0 || savedMib > Resources.MAX_AMOUNT) {
			throw new InvalidModelException("A service in a shared JVM saves %d MiB; it must be between 0 and %d"
				.formatted(savedMib, Resources.MAX_AMOUNT));
		}
		Set<String> seen = new HashSet<>();
		List<Set<String>> copies = new ArrayList<>();
		for (Set<String> group : groups) {
			for (String service : group) {
				if (!seen.add(service)) {
					throw new InvalidModelException(
							"Service '%s' is in two groups that may share a JVM; groups have no service in common"
								.formatted(service));
				}
			}
			copies.add(Collections.unmodifiableSet(new TreeSet<>(group)));
		}
		groups = List.copyOf(copies);
	}

	/**
	 * Returns that no services may share a JVM.
	 * @return without groups
	 */
	public static JvmSharing none() {
		return new JvmSharing(List.of(), DEFAULT_SAVED_MIB);
	}

	/**
	 * Returns which pairs save memory in a model: those of a group that exchange most,
	 * without a circle, so that a group of n saves n - 1 times. Members of a group that
	 * share a host without those that connect them count as apart; so the saving is never
	 * overstated.
	 * @param model the model that this is part of
	 * @return the pairs
	 */
	List<Pair> pairs(PlacementModel model) {
		if (this.groups.isEmpty() || this.savedMib == 0) {
			return List.of();
		}
		Map<List<String>, Double> traffic = new HashMap<>();
		for (Edge edge : model.edges()) {
			PlacementModel.EdgeCost cost = model.cost(edge);
			if (cost != null && cost.apart() > 0 && model.mayShareJvm(edge.from(), edge.to())) {
				traffic.merge(ordered(edge.from(), edge.to()), cost.apart(), Double::sum);
			}
		}
		List<Map.Entry<List<String>, Double>> heaviest = new ArrayList<>(traffic.entrySet());
		heaviest.sort(Map.Entry.<List<String>, Double>comparingByValue(Comparator.reverseOrder())
			.thenComparing((pair) -> pair.getKey().get(0))
			.thenComparing((pair) -> pair.getKey().get(1)));
		Map<String, Service> services = new HashMap<>();
		model.services().forEach((service) -> services.put(service.name(), service));
		Map<String, Set<String>> connected = new HashMap<>();
		List<Pair> pairs = new ArrayList<>();
		for (Map.Entry<List<String>, Double> each : heaviest) {
			String one = each.getKey().get(0);
			String other = each.getKey().get(1);
			Set<String> first = connected.computeIfAbsent(one, (name) -> new HashSet<>(Set.of(name)));
			Set<String> second = connected.computeIfAbsent(other, (name) -> new HashSet<>(Set.of(name)));
			if (first == second) {
				continue;
			}
			first.addAll(second);
			second.forEach((name) -> connected.put(name, first));
			long saved = Math.min(this.savedMib, Math.min(memory(services, one), memory(services, other)));
			if (saved > 0) {
				pairs.add(new Pair(one, other, saved));
			}
		}
		return pairs;
	}

	private static List<String> ordered(String one, String other) {
		return (one.compareTo(other) < 0) ? List.of(one, other) : List.of(other, one);
	}

	private static long memory(Map<String, Service> services, String name) {
		Service service = services.get(name);
		return (service != null) ? service.demand().get(Resources.MEMORY) : 0;
	}

	/**
	 * Two services that save memory where a replica of each shares a JVM.
	 *
	 * @param one one service
	 * @param other the other
	 * @param savedMib memory saved by each JVM, at most what either needs, in MiB
	 * @since 0.1.0
	 */
	public record Pair(String one, String other, long savedMib) {
	}

}
