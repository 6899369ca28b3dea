package io.github.vicinal.samples.trainticket;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.report.ChannelReport.PathReport;
import io.github.vicinal.samples.trainticket.AllServices.Started;
import io.github.vicinal.samples.trainticket.launch.RunningServices;
import io.github.vicinal.samples.trainticket.launch.Service;
import io.github.vicinal.testing.DeepTests;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The same searches over each path: byte-equal answers, the same calls, and all of them
 * by the path that was asked for.
 */
class PathsTests {

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	private static final String SEARCH = """
			{"startingPlace": "Nan Jing", "endPlace": "Shang Hai", "departureTime": "2099-05-04"}""";

	private static final List<String> REQUESTS = List.of("/api/v1/travelservice/trips/left",
			"/api/v1/travel2service/trips/left", "/api/v1/travelplanservice/travelPlan/cheapest",
			"/api/v1/travelplanservice/travelPlan/minStation");

	/** All services' internal calls of {@link #REQUESTS}, and those of the gateway. */
	private static final long CALLS = 122 + 51 + 292 + 301 + 4;

	private static final int MAX_ROUNDS = 50;

	/**
	 * Observations of one path.
	 *
	 * @param bodies the answers by request
	 * @param operations the calls by operation
	 */
	private record Seen(Map<String, String> bodies, Map<String, Long> operations) {
	}

	@Test
	@Timeout(600)
	@DisplayName("answers are byte-equal and calls are the same over http, direct and shm, and over uds in the profile deep")
	void pathsAreEqual() throws Exception {
		Seen http = search("http", "vicinal.enabled=false");
		Seen direct = search("direct", "vicinal.server.paths=direct", "vicinal.confirm-interval=0s");
		Seen shm = search("shm", "vicinal.server.paths=shm,uds", "vicinal.compare-paths=false",
				"vicinal.confirm-interval=0s");

		assertThat(http.operations().values().stream().mapToLong(Long::longValue).sum()).isEqualTo(CALLS);
		assertThat(direct).isEqualTo(http);
		assertThat(shm).isEqualTo(http);
		if (DeepTests.areRun()) {
			assertThat(search("uds", "vicinal.server.paths=uds", "vicinal.compare-paths=false",
					"vicinal.confirm-interval=0s"))
				.isEqualTo(http);
		}
	}

	private static Seen search(String path, String... properties) throws Exception {
		try (Started started = Started.start(properties)) {
			RunningServices services = started.services();
			URI gateway = started.gateway();
			boolean arrived = path.equals("http");
			for (int i = 0; i < MAX_ROUNDS && !arrived; i++) {
				long before = calls(services, path);
				askAll(gateway);
				arrived = calls(services, path) - before == CALLS;
			}
			assertThat(arrived).as("all calls go over %s", path).isTrue();
			CallGraph before = CallGraph.of(services);
			Map<String, String> bodies = askAll(gateway);
			return new Seen(bodies, CallGraph.of(services).since(before).operations());
		}
	}

	private static long calls(RunningServices services, String path) {
		return services.services()
			.stream()
			.flatMap((service) -> services.context(service)
				.getBean(ChannelsEndpoint.class)
				.channels()
				.channels()
				.stream())
			.flatMap((channel) -> channel.peers().stream())
			.flatMap((peer) -> peer.paths().stream())
			.filter((report) -> report.path().equals(path))
			.mapToLong(PathReport::calls)
			.sum();
	}

	private static Map<String, String> askAll(URI gateway) throws Exception {
		Map<String, String> bodies = new HashMap<>();
		for (String request : REQUESTS) {
			HttpResponse<String> response = CLIENT.send(HttpRequest.newBuilder(gateway.resolve(request))
				.header("Content-Type", "application/json")
				.timeout(Duration.ofSeconds(30))
				.POST(HttpRequest.BodyPublishers.ofString(SEARCH))
				.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.ISO_8859_1));
			assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
			bodies.put(request, response.body());
		}
		return bodies;
	}

}
