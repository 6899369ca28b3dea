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
import io.github.vicinal.placement.model.Evidence;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.JvmSharing;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCost;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Preference;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Route;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Separation;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.verify.Verdict;

/**
 * Models with a hidden placement that satisfies them, with or without replicas and rules.
 */
public final class RandomModels {

	private final Random random;

	private final boolean replicas;

	private final boolean rules;

	public RandomModels(long seed, boolean replicas, boolean rules) {
		this.random = new Random(seed);
		this.replicas = replicas;
		this.rules = rules;
	}

	public PlacementModel model(int services, int hosts) {
		Map<String, Map<String, Integer>> hidden = new TreeMap<>();
		List<Service> all = new ArrayList<>();
		long[][] used = new long[hosts][2];
		for (int s = 0; s < services; s++) {
			Resources demand = Resources.of(100 * (1 + this.random.nextInt(10)), 64 * (1 + this.random.nextInt(16)));
			int count = this.replicas ? 1 + this.random.nextInt(4) : 1;
			Map<String, Integer> on = new TreeMap<>();
			for (int i = 0; i < count; i++) {
				int h = this.random.nextInt(hosts);
				on.merge("h" + h, 1, Integer::sum);
				used[h][0] += demand.get(Resources.CPU);
				used[h][1] += demand.get(Resources.MEMORY);
			}
			hidden.put("s" + s, on);
			boolean ruled = this.rules && this.random.nextInt(3) == 0;
			int most = on.values().stream().mapToInt(Integer::intValue).max().orElse(1);
			all.add(new Service("s" + s, count, demand, Set.of(), ruled ? most : Integer.MAX_VALUE, Set.of(),
					(ruled && this.random.nextBoolean()) ? pins(on.keySet(), hosts) : Set.of()));
		}
		List<Host> places = new ArrayList<>();
		for (int h = 0; h < hosts; h++) {
			long slack = 100 + this.random.nextInt(1000);
			places.add(new Host("h" + h, "z" + h % 2, Resources.of(used[h][0] + slack + 50, used[h][1] + slack),
					Resources.of(50, 0), Integer.MAX_VALUE));
		}
		List<Edge> edges = new ArrayList<>();
		for (int s = 1; s < services; s++) {
			edges.add(edge("s" + s, "s" + this.random.nextInt(s)));
			if (this.random.nextInt(3) == 0) {
				edges.add(edge("s" + this.random.nextInt(s), "s" + s));
			}
		}
		return new PlacementModel(all, places, edges, this.rules ? separations(hidden, all) : List.of(),
				PathCosts.defaults(), objective(), new Plan(hidden))
			.withRoutes(routes(edges))
			.with(costs())
			.with(sharing(all))
			.withPreferences(preferences(all));
	}

	/** In some models some services had better share hosts. */
	private List<Preference> preferences(List<Service> all) {
		List<Preference> preferences = new ArrayList<>();
		while (this.random.nextInt(3) == 0 && all.size() > 3) {
			int first = this.random.nextInt(all.size() - 2);
			preferences.add(new Preference(List.of("s" + first, "s" + (first + 1), "s" + (first + 2)),
					0.01 + this.random.nextDouble(), "test"));
		}
		return preferences;
	}

	/** In some models services of two groups may share a JVM. */
	private JvmSharing sharing(List<Service> all) {
		if (this.random.nextBoolean()) {
			return JvmSharing.none();
		}
		List<Set<String>> groups = List.of(new TreeSet<>(), new TreeSet<>());
		for (Service service : all) {
			int group = this.random.nextInt(3);
			if (group < 2) {
				groups.get(group).add(service.name());
			}
		}
		return new JvmSharing(groups, 1 + this.random.nextInt(200));
	}

	/** In some models the other zone is far away. */
	private PathCosts costs() {
		PathCosts near = PathCosts.defaults();
		return this.random.nextBoolean() ? near : new PathCosts(near.sameHost(), near.otherHost(),
				new PathCost("http", 900, 9, 240, 9, 0.2), near.sameJvm());
	}

	/** Some of the calls, in two kinds of request. */
	private List<Route> routes(List<Edge> edges) {
		List<Route> routes = new ArrayList<>();
		for (int r = 0; r < 2; r++) {
			Map<String, Route.Hop> hops = new TreeMap<>();
			for (int i = 0; i < 3; i++) {
				Edge edge = edges.get(this.random.nextInt(edges.size()));
				hops.put(edge.from() + edge.to(), new Route.Hop(edge.from(), edge.to(), 1 + this.random.nextInt(3)));
			}
			routes.add(new Route("r" + r, this.random.nextBoolean() ? 100.0 : null, List.copyOf(hops.values()), 5000.0,
					this.random.nextBoolean() ? 5000.0 : null, Evidence.given()));
		}
		return routes;
	}

	private Set<String> pins(Set<String> on, int hosts) {
		Set<String> pins = new TreeSet<>(on);
		pins.add("h" + this.random.nextInt(hosts));
		return pins;
	}

	private List<Separation> separations(Map<String, Map<String, Integer>> hidden, List<Service> all) {
		List<Separation> separations = new ArrayList<>();
		for (int i = 0; i < all.size() / 2; i++) {
			String one = all.get(this.random.nextInt(all.size())).name();
			String other = all.get(this.random.nextInt(all.size())).name();
			Set<String> first = hidden.getOrDefault(one, Map.of()).keySet();
			Set<String> second = hidden.getOrDefault(other, Map.of()).keySet();
			if (one.equals(other)) {
				continue;
			}
			if (first.stream().noneMatch(second::contains)) {
				separations.add(new Separation(List.of(one, other), Separation.Scope.HOST, "test"));
			}
			if (zones(first).stream().noneMatch(zones(second)::contains)) {
				separations.add(new Separation(List.of(one, other), Separation.Scope.ZONE, ""));
			}
		}
		return separations;
	}

	private static Set<Integer> zones(Set<String> hosts) {
		Set<Integer> zones = new TreeSet<>();
		hosts.forEach((host) -> zones.add(Integer.parseInt(host.substring(1)) % 2));
		return zones;
	}

	private Edge edge(String from, String to) {
		double calls = 1 + this.random.nextInt(1000);
		return new Edge(from, to, calls, calls * this.random.nextInt(5000), null, null, 50.0 + this.random.nextInt(500),
				new Evidence("test", this.random.nextInt(1000), java.time.Duration.ofSeconds(60), false, ""));
	}

	/** Traffic, memory and preferences as solvers see them: as one cost of pairs. */
	public static double pairs(PlacementModel model, Verdict verdict) {
		double memory = model.sharedJvms().isEmpty() ? 0 : model.objective().memory();
		double traffic = model.objective().communication();
		double preferences = model.preferences().stream().mapToDouble(Preference::weight).sum();
		return (traffic * verdict.communication() + memory * verdict.memory() + preferences * verdict.preferences())
				/ (traffic + memory + preferences);
	}

	private Objective objective() {
		EdgeWeight[] weights = { EdgeWeight.CALLS, EdgeWeight.APPLICATION_BYTES, EdgeWeight.LATENCY,
				EdgeWeight.PATH_LATENCY, EdgeWeight.PATH_CPU };
		boolean mixed = this.random.nextBoolean();
		return new Objective(weights[this.random.nextInt(weights.length)],
				this.random.nextBoolean() ? Routing.LOCALITY : Routing.UNIFORM, 1, mixed ? this.random.nextInt(3) : 0,
				mixed ? this.random.nextDouble() : 0, mixed ? this.random.nextDouble() * 0.5 : 0);
	}

}
