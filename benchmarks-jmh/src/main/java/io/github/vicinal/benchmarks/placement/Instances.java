package io.github.vicinal.benchmarks.placement;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.InstanceFormat;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PathCosts;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Separation;
import io.github.vicinal.placement.model.Service;

/**
 * Instances: those of public applications from files, and generated ones, the same for
 * the same seed.
 */
final class Instances {

	private static final int[] CPU_MILLIS = { 250, 500, 500, 1000, 1000, 2000, 4000 };

	private static final int[] MEMORY_FACTORS = { 1, 2, 2, 4 };

	private Instances() {
	}

	static PlacementModel named(String name) {
		try (InputStream stream = Instances.class.getResourceAsStream("/placement/" + name)) {
			if (stream == null) {
				throw new IllegalArgumentException("There is no instance " + name);
			}
			return InstanceFormat.read(new InputStreamReader(stream, StandardCharsets.UTF_8), name);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Applications of log-normal size as bushy trees, a few shared services that many
	 * call, three sizes of hosts, load 0.80.
	 */
	static PlacementModel synth(int services, int hosts, long seed) {
		SplittableRandom random = new SplittableRandom(seed);
		Graph graph = new Graph();
		int shared = Math.max(1, Math.round(services * 0.05f));
		int next = shared;
		while (next < services) {
			int size = (int) Math.max(1, Math.min(services - next, Math.round(logNormal(random, 2.2, 0.9))));
			double application = pareto(random, 1.1);
			for (int i = 1; i < size; i++) {
				int parent = random.nextBoolean() ? random.nextInt(i) : Math.max(0, i - 1 - random.nextInt(6));
				graph.add(next + parent, next + i, application * logNormal(random, 0, 1.2));
			}
			for (int i = 0; i < Math.max(1, size / 3); i++) {
				graph.add(next + random.nextInt(size), zipf(random, shared), application * logNormal(random, 0, 1.2));
			}
			next += size;
		}
		long[][] demand = demands(services, random);
		long cpu = Arrays.stream(demand).mapToLong((one) -> one[0]).sum();
		long memory = Arrays.stream(demand).mapToLong((one) -> one[1]).sum();
		int[] sizes = new int[hosts];
		Arrays.setAll(sizes, (h) -> 16 << random.nextInt(3));
		double all = Arrays.stream(sizes).sum() * 0.80;
		long[][] capacity = new long[hosts][];
		Arrays.setAll(capacity, (
				h) -> new long[] { (long) Math.ceil(cpu * sizes[h] / all), (long) Math.ceil(memory * sizes[h] / all) });
		return model(demand, capacity, graph);
	}

	/**
	 * Hosts with members that fit exactly, heavy trees inside, a tenth of the weight
	 * across: a placement that cuts about 10 % is known to exist.
	 */
	static PlacementModel planted(int services, int hosts, double load, long seed) {
		SplittableRandom random = new SplittableRandom(seed);
		int per = services / hosts;
		int[] label = permutation(services, random);
		long[][] demand = demands(services, random);
		long[][] capacity = new long[hosts][2];
		Graph graph = new Graph();
		double inside = 0;
		for (int h = 0; h < hosts; h++) {
			int first = h * per;
			int size = (h == hosts - 1) ? services - first : per;
			for (int i = 0; i < size; i++) {
				capacity[h][0] += demand[label[first + i]][0];
				capacity[h][1] += demand[label[first + i]][1];
				if (i > 0) {
					inside += graph.add(label[first + i], label[first + random.nextInt(i)], pareto(random, 1.3));
				}
			}
			for (int i = 0; i < size / 2; i++) {
				inside += graph.add(label[first + random.nextInt(size)], label[first + random.nextInt(size)],
						pareto(random, 1.3));
			}
			capacity[h][0] = (long) (capacity[h][0] / load);
			capacity[h][1] = (long) (capacity[h][1] / load);
		}
		double[] weights = new double[services / 4];
		Arrays.setAll(weights, (i) -> pareto(random, 1.3));
		double across = Arrays.stream(weights).sum();
		for (double weight : weights) {
			int one = random.nextInt(services);
			int other = random.nextInt(services);
			while (Math.min(one / per, hosts - 1) == Math.min(other / per, hosts - 1)) {
				other = random.nextInt(services);
			}
			graph.add(label[one], label[other], weight / across * inside / 9);
		}
		return model(demand, capacity, graph);
	}

	/** Up to 30 services on two to four hosts, in trees with a few edges more. */
	static PlacementModel small(long seed) {
		SplittableRandom random = new SplittableRandom(seed);
		int services = 6 + random.nextInt(25);
		int hosts = 2 + random.nextInt(3);
		double load = 0.6 + 0.05 * random.nextInt(7);
		long[][] demand = demands(services, random);
		long[][] capacity = new long[hosts][2];
		for (int s = 0; s < services; s++) {
			// The first ones go round, so that no host stays without capacity.
			int h = (s < hosts) ? s : random.nextInt(hosts);
			capacity[h][0] += demand[s][0];
			capacity[h][1] += demand[s][1];
		}
		for (long[] one : capacity) {
			one[0] = (long) Math.ceil(one[0] / load);
			one[1] = (long) Math.ceil(one[1] / load);
		}
		Graph graph = new Graph();
		int[] label = permutation(services, random);
		for (int s = 1; s < services; s++) {
			graph.add(label[s], label[random.nextInt(s)], pareto(random, 1.3));
		}
		for (int i = 0; i < services / 3; i++) {
			graph.add(random.nextInt(services), random.nextInt(services), pareto(random, 1.3));
		}
		return model(demand, capacity, graph);
	}

	/**
	 * Services of any size in a connected graph without structure, on hosts that a random
	 * placement fills to a load.
	 * @param edges edges for each service, at least 1
	 */
	static PlacementModel unstructured(int services, int hosts, double edges, double load, long seed) {
		SplittableRandom random = new SplittableRandom(seed);
		long[][] demand = new long[services][];
		long[][] capacity = new long[hosts][2];
		for (int s = 0; s < services; s++) {
			demand[s] = new long[] { 100 + random.nextInt(1900), 128 + random.nextInt(2000) };
			int h = (s < hosts) ? s : random.nextInt(hosts);
			capacity[h][0] += demand[s][0];
			capacity[h][1] += demand[s][1];
		}
		for (long[] one : capacity) {
			one[0] = (long) Math.ceil(one[0] / load);
			one[1] = (long) Math.ceil(one[1] / load);
		}
		Graph graph = new Graph();
		for (int s = 1; s < services; s++) {
			graph.add(s, random.nextInt(s), logNormal(random, 0, 1.2));
		}
		for (int i = 0; i < services * (edges - 1); i++) {
			graph.add(random.nextInt(services), random.nextInt(services), logNormal(random, 0, 1.2));
		}
		return model(demand, capacity, graph);
	}

	/**
	 * Up to 30 services in three zones with two hosts each. A third of them has a replica
	 * in each zone, and some others may not share a zone.
	 */
	static PlacementModel zones(long seed) {
		SplittableRandom random = new SplittableRandom(seed);
		int services = 5 + random.nextInt(26);
		List<Service> all = new ArrayList<>();
		List<Separation> separations = new ArrayList<>();
		Map<Integer, Integer> zoneOf = new TreeMap<>();
		long[][] capacity = new long[6][2];
		Graph graph = new Graph();
		for (int s = 0; s < services; s++) {
			int replicas = (random.nextInt(3) == 0) ? 3 : 1;
			int cpu = CPU_MILLIS[random.nextInt(CPU_MILLIS.length)];
			int memory = cpu * MEMORY_FACTORS[random.nextInt(MEMORY_FACTORS.length)];
			all.add(new Service("s" + s, replicas, Resources.of(cpu, memory)));
			int zone = random.nextInt(3);
			for (int i = 0; i < replicas; i++) {
				int h = (zone + i) % 3 * 2 + random.nextInt(2);
				capacity[h][0] += cpu;
				capacity[h][1] += memory;
			}
			if (replicas > 1) {
				separations.add(new Separation(List.of("s" + s), Separation.Scope.ZONE, ""));
			}
			else {
				zoneOf.put(s, zone);
			}
			if (s > 0) {
				graph.add(s, random.nextInt(s), pareto(random, 1.3));
			}
		}
		List<Integer> single = List.copyOf(zoneOf.keySet());
		for (int i = 0; i < single.size() / 3; i++) {
			int one = single.get(random.nextInt(single.size()));
			int other = single.get(random.nextInt(single.size()));
			// The placement that capacities are made from keeps all rules.
			if (!Objects.equals(zoneOf.get(one), zoneOf.get(other))) {
				separations.add(new Separation(List.of("s" + one, "s" + other), Separation.Scope.ZONE, ""));
			}
		}
		List<Host> hosts = new ArrayList<>();
		for (int h = 0; h < capacity.length; h++) {
			hosts.add(new Host("h" + h, "z" + h / 2,
					Resources.of(Math.max(4000, capacity[h][0] * 5 / 4), Math.max(16_000, capacity[h][1] * 5 / 4)),
					Resources.none(), Integer.MAX_VALUE));
		}
		return new PlacementModel(all, hosts, graph.edges(), separations, PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.LOCALITY), null);
	}

	/**
	 * Services with up to four replicas, which run on random hosts of three zones now.
	 */
	static PlacementModel running(long seed) {
		SplittableRandom random = new SplittableRandom(seed);
		int services = 3 + random.nextInt(10);
		int hosts = 3 + random.nextInt(6);
		List<Service> all = new ArrayList<>();
		Map<String, Map<String, Integer>> current = new TreeMap<>();
		long[][] used = new long[hosts][2];
		Graph graph = new Graph();
		for (int s = 0; s < services; s++) {
			int replicas = 1 + random.nextInt(4);
			int cpu = CPU_MILLIS[random.nextInt(CPU_MILLIS.length)];
			int memory = cpu * MEMORY_FACTORS[random.nextInt(MEMORY_FACTORS.length)];
			Map<String, Integer> on = new TreeMap<>();
			for (int i = 0; i < replicas; i++) {
				int h = random.nextInt(hosts);
				on.merge("h" + h, 1, Integer::sum);
				used[h][0] += cpu;
				used[h][1] += memory;
			}
			all.add(new Service("s" + s, replicas, Resources.of(cpu, memory)));
			current.put("s" + s, on);
			if (s > 0) {
				graph.add(s, random.nextInt(s), pareto(random, 1.3));
				graph.add(s, random.nextInt(s), pareto(random, 1.3));
			}
		}
		List<Host> places = new ArrayList<>();
		for (int h = 0; h < hosts; h++) {
			double room = 1 + 0.5 * random.nextDouble();
			places.add(
					new Host("h" + h, "z" + h % 3,
							Resources.of(Math.max(4000, (long) (used[h][0] * room)),
									Math.max(16_000, (long) (used[h][1] * room))),
							Resources.none(), Integer.MAX_VALUE));
		}
		return new PlacementModel(all, places, graph.edges(), List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, random.nextBoolean() ? Routing.LOCALITY : Routing.UNIFORM),
				new Plan(current));
	}

	/**
	 * A cluster of services with 1 to 200 replicas: groups that share hosts in proportion
	 * to their replicas, a tenth of the weight between groups, load 0.9. The placement
	 * that it was built from keeps about 90 % of the traffic local under
	 * locality-weighted routing.
	 */
	static PlacementModel replicated(int services, int hosts, int edges, long seed) {
		SplittableRandom random = new SplittableRandom(seed);
		int[] hostSize = new int[hosts];
		Arrays.setAll(hostSize, (h) -> 1 << random.nextInt(3));
		long[][] capacity = new long[hosts][2];
		List<Service> all = new ArrayList<>();
		List<int[]> groups = new ArrayList<>();
		int inGroups = (int) (edges * 0.9);
		int planned = 0;
		while (all.size() < services) {
			boolean lonely = planned >= inGroups;
			int size = lonely ? 1 : Math.min(2 + random.nextInt(4), services - all.size());
			planned += lonely ? 0 : size - 1 + ((size > 3) ? 1 : 0);
			// Few services have many replicas.
			int spread = (int) Math.min(Math.floorDiv(hosts, 2), Math.max(1, Math.floor(pareto(random, 1.1))));
			int[] on = new int[spread];
			for (int i = 0; i < spread; i++) {
				on[i] = host(random, hostSize);
			}
			int[] group = new int[size];
			for (int i = 0; i < size; i++) {
				int perHost = Math.max(1, Math.min(200 / spread, (int) Math.floor(pareto(random, 1.6))));
				int cpu = CPU_MILLIS[random.nextInt(CPU_MILLIS.length)];
				int memory = cpu * MEMORY_FACTORS[random.nextInt(MEMORY_FACTORS.length)];
				for (int h : on) {
					capacity[h][0] += (long) perHost * cpu;
					capacity[h][1] += (long) perHost * memory;
				}
				group[i] = all.size();
				all.add(new Service("s" + all.size(), perHost * spread, Resources.of(cpu, memory)));
			}
			if (!lonely) {
				groups.add(group);
			}
		}
		Graph graph = new Graph();
		double inside = 0;
		for (int[] group : groups) {
			for (int i = 1; i < group.length; i++) {
				inside += graph.add(group[i], group[random.nextInt(i)], pareto(random, 1.3));
			}
			for (int i = 3; i < Math.min(4, group.length); i++) {
				inside += graph.add(group[random.nextInt(group.length)], group[random.nextInt(group.length)],
						pareto(random, 1.3));
			}
		}
		double[] weights = new double[Math.max(1, edges - planned)];
		Arrays.setAll(weights, (i) -> pareto(random, 1.3));
		double across = Arrays.stream(weights).sum();
		for (double weight : weights) {
			int[] one = groups.get(random.nextInt(groups.size()));
			int[] other = groups.get(random.nextInt(groups.size()));
			if (one != other) {
				graph.add(one[random.nextInt(one.length)], other[random.nextInt(other.length)],
						weight / across * inside / 9);
			}
		}
		List<Host> on = new ArrayList<>();
		long largest = all.stream().mapToLong((service) -> service.demand().get(Resources.MEMORY)).max().orElse(0);
		for (int h = 0; h < hosts; h++) {
			on.add(new Host("h" + h, Resources.of((long) (Math.max(4000, capacity[h][0]) / 0.9),
					(long) (Math.max(largest, capacity[h][1]) / 0.9))));
		}
		return new PlacementModel(all, on, graph.edges(), List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.LOCALITY), null);
	}

	private static int host(SplittableRandom random, int[] sizes) {
		int pick = random.nextInt(Arrays.stream(sizes).sum());
		int h = 0;
		while (pick >= sizes[h]) {
			pick -= sizes[h++];
		}
		return h;
	}

	/**
	 * The 13 services of Sock Shop that table III of the colocation paper places, with
	 * its hosts. The paper prints neither CPU limits nor traffic: here, the services of
	 * one of its hosts share 90 % of that host evenly, and calls are estimated from the
	 * load test.
	 */
	static PaperTable sockShopTable() {
		Map<String, List<String>> table = new LinkedHashMap<>();
		table.put("4a", List.of("front-end", "user", "user-db", "catalogue", "catalogue-db"));
		table.put("5a", List.of("carts", "carts-db", "rabbitmq", "shipping"));
		table.put("5b", List.of("orders", "payment"));
		table.put("4b", List.of("orders-db", "user-sim"));
		return PaperTable.of("Sock Shop, table III", table, new int[] { 4, 5, 5, 4 },
				List.of(Edge.calls("user-sim", "front-end", 1000), Edge.calls("front-end", "catalogue", 700),
						Edge.calls("front-end", "carts", 350), Edge.calls("front-end", "user", 550),
						Edge.calls("front-end", "orders", 60), Edge.calls("catalogue", "catalogue-db", 700),
						Edge.calls("carts", "carts-db", 450), Edge.calls("user", "user-db", 720),
						Edge.calls("orders", "user", 150), Edge.calls("orders", "carts", 50),
						Edge.calls("orders", "payment", 50), Edge.calls("orders", "shipping", 50),
						Edge.calls("orders", "orders-db", 70), Edge.calls("shipping", "rabbitmq", 50)));
	}

	/**
	 * The services of the PageRank application that table IV places, with its hosts and
	 * the links of its compose file. Traffic is not published: each link counts the same.
	 */
	static PaperTable pageRankTable() {
		Map<String, List<String>> table = new LinkedHashMap<>();
		table.put("3", List.of("discovery", "config"));
		table.put("6", List.of("twitter-rank-web", "twitter-rank-crawler"));
		table.put("9", List.of("hdfs", "graphdb"));
		table.put("10", List.of("rabbitmq", "mazerunner"));
		return PaperTable.of("PageRank, table IV", table, new int[] { 3, 6, 9, 10 },
				List.of(Edge.calls("discovery", "config", 1), Edge.calls("twitter-rank-web", "config", 1),
						Edge.calls("twitter-rank-web", "discovery", 1), Edge.calls("twitter-rank-crawler", "config", 1),
						Edge.calls("twitter-rank-crawler", "discovery", 1),
						Edge.calls("twitter-rank-crawler", "rabbitmq", 1),
						Edge.calls("twitter-rank-crawler", "graphdb", 1), Edge.calls("graphdb", "mazerunner", 1),
						Edge.calls("graphdb", "hdfs", 1), Edge.calls("mazerunner", "hdfs", 1),
						Edge.calls("twitter-rank-web", "twitter-rank-crawler", 1)));
	}

	/**
	 * A placement that a paper prints.
	 *
	 * @param name what and where
	 * @param model services, hosts and traffic
	 * @param printed the paper's placement
	 */
	record PaperTable(String name, PlacementModel model, Plan printed) {

		static PaperTable of(String name, Map<String, List<String>> table, int[] cores, List<Edge> edges) {
			List<Service> services = new ArrayList<>();
			List<Host> hosts = new ArrayList<>();
			Map<String, Map<String, Integer>> plan = new TreeMap<>();
			table.forEach((host, members) -> {
				long capacity = cores[hosts.size()] * 1000L;
				hosts.add(new Host(host, Resources.of(capacity, 1)));
				for (String member : members) {
					services.add(new Service(member, 1, Resources.of(capacity * 9 / 10 / members.size(), 0)));
					plan.put(member, Map.of(host, 1));
				}
			});
			return new PaperTable(name, new PlacementModel(services, hosts, edges, List.of(), PathCosts.defaults(),
					Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), null), new Plan(plan));
		}
	}

	private static PlacementModel model(long[][] demand, long[][] capacity, Graph graph) {
		List<Service> services = new ArrayList<>();
		for (long[] one : demand) {
			services.add(new Service("s" + services.size(), 1, Resources.of(one[0], one[1])));
		}
		List<Host> hosts = new ArrayList<>();
		for (long[] one : capacity) {
			hosts.add(new Host("h" + hosts.size(), Resources.of(one[0], one[1])));
		}
		return new PlacementModel(services, hosts, graph.edges(), List.of(), PathCosts.defaults(),
				Objective.traffic(EdgeWeight.CALLS, Routing.UNIFORM), null);
	}

	private static long[][] demands(int services, SplittableRandom random) {
		long[][] demand = new long[services][];
		Arrays.setAll(demand, (s) -> {
			int cpu = CPU_MILLIS[random.nextInt(CPU_MILLIS.length)];
			return new long[] { cpu, (long) cpu * MEMORY_FACTORS[random.nextInt(MEMORY_FACTORS.length)] };
		});
		return demand;
	}

	private static int[] permutation(int n, SplittableRandom random) {
		int[] order = new int[n];
		for (int i = 0; i < n; i++) {
			int j = random.nextInt(i + 1);
			order[i] = order[j];
			order[j] = i;
		}
		return order;
	}

	private static double pareto(SplittableRandom random, double alpha) {
		return Math.pow(1 - random.nextDouble(), -1 / alpha);
	}

	private static double logNormal(SplittableRandom random, double mean, double deviation) {
		// Box and Muller: the generator itself draws no normal numbers on JDK 17's base
		// type.
		double radius = Math.sqrt(-2 * Math.log(1 - random.nextDouble()));
		return Math.exp(mean + deviation * radius * Math.cos(2 * Math.PI * random.nextDouble()));
	}

	/** The k-th of n is drawn with a probability in proportion to 1 / (k + 1). */
	private static int zipf(SplittableRandom random, int n) {
		double all = 0;
		for (int k = 1; k <= n; k++) {
			all += 1.0 / k;
		}
		double pick = random.nextDouble() * all;
		int k = 0;
		while (k < n - 1 && pick >= 1.0 / (k + 1)) {
			pick -= 1.0 / ++k;
		}
		return k;
	}

	/** Edges without direction, each pair once. */
	private static final class Graph {

		private final Map<Long, Double> weights = new HashMap<>();

		double add(int one, int other, double weight) {
			if (one == other) {
				return 0;
			}
			this.weights.merge((long) Math.min(one, other) << 32 | Math.max(one, other), weight, Double::sum);
			return weight;
		}

		List<Edge> edges() {
			List<Edge> edges = new ArrayList<>();
			new TreeMap<>(this.weights)
				.forEach((pair, weight) -> edges.add(Edge.calls("s" + (pair >> 32), "s" + pair.intValue(), weight)));
			return edges;
		}

	}

}
