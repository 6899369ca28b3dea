package io.github.vicinal.boot;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport.PeerReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** A request that a client sends by itself during a call is not the call. */
@Timeout(60)
class NestedRequestTests {

	@TempDir
	private Path directory;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(Map.of("vicinal.server.paths", "uds", "vicinal.rendezvous.directory",
				this.directory.resolve("meet").toString()));
		all.putAll(properties);
		return this.applications.start(type, all);
	}

	private static String url(ConfigurableApplicationContext service) {
		return "http://localhost:" + service.getEnvironment().getProperty("local.server.port");
	}

	private static List<PeerReport> peers(ConfigurableApplicationContext client) {
		return client.getBean(ChannelsEndpoint.class).channels().channels().get(0).peers();
	}

	@ParameterizedTest
	@ValueSource(classes = { GroupClient.class, HandMadeClient.class })
	void requestsOfAnErrorHandlerAreSent(Class<?> type) {
		ConfigurableApplicationContext service = start(ThingService.class, Map.of());
		ConfigurableApplicationContext audit = start(AuditService.class, Map.of());
		ConfigurableApplicationContext client = start(type, Map.of("things.url", url(service),
				"spring.http.serviceclient.things.base-url", url(service), "audit.url", url(audit), "token.url", ""));
		Things things = client.getBean(Things.class);
		await().untilAsserted(() -> {
			assertThat(things.named("a")).isEqualTo("a");
			assertThat(peers(client)).singleElement()
				.satisfies((peer) -> assertThat(peer.path()).as(peer.reason()).isEqualTo("uds"));
		});
		AuditController audited = audit.getBean(AuditController.class);
		for (int i = 1; i <= 3; i++) {
			assertThatExceptionOfType(HttpClientErrorException.NotFound.class)
				.isThrownBy(() -> things.named("missing"));
			assertThat(audited.audits).hasValue(i);
		}
		assertThat(service.getBean(ThingController.class).missing).as("executed once each").hasValue(3);
		assertThat(peers(client)).as("the other server is no peer").hasSize(1);
	}

	@Test
	void anAttemptThatFollowsAReplayedErrorIsSent() {
		ConfigurableApplicationContext service = start(ThingService.class, Map.of());
		ConfigurableApplicationContext client = start(RetryingClient.class,
				Map.of("spring.http.serviceclient.things.base-url", url(service),
						"vicinal.channels.things.ignore-client-interceptors", "true"));
		Things things = client.getBean(Things.class);
		await().untilAsserted(() -> {
			assertThat(things.named("a")).isEqualTo("a");
			assertThat(peers(client)).singleElement()
				.satisfies((peer) -> assertThat(peer.path()).as(peer.reason()).isEqualTo("uds"));
		});
		assertThat(things.named("second")).isEqualTo("second");
		assertThat(service.getBean(ThingController.class).seconds).as("over the path, and by HTTP").hasValue(2);
	}

	@Test
	void requestsOfAnInterceptorGoWhereTheyAreSent() {
		ConfigurableApplicationContext first = start(ThingService.class, Map.of());
		ConfigurableApplicationContext second = start(ThingService.class, Map.of());
		ConfigurableApplicationContext audit = start(AuditService.class, Map.of());
		ConfigurableApplicationContext client = start(GroupClient.class,
				Map.of("vicinal.channels.things.instances", url(first) + "," + url(second), "audit.url", url(audit),
						"token.url", url(audit) + "/token", "things.url", ""));
		Things things = client.getBean(Things.class);
		for (int i = 1; i <= 10; i++) {
			assertThat(things.named("n" + i)).isEqualTo("n" + i);
			assertThat(audit.getBean(AuditController.class).tokens).hasValue(i);
		}
		assertThat(peers(client)).extracting(PeerReport::address)
			.noneMatch((address) -> url(audit).endsWith(address.substring(address.indexOf(':'))));
	}

	@AffinityChannel
	interface Things {

		/** A path that others may have, too. */
		@GetExchange("/{name}")
		String named(@PathVariable String name);

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(ThingController.class)
	static class ThingService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(AuditController.class)
	static class AuditService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "things", types = Things.class)
	static class GroupClient {

		@Bean
		RestClientHttpServiceGroupConfigurer audits(RestClient.Builder builder, @Value("${audit.url}") String audit,
				@Value("${token.url}") String token) {
			RestClient other = builder.build();
			return (groups) -> groups.forEachClient((group, client) -> {
				auditing(client, other, audit);
				if (!token.isEmpty()) {
					client.requestInterceptor((request, body, execution) -> {
						other.get()
							.uri(token)
							.header(HttpHeaders.AUTHORIZATION, "secret")
							.retrieve()
							.body(String.class);
						return execution.execute(request, body);
					});
				}
			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class HandMadeClient {

		@Bean
		Things things(RestClient.Builder builder, @Value("${things.url}") String url,
				@Value("${audit.url}") String audit) {
			RestClient other = builder.clone().build();
			RestClient client = auditing(builder.baseUrl(url), other, audit).build();
			return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client))
				.build()
				.createClient(Things.class);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "things", types = Things.class)
	static class RetryingClient {

		@Bean
		RestClientHttpServiceGroupConfigurer retries() {
			return (groups) -> groups
				.forEachClient((group, client) -> client.requestInterceptor((request, body, execution) -> {
					ClientHttpResponse response = execution.execute(request, body);
					return (response.getStatusCode().value() == 503) ? execution.execute(request, body) : response;
				}));
		}

	}

	private static RestClient.Builder auditing(RestClient.Builder client, RestClient other, String audit) {
		return client.defaultStatusHandler(HttpStatusCode::is4xxClientError, (request, response) -> {
			other.post().uri(audit + "/audit").retrieve().toBodilessEntity();
			throw HttpClientErrorException.create(response.getStatusCode(), response.getStatusText(),
					response.getHeaders(), response.getBody().readAllBytes(), null);
		});
	}

	@RestController
	static class ThingController implements Things {

		private final AtomicInteger missing = new AtomicInteger();

		private final AtomicInteger seconds = new AtomicInteger();

		@Override
		public String named(String name) {
			if (name.equals("second") && this.seconds.incrementAndGet() == 1) {
				throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE);
			}
			if (name.equals("missing")) {
				this.missing.incrementAndGet();
				throw new ResponseStatusException(HttpStatus.NOT_FOUND);
			}
			return name;
		}

	}

	@RestController
	static class AuditController {

		private final AtomicInteger audits = new AtomicInteger();

		private final AtomicInteger tokens = new AtomicInteger();

		@PostMapping("/audit")
		void audit() {
			this.audits.incrementAndGet();
		}

		@GetMapping("/token")
		String token() {
			this.tokens.incrementAndGet();
			return "token";
		}

	}

}
