package io.github.vicinal.samples.clinic;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.report.ChannelReport.PathReport;
import io.github.vicinal.samples.clinic.common.Tokens;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/** The services answer as they do without Vicinal, while their requests take a path. */
@Timeout(180)
class ClinicTests {

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	private static final String READER = Tokens.of("reader", "read");

	private static final String DESK = Tokens.of("desk", "read desk");

	private static final int MAX_ROUNDS = 60;

	/** Requests of one round that services make: the gateway's, the board's, visits'. */
	private static final Map<Clinic, Long> REQUESTS = Map.of(Clinic.GATEWAY, 17L, Clinic.BOARD, 10L, Clinic.VISITS, 4L);

	private Path directory;

	@BeforeEach
	void makeDirectory() throws IOException {
		Path memory = Path.of("/dev/shm");
		this.directory = Files.isDirectory(memory) ? Files.createTempDirectory(memory, "clinic")
				: Files.createTempDirectory("clinic");
	}

	@AfterEach
	void deleteDirectory() throws IOException {
		FileSystemUtils.deleteRecursively(this.directory);
	}

	@ParameterizedTest
	@ValueSource(strings = { "direct", "shm", "uds" })
	void answersAreThoseOfHttp(String path) throws Exception {
		List<String> expected;
		try (Running plain = new Running(Map.of("vicinal.enabled", "false"))) {
			plain.round();
			expected = plain.round();
		}
		try (Running near = new Running(Map.of("vicinal.http-exchanges.paths", path, "vicinal.rendezvous.directory",
				this.directory.toString(), "vicinal.compare-paths", "false", "vicinal.confirm-interval", "0s"))) {
			Map<Clinic, Long> carried = Map.of();
			for (int i = 0; i < MAX_ROUNDS && !carried.equals(REQUESTS); i++) {
				Map<Clinic, Long> before = near.carried(path);
				assertThat(near.round()).as("round %d", i).isEqualTo(expected);
				carried = near.carriedSince(before, path);
			}
			assertThat(carried).as(near.reports()).isEqualTo(REQUESTS);
		}
	}

	/** The services, each an application of its own in this JVM. */
	private static final class Running implements AutoCloseable {

		private final Map<Clinic, ConfigurableApplicationContext> services = new EnumMap<>(Clinic.class);

		private final Map<String, String> urls = new LinkedHashMap<>();

		Running(Map<String, Object> properties) {
			Map<String, Object> all = new LinkedHashMap<>(properties);
			all.put("server.port", "0");
			for (Clinic service : Clinic.values()) {
				ConfigurableApplicationContext started = service.start(all);
				this.services.put(service, started);
				String name = started.getEnvironment().getRequiredProperty("spring.application.name");
				String url = "http://localhost:" + started.getEnvironment().getRequiredProperty("local.server.port");
				this.urls.put(name, url);
				all.put("clinic." + name, url);
			}
		}

		/** Makes some requests of each kind, and returns what came of them. */
		List<String> round() throws Exception {
			List<String> outcomes = new ArrayList<>();
			get(outcomes, "/owners", READER);
			get(outcomes, "/owners?name=Betty", READER);
			get(outcomes, "/owners/1", READER);
			get(outcomes, "/owners/1", "");
			get(outcomes, "/owners/1", "no.token.atall");
			get(outcomes, "/owners/99", READER);
			get(outcomes, "/owners/x", READER);
			post(outcomes, "/owners", READER, "{\"id\":0,\"name\":\"Eduardo\",\"pets\":[]}");
			post(outcomes, "/owners", DESK, "{\"id\":0,\"name\":\"\",\"pets\":[]}");
			post(outcomes, "/owners", DESK, "no json");
			get(outcomes, "/visits/1", READER);
			post(outcomes, "/visits", READER, visit(1, "Leo"));
			post(outcomes, "/visits", READER, visit(1, "Nobody"));
			post(outcomes, "/visits", READER, visit(99, "Leo"));
			get(outcomes, "/board/2", READER);
			get(outcomes, "/board/99", READER);
			get(outcomes, "/board/stream", READER);
			get(outcomes, this.urls.get("board") + "/board/2", READER);
			post(outcomes, this.urls.get("visits") + "/visits", READER, visit(2, "Jewel"));
			return outcomes;
		}

		private static String visit(long owner, String pet) {
			return "{\"owner\":%d,\"pet\":\"%s\",\"date\":\"2031-02-03\",\"reason\":\"nails\"}".formatted(owner, pet);
		}

		private void get(List<String> outcomes, String path, String token) throws Exception {
			outcomes.add(send(path, token, HttpRequest.newBuilder().GET()));
		}

		private void post(List<String> outcomes, String path, String token, String body) throws Exception {
			outcomes.add(send(path, token,
					HttpRequest.newBuilder()
						.header("Content-Type", "application/json")
						.POST(HttpRequest.BodyPublishers.ofString(body))));
		}

		private String send(String path, String token, HttpRequest.Builder request)
				throws IOException, InterruptedException {
			if (!token.isEmpty()) {
				request.header("Authorization", "Bearer " + token);
			}
			String url = path.startsWith("/") ? this.urls.get("gateway") + path : path;
			HttpResponse<String> response = CLIENT.send(
					request.uri(URI.create(url)).timeout(Duration.ofSeconds(30)).build(),
					HttpResponse.BodyHandlers.ofString());
			Map<String, List<String>> headers = new TreeMap<>(response.headers().map());
			headers.keySet().removeAll(List.of("date", "vicinal-peer", "connection", "keep-alive"));
			if (url.contains("/visits") || url.contains("/board")) {
				// Visits are booked in each round.
				headers.remove("content-length");
			}
			String text = response.body()
				.replaceAll("\\{\"owner\":\\d+,\"pet\":\"[^}]*nails\"},?", "")
				.replace(",]", "]");
			String shown = response.statusCode() + " " + headers + " " + text;
			for (Map.Entry<String, String> each : this.urls.entrySet()) {
				shown = shown.replace(each.getValue(), each.getKey());
			}
			return request.build().method() + " " + path.replaceAll("http://localhost:\\d+", "") + " " + shown;
		}

		/** Returns how many requests of each service took a path. */
		Map<Clinic, Long> carried(String path) {
			Map<Clinic, Long> all = new EnumMap<>(Clinic.class);
			this.services.forEach((service, context) -> all.put(service,
					exchanges(context).stream()
						.flatMap((report) -> report.peers().stream())
						.flatMap((peer) -> peer.paths().stream())
						.filter((each) -> each.path().equals(path))
						.mapToLong(PathReport::calls)
						.sum()));
			return all;
		}

		Map<Clinic, Long> carriedSince(Map<Clinic, Long> before, String path) {
			Map<Clinic, Long> now = carried(path);
			now.replaceAll((service, calls) -> calls - before.get(service));
			now.values().removeIf((calls) -> calls == 0);
			return now;
		}

		String reports() {
			StringBuilder all = new StringBuilder();
			this.services.forEach(
					(service, context) -> all.append(service).append(": ").append(exchanges(context)).append('\n'));
			return all.toString();
		}

		private static List<ChannelReport> exchanges(ConfigurableApplicationContext context) {
			return context.getBeanProvider(ChannelsEndpoint.class)
				.stream()
				.flatMap((endpoint) -> endpoint.channels().channels().stream())
				.toList();
		}

		@Override
		public void close() {
			this.services.values().forEach(ConfigurableApplicationContext::close);
		}

	}

}
