package io.github.vicinal.placement.verify;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.JvmSharing;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Preference;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Separation;
import io.github.vicinal.placement.model.Service;

/**
 * Checks a plan against a model and values it, by the definitions alone. Has no state.
 *
 * @since 0.1.0
 */
public final class PlacementVerifier {

	/**
	 * Checks a plan.
	 * @param model what is placed where
	 * @param plan the plan
	 * @return what it breaks, and what it is worth
	 */
	public Verdict verify(PlacementModel model, Plan plan) {
		return verify(model, plan, Map.of());
	}

	/**
	 * Checks a plan in which some services need not keep the hosts and zones that they
	 * are to keep.
	 * @param model what is placed where
	 * @param plan the plan
	 * @param lowered fewest hosts and zones of such services, by name
	 * @return what it breaks, and what it is worth
	 */
	public Verdict verify(PlacementModel model, Plan plan, Map<String, Spread> lowered) {
		List<String> violations = new ArrayList<>();
		Set<String> checks = checks(model, plan, lowered, violations);
		return value(model, plan, violations, List.copyOf(checks));
	}

	/**
	 * Returns whether a plan breaks no rule. Takes less time than
	 * {@link #verify(PlacementModel, Plan, Map)}.
	 * @param model what is placed where
	 * @param plan the plan
	 * @param lowered fewest hosts and zones of services that need not keep theirs, by
	 * name
	 * @return whether it is feasible
	 */
	public boolean feasible(PlacementModel model, Plan plan, Map<String, Spread> lowered) {
		List<String> violations = new ArrayList<>();
		checks(model, plan, lowered, violations);
		return violations.isEmpty();
	}

	private static Set<String> checks(PlacementModel model, Plan plan, Map<String, Spread> lowered,
			List<String> violations) {
		Set<String> checks = new LinkedHashSet<>(
				List.of("every replica placed exactly once", "capacity less reserve in every resource"));
		replicas(model, plan, violations);
		capacities(model, plan, violations);
		ownRules(model, plan, violations, checks);
		ports(model, plan, violations, checks);
		separations(model, plan, violations, checks);
		redundancy(model, plan, lowered, violations, checks);
		return checks;
	}

	private static void replicas(PlacementModel model, Plan plan, List<String> violations) {
		Set<String> hosts = new HashSet<>();
		model.hosts().forEach((host) -> hosts.add(host.name()));
		Set<String> services = new HashSet<>();
		for (Service service : model.services()) {
			services.add(service.name());
			int placed = plan.total(service.name());
			if (placed != service.replicas()) {
				violations.add("'%s' has %s, the plan places %d".formatted(service.name(), replicas(service.replicas()),
						placed));
			}
		}
		plan.replicas().forEach((service, byHost) -> {
			if (!services.contains(service)) {
				violations.add("the plan places '%s', which is no service".formatted(service));
			}
			byHost.keySet()
				.stream()
				.filter((host) -> !hosts.contains(host))
				.forEach((host) -> violations
					.add("the plan places '%s' on '%s', which is no host".formatted(service, host)));
		});
	}

	private static void capacities(PlacementModel model, Plan plan, List<String> violations) {
		Map<String, Map<String, Long>> used = new HashMap<>();
		Map<String, Integer> count = new HashMap<>();
		for (Service service : model.services()) {
			plan.on(service.name()).forEach((host, replicas) -> {
				count.merge(host, replicas, Integer::sum);
				Map<String, Long> amounts = used.computeIfAbsent(host, (key) -> new TreeMap<>());
				service.demand()
					.amounts()
					.forEach((resource, amount) -> amounts.merge(resource, amount * replicas, Long::sum));
			});
		}
		for (Host host : model.hosts()) {
			used.getOrDefault(host.name(), Map.of()).forEach((resource, amount) -> {
				long has = host.capacity().get(resource) - host.reserve().get(resource);
				if (amount > has) {
					violations.add("'%s' has %d of %s, the plan uses %d".formatted(host.name(), has, resource, amount));
				}
			});
			int replicas = count.getOrDefault(host.name(), 0);
			if (replicas > host.maxReplicas()) {
				violations.add("'%s' takes %s, the plan puts %d on it".formatted(host.name(),
						replicas(host.maxReplicas()), replicas));
			}
		}
	}

	private static String replicas(int count) {
		return (count == 1) ? "1 replica" : count + " replicas";
	}

	private static void ownRules(PlacementModel model, Plan plan, List<String> violations, Set<String> checks) {
		Map<String, Host> hosts = new HashMap<>();
		model.hosts().forEach((host) -> hosts.put(host.name(), host));
		for (Service service : model.services()) {
			if (!service.pinnedTo().isEmpty()) {
				checks.add("pinned services");
			}
			if (!service.zones().isEmpty()) {
				checks.add("zones");
			}
			if (service.maxPerHost() < Integer.MAX_VALUE) {
				checks.add("most replicas per host");
			}
			plan.on(service.name()).forEach((name, replicas) -> {
				Host host = hosts.get(name);
				if (host == null) {
					return;
				}
				if (!service.pinnedTo().isEmpty() && !service.pinnedTo().contains(name)) {
					violations.add("'%s' is pinned to %s, the plan puts it on '%s'".formatted(service.name(),
							service.pinnedTo(), name));
				}
				if (!service.zones().isEmpty() && !service.zones().contains(host.zone())) {
					violations.add("'%s' is to run in %s, the plan puts it on '%s' in '%s'".formatted(service.name(),
							service.zones(), name, host.zone()));
				}
				if (replicas > service.maxPerHost()) {
					violations.add("'%s' may have %s on a host, the plan puts %d on '%s'".formatted(service.name(),
							replicas(service.maxPerHost()), replicas, name));
				}
			});
		}
	}

	private static void ports(PlacementModel model, Plan plan, List<String> violations, Set<String> checks) {
		Map<String, Map<Integer, String>> taken = new HashMap<>();
		for (Service service : model.services()) {
			for (int port : service.ports()) {
				checks.add("ports of hosts");
				plan.on(service.name()).forEach((host, replicas) -> {
					String other = taken.computeIfAbsent(host, (key) -> new HashMap<>()).put(port, service.name());
					if (replicas > 1 || other != null) {
						violations.add("port %d of '%s' is taken by '%s' and '%s'".formatted(port, host, service.name(),
								(other != null) ? other : service.name()));
					}
				});
			}
		}
	}

	private static void separations(PlacementModel model, Plan plan, List<String> violations, Set<String> checks) {
		Map<String, String> zones = new HashMap<>();
		model.hosts().forEach((host) -> zones.put(host.name(), host.zone()));
		for (Separation separation : model.separations()) {
			if (separation.maximum() > 1) {
				checks.add("most replicas of several services on a host");
				atMost(separation, plan, violations);
				continue;
			}
			boolean byZone = separation.scope() == Separation.Scope.ZONE;
			checks.add(byZone ? "services kept in different zones" : "services kept on different hosts");
			boolean alone = separation.services().size() == 1;
			Map<String, String> occupant = new HashMap<>();
			Map<String, Integer> replicas = new HashMap<>();
			for (String service : separation.services()) {
				plan.on(service).forEach((host, count) -> {
					String place = byZone ? zones.getOrDefault(host, host) : host;
					String other = occupant.put(place, service);
					boolean shared = alone ? replicas.merge(place, count, Integer::sum) > 1
							: other != null && !other.equals(service);
					if (shared) {
						violations.add("'%s' and '%s' share %s '%s'%s".formatted((other != null) ? other : service,
								service, byZone ? "zone" : "host", place,
								separation.reason().isEmpty() ? "" : ", although: " + separation.reason()));
					}
				});
			}
		}
	}

	private static void atMost(Separation separation, Plan plan, List<String> violations) {
		Map<String, Integer> replicas = new TreeMap<>();
		separation.services()
			.forEach((service) -> plan.on(service).forEach((host, count) -> replicas.merge(host, count, Integer::sum)));
		replicas.forEach((host, count) -> {
			if (count > separation.maximum()) {
				violations.add("'%s' may run %s of %s, the plan puts %d on it%s".formatted(host,
						replicas(separation.maximum()), separation.services(), count,
						separation.reason().isEmpty() ? "" : ", although: " + separation.reason()));
			}
		});
	}

	/** A service that moves keeps its hosts and zones, and two if it has two replicas. */
	private static void redundancy(PlacementModel model, Plan plan, Map<String, Spread> lowered,
			List<String> violations, Set<String> checks) {
		Map<String, Host> hosts = new HashMap<>();
		model.hosts().forEach((host) -> hosts.put(host.name(), host));
		Set<String> separated = new HashSet<>();
		model.separations()
			.stream()
			.filter((separation) -> separation.services().size() > 1)
			.forEach((separation) -> separated.addAll(separation.services()));
		for (Service service : model.services()) {
			if (service.replicas() < 2 || model.mayConcentrate().contains(service.name())) {
				continue;
			}
			checks.add("hosts and zones of services with replicas");
			Map<String, Integer> now = (model.current() != null) ? model.current().on(service.name()) : Map.of();
			if (plan.on(service.name()).equals(now)) {
				continue;
			}
			List<Host> before = now.keySet().stream().filter(hosts::containsKey).map(hosts::get).toList();
			List<Host> after = plan.on(service.name())
				.keySet()
				.stream()
				.filter(hosts::containsKey)
				.map(hosts::get)
				.toList();
			// Where replicas only stop, none moves, and one host that was enough still
			// is.
			boolean stays = !now.isEmpty() && plan.on(service.name())
				.entrySet()
				.stream()
				.allMatch((on) -> on.getValue() <= now.getOrDefault(on.getKey(), 0));
			// A separation may forbid a second one where there is one only.
			boolean apart = separated.contains(service.name());
			int leastHosts = (stays || (apart && now.size() == 1)) ? 1 : 2;
			int leastZones = (stays || (apart && before.size() == now.size() && zones(before) == 1)) ? 1 : 2;
			Spread lower = lowered.getOrDefault(service.name(), new Spread(Integer.MAX_VALUE, Integer.MAX_VALUE));
			int wantedHosts = Math.min(service.replicas(),
					Math.min(lower.hosts(), Math.max(leastHosts, before.size())));
			int wantedZones = Math.min(service.replicas(),
					Math.min(lower.zones(), Math.max(leastZones, zones(before))));
			if (after.size() < wantedHosts || zones(after) < wantedZones) {
				List<Host> possible = model.hosts().stream().filter((host) -> mayTake(host, service)).toList();
				fewer(service, "hosts", Math.min(possible.size(), wantedHosts), after.size(), violations);
				fewer(service, "zones", Math.min(zones(possible), wantedZones), zones(after), violations);
			}
		}
	}

	private static boolean mayTake(Host host, Service service) {
		return (service.pinnedTo().isEmpty() || service.pinnedTo().contains(host.name()))
				&& (service.zones().isEmpty() || service.zones().contains(host.zone())) && host.maxReplicas() > 0
				&& service.demand()
					.amounts()
					.entrySet()
					.stream()
					.allMatch((demand) -> demand.getValue() <= host.capacity().get(demand.getKey())
							- host.reserve().get(demand.getKey()));
	}

	private static int zones(List<Host> hosts) {
		return (int) hosts.stream().map(Host::zone).distinct().count();
	}

	private static void fewer(Service service, String what, int fewest, int after, List<String> violations) {
		if (after < fewest) {
			violations.add("'%s' is to use at least %d %s, the plan uses %d; let it concentrate if that is intended"
				.formatted(service.name(), fewest, what, after));
		}
	}

	private static Verdict value(PlacementModel model, Plan plan, List<String> violations, List<String> checks) {
		Objective objective = model.objective();
		double apart = 0;
		double cost = 0;
		double volume = 0;
		double crossing = 0;
		int unmeasured = 0;
		Map<String, Integer> replicas = new HashMap<>();
		// Of what runs now there may be more than the model has.
		model.services()
			.forEach((service) -> replicas.put(service.name(),
					Math.max(service.replicas(), plan.total(service.name()))));
		Map<String, String> zones = model.zones();
		for (Edge edge : model.edges()) {
			PlacementModel.EdgeCost costs = model.cost(edge);
			if (costs == null) {
				unmeasured++;
				continue;
			}
			double local = local(plan, edge.from(), edge.to(), replicas, objective.routing());
			double near = near(plan, edge, replicas, zones, objective.routing());
			apart += costs.far();
			cost += costs.far() * (1 - near) + costs.apart() * (near - local) + costs.together() * local;
			volume += costs.apart() - costs.together();
			crossing += (costs.apart() - costs.together()) * (1 - local);
		}
		double communication = (apart > 0) ? cost / apart : 0;
		double imbalance = imbalance(model, plan);
		int all = model.services().stream().mapToInt(Service::replicas).sum();
		Plan current = model.current();
		int moved = (current != null) ? moved(model, current, plan) : 0;
		Set<String> used = new HashSet<>();
		plan.replicas().values().forEach((byHost) -> used.addAll(byHost.keySet()));
		List<JvmSharing.Pair> sharing = model.sharedJvms();
		double memory = memory(model, plan, sharing);
		double ofMemory = sharing.isEmpty() ? 0 : objective.memory();
		double ofPreferences = model.preferences().stream().mapToDouble(Preference::weight).sum();
		double preferences = preferences(model, plan, replicas);
		double weights = objective.communication() + objective.imbalance() + objective.moves() + objective.hosts()
				+ ofMemory + ofPreferences;
		double value = (objective.communication() * communication + objective.imbalance() * imbalance
				+ objective.moves() * moved / all + objective.hosts() * used.size() / model.hosts().size()
				+ ofMemory * memory + ofPreferences * preferences) / weights;
		return new Verdict(violations, checks, objective.weight(), objective.routing(),
				(volume > 0) ? crossing / volume : 0, communication, imbalance, moved, all, used.size(),
				model.hosts().size(), memory, preferences, value, unmeasured);
	}

	/** The part of the preferences, by their weights, that is not met. */
	private static double preferences(PlacementModel model, Plan plan, Map<String, Integer> replicas) {
		double missed = 0;
		double all = 0;
		for (Preference preference : model.preferences()) {
			List<String> services = preference.services();
			for (int i = 0; i < services.size(); i++) {
				for (int j = 0; j < i; j++) {
					missed += preference.weight() / preference.pairs() * (1
							- local(plan, services.get(i), services.get(j), replicas, model.objective().routing()));
				}
			}
			all += preference.weight();
		}
		return (all > 0) ? missed / all : 0;
	}

	/** The part of the memory that is needed although JVMs are shared. */
	private static double memory(PlacementModel model, Plan plan, List<JvmSharing.Pair> sharing) {
		double all = 0;
		for (Service service : model.services()) {
			all += (double) service.replicas() * service.demand().get(Resources.MEMORY);
		}
		double saved = 0;
		for (JvmSharing.Pair pair : sharing) {
			for (Map.Entry<String, Integer> there : plan.on(pair.one()).entrySet()) {
				saved += (double) pair.savedMib()
						* Math.min(there.getValue(), plan.count(pair.other(), there.getKey()));
			}
		}
		return (all > 0) ? 1 - saved / all : 1;
	}

	/** The part of the traffic between two services that stays on a host. */
	private static double local(Plan plan, String from, String to, Map<String, Integer> replicas, Routing routing) {
		double local = 0;
		for (Map.Entry<String, Integer> caller : plan.on(from).entrySet()) {
			double fromShare = (double) caller.getValue() / replicas.getOrDefault(from, 1);
			double toShare = (double) plan.count(to, caller.getKey()) / replicas.getOrDefault(to, 1);
			local += switch (routing) {
				case UNIFORM -> fromShare * toShare;
				case LOCALITY -> Math.min(fromShare, toShare);
			};
		}
		return local;
	}

	/** The part of an edge's traffic that stays in a zone. */
	private static double near(Plan plan, Edge edge, Map<String, Integer> replicas, Map<String, String> zones,
			Routing routing) {
		Map<String, Double> callers = byZone(plan, edge.from(), replicas, zones);
		Map<String, Double> called = byZone(plan, edge.to(), replicas, zones);
		double near = 0;
		for (Map.Entry<String, Double> zone : callers.entrySet()) {
			double there = called.getOrDefault(zone.getKey(), 0.0);
			near += (routing == Routing.UNIFORM) ? zone.getValue() * there : Math.min(zone.getValue(), there);
		}
		return near;
	}

	/** The part of a service's replicas in each zone that it uses. */
	private static Map<String, Double> byZone(Plan plan, String service, Map<String, Integer> replicas,
			Map<String, String> zones) {
		Map<String, Double> shares = new TreeMap<>();
		// A host that is gone is in no zone of another.
		plan.on(service).forEach((host, count) -> {
			String zone = zones.get(host);
			shares.merge((zone != null) ? zone : "host " + host, (double) count / replicas.getOrDefault(service, 1),
					Double::sum);
		});
		return shares;
	}

	private static double imbalance(PlacementModel model, Plan plan) {
		Map<String, Map<String, Double>> used = new LinkedHashMap<>();
		model.hosts().forEach((host) -> used.put(host.name(), new HashMap<>()));
		for (Service service : model.services()) {
			plan.on(service.name())
				.forEach((host, replicas) -> service.demand()
					.amounts()
					.forEach((resource, amount) -> used.getOrDefault(host, new HashMap<>())
						.merge(resource, (double) amount * replicas, Double::sum)));
		}
		double imbalance = 0;
		for (String resource : model.resources()) {
			List<Double> utilisations = new ArrayList<>();
			for (Host host : model.hosts()) {
				double has = host.capacity().get(resource) - host.reserve().get(resource);
				double amount = used.getOrDefault(host.name(), Map.of()).getOrDefault(resource, 0.0);
				utilisations.add((has > 0) ? amount / has : 0);
			}
			double mean = utilisations.stream().mapToDouble(Double::doubleValue).average().orElse(0);
			imbalance += utilisations.stream()
				.mapToDouble((utilisation) -> (utilisation - mean) * (utilisation - mean))
				.average()
				.orElse(0);
		}
		return imbalance;
	}

	/**
	 * Replicas that a host gets more than it has now; those that do not run yet are free.
	 */
	private static int moved(PlacementModel model, Plan current, Plan plan) {
		Set<String> hosts = new HashSet<>();
		model.hosts().forEach((host) -> hosts.add(host.name()));
		int moved = 0;
		for (Service service : model.services()) {
			int arriving = 0;
			for (Map.Entry<String, Integer> on : plan.on(service.name()).entrySet()) {
				arriving += Math.max(0, on.getValue() - current.count(service.name(), on.getKey()));
			}
			int running = current.on(service.name())
				.entrySet()
				.stream()
				.filter((on) -> hosts.contains(on.getKey()))
				.mapToInt(Map.Entry::getValue)
				.sum();
			moved += Math.max(0, arriving - Math.max(0, service.replicas() - running));
		}
		return moved;
	}

}
