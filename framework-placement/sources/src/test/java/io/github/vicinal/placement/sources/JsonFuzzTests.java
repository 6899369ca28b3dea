package io.github.vicinal.placement.sources;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.InvalidModelException;
import io.github.vicinal.placement.source.Traffic;
import io.github.vicinal.placement.sources.LocalServer.Answer;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Answers of other processes, with any part replaced by anything. */
class JsonFuzzTests {

	private static final String TOO_DEEP = "[".repeat(900);

	private static final List<String> JUNK = List.of("null", "true", "-1", "1e308", "-1e400", "0.1", "\"\"", "\"NaN\"",
			"\"+Inf\"", "\"\\u0000\\ud800\"", "[]", "{}", "[[]]", "[null]", "{\"a\":{\"b\":[]}}", "9223372036854775808",
			"\"" + "x".repeat(100_000) + "\"", TOO_DEEP + "]".repeat(900));

	private static final String VECTOR = """
			{"status":"success","data":{"resultType":"vector","result":[
			{"metric":{"source_canonical_service":"front","destination_canonical_service":"cart","reporter":"source",
			"client":"front","server":"cart","service_name":"front","server_address":"cart","application":"front",
			"client_name":"cart"},"value":[1763712000.123,"40.5"]},
			{"metric":{"source_canonical_service":"cart","destination_canonical_service":"db","reporter":"source",
			"client":"cart","server":"db","service_name":"cart","server_address":"db","application":"cart",
			"client_name":"db"},"value":[1763712000.123,"7"]}]}}""";

	private static final String SPANS = """
			[[{"traceId":"1","id":"2","kind":"CLIENT","duration":900,"localEndpoint":{"serviceName":"front"}},
			{"traceId":"1","id":"2","kind":"SERVER","duration":400,"localEndpoint":{"serviceName":"cart"}},
			{"traceId":"1","id":"3","parentId":"2","kind":"CLIENT","duration":90,"localEndpoint":{"serviceName":"cart"}},
			{"traceId":"1","id":"4","parentId":"3","kind":"SERVER","duration":40,"localEndpoint":{"serviceName":"db"}}]]""";

	private static final String LINKS = """
			[{"parent":"front","child":"cart","callCount":40},{"parent":"cart","child":"db","callCount":4,"errorCount":1}]""";

	private static final String REPORT = """
			{"format":"vicinal-placement-instance","version":1,"service":"front","instance":"i","process":"p","host":"h",
			"zone":"","processors":2,"hostMemoryMiB":1000,"uptimeSeconds":60.0,"cpuSeconds":6.0,"memoryMiB":100,
			"incomingCalls":5.0,"incomingSeconds":0.1,"outgoing":[{"target":"cart","address":"cart:8080","instance":"j","path":"uds",
			"calls":40.0,"bytes":4000.0,"cost":{"fixedNanos":50000.0,"nanosPerByte":0.5,"callerCpuNanos":20000.0}}]}""";

	private final JsonMapper mapper = JsonMapper.builder().build();

	/**
	 * One server and one client for some bodies: they take longer to make than to use.
	 */
	@Property(tries = 3, deepTries = 10)
	void prometheus(@ForAll long seed) {
		Random random = new Random(seed);
		AtomicReference<String> body = new AtomicReference<>("");
		try (LocalServer server = new LocalServer((request) -> Answer.ok(body.get()))) {
			PrometheusSource source = new PrometheusSource(server.uri(""), Duration.ofMinutes(1), 1,
					new HttpJson(Duration.ofSeconds(10)));
			for (int i = 0; i < 5; i++) {
				body.set(spoilt(VECTOR, random));
				try {
					check(source.observe());
				}
				catch (IOException ex) {
					assertThat(ex).hasMessageContaining("127.0.0.1");
					assertThat(ex.getMessage().length()).isLessThan(2000);
				}
			}
		}
	}

	@Test
	void valuesThatAddUpToInfinity() throws IOException {
		String vector = VECTOR.replace("\"40.5\"", "\"1e308\"").replace("\"cart\",\"db\"", "\"cart\"");
		try (LocalServer server = new LocalServer((request) -> Answer.ok(vector))) {
			check(new PrometheusSource(server.uri(""), Duration.ofMinutes(1), 1, new HttpJson(Duration.ofSeconds(10)))
				.observe());
		}
	}

	@Property(tries = 500)
	void zipkin(@ForAll long seed) throws IOException {
		Random random = new Random(seed);
		Path file = Files.createTempFile("zipkin", ".json");
		try {
			Files.write(file, spoilt(random.nextBoolean() ? SPANS : LINKS, random).getBytes(StandardCharsets.UTF_8));
			check(ZipkinSource.file(file, Duration.ofMinutes(1), 0).observe());
		}
		catch (IOException ex) {
			assertThat(ex).hasMessageContaining(file.getFileName().toString());
			assertThat(ex.getMessage().length()).isLessThan(2000);
		}
		finally {
			Files.delete(file);
		}
	}

	@Property(tries = 500)
	void reports(@ForAll long seed) {
		JsonNode document;
		try {
			document = this.mapper.readTree(spoilt(REPORT, new Random(seed)));
		}
		catch (JacksonException ex) {
			// HttpJson says that it is not JSON.
			return;
		}
		try {
			InstanceReport report = InstanceReport.read(document, "the instance");
			assertThat(report.uptimeSeconds()).isFinite();
			assertThat(report.uptimeSeconds() >= 0).isTrue();
			assertThat(report.outgoing()).allSatisfy(
					(calls) -> assertThat(calls.calls() >= 0 && calls.calls() < Double.POSITIVE_INFINITY).isTrue());
		}
		catch (InvalidModelException ex) {
			assertThat(ex.getMessage()).contains("the instance");
			assertThat(ex.getMessage().length()).isLessThan(2000);
		}
	}

	/** Edges of a model have ends, and numbers that can be added. */
	private static void check(Traffic traffic) {
		for (Edge edge : traffic.edges()) {
			assertThat(edge.from()).isNotEmpty().isNotEqualTo(edge.to());
			assertThat(edge.to()).isNotEmpty();
			for (Double number : new Double[] { edge.callsPerSecond(), edge.applicationBytesPerSecond(),
					edge.p90LatencyMicros() }) {
				if (number != null) {
					assertThat(number >= 0 && number < Double.POSITIVE_INFINITY).as("%s", number).isTrue();
				}
			}
		}
	}

	/** Replaces a value by junk, cuts the text off, or changes a character. */
	private String spoilt(String text, Random random) {
		switch (random.nextInt(4)) {
			case 0 -> {
				return text.substring(0, random.nextInt(text.length()));
			}
			case 1 -> {
				StringBuilder changed = new StringBuilder(text);
				changed.setCharAt(random.nextInt(text.length()), (char) (32 + random.nextInt(96)));
				return changed.toString();
			}
			default -> {
				String spoilt = text;
				String junk = "";
				for (int i = random.nextInt(3); i >= 0 && !junk.startsWith(TOO_DEEP); i--) {
					JsonNode root = this.mapper.readTree(spoilt);
					junk = JUNK.get(random.nextInt(JUNK.size()));
					spoilt = replaced(root, random.nextInt(count(root)), junk);
				}
				return spoilt;
			}
		}
	}

	private static int count(JsonNode node) {
		int count = 1;
		for (JsonNode child : node) {
			count += count(child);
		}
		return count;
	}

	/** Writes a tree with one of its nodes, counted from the root on, replaced. */
	private static String replaced(JsonNode node, int at, String junk) {
		if (at == 0) {
			return junk;
		}
		int left = at - 1;
		StringBuilder text = new StringBuilder(node.isArray() ? "[" : "{");
		String separator = "";
		List<String> names = List.copyOf(node.propertyNames());
		for (int i = 0; i < node.size(); i++) {
			JsonNode child = node.isArray() ? node.get(i) : node.get(names.get(i));
			int size = count(child);
			boolean inside = left >= 0 && left < size;
			text.append(separator);
			if (!node.isArray()) {
				text.append('"').append(names.get(i)).append("\":");
			}
			text.append(inside ? replaced(child, left, junk) : child.toString());
			left -= size;
			separator = ",";
		}
		return text.append(node.isArray() ? "]" : "}").toString();
	}

}
