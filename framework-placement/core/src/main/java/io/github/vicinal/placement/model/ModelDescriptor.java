package io.github.vicinal.placement.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import org.jspecify.annotations.Nullable;

/**
 * Descriptor that {@link ModelJson} writes: a model as values that a JSON library writes
 * as they are. Settings that a model leaves open are {@code null} here, and absent from
 * JSON. Immutable.
 *
 * @param format names the form
 * @param version its version
 * @param services services
 * @param hosts hosts
 * @param edges traffic between services
 * @param separations services that must not meet
 * @param pathCosts what calls cost
 * @param objective what is minimised
 * @param current where replicas run now, by service and host
 * @param mayConcentrate services that may give up redundancy
 * @param doubts what is known to be missing in the evidence
 * @param routes kinds of request with the calls that their answers wait for
 * @param prices what hosts and processors cost
 * @param jvmSharing services that may share a JVM
 * @param preferences services that had better share hosts
 * @since 0.1.0
 */
@JsonInclude(Include.NON_NULL)
@JsonPropertyOrder({ "format", "version", "services", "hosts", "edges", "separations", "pathCosts", "objective",
		"current", "mayConcentrate", "doubts", "routes", "prices", "jvmSharing", "preferences" })
public record ModelDescriptor(String format, int version, List<ServiceDescriptor> services, List<HostDescriptor> hosts,
		List<EdgeDescriptor> edges, List<SeparationDescriptor> separations, PathCostsDescriptor pathCosts,
		ObjectiveDescriptor objective, @Nullable Map<String, Map<String, Integer>> current,
		@Nullable List<String> mayConcentrate, @Nullable DoubtsDescriptor doubts,
		@Nullable List<RouteDescriptor> routes, @Nullable PricesDescriptor prices,
		@Nullable JvmSharingDescriptor jvmSharing, @Nullable List<PreferenceDescriptor> preferences) {

	/**
	 * Describes a model.
	 * @param model the model
	 * @return its description
	 */
	public static ModelDescriptor of(PlacementModel model) {
		Plan current = model.current();
		return new ModelDescriptor(ModelJson.FORMAT, ModelJson.VERSION,
				model.services().stream().map(ModelDescriptor::describe).toList(),
				model.hosts().stream().map(ModelDescriptor::describe).toList(),
				model.edges().stream().map(ModelDescriptor::describe).toList(),
				model.separations().stream().map(ModelDescriptor::describe).toList(), describe(model.pathCosts()),
				describe(model.objective()), (current != null) ? current.replicas() : null,
				given(model.mayConcentrate()), describe(model.doubts()),
				given(model.routes().stream().map(ModelDescriptor::describe).toList()), describe(model.prices()),
				describe(model.sharing()),
				given(model.preferences()
					.stream()
					.map((one) -> new PreferenceDescriptor(one.services(), one.weight(), one.reason()))
					.toList()));
	}

	private static RouteDescriptor describe(Route route) {
		return new RouteDescriptor(route.name(), route.callsPerSecond(),
				route.criticalPath()
					.stream()
					.map((hop) -> new HopDescriptor(hop.from(), hop.to(), hop.calls()))
					.toList(),
				route.p99Micros(), route.sloMicros(), describe(route.evidence()));
	}

	private static @Nullable PricesDescriptor describe(@Nullable Prices prices) {
		return (prices == null) ? null
				: new PricesDescriptor(prices.currency(), prices.perCoreHour(), prices.perHostHour());
	}

	private static @Nullable JvmSharingDescriptor describe(JvmSharing sharing) {
		return sharing.groups().isEmpty() ? null
				: new JvmSharingDescriptor(sharing.groups().stream().map(List::copyOf).toList(), sharing.savedMib());
	}

	private static @Nullable EvidenceDescriptor describe(Evidence known) {
		return known.equals(Evidence.given()) ? null : new EvidenceDescriptor(known.source(), known.samples(),
				known.window().toMillis() / 1000.0, known.partial(), known.note());
	}

	private static @Nullable DoubtsDescriptor describe(Doubts doubts) {
		return doubts.equals(Doubts.none()) ? null
				: new DoubtsDescriptor(doubts.notSeen(), List.copyOf(doubts.unlocated()), given(doubts.unanswered()));
	}

	private static ServiceDescriptor describe(Service service) {
		return new ServiceDescriptor(service.name(), service.replicas(), service.demand().amounts(),
				given(service.ports()), limit(service.maxPerHost()), given(service.zones()), given(service.pinnedTo()),
				service.demandFrom().isEmpty() ? null : service.demandFrom());
	}

	private static HostDescriptor describe(Host host) {
		Map<String, Long> reserve = host.reserve().amounts();
		return new HostDescriptor(host.name(), host.zone().isEmpty() ? null : host.zone(), host.capacity().amounts(),
				reserve.isEmpty() ? null : reserve, limit(host.maxReplicas()));
	}

	private static EdgeDescriptor describe(Edge edge) {
		return new EdgeDescriptor(edge.from(), edge.to(), edge.callsPerSecond(), edge.applicationBytesPerSecond(),
				edge.wireBytesPerSecond(), edge.hopBytesPerSecond(), edge.p90LatencyMicros(),
				describe(edge.evidence()));
	}

	private static SeparationDescriptor describe(Separation separation) {
		return new SeparationDescriptor(separation.services(),
				(separation.scope() == Separation.Scope.HOST) ? "host" : "zone", separation.reason(),
				(separation.maximum() > 1) ? separation.maximum() : null);
	}

	private static PathCostsDescriptor describe(PathCosts costs) {
		PathCost zone = costs.otherZone();
		PathCost jvm = costs.sameJvm();
		return new PathCostsDescriptor(describe(costs.sameHost()), describe(costs.otherHost()),
				(zone != null) ? describe(zone) : null, (jvm != null) ? describe(jvm) : null);
	}

	private static PathCostDescriptor describe(PathCost cost) {
		return new PathCostDescriptor(cost.path(), cost.latencyMicros(), cost.latencyMicrosPerKib(), cost.cpuMicros(),
				cost.cpuMicrosPerKib(), cost.relativeError());
	}

	private static ObjectiveDescriptor describe(Objective objective) {
		return new ObjectiveDescriptor(objective.weight().id(), objective.routing().id(), objective.communication(),
				objective.imbalance(), objective.moves(), objective.hosts(), objective.memory());
	}

	private static <T> @Nullable List<T> given(Collection<T> values) {
		return values.isEmpty() ? null : new ArrayList<>(values);
	}

	private static @Nullable Integer limit(int limit) {
		return (limit != Integer.MAX_VALUE) ? limit : null;
	}

	/**
	 * A service.
	 *
	 * @param name its name
	 * @param replicas number of its replicas
	 * @param demand what each replica needs, by resource
	 * @param ports ports that each replica takes on its host
	 * @param maxPerHost maximum number of replicas on one host
	 * @param zones zones that it may run in
	 * @param pinnedTo hosts that it may run on
	 * @param demandFrom where the figures of the demand come from, by resource
	 * @since 0.1.0
	 */
	@JsonInclude(Include.NON_NULL)
	@JsonPropertyOrder({ "name", "replicas", "demand", "ports", "maxPerHost", "zones", "pinnedTo", "demandFrom" })
	public record ServiceDescriptor(String name, int replicas, Map<String, Long> demand, @Nullable List<Integer> ports,
			@Nullable Integer maxPerHost, @Nullable List<String> zones, @Nullable List<String> pinnedTo,
			@Nullable Map<String, String> demandFrom) {
	}

	/**
	 * A host.
	 *
	 * @param name its name
	 * @param zone its zone
	 * @param capacity what it has, by resource
	 * @param reserve what is not for services, by resource
	 * @param maxReplicas maximum number of replicas
	 * @since 0.1.0
	 */
	@JsonInclude(Include.NON_NULL)
	@JsonPropertyOrder({ "name", "zone", "capacity", "reserve", "maxReplicas" })
	public record HostDescriptor(String name, @Nullable String zone, Map<String, Long> capacity,
			@Nullable Map<String, Long> reserve, @Nullable Integer maxReplicas) {
	}

	/**
	 * The traffic between two services.
	 *
	 * @param from the service that calls
	 * @param to the service that is called
	 * @param callsPerSecond calls in 1/s
	 * @param applicationBytesPerSecond bytes of arguments and results, in B/s
	 * @param wireBytesPerSecond bytes on the network, in B/s
	 * @param hopBytesPerSecond bytes times hops, in B/s
	 * @param p90LatencyMicros time within which 90 % of the calls end, in us
	 * @param evidence where the figures come from
	 * @since 0.1.0
	 */
	@JsonInclude(Include.NON_NULL)
	@JsonPropertyOrder({ "from", "to", "callsPerSecond", "applicationBytesPerSecond", "wireBytesPerSecond",
			"hopBytesPerSecond", "p90LatencyMicros", "evidence" })
	public record EdgeDescriptor(String from, String to, @Nullable Double callsPerSecond,
			@Nullable Double applicationBytesPerSecond, @Nullable Double wireBytesPerSecond,
			@Nullable Double hopBytesPerSecond, @Nullable Double p90LatencyMicros,
			@Nullable EvidenceDescriptor evidence) {
	}

	/**
	 * Origin of an edge's figures.
	 *
	 * @param source the source that was read
	 * @param samples number of calls behind the figures
	 * @param windowSeconds time that they were observed for, in s
	 * @param partial whether calls may be missing
	 * @param note what else is to be known
	 * @since 0.1.0
	 */
	@JsonPropertyOrder({ "source", "samples", "windowSeconds", "partial", "note" })
	public record EvidenceDescriptor(String source, long samples, double windowSeconds, boolean partial, String note) {
	}

	/**
	 * Services that must not meet.
	 *
	 * @param services the services
	 * @param scope where they must not meet: {@code host} or {@code zone}
	 * @param reason why
	 * @param maximum replicas of them that a host may run, {@code null} for 1
	 * @since 0.1.0
	 */
	@JsonInclude(Include.NON_NULL)
	@JsonPropertyOrder({ "services", "scope", "reason", "maximum" })
	public record SeparationDescriptor(List<String> services, String scope, String reason, @Nullable Integer maximum) {
	}

	/**
	 * Costs of calls.
	 *
	 * @param sameHost within a host
	 * @param otherHost between hosts
	 * @param otherZone between zones, {@code null} if that is the same
	 * @param sameJvm within a JVM, {@code null} if that is the same as within a host
	 * @since 0.1.0
	 */
	@JsonInclude(Include.NON_NULL)
	@JsonPropertyOrder({ "sameHost", "otherHost", "otherZone", "sameJvm" })
	public record PathCostsDescriptor(PathCostDescriptor sameHost, PathCostDescriptor otherHost,
			@Nullable PathCostDescriptor otherZone, @Nullable PathCostDescriptor sameJvm) {
	}

	/**
	 * Cost of a call over one path.
	 *
	 * @param path the path
	 * @param latencyMicros time of a call, in us
	 * @param latencyMicrosPerKib time for each KiB, in us
	 * @param cpuMicros CPU time of both ends, in us
	 * @param cpuMicrosPerKib CPU time of both ends for each KiB, in us
	 * @param relativeError by which share the figures may be wrong
	 * @since 0.1.0
	 */
	@JsonPropertyOrder({ "path", "latencyMicros", "latencyMicrosPerKib", "cpuMicros", "cpuMicrosPerKib",
			"relativeError" })
	public record PathCostDescriptor(String path, double latencyMicros, double latencyMicrosPerKib, double cpuMicros,
			double cpuMicrosPerKib, double relativeError) {
	}

	/**
	 * Objective that is minimised.
	 *
	 * @param edgeWeight quantity of an edge that is counted
	 * @param routing how calls choose among replicas
	 * @param communication weight of traffic between hosts
	 * @param imbalance weight of the imbalance of hosts
	 * @param moves weight of replicas that move
	 * @param hosts weight of hosts in use
	 * @param memory weight of memory, where services may share a JVM
	 * @since 0.1.0
	 */
	@JsonPropertyOrder({ "edgeWeight", "routing", "communication", "imbalance", "moves", "hosts", "memory" })
	public record ObjectiveDescriptor(String edgeWeight, String routing, double communication, double imbalance,
			double moves, double hosts, double memory) {
	}

	/**
	 * Known gaps in the evidence.
	 *
	 * @param notSeen one sentence each
	 * @param unlocated services whose replicas are not all located
	 * @param unanswered sources and instances that did not answer, one sentence each
	 * @since 0.1.0
	 */
	@JsonInclude(Include.NON_NULL)
	@JsonPropertyOrder({ "notSeen", "unlocated", "unanswered" })
	public record DoubtsDescriptor(List<String> notSeen, List<String> unlocated, @Nullable List<String> unanswered) {
	}

	/**
	 * A kind of request.
	 *
	 * @param name what the request is
	 * @param callsPerSecond requests in 1/s
	 * @param criticalPath calls that the answer waits for
	 * @param p99Micros 99th percentile of the time of a request, in us
	 * @param sloMicros the most that it may be, in us
	 * @param evidence where the figures come from
	 * @since 0.1.0
	 */
	@JsonInclude(Include.NON_NULL)
	@JsonPropertyOrder({ "name", "callsPerSecond", "criticalPath", "p99Micros", "sloMicros", "evidence" })
	public record RouteDescriptor(String name, @Nullable Double callsPerSecond, List<HopDescriptor> criticalPath,
			@Nullable Double p99Micros, @Nullable Double sloMicros, @Nullable EvidenceDescriptor evidence) {
	}

	/**
	 * Calls that a request waits for.
	 *
	 * @param from the service that calls
	 * @param to the service that is called
	 * @param calls mean number of them in a request
	 * @since 0.1.0
	 */
	@JsonPropertyOrder({ "from", "to", "calls" })
	public record HopDescriptor(String from, String to, double calls) {
	}

	/**
	 * Services that may share a JVM.
	 *
	 * @param groups disjoint groups of services
	 * @param savedMib memory that each service beyond the first of a JVM saves, in MiB
	 * @since 0.1.0
	 */
	@JsonPropertyOrder({ "groups", "savedMib" })
	public record JvmSharingDescriptor(List<List<String>> groups, long savedMib) {
	}

	/**
	 * Services that had better share hosts.
	 *
	 * @param services the services
	 * @param weight weight in the objective
	 * @param reason why
	 * @since 0.1.0
	 */
	@JsonPropertyOrder({ "services", "weight", "reason" })
	public record PreferenceDescriptor(List<String> services, double weight, String reason) {
	}

	/**
	 * Prices.
	 *
	 * @param currency name of the currency
	 * @param perCoreHour price of a processor for an hour
	 * @param perHostHour price of a host for an hour
	 * @since 0.1.0
	 */
	@JsonPropertyOrder({ "currency", "perCoreHour", "perHostHour" })
	public record PricesDescriptor(String currency, double perCoreHour, double perHostHour) {
	}

}
