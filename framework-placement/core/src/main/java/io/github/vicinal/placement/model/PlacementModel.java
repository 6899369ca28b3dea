package io.github.vicinal.placement.model;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/**
 * All that a placement is decided by.
 *
 * @param services to place, at least one
 * @param hosts to place them on, at least one
 * @param edges traffic between services
 * @param separations services that may not share a host or zone
 * @param pathCosts what calls cost within a host and between hosts
 * @param objective what a good plan is
 * @param current where replicas run now, {@code null} if that is unknown. Hosts and
 * services that are gone may still be named: their replicas count as not running
 * @param mayConcentrate names of services that may give up redundancy. A plan that moves
 * any other service keeps it on at least as many hosts and zones as it uses now, and on
 * at least two of each where it has two replicas. Where separations leave no such plan,
 * the recommendation says so
 * @param doubts what is known to be missing in the evidence
 * @param routes kinds of request with the calls that their answers wait for, at most
 * {@value #MAX_ROUTES}
 * @param prices what hosts and processors cost, {@code null} if nobody says
 * @param sharing services that may share a JVM
 * @param preferences services that had better share hosts
 * @since 0.1.0
 */
public record PlacementModel(List<Service> services, List<Host> hosts, List<Edge> edges, List<Separation> separations,
		PathCosts pathCosts, Objective objective, @Nullable Plan current, Set<String> mayConcentrate, Doubts doubts,
		List<Route> routes, @Nullable Prices prices, JvmSharing sharing, List<Preference> preferences) {

	/** Maximum number of routes. */
	public static final int MAX_ROUTES = 200;

	public PlacementModel {
		mayConcentrate = Collections.unmodifiableSet(new TreeSet<>(mayConcentrate));
		services = List.copyOf(services);
		hosts = List.copyOf(hosts);
		edges = List.copyOf(edges);
		separations = List.copyOf(separations);
		routes = List.copyOf(routes);
		ModelCheck.check(services, hosts, edges, separations, objective);
		ModelCheck.routes(services, routes);
		ModelCheck.sharing(services, sharing);
		preferences = List.copyOf(preferences);
		ModelCheck.preferences(services, preferences, objective);
	}

	/**
	 * Creates a model in which each service keeps its redundancy.
	 * @param services to place, at least one
	 * @param hosts to place them on, at least one
	 * @param edges traffic between services
	 * @param separations services that may not share a host or zone
	 * @param pathCosts what calls cost within a host and between hosts
	 * @param objective what a good plan is
	 * @param current where replicas run now, {@code null} if that is unknown
	 */
	public PlacementModel(List<Service> services, List<Host> hosts, List<Edge> edges, List<Separation> separations,
			PathCosts pathCosts, Objective objective, @Nullable Plan current) {
		this(services, hosts, edges, separations, pathCosts, objective, current, Set.of(), Doubts.none(), List.of(),
				null, JvmSharing.none(), List.of());
	}

	/**
	 * Returns this model with other services that may give up redundancy.
	 * @param services names of services; names of no service are ignored
	 * @return the model
	 */
	public PlacementModel concentrating(Set<String> services) {
		return new PlacementModel(this.services, this.hosts, this.edges, this.separations, this.pathCosts,
				this.objective, this.current, services, this.doubts, this.routes, this.prices, this.sharing,
				this.preferences);
	}

	/**
	 * Returns this model with other doubts.
	 * @param doubts what is known to be missing in the evidence
	 * @return the model
	 */
	public PlacementModel with(Doubts doubts) {
		return new PlacementModel(this.services, this.hosts, this.edges, this.separations, this.pathCosts,
				this.objective, this.current, this.mayConcentrate, doubts, this.routes, this.prices, this.sharing,
				this.preferences);
	}

	/**
	 * Returns this model with other services and hosts.
	 * @param services to place, at least one
	 * @param hosts to place them on, at least one
	 * @return the model
	 */
	public PlacementModel with(List<Service> services, List<Host> hosts) {
		return new PlacementModel(services, hosts, this.edges, this.separations, this.pathCosts, this.objective,
				this.current, this.mayConcentrate, this.doubts, this.routes, this.prices, this.sharing,
				this.preferences);
	}

	/**
	 * Returns this model with another objective.
	 * @param objective what a good plan is
	 * @return the model
	 */
	public PlacementModel with(Objective objective) {
		return new PlacementModel(this.services, this.hosts, this.edges, this.separations, this.pathCosts, objective,
				this.current, this.mayConcentrate, this.doubts, this.routes, this.prices, this.sharing,
				this.preferences);
	}

	/**
	 * Returns this model with another current plan.
	 * @param current where replicas run now
	 * @return the model
	 */
	public PlacementModel with(@Nullable Plan current) {
		return new PlacementModel(this.services, this.hosts, this.edges, this.separations, this.pathCosts,
				this.objective, current, this.mayConcentrate, this.doubts, this.routes, this.prices, this.sharing,
				this.preferences);
	}

	/**
	 * Returns this model with other path costs.
	 * @param pathCosts what calls cost within a host and between hosts
	 * @return the model
	 */
	public PlacementModel with(PathCosts pathCosts) {
		return new PlacementModel(this.services, this.hosts, this.edges, this.separations, pathCosts, this.objective,
				this.current, this.mayConcentrate, this.doubts, this.routes, this.prices, this.sharing,
				this.preferences);
	}

	/**
	 * Returns this model with other edges.
	 * @param edges traffic between services
	 * @return the model
	 */
	public PlacementModel withEdges(List<Edge> edges) {
		return new PlacementModel(this.services, this.hosts, edges, this.separations, this.pathCosts, this.objective,
				this.current, this.mayConcentrate, this.doubts, this.routes, this.prices, this.sharing,
				this.preferences);
	}

	/**
	 * Returns this model with other routes.
	 * @param routes kinds of request with the calls that their answers wait for
	 * @return the model
	 */
	public PlacementModel withRoutes(List<Route> routes) {
		return new PlacementModel(this.services, this.hosts, this.edges, this.separations, this.pathCosts,
				this.objective, this.current, this.mayConcentrate, this.doubts, routes, this.prices, this.sharing,
				this.preferences);
	}

	/**
	 * Returns this model with other prices.
	 * @param prices what hosts and processors cost
	 * @return the model
	 */
	public PlacementModel withPrices(@Nullable Prices prices) {
		return new PlacementModel(this.services, this.hosts, this.edges, this.separations, this.pathCosts,
				this.objective, this.current, this.mayConcentrate, this.doubts, this.routes, prices, this.sharing,
				this.preferences);
	}

	/**
	 * Returns this model with other services that may share a JVM.
	 * @param sharing services that may share a JVM
	 * @return the model
	 */
	public PlacementModel with(JvmSharing sharing) {
		return new PlacementModel(this.services, this.hosts, this.edges, this.separations, this.pathCosts,
				this.objective, this.current, this.mayConcentrate, this.doubts, this.routes, this.prices, sharing,
				this.preferences);
	}

	/**
	 * Returns this model with other preferences.
	 * @param preferences services that had better share hosts
	 * @return the model
	 */
	public PlacementModel withPreferences(List<Preference> preferences) {
		return new PlacementModel(this.services, this.hosts, this.edges, this.separations, this.pathCosts,
				this.objective, this.current, this.mayConcentrate, this.doubts, this.routes, this.prices, this.sharing,
				preferences);
	}

	/**
	 * Returns whether replicas of two services that share a host count as sharing a JVM.
	 * They must be of one group and equally many. With uniform routing a host may have
	 * one replica of each at most; else calls would meet replicas of other JVMs, too.
	 * @param one name of a service
	 * @param other name of another service
	 * @return whether calls between them on a host cost what they cost within a JVM
	 */
	public boolean mayShareJvm(String one, String other) {
		if (this.sharing.groups().stream().noneMatch((group) -> group.contains(one) && group.contains(other))) {
			return false;
		}
		Service first = null;
		Service second = null;
		for (Service service : this.services) {
			first = service.name().equals(one) ? service : first;
			second = service.name().equals(other) ? service : second;
		}
		return first != null && second != null && first.replicas() == second.replicas()
				&& (this.objective.routing() == Routing.LOCALITY || (one(first) && one(second)));
	}

	/** Whether no host has two replicas. */
	private static boolean one(Service service) {
		return Math.min(service.replicas(), service.effectiveMaxPerHost()) == 1;
	}

	/**
	 * Returns the pairs of services that save memory where a replica of each shares a
	 * host, and therefore a JVM.
	 * @return none if the objective does not count memory
	 */
	public List<JvmSharing.Pair> sharedJvms() {
		return (this.objective.memory() > 0) ? this.sharing.pairs(this) : List.of();
	}

	/**
	 * Returns the resources that any service or host names.
	 * @return names in alphabetical order
	 */
	public List<String> resources() {
		TreeSet<String> names = new TreeSet<>();
		this.services.forEach((service) -> names.addAll(service.demand().amounts().keySet()));
		return List.copyOf(names);
	}

	/**
	 * Returns the zone of each host.
	 * @return zones by name of the host
	 */
	public Map<String, String> zones() {
		Map<String, String> zones = new LinkedHashMap<>();
		this.hosts.forEach((host) -> zones.put(host.name(), host.zone()));
		return zones;
	}

	/**
	 * Returns the position of each service.
	 * @return index in {@link #services()} by name
	 */
	public Map<String, Integer> serviceIndex() {
		Map<String, Integer> index = new LinkedHashMap<>();
		for (int i = 0; i < this.services.size(); i++) {
			index.put(this.services.get(i).name(), i);
		}
		return index;
	}

	/**
	 * Returns the position of each host.
	 * @return index in {@link #hosts()} by name
	 */
	public Map<String, Integer> hostIndex() {
		Map<String, Integer> index = new LinkedHashMap<>();
		for (int i = 0; i < this.hosts.size(); i++) {
			index.put(this.hosts.get(i).name(), i);
		}
		return index;
	}

	/**
	 * Returns what an edge costs if all of it goes between hosts, if all of it stays on a
	 * host, and if all of it goes between zones, in the unit of the objective's weight.
	 * Zones and JVMs make a difference to weights of path costs alone.
	 * @param edge one of the edges
	 * @return the costs, or {@code null} if the quantity was not measured
	 */
	public @Nullable EdgeCost cost(Edge edge) {
		return switch (this.objective.weight()) {
			case CALLS -> share(edge.callsPerSecond());
			case APPLICATION_BYTES -> share(edge.applicationBytesPerSecond());
			case WIRE_BYTES -> share(edge.wireBytesPerSecond());
			case HOP_BYTES -> share(edge.hopBytesPerSecond());
			case LATENCY -> (edge.callsPerSecond() == null || edge.p90LatencyMicros() == null) ? null
					: new EdgeCost(edge.callsPerSecond() * referenceLatency(edge, edge.p90LatencyMicros()), 0);
			case PATH_LATENCY -> byPath(edge, true);
			case PATH_CPU -> byPath(edge, false);
			case CRITICAL_PATH -> onCriticalPaths(edge);
		};
	}

	private static @Nullable EdgeCost share(@Nullable Double quantity) {
		return (quantity == null) ? null : new EdgeCost(quantity, 0);
	}

	/**
	 * Returns the latency that would be measured if all calls went between hosts. Without
	 * this, pairs that share a host would look cheap, be separated by the next plan, look
	 * expensive, and so on.
	 */
	private double referenceLatency(Edge edge, double measured) {
		if (this.current == null) {
			return measured;
		}
		Double known = edge.bytesPerCall();
		double bytes = (known != null) ? known : 0;
		double far = this.pathCosts.otherHost().latency(bytes);
		double near = this.pathCosts.sameHost().latency(bytes);
		double local = this.current.localShare(edge.from(), edge.to(), this.objective.routing());
		return (near > 0) ? measured * far / (local * near + (1 - local) * far) : measured;
	}

	private @Nullable EdgeCost byPath(Edge edge, boolean latency) {
		if (edge.callsPerSecond() != null && edge.callsPerSecond() == 0) {
			return new EdgeCost(0, 0);
		}
		Double bytes = edge.bytesPerCall();
		if (edge.callsPerSecond() == null || bytes == null) {
			return null;
		}
		double calls = edge.callsPerSecond();
		return latency ? waiting(edge, calls, bytes) : new EdgeCost(calls * this.pathCosts.otherHost().cpu(bytes),
				calls * near(edge).cpu(bytes), calls * this.pathCosts.farthest().cpu(bytes));
	}

	/** The path of an edge whose ends share a host. */
	private PathCost near(Edge edge) {
		return mayShareJvm(edge.from(), edge.to()) ? this.pathCosts.nearest() : this.pathCosts.sameHost();
	}

	/** Waiting of requests for this edge; one of unknown size counts as empty. */
	private @Nullable EdgeCost onCriticalPaths(Edge edge) {
		boolean measured = false;
		double calls = 0;
		for (Route route : this.routes) {
			Double requests = route.callsPerSecond();
			if (requests == null) {
				continue;
			}
			measured = true;
			for (Route.Hop hop : route.criticalPath()) {
				if (hop.from().equals(edge.from()) && hop.to().equals(edge.to())) {
					calls += requests * hop.calls();
				}
			}
		}
		Double known = edge.bytesPerCall();
		double bytes = (known != null) ? known : 0;
		return measured ? waiting(edge, calls, bytes) : null;
	}

	private EdgeCost waiting(Edge edge, double calls, double bytes) {
		return new EdgeCost(calls * this.pathCosts.otherHost().latency(bytes), calls * near(edge).latency(bytes),
				calls * this.pathCosts.farthest().latency(bytes));
	}

	/**
	 * Cost of an edge.
	 *
	 * @param apart if all of it goes between hosts of one zone
	 * @param together if all of it stays on a host
	 * @param far if all of it goes between zones
	 * @since 0.1.0
	 */
	public record EdgeCost(double apart, double together, double far) {

		/**
		 * Creates the cost of an edge to which zones make no difference.
		 * @param apart if all of it goes between hosts
		 * @param together if all of it stays on a host
		 */
		public EdgeCost(double apart, double together) {
			this(apart, together, apart);
		}
	}

}
