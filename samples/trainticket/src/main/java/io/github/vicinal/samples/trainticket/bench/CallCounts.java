package io.github.vicinal.samples.trainticket.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads from the services' actuators the number of calls by each path.
 * <p>
 * The paths come from {@code /actuator/vicinalchannels}. Calls that only the meter
 * {@code http.client.requests} knows have gone by plain HTTP.
 */
final class CallCounts {

	private static final String HTTP = "http";

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final HttpClient client;

	private final JsonMapper json = new JsonMapper();

	CallCounts(HttpClient client) {
		this.client = client;
	}

	/**
	 * Reads the calls since the start of the services.
	 * @param services addresses of the services
	 * @return calls by path, of all services together
	 */
	Map<String, Long> read(Collection<URI> services) {
		Map<String, Long> sum = new TreeMap<>();
		services.forEach((service) -> read(service).forEach((path, calls) -> sum.merge(path, calls, Long::sum)));
		return sum;
	}

	/**
	 * The difference of two readings.
	 * @param after the second reading
	 * @param before the first one
	 * @return calls by path between the two
	 */
	static Map<String, Long> difference(Map<String, Long> after, Map<String, Long> before) {
		Map<String, Long> difference = new TreeMap<>();
		after.forEach((path, calls) -> {
			long between = calls - before.getOrDefault(path, 0L);
			if (between != 0) {
				difference.put(path, between);
			}
		});
		return difference;
	}

	private Map<String, Long> read(URI service) {
		Map<String, Long> calls = get(service, "/actuator/vicinalchannels").map(CallCounts::byPath)
			.orElseGet(TreeMap::new);
		long metered = get(service, "/actuator/metrics/http.client.requests").map(CallCounts::metered).orElse(0L);
		long known = calls.values().stream().mapToLong(Long::longValue).sum();
		if (metered > known) {
			calls.merge(HTTP, metered - known, Long::sum);
		}
		return calls;
	}

	/**
	 * Sums the calls of all paths to all peers of all channels.
	 * @param document what /actuator/vicinalchannels answered
	 * @return calls by path
	 */
	static Map<String, Long> byPath(JsonNode document) {
		Map<String, Long> sum = new TreeMap<>();
		for (JsonNode channel : document.path("channels")) {
			for (JsonNode peer : channel.path("peers")) {
				for (JsonNode path : peer.path("paths")) {
					long calls = path.path("calls").asLong(0);
					if (calls > 0) {
						sum.merge(path.path("path").asString(), calls, Long::sum);
					}
				}
			}
		}
		return sum;
	}

	private static long metered(JsonNode metric) {
		for (JsonNode measurement : metric.path("measurements")) {
			if (measurement.path("statistic").asString("").equals("COUNT")) {
				return (long) measurement.path("value").asDouble(0);
			}
		}
		return 0;
	}

	private Optional<JsonNode> get(URI service, String path) {
		HttpRequest request = HttpRequest.newBuilder(service.resolve(path)).timeout(TIMEOUT).build();
		try {
			HttpResponse<byte[]> response = this.client.send(request, HttpResponse.BodyHandlers.ofByteArray());
			return (response.statusCode() == 200) ? Optional.of(this.json.readTree(response.body())) : Optional.empty();
		}
		catch (IOException ex) {
			throw new BenchException("The actuator of " + service + " does not answer", ex.toString());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new BenchException("Interrupted", "while reading " + request.uri());
		}
	}

}
