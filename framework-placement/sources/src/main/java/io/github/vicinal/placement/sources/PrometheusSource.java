package io.github.vicinal.placement.sources;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.Evidence;
import io.github.vicinal.placement.model.PrintableText;
import io.github.vicinal.placement.source.Traffic;
import io.github.vicinal.placement.source.TrafficSource;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Asks a Prometheus server, by its HTTP API, for the names that are in use: Istio's
 * standard metrics, the service graph of the OpenTelemetry collector, OpenTelemetry's
 * HTTP client metrics, and Spring's {@code http.client.requests}. Names that the server
 * does not know are skipped; of several that it knows, each quantity of an edge comes
 * from the first in this order.
 *
 * @since 0.1.0
 */
public final class PrometheusSource implements TrafficSource {

	private static final int MAX_SERIES = 200_000;

	private static final int MAX_NAME = 256;

	/** More calls, bytes or seconds than this are not real, and sums must be finite. */
	private static final double MAX_VALUE = 1e15;

	/** Labels by which one server keeps several environments apart. */
	private static final List<String> ENVIRONMENTS = List.of("cluster", "env", "environment", "namespace", "stage");

	/** Queries; the first parameter is the window, the second the matchers of labels. */
	private static final List<Family> FAMILIES = List.of(new Family("istio_requests_total", "source_canonical_service",
			"destination_canonical_service",
			List.of("sum by (source_canonical_service, destination_canonical_service, reporter) (rate(istio_requests_total{%2$s}[%1$s]))"),
			List.of("sum by (source_canonical_service, destination_canonical_service, reporter) (rate(istio_request_bytes_sum{%2$s}[%1$s]))",
					"sum by (source_canonical_service, destination_canonical_service, reporter) (rate(istio_response_bytes_sum{%2$s}[%1$s]))"),
			"", ""),
			new Family("traces_service_graph_request_total", "client", "server",
					List.of("sum by (client, server) (rate(traces_service_graph_request_total{%2$s}[%1$s]))"),
					List.of(),
					"histogram_quantile(0.9, sum by (client, server, le) (rate(traces_service_graph_request_client_seconds_bucket{%2$s}[%1$s])))",
					"histogram_quantile(0.9, sum by (client, server, le) (rate(traces_service_graph_request_server_seconds_bucket{%2$s}[%1$s])))"),
			new Family("http_client_request_duration_seconds_count", "service_name", "server_address", List
				.of("sum by (service_name, server_address) (label_replace(rate(http_client_request_duration_seconds_count{%2$s}[%1$s]), \"service_name\", \"$1\", \"job\", \"(.+)\"))"),
					List.of("sum by (service_name, server_address) (label_replace(rate(http_client_request_body_size_bytes_sum{%2$s}[%1$s]), \"service_name\", \"$1\", \"job\", \"(.+)\"))",
							"sum by (service_name, server_address) (label_replace(rate(http_client_response_body_size_bytes_sum{%2$s}[%1$s]), \"service_name\", \"$1\", \"job\", \"(.+)\"))"),
					"", ""),
			new Family("http_client_requests_seconds_count", "application", "client_name", List.of(
					"sum by (application, client_name) (rate(http_client_requests_seconds_count{application!=\"\",%2$s}[%1$s]))",
					"sum by (application, client_name) (label_replace(rate(http_client_requests_seconds_count{application=\"\",%2$s}[%1$s]), \"application\", \"$1\", \"job\", \"(.+)\"))"),
					List.of(), "", ""));

	private final URI base;

	private final Duration window;

	private final long minimumCalls;

	private final String matchers;

	private final HttpJson http;

	/**
	 * Creates a source.
	 * @param base address of the server, without {@code /api/v1}
	 * @param window the time that rates are taken over
	 * @param minimumCalls edges with less evidence are left out, and named
	 * @param http reads over HTTP
	 */
	public PrometheusSource(URI base, Duration window, long minimumCalls, HttpJson http) {
		this(base, window, minimumCalls, "", http);
	}

	/**
	 * Creates a source of the series that match.
	 * @param base address of the server, without {@code /api/v1}
	 * @param window the time that rates are taken over
	 * @param minimumCalls edges with less evidence are left out, and named
	 * @param matchers matchers of labels, in the language of Prometheus and without
	 * braces, such as {@code env="prod",namespace=~"shop.*"}; empty for all series
	 * @param http reads over HTTP
	 */
	public PrometheusSource(URI base, Duration window, long minimumCalls, String matchers, HttpJson http) {
		this.base = base;
		this.window = window;
		this.minimumCalls = minimumCalls;
		this.matchers = matchers.strip();
		this.http = http;
	}

	/**
	 * Metrics of calls between services.
	 *
	 * @param metric the metric that is there if the others are
	 * @param from the label that names the caller
	 * @param to the label that names the called
	 * @param calls queries whose results are added, unless they are of two reporters
	 * @param bytes the same for bytes
	 * @param clientP90 seconds that calls take for the caller, empty if not known
	 * @param serverP90 the same for the called
	 */
	private record Family(String metric, String from, String to, List<String> calls, List<String> bytes,
			String clientP90, String serverP90) {
	}

	private record Ends(String from, String to) {
	}

	@Override
	public String name() {
		return "prometheus";
	}

	@Override
	public Traffic observe() throws IOException {
		Map<Ends, Edge> edges = new LinkedHashMap<>();
		Set<String> notSeen = new LinkedHashSet<>();
		Set<String> unanswered = new LinkedHashSet<>();
		List<String> missing = new ArrayList<>();
		for (Family family : FAMILIES) {
			Map<Ends, Double> calls = query(family, family.calls(), notSeen, unanswered);
			if (calls.isEmpty()) {
				missing.add(family.metric());
				continue;
			}
			String mixed = environments(family, notSeen, unanswered);
			Map<Ends, Double> bytes = query(family, family.bytes(), notSeen, unanswered);
			Map<Ends, Double> latency = latency(family, notSeen, unanswered);
			calls.forEach((ends, rate) -> {
				if (rate > 0) {
					edges.merge(ends, edge(ends, rate, bytes.get(ends), latency.get(ends), mixed),
							ObservedModel::together);
				}
			});
		}
		if (edges.isEmpty()) {
			throw new IOException(
					"%s knows no calls between services in the last %s%s: none of the metrics %s has values that can be used%s. Is it scraping the services, and is the window long enough?"
						.formatted(HttpJson.shown(this.base), seconds(),
								this.matchers.isEmpty() ? "" : " with " + PrintableText.escaped(this.matchers), missing,
								notSeen.isEmpty() ? "" : " (" + notSeen.iterator().next() + ")"));
		}
		edges.values().removeIf((edge) -> {
			boolean little = edge.evidence().samples() < this.minimumCalls;
			if (little) {
				notSeen.add("'%s' -> '%s': %d calls in %s are less than the %d that count as evidence; left out"
					.formatted(edge.from(), edge.to(), edge.evidence().samples(), seconds(), this.minimumCalls));
			}
			return little;
		});
		return new Traffic(List.copyOf(edges.values()), List.copyOf(notSeen), List.copyOf(unanswered));
	}

	private Edge edge(Ends ends, double calls, @Nullable Double bytes, @Nullable Double latency, String mixed) {
		return new Edge(ends.from(), ends.to(), calls, bytes, null, null, latency, new Evidence(name(),
				Math.round(calls * this.window.toMillis() / 1000.0), this.window, !mixed.isEmpty(), mixed));
	}

	private String seconds() {
		return Math.max(1, this.window.toSeconds()) + "s";
	}

	/**
	 * The sum of several queries. Reporters are not added: both ends report the same
	 * calls.
	 */
	private Map<Ends, Double> query(Family family, List<String> queries, Set<String> notSeen, Set<String> unanswered)
			throws IOException {
		Map<Ends, Double> sum = new LinkedHashMap<>();
		for (String query : queries) {
			Map<Ends, Double> most = new LinkedHashMap<>();
			for (Sample sample : query(family, query, notSeen, unanswered)) {
				most.merge(sample.ends(), sample.value(), Math::max);
			}
			most.forEach((ends, value) -> sum.merge(ends, value, Double::sum));
		}
		return sum;
	}

	/** Cost of the path alone: client less server. */
	private Map<Ends, Double> latency(Family family, Set<String> notSeen, Set<String> unanswered) throws IOException {
		Map<Ends, Double> latency = new LinkedHashMap<>();
		if (family.clientP90().isEmpty()) {
			return latency;
		}
		Map<Ends, Double> server = new LinkedHashMap<>();
		query(family, family.serverP90(), notSeen, unanswered)
			.forEach((sample) -> server.put(sample.ends(), sample.value()));
		for (Sample sample : query(family, family.clientP90(), notSeen, unanswered)) {
			Double there = server.get(sample.ends());
			if (there != null && sample.value() >= there) {
				latency.put(sample.ends(), (sample.value() - there) * 1e6);
			}
			else if (there != null) {
				notSeen.add("'%s' -> '%s': the server p90 of %s s is more than the client p90 of %s s; not used"
					.formatted(sample.ends().from(), sample.ends().to(), there, sample.value()));
			}
		}
		return latency;
	}

	/**
	 * Names environments whose calls are added up because their services share names,
	 * unless the matchers say which ones are meant.
	 * @return why calls are partial evidence, empty if they are not
	 */
	private String environments(Family family, Set<String> notSeen, Set<String> unanswered) throws IOException {
		Map<String, Set<String>> values = new TreeMap<>();
		List<String> asked = ENVIRONMENTS.stream().filter((label) -> !matched(label)).toList();
		if (asked.isEmpty()) {
			return "";
		}
		String query = "group by (%s) (rate(%s{%%2$s}[%%1$s]))".formatted(String.join(", ", asked), family.metric());
		for (JsonNode result : results(query, unanswered)) {
			for (String label : asked) {
				String value = result.path("metric").path(label).asString("");
				if (!value.isEmpty()) {
					values.computeIfAbsent(label, (key) -> new TreeSet<>()).add(value);
				}
			}
		}
		values.values().removeIf((all) -> all.size() < 2);
		values.forEach((label, all) -> notSeen.add(
				"%s has series of %d values of the label '%s' (%s); services of equal names count as one. Choose series by matchers of labels"
					.formatted(family.metric(), all.size(), label, shortened(String.join(", ", all)))));
		return values.isEmpty() ? "" : "calls of all values of %s are added up; choose series by matchers of labels"
			.formatted(values.keySet().stream().map((label) -> "'" + label + "'").collect(Collectors.joining(", ")));
	}

	/** Whether the matchers choose values of a label. */
	private boolean matched(String label) {
		return Pattern.compile("(^|,)\\s*" + label + "\\s*[=!]").matcher(this.matchers).find();
	}

	private record Sample(Ends ends, double value) {
	}

	private JsonNode results(String query, Set<String> unanswered) throws IOException {
		String question = String.format(Locale.ROOT, query, seconds(), this.matchers);
		String path = this.base.toString();
		URI uri = URI.create((path.endsWith("/") ? path.substring(0, path.length() - 1) : path) + "/api/v1/query?query="
				+ URLEncoder.encode(question, StandardCharsets.UTF_8));
		JsonNode answer = this.http.get(uri);
		if (!answer.path("status").asString("").equals("success")) {
			throw new IOException("%s refused a query: %s".formatted(HttpJson.shown(uri),
					shortened(answer.path("error").asString("it is no answer of Prometheus"))));
		}
		JsonNode results = answer.path("data").path("result");
		if (!results.isArray() || results.size() > MAX_SERIES) {
			throw new IOException("%s answered with %s; at most %d series are read".formatted(HttpJson.shown(uri),
					results.isArray() ? results.size() + " series" : "no list of series", MAX_SERIES));
		}
		for (JsonNode warning : answer.path("warnings")) {
			unanswered.add("%s answered in part: %s".formatted(HttpJson.shown(this.base),
					shortened(warning.asString("a warning without a text"))));
		}
		return results;
	}

	private List<Sample> query(Family family, String query, Set<String> notSeen, Set<String> unanswered)
			throws IOException {
		List<Sample> samples = new ArrayList<>();
		for (JsonNode result : results(query, unanswered)) {
			JsonNode labels = result.path("metric");
			String from = ServiceNames.ofHost(labels.path(family.from()).asString(""));
			String to = ServiceNames.ofHost(labels.path(family.to()).asString(""));
			if (from.isEmpty() || to.isEmpty()) {
				notSeen.add("%s has series whose caller or called has no name (%s='%s', %s='%s')".formatted(
						family.metric(), family.from(), shortened(labels.path(family.from()).asString("")), family.to(),
						shortened(labels.path(family.to()).asString(""))));
				continue;
			}
			if (from.length() > MAX_NAME || to.length() > MAX_NAME) {
				notSeen.add("%s has series whose caller or called has a name of more than %d characters ('%s', '%s')"
					.formatted(family.metric(), MAX_NAME, shortened(from), shortened(to)));
				continue;
			}
			String text = result.path("value").path(1).asString("");
			double value = number(text);
			if (!(value >= 0 && value <= MAX_VALUE)) {
				notSeen.add("'%s' -> '%s': %s has the value '%s'; not used".formatted(from, to, family.metric(),
						shortened(text)));
			}
			else if (!from.equals(to)) {
				samples.add(new Sample(new Ends(from, to), value));
			}
		}
		return samples;
	}

	private static double number(String text) {
		try {
			return Double.parseDouble(text);
		}
		catch (NumberFormatException ex) {
			return Double.NaN;
		}
	}

	private static String shortened(String text) {
		return PrintableText.escaped((text.length() <= 120) ? text : text.substring(0, 120) + "...");
	}

}
