package io.github.vicinal.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.github.vicinal.testing.InTurn;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.observation.ClientRequestObservationContext;
import org.springframework.http.client.observation.DefaultClientRequestObservationConvention;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** An application's own convention reads the response of each call. */
@Timeout(60)
class ObservedResponseTests {

	@TempDir
	private Path directory;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	@ParameterizedTest
	@InTurn(value = { "direct", "uds", "http" }, rows = 2)
	void aConventionSeesStatusAndHeaders(String path) {
		String rendezvous = this.directory.resolve("meet").toString();
		ConfigurableApplicationContext service = this.applications.start(Service.class,
				Map.of("vicinal.rendezvous.directory", rendezvous, "vicinal.server.paths", "direct,uds"));
		String url = "http://localhost:" + service.getEnvironment().getRequiredProperty("local.server.port");
		ConfigurableApplicationContext client = this.applications.start(Client.class,
				Map.of("vicinal.channels.tiers.paths", path, "vicinal.rendezvous.directory", rendezvous,
						"spring.http.serviceclient.tiers.base-url", url));
		Tiers tiers = client.getBean(Tiers.class);
		await().untilAsserted(() -> {
			assertThat(tiers.named("warm").getBody()).isEqualTo("warm");
			PeerReport peer = client.getBean(ChannelsEndpoint.class).channel("tiers").peers().get(0);
			assertThat(peer.path()).as(peer.reason()).isEqualTo(path);
		});
		client.getBean(MeterRegistry.class).clear();
		tiers.named("gold");
		assertThatExceptionOfType(HttpClientErrorException.NotFound.class).isThrownBy(() -> tiers.named("none"));
		Set<String> seen = new TreeSet<>();
		client.getBean(MeterRegistry.class)
			.find("http.client.requests")
			.timers()
			.forEach((timer) -> seen.add(timer.getId().getTag("seen")));
		assertThat(seen).containsExactly("200 gold", "404 tin");
	}

	@AffinityChannel
	@HttpExchange("/tiers")
	interface Tiers {

		@GetExchange("/{name}")
		ResponseEntity<String> named(@PathVariable String name);

	}

	@RestController
	static class TierController implements Tiers {

		@Override
		public ResponseEntity<String> named(String name) {
			return name.equals("none") ? ResponseEntity.status(404).header("X-Tier", "tin").build()
					: ResponseEntity.ok().header("X-Tier", name).body(name);
		}

	}

	static class Convention extends DefaultClientRequestObservationConvention {

		@Override
		public KeyValues getLowCardinalityKeyValues(ClientRequestObservationContext context) {
			return super.getLowCardinalityKeyValues(context).and(KeyValue.of("seen", seen(context.getResponse())));
		}

		private static String seen(@Nullable ClientHttpResponse response) {
			try {
				return (response != null)
						? response.getStatusCode().value() + " " + response.getHeaders().getFirst("x-tier") : "none";
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(TierController.class)
	static class Service {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Convention.class)
	@ImportHttpServices(group = "tiers", types = Tiers.class)
	static class Client {

	}

}
