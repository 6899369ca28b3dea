package io.github.vicinal.placement.sources;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.source.Traffic;
import io.github.vicinal.placement.sources.LocalServer.Answer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

/** Against answers as Prometheus 2.42 gives them, written by hand. */
class PrometheusSourceTests {

	private static final String EMPTY = """
			{"status":"success","data":{"resultType":"vector","result":[]}}""";

	private static String vector(String... results) {
		return """
				{"status":"success","data":{"resultType":"vector","result":[%s]}}"""
			.formatted(String.join(",", results));
	}

	private static String istio(String from, String to, String reporter, String value) {
		return """
				{"metric":{"source_canonical_service":"%s","destination_canonical_service":"%s","reporter":"%s"},"value":[1763712000.123,"%s"]}"""
			.formatted(from, to, reporter, value);
	}

	private static PrometheusSource source(URI uri) {
		return new PrometheusSource(uri, Duration.ofMinutes(10), 100, new HttpJson(Duration.ofSeconds(5)));
	}

	@Test
	void istioCountsOnBothEndsAndEachCallOnce() throws IOException {
		try (LocalServer server = new LocalServer((request) -> Answer.ok(request.contains("istio_requests_total")
				? vector(istio("front", "cart", "source", "40.5"), istio("front", "cart", "destination", "40.1"),
						istio("unknown", "front", "destination", "12"), istio("front", "rare", "source", "0.01"),
						istio("cart", "db", "source", "NaN"))
				: request.contains("istio_request_bytes_sum") ? vector(istio("front", "cart", "source", "4000"))
						: request.contains("istio_response_bytes_sum")
								? vector(istio("front", "cart", "source", "8000")) : EMPTY))) {
			Traffic traffic = source(server.uri("/prefix/")).observe();
			assertThat(traffic.edges()).singleElement().satisfies((edge) -> {
				assertThat(edge.from()).isEqualTo("front");
				assertThat(edge.to()).isEqualTo("cart");
				assertThat(edge.callsPerSecond()).isEqualTo(40.5);
				assertThat(edge.applicationBytesPerSecond()).isEqualTo(12_000);
				assertThat(edge.evidence().samples()).isEqualTo(24_300);
				assertThat(edge.evidence().source()).isEqualTo("prometheus");
			});
			assertThat(traffic.notSeen())
				.anySatisfy((line) -> assertThat(line).contains("source_canonical_service='unknown'"))
				.anySatisfy((line) -> assertThat(line).contains("'front' -> 'rare'", "6 calls"));
			assertThat(server.requests().get(0)).startsWith("/prefix/api/v1/query?query=sum by").contains("[600s]");
		}
	}

	/** One server often has several environments whose services have the same names. */
	@Test
	void seriesAreChosenByMatchersAndSumsOfEnvironmentsAreNamed() throws IOException {
		String environments = """
				{"metric":{"env":"prod","cluster":"a"},"value":[1,"1"]},{"metric":{"env":"staging","cluster":"a"},"value":[1,"1"]}""";
		try (LocalServer server = new LocalServer((request) -> {
			String environment = request.contains("env=\"prod\"")
					? environments.substring(0, environments.indexOf(",{")) : environments;
			return Answer
				.ok(!request.contains("http_client_requests_seconds_count") ? EMPTY : request.contains("group by")
						? vector(environment) : request.contains("application!=\"\"") ? EMPTY : vector("""
								{"metric":{"application":"web","client_name":"db"},"value":[1,"5"]}"""));
		})) {
			Traffic mixed = source(server.uri("")).observe();
			assertThat(mixed.notSeen()).singleElement()
				.asString()
				.contains("2 values of the label 'env' (prod, staging)");
			// Rates that add up environments are no reason to apply a plan.
			assertThat(mixed.edges()).singleElement().extracting(Edge::evidence).satisfies((evidence) -> {
				assertThat(evidence.partial()).isTrue();
				assertThat(evidence.note()).contains("all values of 'env' are added up");
			});
			int before = server.requests().size();
			Traffic chosen = new PrometheusSource(server.uri(""), Duration.ofMinutes(10), 100, " env=\"prod\" ",
					new HttpJson(Duration.ofSeconds(5)))
				.observe();
			assertThat(chosen.notSeen()).isEmpty();
			assertThat(chosen.edges()).singleElement().satisfies((edge) -> {
				assertThat(edge.callsPerSecond()).isEqualTo(5.0);
				assertThat(edge.evidence().partial()).isFalse();
			});
			assertThat(server.requests().subList(before, server.requests().size())).isNotEmpty()
				.allSatisfy((request) -> assertThat(request).contains("env=\"prod\"}[600s]"));
			// Who names several has decided that they count together.
			assertThat(new PrometheusSource(server.uri(""), Duration.ofMinutes(10), 100,
					"job=\"app\", env=~\"prod|staging\"", new HttpJson(Duration.ofSeconds(5)))
				.observe()
				.edges()).singleElement().extracting((edge) -> edge.evidence().partial()).isEqualTo(false);
		}
	}

	/** Thanos and others answer in part, and say so. */
	@Test
	void omissionsAreNamed() throws IOException {
		String row = """
				{"metric":{"client":"shop","server":"orders"},"value":[1763712000,"%s"]}""";
		String warned = """
				{"status":"success","warnings":["store 10.0.0.3 did not answer"],"data":{"resultType":"vector","result":[%s]}}""";
		try (LocalServer server = new LocalServer((request) -> Answer
			.ok(request.contains("traces_service_graph_request_total") ? warned.formatted(row.formatted("5"))
					: request.contains("client_seconds_bucket") ? vector(row.formatted("0.001"))
							: request.contains("server_seconds_bucket") ? vector(row.formatted("0.002"))
									: request.contains("istio_requests_total")
											? vector(istio("cart", "db", "source", "NaN")) : EMPTY))) {
			Traffic traffic = source(server.uri("")).observe();
			assertThat(traffic.edges()).hasSize(1);
			assertThat(traffic.notSeen())
				.anySatisfy((line) -> assertThat(line).contains("'cart' -> 'db'", "NaN", "not used"))
				.anySatisfy((line) -> assertThat(line).contains("'shop' -> 'orders'", "server p90", "not used"));
			assertThat(traffic.unanswered()).singleElement().asString().contains("store 10.0.0.3 did not answer");
		}
	}

	@Test
	void theServiceGraphGivesClientLessServer() throws IOException {
		String row = """
				{"metric":{"client":"shop","server":"orders.prod.svc.cluster.local:8080"},"value":[1763712000,"%s"]}""";
		try (LocalServer server = new LocalServer((request) -> Answer
			.ok(request.contains("traces_service_graph_request_total") ? vector(row.formatted("5"))
					: request.contains("client_seconds_bucket") ? vector(row.formatted("0.0123"))
							: request.contains("server_seconds_bucket") ? vector(row.formatted("0.0023")) : EMPTY))) {
			Edge edge = source(server.uri("")).observe().edges().get(0);
			assertThat(edge.to()).isEqualTo("orders");
			assertThat(edge.p90LatencyMicros()).isCloseTo(10_000, within(0.01));
		}
	}

	@Test
	void eachQuantityOfAnEdgeComesFromTheFirstFamilyThatHasIt() throws IOException {
		String row = """
				{"metric":{"client":"front","server":"cart"},"value":[1763712000,"%s"]}""";
		try (LocalServer server = new LocalServer((request) -> Answer
			.ok(request.contains("istio_requests_total") ? vector(istio("front", "cart", "source", "40"))
					: request.contains("istio_request_bytes_sum") ? vector(istio("front", "cart", "source", "4000"))
							: request.contains("traces_service_graph_request_total") ? vector(row.formatted("5"))
									: request.contains("client_seconds_bucket") ? vector(row.formatted("0.0123"))
											: request.contains("server_seconds_bucket")
													? vector(row.formatted("0.0023")) : EMPTY))) {
			assertThat(source(server.uri("")).observe().edges()).singleElement().satisfies((edge) -> {
				assertThat(edge.callsPerSecond()).as("of Istio").isEqualTo(40);
				assertThat(edge.applicationBytesPerSecond()).as("of Istio").isEqualTo(4000);
				assertThat(edge.p90LatencyMicros()).as("of the service graph").isCloseTo(10_000, within(0.01));
				assertThat(edge.evidence().source()).isEqualTo("prometheus");
				assertThat(edge.evidence().samples()).isEqualTo(24_000);
			});
		}
	}

	@Test
	void openTelemetrysClientMetricsAreReadByJob() throws IOException {
		String row = """
				{"metric":{"service_name":"shop","server_address":"%s"},"value":[1763712000,"%s"]}""";
		try (LocalServer server = new LocalServer(
				(request) -> Answer.ok(request.contains("http_client_request_duration_seconds_count")
						? vector(row.formatted("orders.prod.svc.cluster.local", "5"), row.formatted("10.0.0.7", "3"))
						: request.contains("http_client_request_body_size_bytes_sum")
								? vector(row.formatted("orders.prod.svc.cluster.local", "100"))
								: request.contains("http_client_response_body_size_bytes_sum")
										? vector(row.formatted("orders.prod.svc.cluster.local", "900")) : EMPTY))) {
			Traffic traffic = source(server.uri("")).observe();
			assertThat(traffic.edges()).singleElement().satisfies((edge) -> {
				assertThat(edge.from() + " " + edge.to()).isEqualTo("shop orders");
				assertThat(edge.callsPerSecond()).isEqualTo(5);
				assertThat(edge.applicationBytesPerSecond()).isEqualTo(1000);
				assertThat(edge.p90LatencyMicros()).isNull();
			});
			assertThat(traffic.notSeen()).anySatisfy((line) -> assertThat(line).contains("server_address='10.0.0.7'"));
			assertThat(server.requests())
				.filteredOn((request) -> request
					.contains("sum by (service_name, server_address) (label_replace(rate(http_client_request_duration"))
				.singleElement()
				.asString()
				.contains("label_replace(rate(http_client_request_duration_seconds_count{}[600s])", "\"job\"");
		}
	}

	@Test
	void springsOwnMetricsAreReadByApplicationOrJob() throws IOException {
		try (LocalServer server = new LocalServer((request) -> Answer.ok(request.contains("application!=")
				? vector("{\"metric\":{\"application\":\"shop\",\"client_name\":\"orders\"},\"value\":[1,\"2\"]}")
				: request.contains("application=\"\"") ? vector(
						"{\"metric\":{\"application\":\"orders\",\"client_name\":\"stock\"},\"value\":[1,\"3\"]}",
						"{\"metric\":{\"application\":\"orders\",\"client_name\":\"localhost\"},\"value\":[1,\"3\"]}")
						: EMPTY))) {
			Traffic traffic = source(server.uri("")).observe();
			assertThat(traffic.edges()).extracting(Edge::from, Edge::to)
				.containsExactly(org.assertj.core.groups.Tuple.tuple("shop", "orders"),
						org.assertj.core.groups.Tuple.tuple("orders", "stock"));
			assertThat(traffic.notSeen()).anySatisfy((line) -> assertThat(line).contains("client_name='localhost'"));
		}
	}

	@Test
	void aServerThatKnowsNothingIsAnError() {
		try (LocalServer server = new LocalServer((request) -> Answer.ok(EMPTY))) {
			assertThatThrownBy(() -> source(server.uri("")).observe()).isInstanceOf(IOException.class)
				.hasMessageContaining("127.0.0.1")
				.hasMessageContaining("istio_requests_total")
				.hasMessageContaining("Is it scraping");
		}
	}

	@Test
	void errorsNameTheAddressAndNoPassword() throws IOException {
		int free;
		try (ServerSocket socket = new ServerSocket(0)) {
			free = socket.getLocalPort();
		}
		assertThatThrownBy(() -> source(URI.create("http://me:secret@127.0.0.1:" + free)).observe())
			.isInstanceOf(IOException.class)
			.hasMessageContaining("http://127.0.0.1:" + free)
			.hasMessageContaining("Is it running")
			.hasMessageNotContaining("secret");
		try (LocalServer server = new LocalServer((request) -> new Answer(302, ""))) {
			assertThatThrownBy(() -> source(server.uri("")).observe()).hasMessageContaining("status 302")
				.hasMessageContaining("redirects are not followed");
		}
		try (LocalServer server = new LocalServer((request) -> Answer.ok("<html>"))) {
			assertThatThrownBy(() -> source(server.uri("")).observe()).hasMessageContaining("did not answer with JSON");
		}
		try (LocalServer server = new LocalServer((request) -> Answer.ok("{\"status\":"))) {
			assertThatThrownBy(() -> source(server.uri("")).observe()).hasMessageContaining("did not answer with JSON")
				.hasMessageContaining("nexpected end")
				.hasMessageNotContaining("Source")
				.hasMessageNotContaining("REDACTED");
		}
		try (LocalServer server = new LocalServer(
				(request) -> Answer.ok("{\"status\":\"error\",\"error\":\"parse error\"}"))) {
			assertThatThrownBy(() -> source(server.uri("")).observe()).hasMessageContaining("parse error");
		}
	}

	/** Prometheus says in the body why it refuses. */
	@Test
	void anErrorSaysWhatTheServerSays() {
		try (LocalServer server = new LocalServer((request) -> new Answer(422,
				"{\"status\":\"error\",\"errorType\":\"execution\",\"error\":\"query processing would load too many samples\"}"))) {
			assertThatThrownBy(() -> source(server.uri("")).observe()).hasMessageContaining("status 422")
				.hasMessageContaining("would load too many samples");
		}
		try (LocalServer server = new LocalServer((request) -> new Answer(503, "<html>"))) {
			assertThatThrownBy(() -> source(server.uri("")).observe()).hasMessageContaining("status 503")
				.hasMessageContaining("ask again later");
		}
	}

	@Test
	void valuesThatCannotBeUsedAreSaidWhereNothingElseIsThere() {
		try (LocalServer server = new LocalServer((request) -> Answer
			.ok(request.contains("istio_requests_total") ? vector(istio("cart", "db", "source", "NaN")) : EMPTY))) {
			assertThatThrownBy(() -> source(server.uri("")).observe())
				.hasMessageContaining("has values that can be used")
				.hasMessageContaining("'cart' -> 'db': istio_requests_total has the value 'NaN'");
		}
	}

	/** A server whose certificate nobody trusts runs, and its address is right. */
	@Test
	void aCertificateThatIsNotTrustedHasItsOwnAdvice(@TempDir Path directory) throws Exception {
		Path store = directory.resolve("server.p12");
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-keyalg", "EC", "-alias", "it", "-dname", "CN=localhost", "-ext", "SAN=ip:127.0.0.1",
				"-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", "changeit")
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();
		assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
		KeyStore keys = KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
		KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		managers.init(keys, "changeit".toCharArray());
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(managers.getKeyManagers(), null, null);
		HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.setHttpsConfigurator(new HttpsConfigurator(context));
		server.start();
		try {
			URI uri = URI.create("https://127.0.0.1:" + server.getAddress().getPort());
			assertThatThrownBy(() -> source(uri).observe()).isInstanceOf(IOException.class)
				.hasMessageContaining("certification path")
				.hasMessageContaining("javax.net.ssl.trustStore")
				.hasMessageNotContaining("Is it running");
		}
		finally {
			server.stop(0);
		}
		try (ServerSocket plain = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			Thread answering = new Thread(() -> {
				try (Socket socket = plain.accept()) {
					socket.getOutputStream().write("HTTP/1.0 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.UTF_8));
					socket.getInputStream().readAllBytes();
				}
				catch (IOException ex) {
					// The client has gone, as it should.
				}
			});
			answering.start();
			URI uri = URI.create("https://127.0.0.1:" + plain.getLocalPort());
			assertThatThrownBy(() -> source(uri).observe()).hasMessageContaining("begin with http://");
			answering.join();
		}
	}

	@Test
	void userAndPasswordAreSent() {
		try (LocalServer server = new LocalServer((request) -> Answer.ok(EMPTY))) {
			URI uri = URI.create("http://me:secret@127.0.0.1:" + server.port());
			assertThatThrownBy(() -> source(uri).observe()).isInstanceOf(IOException.class);
			assertThat(server.authorizations().get(0)).isEqualTo("Basic bWU6c2VjcmV0");
		}
	}

	@Test
	void aServerThatDoesNotAnswerIsLeft() throws IOException {
		try (ServerSocket silent = new ServerSocket(0)) {
			URI uri = URI.create("http://127.0.0.1:" + silent.getLocalPort());
			assertThatThrownBy(
					() -> new PrometheusSource(uri, Duration.ofMinutes(1), 1, new HttpJson(Duration.ofMillis(200)))
						.observe())
				.isInstanceOf(IOException.class)
				.hasMessageContaining("127.0.0.1:" + silent.getLocalPort());
		}
	}

}
