package io.github.vicinal.samples.trainticket;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.github.vicinal.samples.trainticket.AllServices.Started;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each request must return the trips and cost the calls of the original, per edge and per
 * operation. The numbers come from {@code trainticket-calls.json}, which names its
 * source.
 */
@ExtendWith(AllServices.class)
class OracleTests {

	private static final JsonMapper JSON = new JsonMapper();

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	private static final String DAY = "2099-05-04";

	@ParameterizedTest
	@MethodSource("profiles")
	@DisplayName("answers and calls equal those of the original")
	void answersAndCallsEqualTheOriginal(Profile profile, Started started) throws Exception {
		CallGraph before = CallGraph.of(started.services());
		List<String> trips = new ArrayList<>();
		for (Request request : requests(profile.name())) {
			trips.addAll(post(started.gateway(), request).findValuesAsString("tripId"));
		}
		CallGraph calls = CallGraph.of(started.services()).since(before);

		if (profile.ranksOtherwise()) {
			assertThat(trips).containsExactlyInAnyOrderElementsOf(profile.trips());
		}
		else {
			assertThat(trips).isEqualTo(profile.trips());
		}
		assertThat(calls.operations()).isEqualTo(profile.operations());
		assertThat(calls.edges()).isEqualTo(profile.edges());
		assertThat(calls.total()).isEqualTo(profile.totalCalls());
	}

	static Stream<Profile> profiles() throws IOException {
		try (InputStream in = OracleTests.class.getResourceAsStream("/trainticket-calls.json")) {
			return JSON.readTree(in).get("requests").valueStream().map(Profile::of).toList().stream();
		}
	}

	private static List<Request> requests(String profile) {
		String highSpeed = "/api/v1/travelservice/trips/left";
		String others = "/api/v1/travel2service/trips/left";
		String plan = "/api/v1/travelplanservice/travelPlan/";
		return switch (profile) {
			case "BasicSearch.highspeed.nanjing-shanghai" -> List.of(search(highSpeed, "Nan Jing", "Shang Hai"));
			case "BasicSearch.other.nanjing-shanghai" -> List.of(search(others, "Nan Jing", "Shang Hai"));
			case "BasicSearch.all.nanjing-shanghai" ->
				List.of(search(highSpeed, "Nan Jing", "Shang Hai"), search(others, "Nan Jing", "Shang Hai"));
			case "BasicSearch.uidefault.shanghai-suzhou" -> List.of(search(highSpeed, "Shang Hai", "Su Zhou"));
			case "BasicSearch.other.shanghai-taiyuan" -> List.of(search(others, "Shang Hai", "Tai Yuan"));
			case "AdvancedSearch.cheapest.nanjing-shanghai" ->
				List.of(search(plan + "cheapest", "Nan Jing", "Shang Hai"));
			case "AdvancedSearch.quickest.nanjing-shanghai" ->
				List.of(search(plan + "quickest", "Nan Jing", "Shang Hai"));
			case "AdvancedSearch.minStation.nanjing-shanghai" ->
				List.of(search(plan + "minStation", "Nan Jing", "Shang Hai"));
			case "AdvancedSearch.cheapest.shanghai-taiyuan" ->
				List.of(search(plan + "cheapest", "Shang Hai", "Tai Yuan"));
			case "TransferSearch.taiyuan-nanjing-shanghai" -> List.of(new Request(plan + "transferResult", """
					{"fromStationName": "Tai Yuan", "viaStationName": "Nan Jing", "toStationName": "Shang Hai",
					"travelDate": "%s"}""".formatted(DAY)));
			default -> throw new IllegalArgumentException("No request is known for " + profile);
		};
	}

	private static Request search(String path, String from, String to) {
		return new Request(path, """
				{"startingPlace": "%s", "endPlace": "%s", "departureTime": "%s"}""".formatted(from, to, DAY));
	}

	private static JsonNode post(URI gateway, Request request) throws IOException, InterruptedException {
		HttpResponse<String> response = CLIENT.send(HttpRequest.newBuilder(gateway.resolve(request.path()))
			.header("Content-Type", "application/json")
			.timeout(Duration.ofSeconds(30))
			.POST(HttpRequest.BodyPublishers.ofString(request.body()))
			.build(), HttpResponse.BodyHandlers.ofString());
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		return JSON.readTree(response.body());
	}

	record Request(String path, String body) {
	}

	record Profile(String name, List<String> trips, long totalCalls, Map<String, Long> edges,
			Map<String, Long> operations) {

		static Profile of(JsonNode node) {
			Map<String, Long> edges = new TreeMap<>();
			node.get("edges").forEach((edge) -> edges.put(edge(edge), edge.get("calls").longValue()));
			Map<String, Long> operations = new TreeMap<>();
			node.get("operations")
				.forEach((operation) -> operations.put(edge(operation) + " " + operation.get("operation").stringValue(),
						operation.get("calls").longValue()));
			return new Profile(node.get("request").stringValue(),
					node.get("trips_returned").valueStream().map(JsonNode::stringValue).toList(),
					node.get("total_calls").longValue(), edges, operations);
		}

		/**
		 * For these two the file names the trips, but not in the order in which the code
		 * that it was taken from ranks them; {@code SearchTests} has the order.
		 */
		boolean ranksOtherwise() {
			return this.name.startsWith("AdvancedSearch.quickest") || this.name.startsWith("AdvancedSearch.minStation");
		}

		private static String edge(JsonNode node) {
			return node.get("caller").stringValue() + " -> " + node.get("callee").stringValue();
		}

		@Override
		public String toString() {
			return this.name + " (" + this.totalCalls + " calls)";
		}

	}

}
