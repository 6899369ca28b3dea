package io.github.vicinal.boot.placement;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.Map;

import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.placement.model.ModelJson;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.client.loadbalancer.LoadBalanced;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls by the name of a service: meters know that name, channels and exchanges the
 * address behind it.
 */
@Timeout(120)
class LoadBalancedCallsTests {

	private static final int CALLS = 20;

	private ConfigurableApplicationContext stock;

	private ConfigurableApplicationContext shop;

	private static ConfigurableApplicationContext run(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new LinkedHashMap<>(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"management.endpoints.web.exposure.include", "*", "vicinal.placement.refresh", "0ms",
				"vicinal.placement.search-time", "100ms", "vicinal.placement.minimum-calls", "1",
				"management.metrics.use-global-registry", "false"));
		all.putAll(properties);
		SpringApplication application = new SpringApplication(type);
		application.setDefaultProperties(all);
		return application.run();
	}

	private static String base(ConfigurableApplicationContext application) {
		return "http://localhost:" + application.getEnvironment().getProperty("local.server.port");
	}

	private void start(Map<String, Object> properties) {
		this.stock = run(Stock.class, Map.of("spring.application.name", "stock", "vicinal.placement.host", "b"));
		Map<String, Object> all = new LinkedHashMap<>(properties);
		all.put("spring.application.name", "shop");
		all.put("vicinal.placement.host", "a");
		all.put("vicinal.placement.instances", base(this.stock) + "/actuator");
		all.put("spring.cloud.discovery.client.simple.instances.stock[0].uri", base(this.stock));
		all.put("spring.cloud.discovery.client.simple.instances.warehouse[0].uri", base(this.stock));
		this.shop = run(Shop.class, all);
	}

	@AfterEach
	void stop() {
		this.shop.close();
		this.stock.close();
	}

	private long calls() throws Exception {
		HttpResponse<String> response = HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create(base(this.shop) + "/actuator/vicinalplacement"))
				.header("Accept", "application/json")
				.build(), HttpResponse.BodyHandlers.ofString());
		assertThat(response.statusCode()).isEqualTo(200);
		return new ModelJson().read(JsonMapper.shared().readTree(response.body()).get("model").toString())
			.edges()
			.stream()
			.filter((edge) -> edge.from().equals("shop") && edge.to().equals("stock"))
			.mapToLong((edge) -> edge.evidence().samples())
			.sum();
	}

	@Test
	void exchangesCountOnce() throws Exception {
		start(Map.of());
		RestClient client = this.shop.getBean(RestClient.Builder.class).baseUrl("http://stock").build();
		for (int round = 1; round <= 3; round++) {
			for (int i = 0; i < CALLS; i++) {
				assertThat(client.get().uri("/stock").retrieve().body(String.class)).isEqualTo("7");
			}
			assertThat(calls()).isBetween(round * CALLS - 1L, (long) round * CALLS);
		}
	}

	@Test
	void typedCallsCountOnce() throws Exception {
		start(Map.of());
		StockApi stock = this.shop.getBean(StockApi.class);
		for (int round = 1; round <= 3; round++) {
			for (int i = 0; i < CALLS; i++) {
				assertThat(stock.stock()).isEqualTo(7);
			}
			assertThat(calls()).isBetween(round * CALLS - 1L, (long) round * CALLS);
		}
	}

	@Test
	void callsThatNoPathKnowsCountToo() throws Exception {
		start(Map.of("vicinal.http-exchanges.enabled", "false"));
		RestClient client = this.shop.getBean(RestClient.Builder.class).baseUrl("http://stock").build();
		for (int i = 0; i < CALLS; i++) {
			assertThat(client.get().uri("/stock").retrieve().body(String.class)).isEqualTo("7");
		}
		assertThat(calls()).isBetween(CALLS - 1L, (long) CALLS);
	}

	/** The name by which a discovery client knows a service need not be the service's. */
	@Test
	void callsByAnotherNameOfTheServiceCount() throws Exception {
		start(Map.of("vicinal.http-exchanges.enabled", "false"));
		RestClient client = this.shop.getBean(RestClient.Builder.class).baseUrl("http://warehouse").build();
		for (int i = 0; i < CALLS; i++) {
			assertThat(client.get().uri("/stock").retrieve().body(String.class)).isEqualTo("7");
		}
		assertThat(calls()).isBetween(CALLS - 1L, (long) CALLS);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Stock {

		@Bean
		StockController stockController() {
			return new StockController();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Shop {

		@Bean
		@LoadBalanced
		RestClient.Builder balanced(
				org.springframework.boot.restclient.autoconfigure.RestClientBuilderConfigurer configurer) {
			return configurer.configure(RestClient.builder());
		}

		@Bean
		StockApi stock(RestClient.Builder builder) {
			return HttpServiceProxyFactory
				.builderFor(RestClientAdapter.create(builder.clone().baseUrl("http://stock").build()))
				.build()
				.createClient(StockApi.class);
		}

	}

	@AffinityChannel
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
