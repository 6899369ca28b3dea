package io.github.vicinal.placement.recommend;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Host;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.model.JvmSharing;
import io.github.vicinal.placement.model.Objective;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Plan;
import io.github.vicinal.placement.model.Preference;
import io.github.vicinal.placement.model.Resources;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.model.Separation;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.solver.Problem;
import io.github.vicinal.placement.verify.Spread;
import org.jspecify.annotations.Nullable;

/**
 * A model as numbers for solvers, and the way back to names.
 *
 * @since 0.1.0
 */
public final class CompiledModel {

	private static final double TIE_BREAK = 1e-6;

	private final PlacementModel model;

	private final Map<String, Integer> services;

	private final Map<String, Integer> hosts;

	private final Problem problem;

	private final List<Edge> unmeasured = new ArrayList<>();

	/**
	 * Compiles a model.
	 * @param model the model
	 * @param maxMoves the most replicas that may go to another host, -1 for no limit
	 */
	public CompiledModel(PlacementModel model, int maxMoves) {
		this(model, maxMoves, Map.of());
	}

	/**
	 * Compiles a model whose services may keep fewer hosts and zones than they are to.
	 * @param model the model
	 * @param maxMoves the most replicas that may go to another host, -1 for no limit
	 * @param lowered what these services keep instead, by name
	 */
	CompiledModel(PlacementModel model, int maxMoves, Map<String, Spread> lowered) {
		if (maxMoves >= 0 && model.current() == null) {
			throw new InvalidModelException(
					"At most %d move%s allowed, but the model does not say where replicas run now; add 'current' or remove the limit"
						.formatted(maxMoves, (maxMoves == 1) ? " is" : "s are"));
		}
		this.model = model;
		this.services = model.serviceIndex();
		this.hosts = model.hostIndex();
		this.problem = compile(maxMoves, lowered);
	}

	private Problem compile(int maxMoves, Map<String, Spread> lowered) {
		List<Service> all = this.model.services();
		List<Host> on = this.model.hosts();
		List<String> resources = this.model.resources();
		boolean counted = on.stream().anyMatch((host) -> host.maxReplicas() < Integer.MAX_VALUE);
		// Counted like a resource of which each replica takes one, so that whatever keeps
		// capacities keeps them, too.
		List<Separation> limits = this.model.separations().stream().filter((one) -> one.maximum() > 1).toList();
		int width = resources.size() + limits.size() + (counted ? 1 : 0);
		int[] replicas = all.stream().mapToInt(Service::replicas).toArray();
		long[] demand = new long[all.size() * width];
		long[] capacity = new long[on.size() * width];
		for (int resource = 0; resource < resources.size(); resource++) {
			for (int service = 0; service < all.size(); service++) {
				demand[service * width + resource] = all.get(service).demand().get(resources.get(resource));
			}
			for (int host = 0; host < on.size(); host++) {
				capacity[host * width + resource] = on.get(host).available(resources.get(resource));
			}
		}
		if (counted) {
			long most = Arrays.stream(replicas).asLongStream().sum();
			for (int service = 0; service < all.size(); service++) {
				demand[service * width + width - 1] = 1;
			}
			for (int host = 0; host < on.size(); host++) {
				capacity[host * width + width - 1] = Math.min(most, on.get(host).maxReplicas());
			}
		}
		for (int limit = 0; limit < limits.size(); limit++) {
			int column = resources.size() + limit;
			for (String service : limits.get(limit).services()) {
				demand[index(this.services, service) * width + column] = 1;
			}
			for (int host = 0; host < on.size(); host++) {
				capacity[host * width + column] = limits.get(limit).maximum();
			}
		}
		Objective objective = this.model.objective();
		Problem.Builder builder = Problem.of(replicas, on.size(), width, demand, capacity)
			.balanced(resources.size())
			.locality(objective.routing() == Routing.LOCALITY);
		double pairs = edges(builder);
		builder.weights(pairs, objective.imbalance(), moveWeight(objective), objective.hosts());
		rules(builder, lowered);
		Plan current = this.model.current();
		if (current != null) {
			int[][] stopping = new int[all.size()][];
			builder.current(current(current, stopping), maxMoves).stopping(stopping);
		}
		return builder.build();
	}

	/**
	 * Among plans that are worth the same, the one with fewer moves is better. Where
	 * nothing runs yet nothing moves, and the weight is a part of the sum all the same.
	 */
	private double moveWeight(Objective objective) {
		double others = objective.communication() + objective.imbalance() + objective.hosts();
		return (this.model.current() == null) ? objective.moves() : Math.max(objective.moves(), TIE_BREAK * others);
	}

	/**
	 * Sets what pairs of services save where they share a host. For a solver the memory
	 * that they save by sharing a JVM, and preferences, are the same as traffic: all are
	 * weighted here.
	 * @return the weight of all together
	 */
	private double edges(Problem.Builder builder) {
		Map<Long, double[]> pairs = new LinkedHashMap<>();
		double far = 0;
		double together = 0;
		for (Edge edge : this.model.edges()) {
			PlacementModel.EdgeCost cost = this.model.cost(edge);
			if (cost == null) {
				this.unmeasured.add(edge);
				continue;
			}
			far += cost.far();
			together += cost.together();
			double[] gains = pairs.computeIfAbsent(pair(edge.from(), edge.to()), (key) -> new double[2]);
			gains[0] += cost.apart() - cost.together();
			gains[1] += cost.far() - cost.apart();
		}
		boolean otherwise = this.unmeasured.stream().anyMatch(CompiledModel::hasQuantity);
		if (otherwise && this.unmeasured.size() == this.model.edges().size()) {
			if (this.model.objective().weight() == EdgeWeight.CRITICAL_PATH) {
				throw new InvalidModelException(
						"No route says how often it is called, which critical-path needs; give the model routes with callsPerSecond, as traces of Zipkin have, or choose another edge weight");
			}
			throw new InvalidModelException(
					"No edge has what the edge weight '%s' (%s) is computed from: %s. Choose another edge weight, or give the edges that"
						.formatted(this.model.objective().weight().id(), this.model.objective().weight().unit(),
								quantities(this.model.objective().weight())));
		}
		double traffic = this.model.objective().communication();
		List<JvmSharing.Pair> sharing = this.model.sharedJvms();
		double memory = sharing.isEmpty() ? 0 : this.model.objective().memory();
		double preferences = this.model.preferences().stream().mapToDouble(Preference::weight).sum();
		double all = traffic + memory + preferences;
		double scale = (far >= Double.MIN_NORMAL && all > 0) ? traffic / all / far : 0;
		pairs.values().forEach((gains) -> {
			gains[0] *= scale;
			gains[1] *= scale;
		});
		double base = scale * together + ((all > 0) ? memory / all : 0);
		for (JvmSharing.Pair pair : sharing) {
			double saved = memory / all * savedShare(pair);
			pairs.computeIfAbsent(pair(pair.one(), pair.other()), (key) -> new double[2])[0] += saved;
			base -= saved;
		}
		for (Preference preference : this.model.preferences()) {
			List<String> services = preference.services();
			for (int i = 0; i < services.size(); i++) {
				for (int j = 0; j < i; j++) {
					pairs.computeIfAbsent(pair(services.get(i), services.get(j)),
							(key) -> new double[2])[0] += preference.weight() / all / preference.pairs();
				}
			}
		}
		pairs.values().removeIf((gains) -> gains[0] <= 0 && gains[1] <= 0);
		int[] from = new int[pairs.size()];
		int[] to = new int[pairs.size()];
		double[] gain = new double[pairs.size()];
		double[] zoneGain = new double[pairs.size()];
		int at = 0;
		for (Map.Entry<Long, double[]> pair : pairs.entrySet()) {
			from[at] = (int) (pair.getKey() >> 32);
			to[at] = pair.getKey().intValue();
			zoneGain[at] = pair.getValue()[1];
			gain[at++] = pair.getValue()[0];
		}
		builder.edges(from, to, gain, base);
		if (Arrays.stream(zoneGain).anyMatch((one) -> one > 0)) {
			builder.zoneGains(zoneGain);
		}
		return all;
	}

	private long pair(String from, String to) {
		long one = index(this.services, from);
		long other = index(this.services, to);
		return Math.min(one, other) << 32 | Math.max(one, other);
	}

	/**
	 * The part of all memory that a pair saves for the share of its traffic that stays on
	 * a host: with uniform routing n replicas that all have a neighbour keep 1/n there.
	 */
	private double savedShare(JvmSharing.Pair pair) {
		double all = 0;
		for (Service service : this.model.services()) {
			all += (double) service.replicas() * service.demand().get(Resources.MEMORY);
		}
		double replicas = this.model.services().get(index(this.services, pair.one())).replicas();
		double jvms = (this.model.objective().routing() == Routing.LOCALITY) ? replicas : replicas * replicas;
		return pair.savedMib() * jvms / all;
	}

	/** An edge that is only declared is no wrong choice of the weight. */
	private static String quantities(EdgeWeight weight) {
		return switch (weight) {
			case CALLS, CRITICAL_PATH -> "callsPerSecond";
			case APPLICATION_BYTES -> "applicationBytesPerSecond";
			case WIRE_BYTES -> "wireBytesPerSecond";
			case HOP_BYTES -> "hopBytesPerSecond";
			case LATENCY -> "callsPerSecond and p90LatencyMicros";
			case PATH_LATENCY, PATH_CPU -> "callsPerSecond and applicationBytesPerSecond";
		};
	}

	private static boolean hasQuantity(Edge edge) {
		return edge.callsPerSecond() != null || edge.applicationBytesPerSecond() != null
				|| edge.wireBytesPerSecond() != null || edge.hopBytesPerSecond() != null
				|| edge.p90LatencyMicros() != null;
	}

	private void rules(Problem.Builder builder, Map<String, Spread> lowered) {
		List<Service> all = this.model.services();
		List<Host> on = this.model.hosts();
		int[] maxPerHost = all.stream().mapToInt(Service::effectiveMaxPerHost).toArray();
		@Nullable BitSet[] allowed = new BitSet[all.size()];
		Map<Integer, List<Integer>> ports = new TreeMap<>();
		for (int index = 0; index < all.size(); index++) {
			Service service = all.get(index);
			if (!service.zones().isEmpty() || !service.pinnedTo().isEmpty()) {
				BitSet hosts = new BitSet();
				for (int host = 0; host < on.size(); host++) {
					hosts.set(host, service.mayRunOn(on.get(host)));
				}
				allowed[index] = hosts;
			}
			for (int port : service.ports()) {
				ports.computeIfAbsent(port, (key) -> new ArrayList<>()).add(index);
			}
		}
		Pairs apart = new Pairs();
		Pairs zones = new Pairs();
		ports.values().forEach(apart::all);
		for (Separation separation : this.model.separations()) {
			if (separation.maximum() > 1) {
				continue;
			}
			List<Integer> members = separation.services().stream().map((name) -> index(this.services, name)).toList();
			boolean byHost = separation.scope() == Separation.Scope.HOST;
			if (members.size() > 1) {
				(byHost ? apart : zones).all(members);
			}
			else if (byHost) {
				maxPerHost[members.get(0)] = 1;
			}
			else {
				zones.add(members.get(0), members.get(0));
			}
		}
		Map<String, Integer> zoneNumbers = new HashMap<>();
		int[] zone = on.stream()
			.mapToInt((host) -> zoneNumbers.computeIfAbsent(host.zone(), (key) -> zoneNumbers.size()))
			.toArray();
		builder.rules(maxPerHost, allowed).apart(apart.one(), apart.other()).zones(zones.one(), zones.other(), zone);
		keepSpread(builder, lowered);
	}

	/** Sets how many hosts and zones services keep. */
	private void keepSpread(Problem.Builder builder, Map<String, Spread> lowered) {
		List<Service> all = this.model.services();
		WantedSpread wanted = new WantedSpread(this.model);
		int[] minHosts = new int[all.size()];
		int[] minZones = new int[all.size()];
		for (int index = 0; index < all.size(); index++) {
			Service service = all.get(index);
			Spread lower = lowered.get(service.name());
			Spread spread = (lower != null) ? lower : wanted.of(service);
			minHosts[index] = spread.hosts();
			minZones[index] = spread.zones();
		}
		builder.keepSpread(minHosts, minZones);
	}

	/** Whether a replica fits on a host that is empty. */
	static boolean fits(Service service, Host host) {
		for (Map.Entry<String, Long> demand : service.demand().amounts().entrySet()) {
			if (demand.getValue() > host.available(demand.getKey())) {
				return false;
			}
		}
		return host.maxReplicas() > 0;
	}

	private static int index(Map<String, Integer> names, String name) {
		Integer index = names.get(name);
		if (index == null) {
			throw new IllegalArgumentException(name);
		}
		return index;
	}

	/** Hosts that are gone are forgotten. */
	private int[] current(Plan plan, int[][] stopping) {
		int[] placement = new int[this.model.services().stream().mapToInt(Service::replicas).sum()];
		Arrays.fill(placement, -1);
		int first = 0;
		for (Service service : this.model.services()) {
			Map<Integer, Integer> on = new LinkedHashMap<>();
			plan.on(service.name()).forEach((name, count) -> {
				Integer host = this.hosts.get(name);
				if (host != null && count > 0) {
					on.put(host, count);
				}
			});
			int at = first;
			List<Integer> running = keptFirst(on, service.replicas());
			int staying = Math.min(running.size(), service.replicas());
			for (int host : running.subList(0, staying)) {
				placement[at++] = host;
			}
			stopping[index(this.services, service.name())] = running.subList(staying, running.size())
				.stream()
				.mapToInt(Integer::intValue)
				.toArray();
			first += service.replicas();
		}
		return placement;
	}

	/**
	 * Of more replicas than the model has, those stay that keep the zones and hosts in
	 * use: one of each zone, then one of each host. They come first.
	 */
	private List<Integer> keptFirst(Map<Integer, Integer> on, int replicas) {
		List<Integer> kept = new ArrayList<>();
		if (on.values().stream().mapToInt(Integer::intValue).sum() > replicas) {
			Set<String> zones = new HashSet<>();
			on.keySet().stream().filter((host) -> zones.add(this.model.hosts().get(host).zone())).forEach(kept::add);
			on.keySet().stream().filter((host) -> !kept.contains(host)).toList().forEach(kept::add);
			kept.forEach((host) -> on.merge(host, -1, Integer::sum));
		}
		on.forEach((host, count) -> kept.addAll(Collections.nCopies(count, host)));
		return kept;
	}

	/**
	 * Returns the model.
	 * @return what was compiled
	 */
	public PlacementModel model() {
		return this.model;
	}

	/**
	 * Returns the model as numbers.
	 * @return what solvers work on
	 */
	public Problem problem() {
		return this.problem;
	}

	/**
	 * Returns the edges whose quantity nobody measured. They count nothing.
	 * @return edges of the model
	 */
	public List<Edge> unmeasured() {
		return List.copyOf(this.unmeasured);
	}

	/**
	 * Names what a solver found.
	 * @param placement the host of each replica
	 * @return the plan
	 */
	public Plan plan(int[] placement) {
		Map<String, Map<String, Integer>> plan = new LinkedHashMap<>();
		for (int service = 0; service < this.model.services().size(); service++) {
			Map<String, Integer> on = new TreeMap<>();
			for (int i = this.problem.firstReplica(service); i < this.problem.firstReplica(service + 1); i++) {
				on.merge(this.model.hosts().get(placement[i]).name(), 1, Integer::sum);
			}
			plan.put(this.model.services().get(service).name(), on);
		}
		return new Plan(plan);
	}

	/** Pairs of services, each once. */
	private static final class Pairs {

		private final TreeMap<Long, Boolean> pairs = new TreeMap<>();

		void add(int one, int other) {
			this.pairs.put((long) Math.min(one, other) << 32 | Math.max(one, other), true);
		}

		void all(List<Integer> members) {
			for (int i = 0; i < members.size(); i++) {
				for (int j = i + 1; j < members.size(); j++) {
					add(members.get(i), members.get(j));
				}
			}
		}

		int[] one() {
			return this.pairs.keySet().stream().mapToInt((pair) -> (int) (pair >> 32)).toArray();
		}

		int[] other() {
			return this.pairs.keySet().stream().mapToInt(Long::intValue).toArray();
		}

	}

}
