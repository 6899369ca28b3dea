package io.github.vicinal.boot.exchange;

import java.time.Duration;
import java.util.Map;

import io.github.vicinal.boot.exchange.ExchangeBehaviourTests.Applications;
import io.github.vicinal.boot.exchange.ExchangeBehaviourTests.ClientApplication;
import io.github.vicinal.report.ChannelReport;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A client that names the addresses of others, as a gateway does, stays itself. */
@Timeout(60)
class ForwardedAddressTests {

	@RegisterExtension
	final Applications applications = new Applications();

	@ParameterizedTest
	@ValueSource(strings = { "native", "framework" })
	void eachRequestHasTheAddressThatItNames(String strategy) {
		ConfigurableApplicationContext server = this.applications.start(ServerApplication.class,
				Map.of("server.port", "0", "vicinal.server.paths", "direct", "server.forward-headers-strategy",
						strategy, "server.shutdown", "immediate"));
		ConfigurableApplicationContext client = this.applications.start(ClientApplication.class,
				Map.of("spring.main.web-application-type", "none", "vicinal.http-exchanges.paths", "direct",
						"vicinal.confirm-interval", "0s", "spring.http.clients.imperative.factory", "jdk"));
		RestClient requests = client.getBean(RestClient.Builder.class)
			.baseUrl("http://localhost:" + server.getEnvironment().getRequiredProperty("local.server.port"))
			.build();
		Exchanges exchanges = client.getBean(Exchanges.class);
		await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
			assertThat(seen(requests, "203.0.113.7", "http")).isEqualTo("203.0.113.7 http");
			assertThat(calls(exchanges)).isPositive();
		});
		assertThat(seen(requests, "203.0.113.8", "https")).isEqualTo("203.0.113.8 https");
		assertThat(seen(requests, "198.51.100.9", "http")).isEqualTo("198.51.100.9 http");
		assertThat(seen(requests, "", "")).isEqualTo("127.0.0.1 http");
	}

	private static String seen(RestClient requests, String address, String scheme) {
		return String.valueOf(requests.get().uri("/address").headers((headers) -> {
			if (!address.isEmpty()) {
				headers.set("X-Forwarded-For", address);
				headers.set("X-Forwarded-Proto", scheme);
			}
		}).retrieve().body(String.class));
	}

	private static long calls(Exchanges exchanges) {
		ChannelReport report = exchanges.report();
		return (report == null) ? 0
				: report.peers()
					.stream()
					.flatMap((peer) -> peer.paths().stream())
					.filter((path) -> path.path().equals("direct"))
					.mapToLong(ChannelReport.PathReport::calls)
					.sum();
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(AddressController.class)
	static class ServerApplication {

	}

	@RestController
	static class AddressController {

		@GetMapping("/address")
		String address(HttpServletRequest request) {
			return request.getRemoteAddr() + " " + request.getScheme();
		}

	}

}
