package io.github.vicinal.placement.sources;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.github.vicinal.placement.model.Doubts;
import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.Evidence;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.Route;
import io.github.vicinal.placement.model.Service;
import io.github.vicinal.placement.source.Traffic;
import org.jspecify.annotations.Nullable;

/**
 * A model with the traffic that sources saw.
 *
 * @param model the model
 * @param notSeen what is known to be missing, one sentence each
 * @since 0.1.0
 */
public record ObservedModel(PlacementModel model, List<String> notSeen) {

	/** Maximum number of names that have a sentence of their own. */
	private static final int MAX_UNKNOWN = 20;

	/** Maximum number of names in one sentence. */
	private static final int MAX_NAMES = 100;

	public ObservedModel {
		notSeen = List.copyOf(notSeen);
	}

	private record Ends(String from, String to) {
	}

	/**
	 * Puts traffic into a model. Each quantity of an edge comes from the first source
	 * that has it, and from the model itself last; so does each route, but for its limit,
	 * which the model states. Traffic of services that the model does not have is left
	 * out, and named. The model that is returned carries what the sources did not see,
	 * beside its own doubts.
	 * @param model services, hosts and rules
	 * @param seen what each source saw, the most trusted one first
	 * @return the model with edges, and what is missing
	 */
	public static ObservedModel of(PlacementModel model, List<Traffic> seen) {
		if (seen.isEmpty()) {
			return new ObservedModel(model, model.doubts().notSeen());
		}
		List<String> notSeen = new ArrayList<>();
		List<String> unanswered = new ArrayList<>();
		Map<Ends, Edge> edges = new LinkedHashMap<>();
		Set<String> known = new HashSet<>();
		model.services().stream().map(Service::name).forEach(known::add);
		Map<String, Long> unknown = new TreeMap<>();
		Map<String, Route> routes = new LinkedHashMap<>();
		for (Traffic traffic : seen) {
			notSeen.addAll(traffic.notSeen());
			notSeen.addAll(traffic.unanswered());
			unanswered.addAll(traffic.unanswered());
			for (Route route : traffic.routes()) {
				Route placed = among(known, route, notSeen);
				if (placed != null) {
					routes.putIfAbsent(placed.name(), placed);
				}
			}
			for (Edge edge : traffic.edges()) {
				if (known.contains(edge.from()) && known.contains(edge.to())) {
					edges.merge(new Ends(edge.from(), edge.to()), edge, ObservedModel::together);
				}
				else {
					String stranger = known.contains(edge.from()) ? edge.to() : edge.from();
					unknown.merge(stranger, 1L, Long::sum);
				}
			}
		}
		unknown.entrySet()
			.stream()
			.limit(MAX_UNKNOWN)
			.forEach((stranger) -> notSeen
				.add("'%s' is not among the services of the model; %d edge%s left out. Add it if it can be placed"
					.formatted(stranger.getKey(), stranger.getValue(),
							(stranger.getValue() == 1) ? " with it is" : "s with it are")));
		List<String> more = unknown.keySet().stream().skip(MAX_UNKNOWN).toList();
		for (int i = 0; i < more.size(); i += MAX_NAMES) {
			notSeen.add("%s are not among the services of the model, either; edges with them are left out"
				.formatted(more.subList(i, Math.min(more.size(), i + MAX_NAMES))
					.stream()
					.map((name) -> "'" + name + "'")
					.collect(Collectors.joining(", "))));
		}
		Map<Ends, Edge> own = new LinkedHashMap<>();
		model.edges().forEach((edge) -> own.merge(new Ends(edge.from(), edge.to()), edge, ObservedModel::sum));
		own.forEach((ends, edge) -> edges.merge(ends, edge, ObservedModel::together));
		for (Route stated : model.routes()) {
			Double slo = stated.sloMicros();
			routes.merge(stated.name(), stated, (seenOne, other) -> (slo != null) ? seenOne.withSlo(slo) : seenOne);
		}
		Doubts doubts = model.doubts().and(new Doubts(notSeen, Set.of(), unanswered));
		return new ObservedModel(model.withEdges(List.copyOf(edges.values()))
			.withRoutes(routes.values().stream().limit(PlacementModel.MAX_ROUTES).toList())
			.with(doubts), doubts.notSeen());
	}

	/** Leaves out what a request waits for at services that the model does not have. */
	private static @Nullable Route among(Set<String> services, Route route, List<String> notSeen) {
		List<Route.Hop> placed = route.criticalPath()
			.stream()
			.filter((hop) -> services.contains(hop.from()) && services.contains(hop.to()))
			.toList();
		if (placed.size() == route.criticalPath().size()) {
			return route;
		}
		notSeen.add("'%s' waits for services that the model does not have; %s".formatted(route.name(),
				placed.isEmpty() ? "it is left out" : "these calls are left out"));
		return placed.isEmpty() ? null : new Route(route.name(), route.callsPerSecond(), placed, route.p99Micros(),
				route.sloMicros(), route.evidence());
	}

	/**
	 * Puts two edges of a model together that have the same ends, such as those of two
	 * protocols.
	 */
	private static Edge sum(Edge one, Edge other) {
		Evidence evidence = one.evidence();
		boolean same = evidence.equals(other.evidence());
		return new Edge(one.from(), one.to(), sum(one.callsPerSecond(), other.callsPerSecond()),
				sum(one.applicationBytesPerSecond(), other.applicationBytesPerSecond()),
				sum(one.wireBytesPerSecond(), other.wireBytesPerSecond()),
				sum(one.hopBytesPerSecond(), other.hopBytesPerSecond()),
				larger(one.p90LatencyMicros(), other.p90LatencyMicros()),
				same ? evidence : new Evidence(
						evidence.source().equals(other.evidence().source()) ? evidence.source()
								: evidence.source() + "+" + other.evidence().source(),
						evidence.samples() + other.evidence().samples(), evidence.window(),
						evidence.partial() || other.evidence().partial(), evidence.note() + other.evidence().note()));
	}

	private static @Nullable Double sum(@Nullable Double one, @Nullable Double other) {
		return (one == null) ? other : (other == null) ? one : (Double) (one + other);
	}

	private static @Nullable Double larger(@Nullable Double one, @Nullable Double other) {
		return (one == null) ? other : (other == null) ? one : (Double) Math.max(one, other);
	}

	/** Adds to an edge the quantities that it does not have. */
	static Edge together(Edge one, Edge other) {
		boolean same = one.evidence().source().equals(other.evidence().source());
		Evidence evidence = one.evidence();
		boolean counts = (one.callsPerSecond() == null && other.callsPerSecond() != null)
				|| (one.applicationBytesPerSecond() == null && other.applicationBytesPerSecond() != null)
				|| (one.wireBytesPerSecond() == null && other.wireBytesPerSecond() != null)
				|| (one.hopBytesPerSecond() == null && other.hopBytesPerSecond() != null);
		boolean times = one.p90LatencyMicros() == null && other.p90LatencyMicros() != null;
		if (counts || times) {
			// What is partial is what the other source counts; its times alone say
			// nothing of it.
			boolean partial = evidence.partial() || (counts && other.evidence().partial());
			String note = counts ? notes(evidence, other.evidence()) : evidence.note();
			boolean nothing = one.callsPerSecond() == null && one.applicationBytesPerSecond() == null
					&& one.wireBytesPerSecond() == null && one.hopBytesPerSecond() == null;
			evidence = nothing ? other.evidence()
					: new Evidence(same ? evidence.source() : evidence.source() + "+" + other.evidence().source(),
							(evidence.samples() > 0) ? evidence.samples() : other.evidence().samples(),
							evidence.window().isZero() ? other.evidence().window() : evidence.window(), partial, note);
		}
		return new Edge(one.from(), one.to(), first(one.callsPerSecond(), other.callsPerSecond()),
				first(one.applicationBytesPerSecond(), other.applicationBytesPerSecond()),
				first(one.wireBytesPerSecond(), other.wireBytesPerSecond()),
				first(one.hopBytesPerSecond(), other.hopBytesPerSecond()),
				first(one.p90LatencyMicros(), other.p90LatencyMicros()), evidence);
	}

	private static String notes(Evidence one, Evidence other) {
		return one.note() + ((one.note().isEmpty() || other.note().isEmpty()) ? "" : "; ") + other.note();
	}

	private static @Nullable Double first(@Nullable Double one, @Nullable Double other) {
		return (one != null) ? one : other;
	}

}
