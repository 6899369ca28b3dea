package io.github.vicinal.boot;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport.PeerReport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A call that is cancelled does not interrupt its handler, as over HTTP. */
@Timeout(60)
class CancelledCallTests {

	/** After these, direct handlers run on the thread that calls. */
	private static final int SHORT_CALLS = 100;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	@ParameterizedTest
	@ValueSource(strings = { "future", "mono" })
	void handlersRunToTheirEnd(String style) throws Exception {
		ConfigurableApplicationContext service = this.applications.start(Service.class, Map.of());
		String url = "http://localhost:" + service.getEnvironment().getRequiredProperty("local.server.port");
		ConfigurableApplicationContext client = this.applications.start(Client.class, Map.of("url", url,
				"vicinal.channels.jobs.paths", "direct", "spring.http.clients.reactive.connector", "jdk"));
		Jobs jobs = client.getBean(Jobs.class);
		await().untilAsserted(() -> {
			assertThat(jobs.future("short").get(5, TimeUnit.SECONDS)).isEqualTo("short");
			PeerReport peer = client.getBean(ChannelsEndpoint.class).channel("Jobs").peers().get(0);
			assertThat(peer.path()).as(peer.reason()).isEqualTo("direct");
		});
		for (int i = 0; i < SHORT_CALLS; i++) {
			assertThat(jobs.future("short").get(5, TimeUnit.SECONDS)).isEqualTo("short");
			assertThat(jobs.mono("short").block()).isEqualTo("short");
		}
		JobController controller = service.getBean(JobController.class);
		if (style.equals("future")) {
			CompletableFuture<String> future = jobs.future("long");
			assertThat(controller.started.await(5, TimeUnit.SECONDS)).isTrue();
			assertThat(future.cancel(true)).isTrue();
		}
		else {
			Disposable subscription = jobs.mono("long").subscribe();
			assertThat(controller.started.await(5, TimeUnit.SECONDS)).isTrue();
			subscription.dispose();
		}
		controller.mayEnd.countDown();
		assertThat(controller.outcome.get(10, TimeUnit.SECONDS)).isEqualTo("ended");
		assertThat(jobs.future("short").get(5, TimeUnit.SECONDS)).isEqualTo("short");
	}

	@AffinityChannel
	@HttpExchange("/jobs")
	interface Jobs {

		@GetExchange("/future/{name}")
		CompletableFuture<String> future(@PathVariable String name);

		@GetExchange("/mono/{name}")
		Mono<String> mono(@PathVariable String name);

	}

	@RestController
	static class JobController implements Jobs {

		private final CountDownLatch started = new CountDownLatch(1);

		private final CountDownLatch mayEnd = new CountDownLatch(1);

		private final CompletableFuture<String> outcome = new CompletableFuture<>();

		@Override
		public CompletableFuture<String> future(String name) {
			return CompletableFuture.completedFuture(done(name));
		}

		@Override
		public Mono<String> mono(String name) {
			return Mono.just(done(name));
		}

		private String done(String name) {
			if (name.equals("long")) {
				this.started.countDown();
				try {
					this.outcome.complete(this.mayEnd.await(5, TimeUnit.SECONDS) ? "ended" : "late");
				}
				catch (InterruptedException ex) {
					this.outcome.complete("interrupted");
				}
			}
			return name;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(JobController.class)
	static class Service {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Client {

		@Bean
		WebClient.Builder webClientBuilder(ClientHttpConnectorBuilder<?> connectors) {
			return WebClient.builder().clientConnector(connectors.build());
		}

		@Bean
		Jobs jobs(WebClient.Builder builder, Environment environment) {
			WebClient client = builder.baseUrl(environment.getRequiredProperty("url")).build();
			return HttpServiceProxyFactory.builderFor(WebClientAdapter.create(client)).build().createClient(Jobs.class);
		}

	}

}
