package io.github.vicinal.boot.cache;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Random;

import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.channel.CacheableCall;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;

/** Caches as people and programs see them. */
@Timeout(60)
class CacheReportsEndToEndTests {

	private final ConfigurableApplicationContext application = start();

	private static ConfigurableApplicationContext start() {
		SpringApplication application = new SpringApplication(Application.class);
		application.setDefaultProperties(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"management.endpoints.web.exposure.include", "*", "vicinal.cache.caches.prices.policy", "AIC",
				"vicinal.cache.caches.prices.maximum-size", "300", "vicinal.cache.caches.<b>.policy", "LRU",
				"spring.http.serviceclient.prices.base-url", "http://localhost"));
		return application.run();
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	private HttpResponse<String> get(String path) throws Exception {
		String port = this.application.getEnvironment().getProperty("local.server.port");
		return HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/vicinalcaches" + path))
				.build(), HttpResponse.BodyHandlers.ofString());
	}

	/** Keys around 1000, of which the cache holds a good part. */
	private void use() {
		Cache prices = this.application.getBean(CacheManager.class).getCache("prices");
		Random random = new Random(1);
		for (int i = 0; i < 60_000; i++) {
			int key = (int) (1000 + 300 * random.nextGaussian());
			prices.get(key, () -> key);
		}
	}

	@Test
	void reportsAreJson() throws Exception {
		use();
		JsonNode all = JsonMapper.shared().readTree(get("").body()).get("caches");
		assertThat(all.propertyNames()).contains("prices");
		JsonNode prices = JsonMapper.shared().readTree(get("/prices").body());
		assertThat(prices.get("policy").asString()).isEqualTo("AIC");
		assertThat(prices.get("maximum").asLong()).isEqualTo(300);
		assertThat(prices.get("hitRatio").asDouble()).isBetween(0.1, 0.9);
		assertThat(prices.get("candidates")).hasSizeGreaterThan(3);
		assertThat(prices.get("candidates").get(0).get("hitRatio").asDouble()).isBetween(0.1, 0.9);
		assertThat(prices.get("missRatioCurve")).hasSize(4).allSatisfy((at) -> {
			assertThat(at.get("maximum").asLong()).isBetween(150L, 1200L);
			assertThat(at.get("missRatio").asDouble()).isBetween(0.0, 0.9);
		});
		assertThat(get("/unknown").statusCode()).isEqualTo(404);
	}

	@Test
	void aPageShowsTheCurveAndTheCandidates() throws Exception {
		use();
		HttpResponse<String> page = get("/prices/page");
		assertThat(page.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
		assertThat(page.body()).contains("<svg", "polyline", "as it is", "Candidates", "LFU")
			.doesNotContain("NaN")
			.doesNotContain("<script");
		assertThat(get("/prices/other").statusCode()).isEqualTo(404);
		assertThat(get("/unknown/page").statusCode()).isEqualTo(404);
	}

	@Test
	void aConfiguredCacheOfCallsIsNoneOfSprings() throws Exception {
		assertThat(this.application.getBean(CacheManager.class).getCacheNames()).containsExactly("b");
		JsonNode all = JsonMapper.shared().readTree(get("").body()).get("caches");
		assertThat(all.propertyNames()).containsExactlyInAnyOrder("b", "prices");
	}

	/** The Spring cache keeps its name, and none hides another. */
	@Test
	void cachesOfOneNameAreAllShown() throws Exception {
		use();
		JsonNode all = JsonMapper.shared().readTree(get("").body()).get("caches");
		assertThat(all.propertyNames()).contains("prices", "prices@calls");
		assertThat(all.get("prices").get("statistics").get("misses").asLong()).isPositive();
		assertThat(all.get("prices@calls").get("statistics").get("misses").asLong()).isZero();
		assertThat(get("/prices@calls").statusCode()).isEqualTo(200);
		assertThat(get("/prices@calls/page").body()).contains("prices@calls");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableCaching
	@ImportHttpServices(group = "prices", types = Prices.class)
	static class Application {

	}

	@AffinityChannel
	@HttpExchange("/prices")
	interface Prices {

		@CacheableCall(expireAfterWrite = "5m", cache = "prices")
		@GetExchange("/{id}")
		int price(@PathVariable long id);

	}

}
