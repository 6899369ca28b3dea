package io.github.vicinal.placement.sources;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.placement.model.Evidence;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.model.PrintableText;
import io.github.vicinal.placement.model.Route;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Finds in traces which calls the answer of a request waits for. Of the calls that one
 * server makes, the one that ends last is on the critical path, then the one that ends
 * last before that began, and so on. Only spans of one process are compared, so that
 * clocks of other machines do not matter.
 */
final class CriticalPaths {

	/** Requests from which on a 99th percentile means something. */
	private static final int ENOUGH = 100;

	/** Ancestors that are asked for the server that a call belongs to. */
	private static final int MAX_DEPTH = 64;

	/** Maximum number of characters of a route's name. */
	private static final int MAX_NAME = 120;

	/** A call that ends with its server may be reported this much later, in us. */
	private static final double ROUNDING = 1000;

	private final Map<String, Requests> routes = new LinkedHashMap<>();

	private double first = Double.POSITIVE_INFINITY;

	private double last = Double.NEGATIVE_INFINITY;

	private long untimed;

	/**
	 * Adds traces.
	 * @param spans spans of one trace or of several
	 */
	void add(JsonNode spans) {
		Map<String, List<JsonNode>> traces = new LinkedHashMap<>();
		for (JsonNode span : spans) {
			traces.computeIfAbsent(span.path("traceId").asString(""), (key) -> new ArrayList<>()).add(span);
		}
		traces.values().forEach((trace) -> add(new Trace(trace)));
	}

	private void add(Trace trace) {
		Node root = trace.root();
		if (root == null) {
			return;
		}
		if (!root.timed()) {
			this.untimed++;
			return;
		}
		Map<Hop, Integer> calls = trace.critical(root);
		if (calls.isEmpty()) {
			return;
		}
		String name = shortened(root.name.isEmpty() ? root.service : root.service + " " + root.name);
		this.routes.computeIfAbsent(name, (key) -> new Requests()).add(root.end - root.start, calls);
		this.first = Math.min(this.first, root.start);
		this.last = Math.max(this.last, root.start);
	}

	private static String shortened(String name) {
		return (name.length() <= MAX_NAME) ? name : name.substring(0, MAX_NAME);
	}

	/**
	 * Returns the routes, the most frequent ones first.
	 * @param source what evidence names
	 * @param window time that all traces are from, {@code null} if there are more of them
	 * than were read
	 * @param sampled part of the requests that is traced, {@code null} if nobody says
	 * @param minimum routes with fewer traces are left out, and named
	 * @param notSeen gets what is missing
	 * @return the routes
	 */
	List<Route> routes(String source, @Nullable Duration window, @Nullable Double sampled, long minimum,
			Set<String> notSeen) {
		if (this.untimed > 0) {
			notSeen.add("traces without times: %d; which calls their requests wait for is not known"
				.formatted(this.untimed));
		}
		double seconds = (window != null) ? window.toMillis() / 1e3 : (this.last - this.first) / 1e6;
		List<Map.Entry<String, Requests>> all = new ArrayList<>(this.routes.entrySet());
		all.sort(Comparator.comparingInt((Map.Entry<String, Requests> route) -> -route.getValue().count)
			.thenComparing(Map.Entry::getKey));
		List<Route> found = new ArrayList<>();
		int rare = 0;
		for (Map.Entry<String, Requests> route : all) {
			if (route.getValue().count < minimum) {
				rare++;
			}
			else if (found.size() < PlacementModel.MAX_ROUTES && seconds > 0) {
				found.add(route.getValue().route(route.getKey(), source, seconds, sampled));
			}
		}
		if (rare > 0) {
			notSeen.add("kinds of request with fewer than %d traces: %d; what they wait for is left out"
				.formatted(minimum, rare));
		}
		if (all.size() - rare > found.size()) {
			notSeen.add("kinds of request beyond the %d most frequent ones: %d; they are left out"
				.formatted(found.size(), all.size() - rare - found.size()));
		}
		return found;
	}

	private record Hop(String from, String to) {
	}

	/** Requests of one route. */
	private static final class Requests {

		private final Map<Hop, Long> calls = new LinkedHashMap<>();

		private double[] micros = new double[16];

		private int count;

		void add(double duration, Map<Hop, Integer> calls) {
			if (this.count == this.micros.length) {
				this.micros = Arrays.copyOf(this.micros, 2 * this.count);
			}
			this.micros[this.count++] = duration;
			calls.forEach((hop, number) -> this.calls.merge(hop, (long) number, Long::sum));
		}

		Route route(String name, String source, double seconds, @Nullable Double sampled) {
			List<Route.Hop> path = new ArrayList<>();
			this.calls
				.forEach((hop, number) -> path.add(new Route.Hop(hop.from(), hop.to(), (double) number / this.count)));
			double rate = this.count / seconds / ((sampled != null) ? sampled : 1);
			String note = (sampled != null) ? ""
					: "only sampled requests are in traces; a sampling rate below 1 makes them look fewer";
			return new Route(name, rate, path, (this.count >= ENOUGH) ? Double.valueOf(p99()) : null, null,
					new Evidence(source, this.count, Duration.ofMillis(Math.round(seconds * 1000)), sampled == null,
							note));
		}

		private double p99() {
			double[] sorted = Arrays.copyOf(this.micros, this.count);
			Arrays.sort(sorted);
			return sorted[(int) Math.ceil(0.99 * this.count) - 1];
		}

	}

	/** A span. */
	private static final class Node {

		final String id;

		final String parent;

		final String kind;

		final String name;

		final String service;

		final double start;

		final double end;

		Node(JsonNode span) {
			this.id = span.path("id").asString("");
			this.parent = span.path("parentId").asString("");
			this.kind = span.path("kind").asString("");
			this.name = PrintableText.escaped(span.path("name").asString("").strip());
			this.service = PrintableText.escaped(span.path("localEndpoint").path("serviceName").asString("").strip());
			this.start = span.path("timestamp").asDouble(Double.NaN);
			this.end = this.start + span.path("duration").asDouble(Double.NaN);
		}

		/** False, too, for what is not a number. */
		boolean timed() {
			return this.start > 0 && this.end >= this.start && this.end < Double.POSITIVE_INFINITY;
		}

	}

	/** Spans of one trace. */
	private static final class Trace {

		private final List<Node> servers = new ArrayList<>();

		private final Map<String, Node> serverById = new HashMap<>();

		private final Map<String, Node> serverByParent = new HashMap<>();

		private final Map<String, Node> others = new HashMap<>();

		private final Map<Node, List<Node>> calls = new HashMap<>();

		private final Set<String> clients = new HashSet<>();

		Trace(List<JsonNode> spans) {
			List<Node> all = new ArrayList<>();
			for (JsonNode span : spans) {
				Node node = new Node(span);
				if (node.kind.equals("SERVER")) {
					this.servers.add(node);
					this.serverById.putIfAbsent(node.id, node);
					this.serverByParent.putIfAbsent(node.parent, node);
				}
				else {
					this.others.putIfAbsent(node.id, node);
				}
				if (node.kind.equals("CLIENT")) {
					all.add(node);
					this.clients.add(node.id);
				}
			}
			for (Node client : all) {
				Node server = serverOf(client);
				if (server != null && client.timed()) {
					this.calls.computeIfAbsent(server, (key) -> new ArrayList<>()).add(client);
				}
			}
		}

		/** The server span that a call was made in. */
		private @Nullable Node serverOf(Node client) {
			String parent = client.parent;
			for (int i = 0; i < MAX_DEPTH && !parent.isEmpty(); i++) {
				Node server = this.serverById.get(parent);
				if (server != null) {
					return server;
				}
				Node other = this.others.get(parent);
				if (other == null) {
					return null;
				}
				parent = other.parent;
			}
			return null;
		}

		/**
		 * The server span that nobody in this trace called; none if there are several.
		 * One without a parent counts before those whose parent does not report, such as
		 * a gateway.
		 */
		@Nullable Node root() {
			List<Node> first = new ArrayList<>();
			List<Node> orphans = new ArrayList<>();
			for (Node server : this.servers) {
				if (server.service.isEmpty() || this.clients.contains(server.id)) {
					continue;
				}
				if (server.parent.isEmpty()) {
					first.add(server);
				}
				else if (!this.others.containsKey(server.parent) && !this.serverById.containsKey(server.parent)) {
					orphans.add(server);
				}
			}
			List<Node> roots = first.isEmpty() ? orphans : first;
			return (roots.size() == 1) ? roots.get(0) : null;
		}

		Map<Hop, Integer> critical(Node root) {
			Map<Hop, Integer> critical = new LinkedHashMap<>();
			Set<Node> seen = new HashSet<>();
			Deque<Node> open = new ArrayDeque<>(List.of(root));
			while (!open.isEmpty()) {
				Node server = open.removeFirst();
				if (!seen.add(server) || !server.timed()) {
					continue;
				}
				List<Node> made = new ArrayList<>(this.calls.getOrDefault(server, List.of()));
				made.sort(Comparator.comparingDouble((Node call) -> -call.end));
				double until = server.end + ROUNDING;
				for (Node call : made) {
					if (call.end > until) {
						continue;
					}
					until = call.start;
					Node called = this.serverById.get(call.id);
					if (called == null) {
						called = this.serverByParent.get(call.id);
					}
					if (called == null || called.service.isEmpty()) {
						continue;
					}
					if (!called.service.equals(server.service)) {
						critical.merge(new Hop(server.service, called.service), 1, Integer::sum);
					}
					open.add(called);
				}
			}
			return critical;
		}

	}

}
