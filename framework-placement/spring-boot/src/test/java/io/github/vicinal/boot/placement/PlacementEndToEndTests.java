package io.github.vicinal.boot.placement;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.placement.model.ModelJson;
import io.github.vicinal.placement.model.PlacementModel;
import io.github.vicinal.placement.recommend.MergeChecker;
import io.github.vicinal.placement.recommend.MovePolicy;
import io.github.vicinal.placement.recommend.Recommendation;
import io.github.vicinal.placement.recommend.Recommender;
import io.github.vicinal.placement.solver.Budget;
import io.github.vicinal.placement.solver.Progress;
import io.github.vicinal.placement.solver.VicinalSolver;
import io.github.vicinal.placement.sources.InstanceReport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;

/** Placement as programs and people see it. */
@Timeout(120)
class PlacementEndToEndTests {

	private static final String MODEL = """
			{ "format": "vicinal-placement-model", "version": 1,
			  "services": [ { "name": "shop", "demand": { "cpuMillis": 500, "memoryMiB": 256 } },
			    { "name": "stock", "demand": { "cpuMillis": 500, "memoryMiB": 256 } } ],
			  "hosts": [ { "name": "a", "capacity": { "cpuMillis": 2000, "memoryMiB": 2048 } },
			    { "name": "b", "capacity": { "cpuMillis": 2000, "memoryMiB": 2048 } } ] }""";

	private ConfigurableApplicationContext stock;

	private ConfigurableApplicationContext shop;

	@TempDir
	private Path directory;

	private static ConfigurableApplicationContext run(String... properties) {
		Map<String, Object> all = new LinkedHashMap<>(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"management.endpoints.web.exposure.include", "*", "vicinal.placement.refresh", "0ms",
				"vicinal.placement.search-time", "100ms", "vicinal.placement.minimum-calls", "1",
				"management.metrics.use-global-registry", "false", "vicinal.channels.stock.paths", "http",
				"spring.http.serviceclient.stock.base-url", "http://localhost:1"));
		for (String property : properties) {
			all.put(property.substring(0, property.indexOf('=')), property.substring(property.indexOf('=') + 1));
		}
		SpringApplication application = new SpringApplication(Application.class);
		application.setDefaultProperties(all);
		return application.run();
	}

	private static String base(ConfigurableApplicationContext application) {
		return "http://localhost:" + application.getEnvironment().getProperty("local.server.port");
	}

	private void startBoth(String model, String... more) {
		this.stock = run("spring.application.name=stock", "vicinal.placement.host=b");
		String[] properties = new String[more.length + 5];
		System.arraycopy(more, 0, properties, 5, more.length);
		properties[0] = "spring.application.name=shop";
		properties[1] = "vicinal.placement.host=a";
		properties[2] = "vicinal.placement.instances=" + base(this.stock) + "/actuator,http://localhost:1/actuator";
		properties[3] = "vicinal.placement.model=" + model;
		properties[4] = "spring.http.serviceclient.stock.base-url=" + base(this.stock);
		this.shop = run(properties);
		StockApi client = this.shop.getBean(StockApi.class);
		for (int i = 0; i < 20; i++) {
			assertThat(client.stock()).isEqualTo(7);
		}
	}

	@AfterEach
	void stop() {
		if (this.shop != null) {
			this.shop.close();
		}
		if (this.stock != null) {
			this.stock.close();
		}
	}

	private HttpResponse<String> get(String path, String accept) throws Exception {
		return send(HttpRequest.newBuilder(URI.create(base(this.shop) + "/actuator/vicinalplacement" + path))
			.header("Accept", accept));
	}

	private HttpResponse<String> post(String json) throws Exception {
		return send(HttpRequest.newBuilder(URI.create(base(this.shop) + "/actuator/vicinalplacement"))
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString(json)));
	}

	private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
		return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
	}

	private static JsonNode json(HttpResponse<String> response) {
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		return JsonMapper.shared().readTree(response.body());
	}

	private String model() throws Exception {
		return Files.writeString(this.directory.resolve("model.json"), MODEL).toUri().toString();
	}

	@Test
	void reportsOfInstancesBecomeARecommendation() throws Exception {
		startBoth(model());
		JsonNode all = json(get("", "application/json"));
		assertThat(all.get("mode").asString()).isEqualTo("recommend");
		assertThat(new ModelJson().read(all.get("model").toString()).edges()).singleElement().satisfies((edge) -> {
			assertThat(edge.from()).isEqualTo("shop");
			assertThat(edge.to()).isEqualTo("stock");
			assertThat(edge.evidence().samples()).isBetween(19L, 20L);
		});
		JsonNode recommendation = all.get("recommendation");
		assertThat(recommendation.get("before").get("crossHostShare").asDouble()).isEqualTo(1);
		assertThat(recommendation.get("after").get("crossHostShare").asDouble()).isZero();
		assertThat(recommendation.get("moves")).hasSize(1);
		assertThat(all.get("paths").get(0).get("path").asString()).isEqualTo("http");
		assertThat(all.get("notSeen").toString()).contains("localhost:1")
			.contains("cannot be reached")
			.contains("the cost of calls within a host: nobody measured it; the default stands");
		JsonNode measured = all.get("measuredPaths").get(0);
		assertThat(measured.get("path").asString()).isEqualTo("http");
		assertThat(measured.get("sameHost").asBoolean()).as("hosts a and b").isFalse();
		assertThat(measured.get("latencyMicros").asDouble() + measured.get("servedMicros").asDouble()).isPositive();
	}

	@Test
	void requestsWithoutAChannelAreCallsOfTheServiceThatAnswersThem() throws Exception {
		startBoth(model());
		RestClient client = this.shop.getBean(RestClient.Builder.class).baseUrl(base(this.stock)).build();
		for (int i = 0; i < 30; i++) {
			assertThat(client.get().uri("/stock").retrieve().body(String.class)).isEqualTo("7");
		}
		JsonNode all = json(get("", "application/json"));
		assertThat(new ModelJson().read(all.get("model").toString()).edges()).singleElement().satisfies((edge) -> {
			assertThat(edge.to()).isEqualTo("stock");
			assertThat(edge.evidence().samples()).isBetween(49L, 50L);
		});
		assertThat(all.get("notSeen").toString()).doesNotContain("'localhost'");
		assertThat(all.get("paths")).singleElement()
			.satisfies((path) -> assertThat(path.get("to").asString()).isEqualTo("stock"));
	}

	/** The caller counts on by address, and its peer has another id from then on. */
	@Test
	void callsToARestartedServiceCountOnce() throws Exception {
		startBoth(model());
		assertThat(edges(json(get("", "application/json")))).containsExactly(Map.entry("stock", 20L));
		String port = String.valueOf(URI.create(base(this.stock)).getPort());
		this.stock.close();
		this.stock = run("spring.application.name=stock", "vicinal.placement.host=b", "server.port=" + port);
		StockApi client = this.shop.getBean(StockApi.class);
		for (int i = 0; i < 20; i++) {
			assertThat(client.stock()).isEqualTo(7);
		}
		assertThat(edges(json(get("", "application/json")))).singleElement().satisfies((edge) -> {
			assertThat(edge.getKey()).isEqualTo("stock");
			assertThat(edge.getValue()).isBetween(38L, 40L);
		});
	}

	private static List<Map.Entry<String, Long>> edges(JsonNode all) {
		return new ModelJson().read(all.get("model").toString())
			.edges()
			.stream()
			.map((edge) -> Map.entry(edge.to(), edge.evidence().samples()))
			.toList();
	}

	@Test
	void whatIfChangesHostsAndPins() throws Exception {
		startBoth(model());
		JsonNode small = json(post("{\"hosts\": \"a=600:2048, b=600:2048\"}"));
		assertThat(small.get("recommendation").get("after").get("crossHostShare").asDouble()).isEqualTo(1);
		JsonNode pinned = json(post("{\"pins\": \"stock=a\", \"maxMoves\": 1, \"seed\": 5, \"searchMillis\": 50}"));
		assertThat(pinned.get("recommendation").get("after").get("plan").get("stock").get("a").asInt()).isEqualTo(1);
		assertThat(pinned.get("recommendation").get("search").get("seed").asInt()).isEqualTo(5);
		HttpResponse<String> wrong = post("{\"pins\": \"stok=a\"}");
		assertThat(wrong.statusCode()).isEqualTo(400);
		assertThat(wrong.body()).contains("stok");
		HttpResponse<String> misspelt = post("{\"maxmoves\": 1}");
		assertThat(misspelt.statusCode()).isEqualTo(400);
		assertThat(JsonMapper.shared().readTree(misspelt.body()).path("message").asString(""))
			.startsWith("'maxmoves' is not known; the members are [concentrate, edgeWeight, ");
		HttpResponse<String> noNumber = post("{\"maxMoves\": \"x\"}");
		assertThat(noNumber.statusCode()).isEqualTo(400);
		assertThat(JsonMapper.shared().readTree(noNumber.body()).path("message").asString(""))
			.isEqualTo("maxMoves is 'x'; it must be a whole number of at most 32 bits");
		assertThat(post("{\"otherHostCpuMicros\": \"x\"}").body())
			.contains("otherHostCpuMicros is 'x'; it must be a number");
		assertThat(post("{\"pins\": \"stock=a,stock=b\"}").body()).contains("pins names 'stock' twice");
		assertThat(post("{\"hosts\": \"a=600:2048, a=1:1\"}").body()).contains("hosts names 'a' twice");
		assertThat(post("{\"concentrate\": \"stok\"}").body()).contains("concentrate names 'stok'");
		assertThat(post("{\"hosts\": \"a\"}").body()).contains("name=cpuMillis:memoryMiB");
		assertThat(post("{\"searchMillis\": 99999999}").statusCode()).isEqualTo(400);
	}

	@Test
	void viewsAreAPageAReportAndAModel() throws Exception {
		startBoth(model());
		HttpResponse<String> page = get("/page", "text/html,*/*;q=0.8");
		assertThat(page.statusCode()).isEqualTo(200);
		assertThat(page.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
		// A policy of the application (default-src 'self') forbids what is in the page.
		assertThat(page.body()).contains("<script src=\"page.js\"></script>")
			.doesNotContain("<style", " style=", "onclick=")
			.doesNotContainPattern("<script(?! src=\"[a-z.]+\"></script>)");
		HttpResponse<String> style = get("/page.css", "text/css,*/*;q=0.1");
		assertThat(style.headers().firstValue("Content-Type").orElse("")).startsWith("text/css");
		assertThat(style.body()).contains("prefers-color-scheme:dark").doesNotContain("@import", "url(");
		HttpResponse<String> script = get("/page.js", "*/*");
		assertThat(script.headers().firstValue("Content-Type").orElse("")).startsWith("text/javascript");
		HttpResponse<String> library = get("/dagre.js", "*/*");
		assertThat(library.headers().firstValue("Content-Type").orElse("")).startsWith("text/javascript");
		assertThat(library.body()).contains("dagre").doesNotContain("fetch(", "XMLHttpRequest", "import(");
		assertThat(page.body() + script.body()).as("loads nothing from elsewhere")
			.contains("Recommended")
			.doesNotContain("@import", "vicinalplacement")
			.doesNotContainPattern("https?://(?!www\\.w3\\.org/2000/svg)");
		assertThat(InstanceReport.read(json(get("/instance", "application/json")), "test").service()).isEqualTo("shop");
		PlacementModel model = new ModelJson().read(json(get("/model", "application/json")).toString());
		assertThat(model.services()).hasSize(2);
		// The model alone says as much as the endpoint does.
		assertThat(model.doubts().unanswered()).singleElement().asString().contains("localhost:1");
		Recommendation alone = new Recommender(new VicinalSolver(), MovePolicy.defaults(), MergeChecker.none())
			.recommend(model, -1, Budget.ofIterations(1000, 1), Progress.none());
		assertThat(alone.action()).isEqualTo(Recommendation.Action.UNDECIDED);
		assertThat(alone.reason()).contains("1 source did not answer");
		assertThat(get("/other", "application/json").statusCode()).isEqualTo(404);
	}

	@Test
	void withoutAModelWhatReportsIsTheModel() throws Exception {
		this.shop = run("spring.application.name=shop", "vicinal.placement.host=a",
				"management.endpoints.web.base-path=/", "management.endpoints.web.path-mapping.vicinalplacement=where");
		URI address = URI.create(base(this.shop) + "/where");
		JsonNode all = json(send(HttpRequest.newBuilder(address)));
		assertThat(all.get("model").get("services").get(0).get("name").asString()).isEqualTo("shop");
		assertThat(all.get("model").get("hosts").get(0).get("name").asString()).isEqualTo("a");
		assertThat(all.get("recommendation").get("action").asString()).isEqualTo("undecided");
		assertThat(all.get("recommendation").get("reason").asString()).contains("nobody measured calls");
		json(send(HttpRequest.newBuilder(address.resolve("/where/model"))));
		JsonNode report = json(send(HttpRequest.newBuilder(address.resolve("/where/instance"))));
		assertThat(report.get("incomingCalls").asDouble()).as("calls of the actuator").isZero();
	}

	@Test
	void modeOffRecommendsNothing() throws Exception {
		startBoth(model(), "vicinal.placement.mode=off");
		JsonNode all = json(get("", "application/json"));
		assertThat(all.get("mode").asString()).isEqualTo("off");
		assertThat(all.path("recommendation").isObject()).isFalse();
		assertThat(all.get("model").get("edges")).hasSize(1);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "stock", types = StockApi.class)
	static class Application {

		@Bean
		StockController stock() {
			return new StockController();
		}

	}

	@AffinityChannel
	@HttpExchange
	interface StockApi {

		@GetExchange("/stock")
		int stock();

	}

	@RestController
	static class StockController {

		@GetMapping("/stock")
		int stock() {
			return 7;
		}

	}

}
