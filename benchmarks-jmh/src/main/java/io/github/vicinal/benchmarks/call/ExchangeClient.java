package io.github.vicinal.benchmarks.call;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.boot.exchange.Exchanges;
import io.github.vicinal.report.ChannelReport;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.web.client.RestClient;

/** A client application that has a {@code RestClient} and no interface. */
final class ExchangeClient implements AutoCloseable {

	private static final int MAX_CONNECTIONS = 200;

	private static final long CONNECT_SECONDS = 30;

	private final ConfigurableApplicationContext context;

	private final RestClient client;

	private ExchangeClient(ConfigurableApplicationContext context, String port) {
		this.context = context;
		this.client = context.getBean(RestClient.Builder.class).baseUrl("http://localhost:" + port).build();
	}

	/**
	 * Starts a client and waits until its requests take the path.
	 * @param port where the server is
	 * @param path the path, or {@code http} for a client without Vicinal
	 * @param secured whether it shows the token of {@link EchoSecurity}
	 */
	static ExchangeClient start(String port, String path, boolean secured) throws InterruptedException {
		Map<String, Object> properties = new HashMap<>(Map.of("spring.main.web-application-type", "none"));
		if (secured) {
			properties.put("spring.profiles.active", "secured");
		}
		if (path.equals("http")) {
			properties.put("vicinal.enabled", "false");
		}
		else {
			properties.put("vicinal.http-exchanges.paths", path);
		}
		ExchangeClient started = new ExchangeClient(Contexts.start(Application.class, true, properties), port);
		if (!path.equals("http")) {
			started.awaitPath(path);
		}
		return started;
	}

	private void awaitPath(String path) throws InterruptedException {
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CONNECT_SECONDS);
		Exchanges exchanges = this.context.getBean(Exchanges.class);
		while (true) {
			order(Echo.Order.sample());
			ChannelReport report = exchanges.report();
			if (report != null && !report.peers().isEmpty() && report.peers().get(0).path().equals(path)) {
				return;
			}
			if (System.nanoTime() - deadline > 0) {
				throw new IllegalStateException("No exchange took the path %s: %s".formatted(path, report));
			}
			Thread.sleep(20);
		}
	}

	/** Sends an order and gets it back. */
	Echo.Order order(Echo.Order order) {
		return Objects
			.requireNonNull(this.client.post().uri("/echo/order").body(order).retrieve().body(Echo.Order.class));
	}

	@Override
	public void close() {
		this.context.close();
	}

	/** A common application. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder> connections() {
			return (builder) -> builder.withConnectionManagerCustomizer(
					(connections) -> connections.setMaxConnTotal(MAX_CONNECTIONS).setMaxConnPerRoute(MAX_CONNECTIONS));
		}

		@Bean
		@Profile("secured")
		RestClientCustomizer token() {
			return EchoSecurity.client();
		}

	}

}
