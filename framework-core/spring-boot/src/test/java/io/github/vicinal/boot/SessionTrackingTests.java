package io.github.vicinal.boot;

import java.nio.file.Path;
import java.util.Map;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport.PeerReport;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Which sessions of handlers are answered with a cookie. */
@Timeout(60)
class SessionTrackingTests {

	@TempDir
	private Path directory;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	@ParameterizedTest
	@CsvSource({ "direct, url, false", "uds, url, false", "direct, cookie, true", "uds, 'cookie,url', true" })
	void aSessionIsTrackedAsItIsOverHttp(String path, String modes, boolean cookie) {
		String rendezvous = this.directory.resolve("meet").toString();
		ConfigurableApplicationContext service = this.applications.start(Service.class, Map.of("vicinal.server.paths",
				path, "vicinal.rendezvous.directory", rendezvous, "server.servlet.session.tracking-modes", modes));
		String url = "http://localhost:" + service.getEnvironment().getRequiredProperty("local.server.port");
		ConfigurableApplicationContext client = this.applications.start(Client.class,
				Map.of("vicinal.channels.visits.paths", path, "vicinal.rendezvous.directory", rendezvous,
						"spring.http.serviceclient.visits.base-url", url));
		Visits visits = client.getBean(Visits.class);
		await().untilAsserted(() -> {
			visits.visit("");
			PeerReport peer = client.getBean(ChannelsEndpoint.class).channel("visits").peers().get(0);
			assertThat(peer.path()).as(peer.reason()).isEqualTo(path);
		});
		assertThat(hasCookie(RestClient.create(url).get().uri("/visit?session=new").retrieve().toEntity(String.class)))
			.isEqualTo(cookie);
		assertThat(hasCookie(visits.visit("new"))).isEqualTo(cookie);
	}

	private static boolean hasCookie(ResponseEntity<String> answer) {
		assertThat(answer.getBody()).isEqualTo("new");
		return answer.getHeaders().containsHeader(HttpHeaders.SET_COOKIE);
	}

	@AffinityChannel
	@HttpExchange("/visit")
	interface Visits {

		@GetExchange
		ResponseEntity<String> visit(@RequestParam String session);

	}

	@RestController
	static class VisitController implements Visits {

		private final HttpServletRequest request;

		VisitController(HttpServletRequest request) {
			this.request = request;
		}

		@Override
		public ResponseEntity<String> visit(String session) {
			return ResponseEntity.ok((session.equals("new") && this.request.getSession().isNew()) ? "new" : "none");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(VisitController.class)
	static class Service {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "visits", types = Visits.class)
	static class Client {

	}

}
