package io.github.vicinal.placement.sources;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.source.Traffic;
import io.github.vicinal.placement.sources.LocalServer.Answer;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

class ZipkinSourceTests {

	private static final String LINKS = """
			[{"parent":"shop","child":"orders","callCount":1200},
			 {"parent":"orders","child":"stock","callCount":600,"errorCount":3}]""";

	private static final String SPANS = """
			[[{"traceId":"1","id":"a","kind":"CLIENT","duration":900,"localEndpoint":{"serviceName":"shop"}},
			  {"traceId":"1","id":"a","kind":"SERVER","shared":true,"duration":400,"localEndpoint":{"serviceName":"orders"}},
			  {"traceId":"1","id":"b","parentId":"a","kind":"CLIENT","duration":300,"localEndpoint":{"serviceName":"orders"}},
			  {"traceId":"1","id":"c","parentId":"b","kind":"SERVER","duration":100,"localEndpoint":{"serviceName":"stock"}}],
			 [{"traceId":"2","id":"a","kind":"CLIENT","duration":100,"localEndpoint":{"serviceName":"shop"}},
			  {"traceId":"2","id":"a","kind":"SERVER","duration":400,"localEndpoint":{"serviceName":"orders"}}]]""";

	private static final Duration MINUTE = Duration.ofMinutes(1);

	@TempDir
	Path directory = Path.of("");

	private Path file(String text) throws IOException {
		return Files.writeString(this.directory.resolve("zipkin.json"), text);
	}

	@Test
	void spansThatSayTooLittleAreNamed() throws IOException {
		String spans = """
				[[{"traceId": "1", "id": "a", "kind": "CLIENT", "duration": 30, "localEndpoint": {"serviceName": "front"}},
				  {"traceId": "1", "id": "a", "kind": "SERVER", "duration": 10, "localEndpoint": {"serviceName": "cart"}}],
				 [{"traceId": "2", "id": "a", "kind": "CLIENT", "duration": 30, "localEndpoint": {}},
				  {"traceId": "2", "id": "a", "kind": "SERVER", "duration": 10, "localEndpoint": {"serviceName": "cart"}}],
				 [{"traceId": "3", "id": "c", "parentId": "b", "kind": "SERVER", "duration": 10,
				   "localEndpoint": {"serviceName": "stock"}}]]
				""";
		Traffic traffic = ZipkinSource.file(file(spans), MINUTE, 0).observe();
		assertThat(traffic.edges()).singleElement();
		assertThat(traffic.notSeen())
			.anySatisfy((line) -> assertThat(line).contains("'cart'", "a caller without a name"))
			.anySatisfy((line) -> assertThat(line).contains("'stock'", "whose caller is not in the trace"));
	}

	/** Evidence is complete if the part that is sampled is stated. */
	@Test
	void namesThatCannotBePrintedAreShown() throws IOException {
		String links = """
				[{"parent": "front\\u001b[2J", "child": "cart\\n", "callCount": 120}]
				""";
		Edge edge = ZipkinSource.file(file(links), MINUTE, 0).observe().edges().get(0);
		assertThat(edge.from()).isEqualTo("front\\u001B[2J");
		assertThat(edge.to()).isEqualTo("cart\\u000A");
	}

	@Test
	void aStatedSamplingRateMakesCallsComplete() throws IOException {
		Edge edge = ZipkinSource.file(file(LINKS), MINUTE, 0).sampled(0.1).observe().edges().get(0);
		assertThat(edge.callsPerSecond()).isCloseTo(200, within(1e-9));
		assertThat(edge.evidence().partial()).isFalse();
		assertThat(edge.evidence().samples()).isEqualTo(1200);
		assertThat(ZipkinSource.file(file(LINKS), MINUTE, 0).observe().edges().get(0).evidence().partial()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "1e999", "1e300", "-5", "\"long\"", "null" })
	void aSpanWithoutAUsableDurationIsNamed(String duration) throws IOException {
		String spans = """
				[[{"traceId": "1", "id": "a", "kind": "CLIENT", "duration": %s, "localEndpoint": {"serviceName": "front"}},
				  {"traceId": "1", "id": "a", "kind": "SERVER", "duration": 10, "localEndpoint": {"serviceName": "cart"}}],
				 [{"traceId": "2", "id": "a", "kind": "CLIENT", "duration": 30, "localEndpoint": {"serviceName": "front"}},
				  {"traceId": "2", "id": "a", "kind": "SERVER", "duration": 10, "localEndpoint": {"serviceName": "cart"}}]]
				"""
			.formatted(duration);
		Traffic traffic = ZipkinSource.file(file(spans), MINUTE, 0).observe();
		assertThat(traffic.edges()).singleElement()
			.satisfies((edge) -> assertThat(edge.p90LatencyMicros()).isBetween(15.0, 25.0));
		assertThat(traffic.notSeen()).singleElement().asString().contains("'front' -> 'cart'").contains("duration");
	}

	@Test
	void linksGiveCallsAndSpansGiveLatency() throws IOException {
		try (LocalServer server = new LocalServer((request) -> Answer
			.ok(!request.startsWith("/api/v2/dependencies") ? SPANS : request.endsWith("lookback=1") ? "[]" : LINKS))) {
			Traffic traffic = ZipkinSource.server(server.uri("/"), MINUTE, 0, new HttpJson(Duration.ofSeconds(5)))
				.observe();
			assertThat(traffic.edges()).hasSize(2);
			Edge shop = traffic.edges().get(0);
			assertThat(shop.callsPerSecond()).isEqualTo(20);
			assertThat(shop.p90LatencyMicros()).isEqualTo(500);
			assertThat(shop.evidence().partial()).isTrue();
			assertThat(traffic.edges().get(1).p90LatencyMicros()).isEqualTo(200);
			assertThat(traffic.notSeen()).singleElement().asString().contains("longer than its client span");
			assertThat(server.requests().get(0)).contains("lookback=60000");
		}
	}

	/** As with Cassandra and Elasticsearch, whatever the window. */
	@Test
	void linksOfWholeDaysAreNoCallsOfTheWindow() throws IOException {
		try (LocalServer server = new LocalServer(
				(request) -> Answer.ok(request.startsWith("/api/v2/dependencies") ? LINKS : SPANS))) {
			Traffic traffic = ZipkinSource.server(server.uri("/"), MINUTE, 0, new HttpJson(Duration.ofSeconds(5)))
				.observe();
			Edge shop = traffic.edges().get(0);
			long seconds = shop.evidence().window().toSeconds();
			assertThat(seconds).isBetween(60L, 86_461L);
			assertThat(shop.callsPerSecond()).isCloseTo(1200.0 / seconds, within(0.4));
			assertThat(traffic.notSeen()).anySatisfy((line) -> assertThat(line).contains("links by whole days"));
		}
	}

	@Test
	void filesAreRecognised() throws IOException {
		assertThat(ZipkinSource.file(file(LINKS), MINUTE, 0).observe().edges()).hasSize(2);
		assertThat(ZipkinSource.file(file(SPANS), MINUTE, 0).observe().edges()).hasSize(2)
			.allSatisfy((edge) -> assertThat(edge.callsPerSecond()).isNull());
	}

	@Test
	void aFileThatIsNoTraceIsNamed() throws IOException {
		assertThatThrownBy(() -> ZipkinSource.file(file("[{\"parent\":\"a\",\"callCount\":-1}]"), MINUTE, 0).observe())
			.hasMessageContaining("zipkin.json")
			.hasMessageContaining("parent, child and callCount");
		assertThatThrownBy(() -> ZipkinSource.file(file(LINKS.substring(0, 50)), MINUTE, 0).observe())
			.hasMessageContaining("is no JSON")
			.hasMessageContaining("line");
		assertThatThrownBy(() -> ZipkinSource.file(file("[]"), MINUTE, 0).observe())
			.hasMessageContaining("no calls between services");
	}

	@Property(tries = 300)
	void anythingEndsInTrafficOrAnIoError(@ForAll byte[] noise, @ForAll int at) throws IOException {
		byte[] bytes = SPANS.getBytes(StandardCharsets.UTF_8);
		for (int i = 0; i < noise.length; i++) {
			bytes[Math.floorMod(at + 7919 * i, bytes.length)] = noise[i];
		}
		Path file = Files.createTempFile("zipkin", ".json");
		try {
			Files.write(file, bytes);
			try {
				assertThat(ZipkinSource.file(file, MINUTE, 0).observe().edges()).isNotEmpty();
			}
			catch (IOException ex) {
				assertThat(ex).hasMessageContaining("zipkin");
			}
		}
		finally {
			Files.deleteIfExists(file);
		}
	}

}
