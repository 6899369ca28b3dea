package io.github.vicinal.boot;

import java.util.Map;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The JDK's client speaks HTTP/2 with a server that does. Such requests stay there. */
@Timeout(120)
class Http2RequestTests {

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	@ParameterizedTest
	@CsvSource({ "jdk, HTTP/2.0, http", "http-components, HTTP/1.1, direct" })
	void areTheSameOnEachPath(String library, String protocol, String path) {
		ConfigurableApplicationContext service = this.applications.start(Service.class,
				Map.of("server.http2.enabled", "true"));
		String url = "http://localhost:" + service.getEnvironment().getRequiredProperty("local.server.port");
		ConfigurableApplicationContext client = this.applications.start(Client.class, Map
			.of("spring.http.serviceclient.requests.base-url", url, "spring.http.clients.imperative.factory", library));
		Requests requests = client.getBean(Requests.class);
		await().untilAsserted(() -> {
			requests.typed();
			requests.any();
			ChannelReport report = client.getBean(ChannelsEndpoint.class).channel("requests");
			assertThat(report.peers()).allSatisfy((peer) -> assertThat(peer.path()).as(peer.reason()).isEqualTo(path));
		});
		Requests plain = HttpServiceProxyFactory.builderFor(RestClientAdapter.create(RestClient.builder()
			.requestFactory(library.equals("jdk") ? ClientHttpRequestFactoryBuilder.jdk().build()
					: ClientHttpRequestFactoryBuilder.httpComponents().build())
			.baseUrl(url)
			.build())).build().createClient(Requests.class);
		assertThat(plain.typed().getBody()).isEqualTo(protocol + " " + url + "/requests/typed");
		assertThat(requests.typed().getBody()).isEqualTo(plain.typed().getBody());
		for (int i = 0; i < 10; i++) {
			assertThat(requests.any()).isEqualTo(plain.any());
		}
	}

	@AffinityChannel
	@HttpExchange("/requests")
	interface Requests {

		@GetExchange("/typed")
		ResponseEntity<String> typed();

		/** An {@code Object} has no type that a codec could carry. */
		@GetExchange("/any")
		Object any();

	}

	@RestController
	static class RequestController implements Requests {

		private final HttpServletRequest request;

		RequestController(HttpServletRequest request) {
			this.request = request;
		}

		@Override
		public ResponseEntity<String> typed() {
			return ResponseEntity.ok(this.request.getProtocol() + " " + this.request.getRequestURL());
		}

		@Override
		public Object any() {
			return Map.of("request", this.request.getProtocol() + " " + this.request.getRequestURL());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(RequestController.class)
	static class Service {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "requests", types = Requests.class)
	static class Client {

	}

}
