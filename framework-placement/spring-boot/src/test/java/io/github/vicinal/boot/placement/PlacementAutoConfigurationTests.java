package io.github.vicinal.boot.placement;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import com.sun.net.httpserver.HttpServer;
import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.placement.model.EdgeWeight;
import io.github.vicinal.placement.model.Routing;
import io.github.vicinal.placement.recommend.MergeChecker;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.client.DefaultServiceInstance;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.DiscoveryClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** When the placement endpoint is there, and what mistakes at start say. */
class PlacementAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(VicinalAutoConfiguration.class, PlacementEndpointAutoConfiguration.class))
		.withBean(SimpleMeterRegistry.class)
		.withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=vicinalplacement");

	@Test
	void isThereWhereItIsExposedAndItsModuleIs() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(PlacementEndpoint.class));
		this.runner.withPropertyValues("management.endpoints.jmx.exposure.include=health")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(PlacementEndpoint.class));
		this.runner.withPropertyValues("vicinal.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(PlacementEndpoint.class));
		this.runner.withClassLoader(new FilteredClassLoader("io.github.vicinal.placement"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(PlacementService.class));
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.cloud"))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(PlacementEndpoint.class));
	}

	@Test
	void instancesComeFromDiscoveryIfThatIsAskedFor() {
		this.runner
			.run((context) -> assertThat(context).doesNotHaveBean(PlacementEndpointAutoConfiguration.Instances.class));
		this.runner.withPropertyValues("vicinal.placement.discovery=true")
			.run((context) -> assertThat(context).hasSingleBean(PlacementEndpointAutoConfiguration.Instances.class));
		ServiceInstance instance = new DefaultServiceInstance("1", "orders", "10.0.0.7", 8080, false,
				Map.of("management.port", "9090", "management.context-path", "/manage"));
		assertThat(new DiscoveredInstances(new OneInstance(instance)).get()).singleElement()
			.hasToString("http://10.0.0.7:9090/manage");
	}

	/** Actuators are usually secured. */
	@Test
	void instancesAreAskedWithCredentials() throws IOException {
		List<String> seen = Collections.synchronizedList(new ArrayList<>());
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", (exchange) -> {
			seen.add(exchange.getRequestHeaders().getFirst("Authorization"));
			exchange.sendResponseHeaders(403, -1);
			exchange.close();
		});
		server.start();
		try {
			String address = "127.0.0.1:" + server.getAddress().getPort() + "/actuator";
			this.runner
				.withPropertyValues("vicinal.placement.bearer-token=t0ken",
						"vicinal.placement.instances=http://ops:s3cr%3At%40x@" + address + ",http://" + address)
				.run((context) -> context.getBean(PlacementService.class).recommend(WhatIf.NOTHING));
		}
		finally {
			server.stop(0);
		}
		assertThat(seen).containsExactlyInAnyOrder("Bearer t0ken",
				"Basic " + Base64.getEncoder().encodeToString("ops:s3cr:t@x".getBytes(StandardCharsets.UTF_8)));
	}

	@Test
	void mistakesDoNotShowSecrets() {
		for (String property : List.of("instances=http://ops:s3cr:t@x@host:1/", "bearer-token=s3cr t")) {
			this.runner.withPropertyValues("vicinal.placement." + property).run((context) -> {
				FailureAnalysis analysis = new InvalidPlacementFailureAnalyzer().analyze(context.getStartupFailure());
				assertThat(analysis).isNotNull();
				assertThat(analysis.getDescription()).contains("vicinal.placement.").doesNotContain("s3cr");
			});
		}
	}

	/** Boot's analysis of such a failure lists the constants. */
	@ParameterizedTest
	@CsvSource({ "edge-weight, love, EdgeWeight", "routing, locality, ReplicaChoice" })
	void namesThatAreNoConstantsAreRefused(String property, String value, String type) {
		this.runner.withPropertyValues("vicinal.placement." + property + "=" + value)
			.run((context) -> assertThat(context.getStartupFailure())
				.hasRootCauseInstanceOf(IllegalArgumentException.class)
				.hasStackTraceContaining("vicinal.placement." + property)
				.rootCause()
				.hasMessageContaining(type + "." + value));
	}

	@ParameterizedTest
	@CsvSource({ "path-cpu, local", "critical-path, uniform", "wire-bytes, LOCAL" })
	void namesAreThoseOfModels(String edgeWeight, String routing) {
		this.runner
			.withPropertyValues("vicinal.placement.edge-weight=" + edgeWeight, "vicinal.placement.routing=" + routing)
			.run((context) -> {
				PlacementProperties properties = context.getBean(PlacementProperties.class);
				assertThat(properties.edgeWeight()).isEqualTo(EdgeWeight.of(edgeWeight));
				assertThat(properties.routing()).isNotNull();
				assertThat(properties.routing().routing()).isEqualTo(Routing.of(routing));
			});
	}

	/** As that of a variable that is not set. */
	@Test
	void anEmptyNameOfAHostIsNone() {
		this.runner.withPropertyValues("vicinal.placement.host=").run((context) -> {
			assertThat(context.getBean(LocalInstance.class).report().host()).startsWith("host-");
			assertThat(context.getBean(PlacementProperties.class).host()).isNull();
		});
	}

	/**
	 * The source names such an instance. Left out, nobody would know that it is missing.
	 */
	@ParameterizedTest
	@CsvSource({ "my_service, http://my_service:8080/actuator", "two words, http://two%20words:8080/actuator",
			"[::1, http://%5B%3A%3A1%3A8080" })
	void registeredInstancesWithoutAnAddressAreKept(String host, String shown) {
		ServiceInstance instance = new DefaultServiceInstance("1", "orders", host, 8080, false, Map.of());
		assertThat(new DiscoveredInstances(new OneInstance(instance)).get()).singleElement().satisfies((uri) -> {
			assertThat(uri).hasToString(shown);
			assertThat(uri.getHost()).isNull();
		});
	}

	private record OneInstance(ServiceInstance instance) implements DiscoveryClient {

		@Override
		public String description() {
			return "one instance";
		}

		@Override
		public List<ServiceInstance> getInstances(String serviceId) {
			return List.of(this.instance);
		}

		@Override
		public List<String> getServices() {
			return List.of("orders");
		}

	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', value = { "model=file:nowhere.json; nowhere.json; Name a file",
			"model=classpath:META-INF/spring.factories; no model; Correct it", "instances=ftp://x; ftp://x; actuator",
			"half-life=0s; half-life; positive", "half-life=20000d; 20000 days; at most 10000 days",
			"refresh=-1s; -1000 ms; at least 0", "max-moves=-1; -1; at least 0", "search-time=2m; 120 s; at most 30 s",
			"minimum-calls=-1; -1; at least 0", "saved-by-jvm-sharing=-1B; -1; at least 0",
			"applications.shop=gone.jar; gone.jar; that exists",
			"ports.shop=8080; names a service without files; vicinal.placement.applications.shop" })
	void mistakesSayWhatToDo(String property, String value, String action) {
		this.runner.withPropertyValues("vicinal.placement." + property).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new InvalidPlacementFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains("vicinal.placement.").contains(value);
			assertThat(analysis.getAction()).contains(action);
			assertThat(analysis.getCause()).isInstanceOf(InvalidPlacementException.class);
		});
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 65_536 })
	void portsThatAreNoneAreRefused(int port, @TempDir Path directory) throws IOException {
		Path pom = Files.writeString(directory.resolve("pom.xml"), "<project/>");
		this.runner
			.withPropertyValues("vicinal.placement.applications.shop=" + pom, "vicinal.placement.ports.shop=" + port)
			.run((context) -> {
				FailureAnalysis analysis = new InvalidPlacementFailureAnalyzer().analyze(context.getStartupFailure());
				assertThat(analysis).isNotNull();
				assertThat(analysis.getDescription()).isEqualTo("vicinal.placement.ports.shop=%d is no port", port);
				assertThat(analysis.getAction()).isEqualTo("Give one from 0 to 65535; 0 is any that is free");
			});
	}

	@Test
	void applicationsNeedWhatReadsThem() {
		this.runner.withClassLoader(new FilteredClassLoader("io.github.vicinal.copackage")).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(ApplicationFiles.of(Map.of(), List.of(), Map.of(), 160).obstacles("a", "b"))
				.containsExactly(MergeChecker.UNKNOWN);
		});
	}

	@Test
	void filesOfApplicationsSayWhichMayShareAJvm(@TempDir Path directory) throws IOException {
		String pom = "<project><parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId><version>%s</version><relativePath/></parent></project>";
		String newer = Files.writeString(directory.resolve("newer.xml"), pom.formatted("4.1.1")).toString();
		String older = Files.writeString(directory.resolve("older.xml"), pom.formatted("2.7.18")).toString();
		String bad = Files.writeString(directory.resolve("bad.xml"), "<html/>").toString();
		MergeChecker checker = ApplicationFiles
			.of(Map.of("a", List.of(newer), "b", List.of(newer), "old", List.of(older)), List.of(), Map.of(), 90);
		assertThat(checker.savedMib()).isEqualTo(90);
		assertThat(checker.obstacles("a", "b")).isEmpty();
		assertThat(checker.obstacles("a", "old")).singleElement().asString().contains("Spring Boot 2.7.18");
		assertThat(ApplicationFiles.of(Map.of("a", List.of(bad)), List.of(), Map.of(), 160).obstacles("a", "b"))
			.singleElement()
			.asString()
			.contains("cannot be read", "its root is <html>");
	}

	@Test
	void portsThatServicesGetAreThoseThatAreCompared(@TempDir Path directory) throws IOException {
		String pom = Files.writeString(directory.resolve("pom.xml"),
				"<project><parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId><version>4.1.1</version><relativePath/></parent></project>")
			.toString();
		String image = Files.writeString(directory.resolve("Dockerfile"), "FROM eclipse-temurin:21-jre\nEXPOSE 8080")
			.toString();
		Map<String, List<String>> files = Map.of("a", List.of(pom, image), "b", List.of(pom, image));
		assertThat(ApplicationFiles.of(files, List.of(), Map.of(), 160).obstacles("a", "b")).singleElement()
			.asString()
			.contains("listen on port 8080", "--port b=PORT");
		assertThat(ApplicationFiles.of(files, List.of(), Map.of("b", 8081), 160).obstacles("a", "b")).isEmpty();
		assertThat(ApplicationFiles.of(files, List.of(), Map.of("b", 0), 160).obstacles("a", "b")).isEmpty();
	}

	@Test
	void whatIsAcceptedKeepsNoServicesApart(@TempDir Path directory) throws IOException {
		String pom = Files.writeString(directory.resolve("pom.xml"),
				"<project><parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId><version>4.1.1</version><relativePath/></parent></project>")
			.toString();
		String app = Files
			.writeString(Files.createDirectory(directory.resolve("app")).resolve("Dockerfile"),
					"FROM eclipse-temurin:21-jre\nUSER app")
			.toString();
		String root = Files
			.writeString(Files.createDirectory(directory.resolve("root")).resolve("Dockerfile"),
					"FROM eclipse-temurin:21-jre\nUSER root")
			.toString();
		Map<String, List<String>> files = Map.of("a", List.of(pom, app), "b", List.of(pom, root));
		assertThat(ApplicationFiles.of(files, List.of(), Map.of(), 160).obstacles("a", "b")).singleElement()
			.asString()
			.contains("different users");
		assertThat(ApplicationFiles.of(files, List.of("user"), Map.of(), 160).obstacles("a", "b")).isEmpty();
		assertThatExceptionOfType(InvalidPlacementException.class)
			.isThrownBy(() -> ApplicationFiles.of(files, List.of("usr"), Map.of(), 160))
			.withMessageContaining("vicinal.placement.accept is [usr]: There is no rule 'usr'; there are [version,");
		assertThatExceptionOfType(InvalidPlacementException.class)
			.isThrownBy(() -> ApplicationFiles.of(files, List.of("port"), Map.of(), 160))
			.withMessageContaining("vicinal.placement.accept is [port]: Findings of 'port' cannot be accepted")
			.satisfies((ex) -> assertThat(ex.action()).contains("findings can be accepted"));
	}

	@Test
	void aNativeImageHasThePage() {
		RuntimeHints hints = new RuntimeHints();
		new PlacementEndpointAutoConfiguration.Hints().registerHints(hints, null);
		assertThat(List.of("placement.html", "placement.css", "placement.js", "dagre.min.js"))
			.allSatisfy((name) -> assertThat(
					RuntimeHintsPredicates.resource().forResource("io/github/vicinal/boot/placement/" + name))
				.accepts(hints));
	}

}
