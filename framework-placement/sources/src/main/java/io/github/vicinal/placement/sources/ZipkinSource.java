package io.github.vicinal.placement.sources;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.Evidence;
import io.github.vicinal.placement.model.PrintableText;
import io.github.vicinal.placement.model.Route;
import io.github.vicinal.placement.source.Traffic;
import io.github.vicinal.placement.source.TrafficSource;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Asks a Zipkin server for its dependency links and for traces, or reads either from a
 * file. Links say how often one service called another; of traces, the 90th percentile of
 * client span minus server span is what the path itself took, and the calls that an
 * answer waits for make the routes.
 *
 * @since 0.1.0
 */
public final class ZipkinSource implements TrafficSource {

	private static final int TRACES = 1000;

	private static final double MICROS_PER_DAY = 86_400e6;

	private static final double MAX_SPAN_MICROS = 10 * MICROS_PER_DAY;

	private static final int MAX_SPANS = 1_000_000;

	/** Maximum number of calls that is believed of one window. */
	private static final double MAX_CALLS = 1e15;

	private static final long MAX_BYTES = 256L << 20;

	/**
	 * Part of all calls that is too much for an instant: a server that answers with so
	 * much counts by whole days.
	 */
	private static final double TOO_MANY = 0.05;

	private final @Nullable URI base;

	private final @Nullable Path file;

	private final Duration window;

	private final long minimumCalls;

	private final HttpJson http;

	/** The part of the calls that is sampled, {@code null} if nobody says. */
	private final @Nullable Double sampled;

	private ZipkinSource(@Nullable URI base, @Nullable Path file, Duration window, long minimumCalls, HttpJson http,
			@Nullable Double sampled) {
		this.sampled = sampled;
		this.base = base;
		this.file = file;
		this.window = window;
		this.minimumCalls = minimumCalls;
		this.http = http;
	}

	/**
	 * Creates a source that asks a server.
	 * @param base address of the server, without {@code /api/v2}
	 * @param window how far to look back
	 * @param minimumCalls edges of which fewer calls were sampled are left out, and named
	 * @param http reads over HTTP
	 * @return the source
	 */
	public static ZipkinSource server(URI base, Duration window, long minimumCalls, HttpJson http) {
		return new ZipkinSource(base, null, window, minimumCalls, http, null);
	}

	/**
	 * Creates a source that reads a file: links, spans, or lists of spans, as the server
	 * answers with them.
	 * @param file the file
	 * @param window the time that links of a file were counted over
	 * @param minimumCalls edges of which fewer calls were sampled are left out, and named
	 * @return the source
	 */
	public static ZipkinSource file(Path file, Duration window, long minimumCalls) {
		return new ZipkinSource(null, file, window, minimumCalls, new HttpJson(Duration.ofSeconds(1)), null);
	}

	/**
	 * Returns this source with the part of the calls that is sampled. Calls are divided
	 * by it; without it, sampled calls are taken for all of them, and are partial
	 * evidence.
	 * @param part above 0, at most 1
	 * @return another source
	 */
	public ZipkinSource sampled(double part) {
		if (!(part > 0 && part <= 1)) {
			throw new IllegalArgumentException(
					"The sampled part is %s; it must be above 0 and at most 1".formatted(part));
		}
		return new ZipkinSource(this.base, this.file, this.window, this.minimumCalls, this.http, part);
	}

	@Override
	public String name() {
		return "zipkin";
	}

	@Override
	public Traffic observe() throws IOException {
		if (this.file != null) {
			return ofFile(this.file);
		}
		if (this.base == null) {
			throw new IllegalStateException("Neither a server nor a file");
		}
		String path = this.base.toString();
		String api = (path.endsWith("/") ? path.substring(0, path.length() - 1) : path) + "/api/v2/";
		long end = System.currentTimeMillis();
		URI traces = URI
			.create("%straces?endTs=%d&lookback=%d&limit=%d".formatted(api, end, this.window.toMillis(), TRACES));
		Observed observed = new Observed(HttpJson.shown(this.base));
		JsonNode links = links(api, end, this.window.toMillis());
		observed.links(links);
		long start = end - this.window.toMillis();
		double many = TOO_MANY * calls(links);
		if (many > 0 && (calls(links(api, end, 1)) >= many || calls(links(api, start, 1)) >= many)) {
			Instant day = Instant.ofEpochMilli(start).truncatedTo(ChronoUnit.DAYS);
			observed.counted = Duration.ofMillis(Math.max(1, end - day.toEpochMilli()));
			observed.notSeen.add(
					"%s counts links by whole days, as Cassandra and Elasticsearch do: calls per second are means since %s, and too low where its links are not up to date"
						.formatted(HttpJson.shown(this.base), day));
		}
		JsonNode found = this.http.get(traces);
		observed.spans(found);
		if (found.size() >= TRACES) {
			observed.all = false;
			observed.notSeen.add("%s has more than %d traces in the window; times of calls come from these"
				.formatted(HttpJson.shown(this.base), TRACES));
		}
		return observed.traffic();
	}

	private JsonNode links(String api, long end, long lookback) throws IOException {
		return this.http.get(URI.create("%sdependencies?endTs=%d&lookback=%d".formatted(api, end, lookback)));
	}

	private static double calls(JsonNode links) {
		double calls = 0;
		for (JsonNode link : links) {
			calls += Math.max(0, link.path("callCount").asDouble(0));
		}
		return calls;
	}

	private Traffic ofFile(Path file) throws IOException {
		if (Files.size(file) > MAX_BYTES) {
			throw new IOException("%s has %d bytes; at most %d are read".formatted(file, Files.size(file), MAX_BYTES));
		}
		JsonNode document;
		try {
			document = JsonMapper.builder().build().readTree(file.toFile());
		}
		catch (JacksonException ex) {
			throw new IOException("%s is no JSON: %s%s".formatted(file, HttpJson.problem(ex),
					(ex.getLocation() != null) ? ", line " + ex.getLocation().getLineNr() : ""), ex);
		}
		Observed observed = new Observed(file.toString());
		if (document.isArray() && !document.isEmpty() && document.get(0).has("parent")) {
			observed.links(document);
		}
		else {
			observed.spans(document);
		}
		return observed.traffic();
	}

	private record Ends(String from, String to) {
	}

	private static final class Latencies {

		private double[] micros = new double[16];

		private int count;

		void add(double value) {
			if (this.count == this.micros.length) {
				this.micros = Arrays.copyOf(this.micros, 2 * this.count);
			}
			this.micros[this.count++] = value;
		}

		double p90() {
			double[] sorted = Arrays.copyOf(this.micros, this.count);
			Arrays.sort(sorted);
			return sorted[(int) Math.ceil(0.9 * this.count) - 1];
		}

	}

	private record Span(String service, String kind, double micros) {
	}

	/** Reads what Zipkin answered. */
	private final class Observed {

		private final String place;

		private final Map<Ends, Double> calls = new LinkedHashMap<>();

		private final Map<Ends, Latencies> latencies = new LinkedHashMap<>();

		/** The time that links were counted over. */
		private Duration counted = ZipkinSource.this.window;

		private final Set<String> notSeen = new LinkedHashSet<>();

		private final CriticalPaths paths = new CriticalPaths();

		/** Whether there are no more traces than were read. */
		private boolean all = true;

		private Observed(String place) {
			this.place = place;
		}

		private IOException wrong(String what) {
			return new IOException("%s: %s".formatted(this.place, what));
		}

		void links(JsonNode links) throws IOException {
			if (!links.isArray() || links.size() > MAX_SPANS) {
				throw wrong("dependencies should be a list of at most %d links".formatted(MAX_SPANS));
			}
			for (JsonNode link : links) {
				String parent = PrintableText.escaped(link.path("parent").asString(""));
				String child = PrintableText.escaped(link.path("child").asString(""));
				double count = link.path("callCount").asDouble(-1);
				if (parent.isBlank() || child.isBlank() || !(count >= 0 && count <= MAX_CALLS)) {
					throw wrong(
							"a link has parent, child and callCount, but this one is " + shortened(link.toString()));
				}
				if (!parent.equals(child)) {
					this.calls.merge(new Ends(parent, child), count, Double::sum);
				}
			}
		}

		void spans(JsonNode document) throws IOException {
			if (!document.isArray()) {
				throw wrong("there should be a list of links, spans or traces");
			}
			List<JsonNode> traces = new ArrayList<>();
			boolean nested = !document.isEmpty() && document.get(0).isArray();
			if (nested) {
				document.forEach(traces::add);
			}
			else if (!document.isEmpty()) {
				traces.add(document);
			}
			long spans = 0;
			for (JsonNode trace : traces) {
				spans += trace.size();
				if (spans > MAX_SPANS) {
					throw wrong("more than %d spans; look back less far".formatted(MAX_SPANS));
				}
				trace(trace);
			}
		}

		/** A server span shares the id of its client span, or is its child. */
		private void trace(JsonNode trace) {
			this.paths.add(trace);
			Map<String, Span> clients = new HashMap<>();
			for (JsonNode span : trace) {
				if (span.path("kind").asString("").equals("CLIENT")) {
					clients.put(key(span, "id"), span(span));
				}
			}
			for (JsonNode node : trace) {
				if (!node.path("kind").asString("").equals("SERVER")) {
					continue;
				}
				Span server = span(node);
				Span client = clients.get(key(node, "id"));
				if (client == null) {
					client = clients.get(key(node, "parentId"));
				}
				if (client == null) {
					if (!node.path("parentId").asString("").isEmpty()) {
						this.notSeen.add("'%s' has calls whose caller is not in the trace; their time is not known"
							.formatted(shortened(server.service())));
					}
					continue;
				}
				if (client.service().isEmpty() || server.service().isEmpty()) {
					this.notSeen.add("'%s' has calls of a caller without a name, or to one; not used"
						.formatted(shortened(client.service() + server.service())));
					continue;
				}
				if (client.service().equals(server.service())) {
					continue;
				}
				double path = client.micros() - server.micros();
				if (Double.isNaN(path)) {
					this.notSeen.add("'%s' -> '%s': a span has no duration between 0 and %.0f days; not used"
						.formatted(client.service(), server.service(), MAX_SPAN_MICROS / MICROS_PER_DAY));
				}
				else if (path >= 0) {
					this.latencies
						.computeIfAbsent(new Ends(client.service(), server.service()), (ends) -> new Latencies())
						.add(path);
				}
				else {
					this.notSeen.add("'%s' -> '%s': a server span is longer than its client span; not used"
						.formatted(client.service(), server.service()));
				}
			}
		}

		private static String key(JsonNode span, String id) {
			return span.path("traceId").asString("") + '/' + span.path(id).asString("");
		}

		private static Span span(JsonNode span) {
			double duration = span.path("duration").asDouble(Double.NaN);
			double micros = (duration >= 0 && duration <= MAX_SPAN_MICROS) ? duration : Double.NaN;
			return new Span(PrintableText.escaped(span.path("localEndpoint").path("serviceName").asString("")),
					span.path("kind").asString(""), micros);
		}

		Traffic traffic() throws IOException {
			if (this.calls.isEmpty() && this.latencies.isEmpty()) {
				throw wrong("there are no calls between services; is the window of %s long enough?"
					.formatted(ZipkinSource.this.window));
			}
			Set<Ends> all = new LinkedHashSet<>(this.calls.keySet());
			all.addAll(this.latencies.keySet());
			List<Edge> edges = new ArrayList<>();
			double seconds = Math.max(1e-3, this.counted.toMillis() / 1000.0);
			for (Ends ends : all) {
				Double calls = this.calls.get(ends);
				Latencies latency = this.latencies.get(ends);
				long samples = Math.round((calls != null) ? calls : (latency != null) ? latency.count : 0);
				if (samples < ZipkinSource.this.minimumCalls) {
					this.notSeen
						.add("'%s' -> '%s': %d sampled calls are less than the %d that count as evidence; left out"
							.formatted(ends.from(), ends.to(), samples, ZipkinSource.this.minimumCalls));
					continue;
				}
				List<String> notes = new ArrayList<>();
				if (calls == null) {
					notes.add("seen in traces, but not in the links");
				}
				Double part = ZipkinSource.this.sampled;
				if (part == null) {
					notes.add(
							"only sampled calls are in traces and links; a sampling rate below 1 makes calls look fewer");
				}
				double whole = (part != null) ? part * seconds : seconds;
				edges.add(new Edge(ends.from(), ends.to(), (calls != null) ? calls / whole : null, null, null, null,
						(latency != null) ? latency.p90() : null,
						new Evidence(name(), samples, (calls != null) ? this.counted : ZipkinSource.this.window,
								!notes.isEmpty(), String.join("; ", notes))));
			}
			List<Route> routes = this.paths.routes(name(), this.all ? ZipkinSource.this.window : null,
					ZipkinSource.this.sampled, ZipkinSource.this.minimumCalls, this.notSeen);
			return new Traffic(edges, List.copyOf(this.notSeen), List.of(), routes);
		}

	}

	private static String shortened(String text) {
		return PrintableText.escaped((text.length() <= 120) ? text : text.substring(0, 120) + "...");
	}

}
