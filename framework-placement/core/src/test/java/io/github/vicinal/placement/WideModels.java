package io.github.vicinal.placement;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Separation;
import io.github.vicinal.placement.model.Service;

/**
 * Models of all kinds, with and without a plan: zones with one host, hosts without a
 * zone, pins, separations, ports, full hosts, replicas that nobody located, services that
 * grow or shrink, hosts that are gone.
 */
public final class WideModels {

	private WideModels() {
	}

	/**
	 * Returns a model that is not refused; what is refused needs no plan.
	 * @param seed decides what it is like
	 * @return the model
	 */
	public static PlacementModel model(long seed) {
		Random random = new Random(seed);
		InvalidModelException last = null;
		for (int i = 0; i < 200; i++) {
			try {
				return model(random);
			}
			catch (InvalidModelException ex) {
				last = ex;
			}
		}
		throw new AssertionError("seed " + seed, last);
	}

	private static PlacementModel model(Random random) {
		int hosts = 1 + random.nextInt(7);
		int zones = 1 + random.nextInt(4);
		// What runs breaks no rule in tidy models, and many in the others.
		boolean tidy = random.nextBoolean();
		int kind = random.nextInt(tidy ? 2 : 4);
		List<String> zoneOf = new ArrayList<>();
		for (int h = 0; h < hosts; h++) {
			// Zone 0 is the one of hosts that name none.
			int zone = random.nextInt(zones);
			zoneOf.add((zone == 0) ? "" : "z" + zone);
		}
		long[] used = new long[hosts];
		List<Service> services = new ArrayList<>();
		Map<String, Map<String, Integer>> current = new TreeMap<>();
		int count = 2 + random.nextInt(7);
		for (int s = 0; s < count; s++) {
			String name = "s" + s;
			int replicas = 1 + random.nextInt(5);
			long demand = 100L * (1 + random.nextInt(10));
			int located = switch (tidy ? -1 : random.nextInt(8)) {
				case 0 -> random.nextInt(replicas + 1);
				case 1 -> replicas + 1 + random.nextInt(2);
				default -> replicas;
			};
			Map<String, Integer> on = new TreeMap<>();
			for (int i = 0; i < located; i++) {
				int h = (!tidy && random.nextInt(20) == 0) ? hosts : random.nextInt(hosts);
				on.merge("h" + h, 1, Integer::sum);
				if (h < hosts) {
					used[h] += demand;
				}
			}
			if (!on.isEmpty()) {
				current.put(name, on);
			}
			services.add(new Service(name, replicas, Resources.of(demand, 0),
					(!tidy && random.nextInt(12) == 0) ? Set.of(80) : Set.of(),
					(random.nextInt(5) == 0) ? (tidy ? most(on) : 1) + random.nextInt(3) : Integer.MAX_VALUE, Set.of(),
					(random.nextInt(5) == 0) ? pins(random, on.keySet(), hosts, tidy) : Set.of()));
		}
		List<Host> places = new ArrayList<>();
		for (int h = 0; h < hosts; h++) {
			// Wide, exactly full, or less than what runs there, so that something must
			// go.
			long room = switch (kind) {
				case 0 -> used[h] + 5000;
				case 1 -> used[h] + 100L * random.nextInt(10);
				case 2 -> Math.max(100, used[h] - 100L * random.nextInt(5) + ((h == 0) ? 3000 : 0));
				default -> 500L * (1 + random.nextInt(20));
			};
			places.add(new Host("h" + h, zoneOf.get(h), Resources.of(room, 1), Resources.none(),
					(!tidy && random.nextInt(10) == 0) ? 3 + random.nextInt(5) : Integer.MAX_VALUE));
		}
		List<Edge> edges = new ArrayList<>();
		for (int s = 1; s < count; s++) {
			edges.add(Edge.calls("s" + s, "s" + random.nextInt(s), 1 + random.nextInt(10_000)));
		}
		List<Separation> separations = new ArrayList<>();
		while (random.nextInt(3) == 0) {
			separations.add(separation(random, count));
		}
		Objective traffic = Objective.traffic(EdgeWeight.CALLS,
				random.nextBoolean() ? Routing.LOCALITY : Routing.UNIFORM);
		return new PlacementModel(services, places, edges, separations, PathCosts.defaults(),
				random.nextInt(4) == 0 ? traffic.weighted(1, 1, 0, 1) : traffic, new Plan(current));
	}

	private static int most(Map<String, Integer> on) {
		return on.values().stream().mapToInt(Integer::intValue).max().orElse(1);
	}

	private static Set<String> pins(Random random, Set<String> on, int hosts, boolean all) {
		Set<String> pins = new TreeSet<>();
		on.stream().filter((host) -> !host.equals("h" + hosts) && (all || random.nextInt(4) > 0)).forEach(pins::add);
		pins.add("h" + random.nextInt(hosts));
		return pins;
	}

	private static Separation separation(Random random, int services) {
		String one = "s" + random.nextInt(services);
		String other = "s" + random.nextInt(services);
		return switch (random.nextInt(4)) {
			case 0 -> new Separation(List.of(one), Separation.Scope.HOST, "");
			case 1 -> new Separation(List.of(one), Separation.Scope.ZONE, "");
			case 2 -> new Separation(one.equals(other) ? List.of(one) : List.of(one, other), Separation.Scope.HOST, "");
			default -> new Separation(one.equals(other) ? List.of(one) : List.of(one, other), Separation.Scope.HOST, "",
					2 + random.nextInt(2));
		};
	}

}
