package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.vicinal.report.ChannelReport.PeerReport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server on this machine that sends requests on, as a gateway does, is not gone around,
 * although the announcement of the server behind it comes through.
 */
@Timeout(120)
class DetourTests {

	private static final Set<String> OF_THE_CONNECTION = Set.of("connection", "content-length", "host", "upgrade",
			"http2-settings", "transfer-encoding");

	private static final int REQUESTS = 10;

	@RegisterExtension
	private final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	private final AtomicInteger sentOn = new AtomicInteger();

	private HttpServer gateway;

	@AfterEach
	void stop() {
		if (this.gateway != null) {
			this.gateway.stop(0);
		}
	}

	@Test
	void aGatewayOnAnotherPortIsNotGoneAround() throws IOException {
		ConfigurableApplicationContext server = this.applications.server(ShopApplication.class, "uds", "default");
		int port = server.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
		start(new InetSocketAddress("localhost", 0), "http://localhost:" + port);
		assertThat(through("http://localhost:" + this.gateway.getAddress().getPort()))
			.contains("arrive at 127.0.0.1:" + port, "sends them on");
	}

	@Test
	@EnabledOnOs(value = OS.LINUX, disabledReason = "The system has one loopback address only")
	void aGatewayOnTheSamePortIsNotGoneAround() throws IOException {
		ConfigurableApplicationContext server = this.applications.start(ShopApplication.class,
				java.util.Map.of("server.address", "127.0.0.1", "server.port", "0", "server.shutdown", "immediate"));
		int port = server.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
		start(new InetSocketAddress("127.0.0.2", port), "http://127.0.0.1:" + port);
		assertThat(through("http://127.0.0.2:" + port)).contains("arrive at 127.0.0.1:" + port, "sends them on");
	}

	/** Returns why requests of a client that sends them to the gateway go over HTTP. */
	private String through(String gatewayUrl) {
		ConfigurableApplicationContext client = this.applications.client("uds", "http-components");
		RestClient requests = client.getBean(RestClient.Builder.class).baseUrl(gatewayUrl).build();
		for (int i = 1; i <= REQUESTS; i++) {
			assertThat(requests.get().uri("/api/text").retrieve().body(String.class)).isEqualTo("héllo");
			assertThat(this.sentOn).hasValue(i);
		}
		List<PeerReport> peers = client.getBean(Exchanges.class).report().peers();
		assertThat(peers).singleElement().satisfies((peer) -> assertThat(peer.path()).isEqualTo("http"));
		return peers.get(0).reason();
	}

	/** It takes a prefix off each path, which the server itself would not. */
	private void start(InetSocketAddress address, String to) throws IOException {
		this.gateway = HttpServer.create(address, 0);
		HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
		this.gateway.createContext("/api/", (exchange) -> sendOn(exchange, client, to));
		this.gateway.start();
	}

	private void sendOn(HttpExchange exchange, HttpClient client, String to) throws IOException {
		this.sentOn.incrementAndGet();
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI.create(to + exchange.getRequestURI().toString().substring("/api".length())));
		exchange.getRequestHeaders().forEach((name, values) -> {
			if (!OF_THE_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
				values.forEach((value) -> request.header(name, value));
			}
		});
		try (exchange) {
			HttpResponse<byte[]> response = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
			response.headers().map().forEach((name, values) -> {
				if (!OF_THE_CONNECTION.contains(name)) {
					exchange.getResponseHeaders().put(name, values);
				}
			});
			exchange.sendResponseHeaders(response.statusCode(), response.body().length);
			exchange.getResponseBody().write(response.body());
		}
		catch (InterruptedException ex) {
			throw new IOException(ex);
		}
	}

}
