package io.github.vicinal.boot;

import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.boot.server.CallerResolver;
import io.github.vicinal.requestserver.Rejection.Reason;
import io.github.vicinal.requestserver.RequestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.util.pattern.PathPatternParser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Limits and priorities by path, method, endpoint and caller, over Tomcat. */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class RequestRulesTests {

	private ConfigurableApplicationContext server;

	private RestClient client;

	/** Number of requests that stay until the test ends. */
	private int slow;

	private void start(String... properties) {
		Map<String, Object> all = new HashMap<>(
				Map.of("server.port", "0", "spring.main.banner-mode", "off", "server.shutdown", "immediate"));
		for (String property : properties) {
			String[] parts = property.split("=", 2);
			all.put(parts[0].startsWith("any-") ? parts[0] : "vicinal.server.requests." + parts[0], parts[1]);
		}
		SpringApplication application = new SpringApplication(RulesApplication.class);
		application.setDefaultProperties(all);
		this.server = application.run();
		JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory();
		requests.setReadTimeout(Duration.ofSeconds(30));
		this.client = RestClient.builder()
			.baseUrl("http://localhost:" + this.server.getEnvironment().getProperty("local.server.port"))
			.requestFactory(requests)
			.defaultStatusHandler(HttpStatusCode::isError, (request, response) -> {
			})
			.build();
	}

	@AfterEach
	void stop() {
		if (this.server != null) {
			handlers().end.countDown();
			this.server.close();
		}
	}

	private Handlers handlers() {
		return this.server.getBean(Handlers.class);
	}

	private RequestServer permits() {
		return this.server.getBean(RequestServer.class);
	}

	private int get(String path) {
		return get(path, "nobody");
	}

	private int get(String path, String caller) {
		return this.client.get()
			.uri(path)
			.header("X-Caller", caller)
			.retrieve()
			.toBodilessEntity()
			.getStatusCode()
			.value();
	}

	/** Sends a request that stays until the test ends. */
	private CompletableFuture<Integer> slow(String path, String caller) {
		int running = ++this.slow;
		CompletableFuture<Integer> answer = CompletableFuture.supplyAsync(() -> get(path, caller),
				(task) -> new Thread(task).start());
		// A request that is answered may still have its permit for a moment.
		await().until(() -> handlers().order.stream().filter((each) -> each.startsWith("slow")).count() == running);
		return answer;
	}

	@Test
	void aSlowPathLeavesTheOthersAlone() throws Exception {
		start("rules[0].path=/slow/**", "rules[0].max-in-flight=1");
		CompletableFuture<Integer> first = slow("/slow/1", "a");
		assertThat(get("/slow/2")).isEqualTo(503);
		assertThat(get("/fast")).isEqualTo(200);
		assertThat(permits().report().refused()).containsExactly(Map.entry(Reason.BULKHEAD, 1L));
		assertThat(permits().report().channels()).containsExactly(Map.entry("rules[0] (/slow/**)", 1));
		handlers().end.countDown();
		assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(200);
		await().untilAsserted(() -> assertThat(get("/slow/2")).isEqualTo(200));
	}

	@Test
	void eachEndpointHasItsOwnShareFunctionalRoutesToo() {
		start("rules[0].max-in-flight=1", "rules[0].per=endpoint");
		slow("/slow/1", "a");
		assertThat(get("/slow/2")).isEqualTo(503);
		assertThat(get("/fast")).isEqualTo(200);
		slow("/route/slow", "a");
		assertThat(get("/route/slow")).isEqualTo(503);
		assertThat(get("/route/fast")).isEqualTo(200);
	}

	@Test
	void eachCallerHasItsOwnShare() {
		start("rules[0].max-in-flight=1", "rules[0].per=caller");
		slow("/slow/1", "a");
		assertThat(get("/fast", "a")).isEqualTo(503);
		assertThat(get("/fast", "b")).isEqualTo(200);
	}

	@Test
	void someCallersHaveAShareTogether() {
		start("rules[0].max-in-flight=1", "rules[0].callers=a,b");
		slow("/slow/1", "a");
		assertThat(get("/fast", "b")).isEqualTo(503);
		assertThat(get("/fast", "c")).isEqualTo(200);
		assertThat(get("/fast", "c")).isEqualTo(200);
	}

	/** A handler of GET requests answers HEAD requests, too. */
	@ParameterizedTest
	@ValueSource(strings = { "rules[0].methods=get", "rules[0].per=endpoint" })
	void aRuleForGetCountsForHead(String property) {
		start("rules[0].max-in-flight=1", property);
		slow("/slow/1", "a");
		assertThat(this.client.head().uri("/slow/2").retrieve().toBodilessEntity().getStatusCode().value())
			.isEqualTo(503);
	}

	/** Handlers may match paths in any case; clients must not evade limits by that. */
	@Test
	void upperCaseEvadesNoLimit() {
		start("any-case=true", "rules[0].path=/slow/**", "rules[0].max-in-flight=1");
		slow("/slow/1", "a");
		assertThat(get("/SLOW/2")).isEqualTo(503);
	}

	/** The container decodes a path once; handlers of any name see it as it is then. */
	@Test
	void aPercentSignInAPathIsNoFailure() {
		start("any-name=true", "rules[0].priority=critical");
		URI discount = URI.create(
				"http://localhost:%s/100%%25".formatted(this.server.getEnvironment().getProperty("local.server.port")));
		assertThat(this.client.get().uri(discount).retrieve().body(String.class)).isEqualTo("100%");
		await().untilAsserted(() -> assertThat(permits().report().completed()).isOne());
	}

	/** Without a rule that says so, one slow endpoint must not fill the share of all. */
	@Test
	void theShareOfRequestsWithoutAContractIsThatOfTheirEndpoint() {
		start("max-per-channel=1");
		slow("/slow/1", "a");
		assertThat(get("/slow/2")).isEqualTo(503);
		assertThat(get("/fast")).isEqualTo(200);
	}

	@Test
	void moreImportantRequestsGoFirst() throws Exception {
		start("threads=1", "queue-capacity=10", "rules[0].path=/fast", "rules[0].methods=get",
				"rules[0].priority=critical", "rules[1].priority=sheddable");
		CompletableFuture<Integer> running = slow("/slow/1", "a");
		CompletableFuture<Integer> sheddable = CompletableFuture.supplyAsync(() -> get("/slow/2"));
		await().until(() -> permits().waiting() == 1);
		CompletableFuture<Integer> critical = CompletableFuture.supplyAsync(() -> get("/fast"));
		await().until(() -> permits().waiting() == 2);
		handlers().end.countDown();
		for (CompletableFuture<Integer> each : java.util.List.of(running, critical, sheddable)) {
			assertThat(each.get(10, TimeUnit.SECONDS)).isEqualTo(200);
		}
		assertThat(handlers().order).containsExactly("slow 1", "fast", "slow 2");
	}

	@Test
	void rulesAndNamesThatDoNothingAreSaid(CapturedOutput output) {
		start("rules[0].path=/nothing/{here}", "rules[0].max-in-flight=3", "rules[1].priority=critical",
				"rules[2].path=/fast", "rules[2].priority=sheddable", "rules[2].max-in-flight=100000",
				"rules[2].max-inflight=7", "rule[0].path=/x", "max-per-chanel=3", "max-per-channel=9000",
				"priorities[RequestRulesTests$Prices]=critical", "priorities.Price=critical");
		assertThat(output).contains("vicinal.server.requests.rules[0] (/nothing/{here}) does nothing")
			.contains("rules[2] (/fast): its priority does nothing, as rules[1] (/**) comes first")
			.contains("rules[2] (/fast): a max-in-flight of 100000 is never reached")
			.contains("Property vicinal.server.requests.rule[0].path does not exist")
			.contains("Property vicinal.server.requests.max-per-chanel does not exist")
			.contains("vicinal.server.requests.max-per-channel of 9000 is never reached")
			.contains("priorities.Price does nothing: no controller implements such a contract; there are [")
			.doesNotContain("Prices does nothing")
			.doesNotContain("max-inflight does not exist")
			.doesNotContain("rules[1] (/**) does nothing");
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ Handlers.class, PriceController.class })
	static class RulesApplication {

		@Bean
		CallerResolver callers() {
			return (request) -> request.getHeader("X-Caller");
		}

		@Bean
		@ConditionalOnProperty("any-case")
		WebMvcConfigurer anyCase() {
			return new WebMvcConfigurer() {

				@Override
				public void configurePathMatch(PathMatchConfigurer configurer) {
					PathPatternParser parser = new PathPatternParser();
					parser.setCaseSensitive(false);
					configurer.setPatternParser(parser);
				}

			};
		}

		@Bean
		@ConditionalOnProperty("any-name")
		Names names() {
			return new Names();
		}

		@Bean
		RouterFunction<ServerResponse> routes(Handlers handlers) {
			return RouterFunctions.route().GET("/route/slow", (request) -> {
				handlers.slow("route");
				return ServerResponse.ok().build();
			}).GET("/route/fast", (request) -> ServerResponse.ok().build()).build();
		}

	}

	@RestController
	static class Handlers {

		final CountDownLatch end = new CountDownLatch(1);

		final java.util.List<String> order = new java.util.concurrent.CopyOnWriteArrayList<>();

		@GetMapping("/fast")
		String fast() {
			this.order.add("fast");
			return "fast";
		}

		@GetMapping("/slow/{id}")
		String slow(@PathVariable String id) throws InterruptedException {
			this.order.add("slow " + id);
			return String.valueOf(this.end.await(50, TimeUnit.SECONDS));
		}

	}

	@HttpExchange
	interface Prices {

		@GetExchange("/price")
		int price();

	}

	@RestController
	static class PriceController implements Prices {

		@Override
		public int price() {
			return 7;
		}

	}

	@RestController
	static class Names {

		@GetMapping("/{name}")
		String named(@PathVariable String name) {
			return name;
		}

		@GetMapping("/{share:\\d+%}/share")
		String share(@PathVariable String share) {
			return share;
		}

	}

}
