package io.github.vicinal.boot;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.report.ChannelReport.PeerReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.client.circuitbreaker.CircuitBreaker;
import org.springframework.cloud.client.circuitbreaker.CircuitBreakerFactory;
import org.springframework.cloud.client.circuitbreaker.ConfigBuilder;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreaker;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreakerFactory;
import org.springframework.cloud.client.circuitbreaker.httpservice.CircuitBreakerWebClientHttpServiceGroupConfigurer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import org.springframework.web.reactive.function.client.support.WebClientHttpServiceGroupConfigurer;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.HttpServiceGroup.ClientType;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Groups of HTTP interfaces whose clients are {@code WebClient}s. */
@Timeout(60)
class WebClientGroupsTests {

	@TempDir
	private Path rendezvous;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(Map.of("vicinal.server.paths", "uds", "vicinal.rendezvous.directory",
				this.rendezvous.resolve("meet").toString(), "vicinal.http-exchanges.enabled", "false"));
		all.putAll(properties);
		return this.applications.start(type, all);
	}

	private String server() {
		return "http://localhost:"
				+ start(StockService.class, Map.of()).getEnvironment().getProperty("local.server.port");
	}

	private static ChannelReport channel(ConfigurableApplicationContext client) {
		return client.getBean(ChannelsEndpoint.class).channels().channels().get(0);
	}

	private static List<String> paths(ConfigurableApplicationContext client) {
		return channel(client).peers().stream().map(PeerReport::path).toList();
	}

	private static void assertThatAllAnswer(Stock stock) {
		assertThat(stock.now("tea")).isEqualTo("tea");
		assertThat(stock.count("tea").block()).isEqualTo(3);
		assertThat(stock.entity("tea").block().getBody()).isEqualTo("tea");
		assertThat(stock.kinds("tea").collectList().block()).containsExactly(new Kind("tea"), new Kind("green tea"));
		assertThat(stock.none("tea").hasElement().block()).isFalse();
		assertThatExceptionOfType(WebClientResponseException.NotFound.class)
			.isThrownBy(() -> stock.missing("tea").block());
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdk", "reactor" })
	void callsTakeTypedPaths(String connector) {
		ConfigurableApplicationContext client = start(StockClient.class,
				Map.of("spring.http.serviceclient.stock.base-url", server(), "vicinal.channels.stock.paths", "uds",
						"spring.http.clients.reactive.connector", connector));
		Stock stock = client.getBean(Stock.class);
		assertThatAllAnswer(stock);
		assertThat(channel(client).name()).isEqualTo("stock");
		await().until(() -> paths(client).equals(List.of("uds")));
		for (int i = 0; i < 5; i++) {
			assertThatAllAnswer(stock);
		}
		assertThat(channel(client).leftToHttp()).isEmpty();
		assertThat(channel(client).peers().get(0).paths()).filteredOn((path) -> path.path().equals("uds"))
			.allSatisfy((path) -> assertThat(path.calls()).isGreaterThan(20));
	}

	@Test
	void theFirstInstanceIsTheBaseUrl() {
		ConfigurableApplicationContext client = start(StockClient.class,
				Map.of("vicinal.channels.stock.instances", server()));
		assertThatAllAnswer(client.getBean(Stock.class));
		await().until(() -> {
			assertThatAllAnswer(client.getBean(Stock.class));
			return paths(client).equals(List.of("uds"));
		});
	}

	@Test
	void circuitBreakersSeeAllCalls() {
		ConfigurableApplicationContext client = start(BreakingClient.class,
				Map.of("spring.http.serviceclient.stock.base-url", server()));
		Stock stock = client.getBean(Stock.class);
		Breakers breakers = client.getBean(Breakers.class);
		for (int i = 1; i <= 20; i++) {
			assertThat(stock.count("tea").block()).isEqualTo(3);
			assertThat(stock.now("tea")).isEqualTo("tea");
			assertThat(breakers.runs).hasValue(2 * i);
		}
		assertThat(channel(client).leftToHttp()).hasSize(1)
			.allSatisfy(
					(reason, count) -> assertThat(reason).startsWith("the HTTP client").contains("circuit breaker"));
	}

	@AffinityChannel
	@HttpExchange("/stock")
	interface Stock {

		@GetExchange("/now/{name}")
		String now(@PathVariable String name);

		@GetExchange("/count/{name}")
		Mono<Integer> count(@PathVariable String name);

		@GetExchange("/entity/{name}")
		Mono<ResponseEntity<String>> entity(@PathVariable String name);

		@GetExchange("/kinds/{name}")
		Flux<Kind> kinds(@PathVariable String name);

		@GetExchange("/none/{name}")
		Mono<Kind> none(@PathVariable String name);

		@GetExchange("/missing/{name}")
		Mono<Kind> missing(@PathVariable String name);

	}

	record Kind(String name) {
	}

	@RestController
	static class StockController implements Stock {

		@Override
		public String now(String name) {
			return name;
		}

		@Override
		public Mono<Integer> count(String name) {
			return Mono.just(name.length());
		}

		@Override
		public Mono<ResponseEntity<String>> entity(String name) {
			return Mono.just(ResponseEntity.ok(name));
		}

		@Override
		public Flux<Kind> kinds(String name) {
			return Flux.just(new Kind(name), new Kind("green " + name));
		}

		@Override
		public Mono<Kind> none(String name) {
			return Mono.empty();
		}

		@Override
		public Mono<Kind> missing(String name) {
			return Mono.error(new ResponseStatusException(org.springframework.http.HttpStatus.NOT_FOUND));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(StockController.class)
	static class StockService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "stock", types = Stock.class, clientType = ClientType.WEB_CLIENT)
	static class StockClient {

	}

	/** What runs in circuit breakers. */
	static class Breakers {

		private final AtomicInteger runs = new AtomicInteger();

	}

	@Configuration(proxyBeanMethods = false)
	@Import(StockClient.class)
	static class BreakingClient {

		@Bean
		Breakers breakers() {
			return new Breakers();
		}

		@Bean
		WebClientHttpServiceGroupConfigurer breakingGroups(@Autowired Breakers breakers) {
			return new CircuitBreakerWebClientHttpServiceGroupConfigurer(new ReactiveFactory(breakers),
					new BlockingFactory(breakers));
		}

	}

	private static final class ReactiveFactory extends ReactiveCircuitBreakerFactory<Object, ConfigBuilder<Object>> {

		private final Breakers breakers;

		ReactiveFactory(Breakers breakers) {
			this.breakers = breakers;
		}

		@Override
		protected ConfigBuilder<Object> configBuilder(String id) {
			return Object::new;
		}

		@Override
		public void configureDefault(Function<String, Object> defaults) {
		}

		@Override
		public ReactiveCircuitBreaker create(String id) {
			return new ReactiveCircuitBreaker() {
				@Override
				public <T> Mono<T> run(Mono<T> toRun, Function<Throwable, Mono<T>> fallback) {
					ReactiveFactory.this.breakers.runs.incrementAndGet();
					return toRun;
				}

				@Override
				public <T> Flux<T> run(Flux<T> toRun, Function<Throwable, Flux<T>> fallback) {
					ReactiveFactory.this.breakers.runs.incrementAndGet();
					return toRun;
				}
			};
		}

	}

	private static final class BlockingFactory extends CircuitBreakerFactory<Object, ConfigBuilder<Object>> {

		private final Breakers breakers;

		BlockingFactory(Breakers breakers) {
			this.breakers = breakers;
		}

		@Override
		protected ConfigBuilder<Object> configBuilder(String id) {
			return Object::new;
		}

		@Override
		public void configureDefault(Function<String, Object> defaults) {
		}

		@Override
		public CircuitBreaker create(String id) {
			return new CircuitBreaker() {
				@Override
				public <T> T run(Supplier<T> toRun, Function<Throwable, T> fallback) {
					BlockingFactory.this.breakers.runs.incrementAndGet();
					return toRun.get();
				}
			};
		}

	}

}
