package io.github.vicinal.transport.tcp;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Applications that have nothing but the module and a property. */
@Timeout(120)
class TcpEndToEndTests extends ShelfApplications {

	private String service(boolean tcp) {
		return "http://localhost:" + start(ShelfService.class, Map.of("vicinal.tcp.enabled", tcp)).getEnvironment()
			.getRequiredProperty("local.server.port");
	}

	private ConfigurableApplicationContext client(String url) {
		return start(ShelfClient.class,
				Map.of("vicinal.tcp.enabled", "true", "spring.http.serviceclient.shelf.base-url", url,
						"vicinal.channels.shelf.paths", "tcp", "vicinal.http-exchanges.paths", "tcp"));
	}

	@Test
	void typedCallsTravelOverTcp() {
		ConfigurableApplicationContext client = client(service(true));
		Shelf shelf = client.getBean(Shelf.class);
		await().untilAsserted(() -> {
			assertThat(shelf.book(7)).isEqualTo(new Book(7, "seven"));
			assertThat(peers(client, "shelf")).first().returns("tcp", PeerReport::path);
		});
		assertThat(shelf.book(8)).isEqualTo(new Book(8, "seven"));
		assertThat(client.getBean(MeterRegistry.class)
			.get("vicinal.tcp.bytes")
			.tag("side", "client")
			.functionCounter()
			.count()).isPositive();
		assertThat(this.contexts.get(0).getBean(MeterRegistry.class).get("vicinal.tcp.connections").gauge().value())
			.isEqualTo(1);
		assertThat(peers(client, "shelf")).first().returns("over the network", PeerReport::reason);
	}

	@Test
	void exchangesTravelOverTcp() {
		String url = service(true);
		ConfigurableApplicationContext client = client(url);
		RestClient rest = client.getBean(RestClient.Builder.class).baseUrl(url).build();
		await().untilAsserted(() -> {
			assertThat(rest.get().uri("/shelf/7").retrieve().body(Book.class)).isEqualTo(new Book(7, "seven"));
			assertThat(peers(client, "http-exchanges")).first().returns("tcp", PeerReport::path);
		});
		byte[] body = new byte[1_000_000];
		assertThat(rest.post().uri("/shelf/bytes").body(body).retrieve().body(byte[].class)).isEqualTo(body);
	}

	@Test
	void theModuleAloneChangesNothing() {
		ConfigurableApplicationContext client = client(service(false));
		await().untilAsserted(() -> {
			assertThat(client.getBean(Shelf.class).book(7).id()).isEqualTo(7);
			assertThat(peers(client, "shelf")).first()
				.satisfies((peer) -> assertThat(peer.reason()).contains("tcp: the peer does not offer it"));
		});
	}

	@Test
	void anAddressThatIsNotLoopbackFailsTheStart() {
		assertThatThrownBy(() -> start(ShelfService.class,
				Map.of("vicinal.tcp.enabled", "true", "vicinal.tcp.address", "0.0.0.0")))
			.rootCause()
			.hasMessageContaining("0.0.0.0")
			.hasMessageContaining("loopback address");
	}

	@Test
	void anUnknownBundleFailsTheStart() {
		assertThatThrownBy(() -> start(ShelfService.class,
				Map.of("vicinal.tcp.enabled", "true", "vicinal.tcp.ssl.bundle", "mesh")))
			.rootCause()
			.hasMessageContaining("vicinal.tcp.ssl.bundle")
			.hasMessageContaining("'mesh'")
			.hasMessageContaining("Define spring.ssl.bundle.pem.mesh or spring.ssl.bundle.jks.mesh");
		assertThatThrownBy(() -> start(ShelfService.class,
				Map.of("vicinal.tcp.enabled", "true", "vicinal.tcp.ssl.client-bundle", "mesh")))
			.rootCause()
			.hasMessageContaining("vicinal.tcp.ssl.client-bundle")
			.hasMessageContaining("Set vicinal.tcp.ssl.bundle");
	}

	@Test
	void typedCallsTravelOverTlsAndABundleIsReloaded(@TempDir Path directory) throws Exception {
		Certificates certificates = new Certificates(directory).authority("ca")
			.signed("server", "ca", "-ext", "san=ip:127.0.0.1")
			.signed("client", "ca")
			.signed("renewed", "ca");
		String trust = certificates.write("trust.p12", certificates.trust("ca"));
		String keys = certificates.write("client.p12", certificates.keys("client"));
		Map<String, Object> service = bundle(certificates.write("server.p12", certificates.keys("server")), trust);
		String url = "http://localhost:"
				+ start(ShelfService.class, service).getEnvironment().getRequiredProperty("local.server.port");
		Map<String, Object> properties = new TreeMap<>(bundle(keys, trust));
		properties.put("spring.http.serviceclient.shelf.base-url", url);
		ConfigurableApplicationContext client = start(ShelfClient.class, properties);
		Shelf shelf = client.getBean(Shelf.class);
		ChannelsEndpoint server = this.contexts.get(0).getBean(ChannelsEndpoint.class);
		await().untilAsserted(() -> {
			assertThat(shelf.book(7)).isEqualTo(new Book(7, "seven"));
			assertThat(peers(client, "shelf")).first().returns("tcp", PeerReport::path);
			assertThat(server.channels().clients().get("tcp")).singleElement()
				.satisfies((connected) -> assertThat(connected).containsEntry("tls", "TLSv1.3")
					.containsEntry("subject", "CN=client,O=Test"));
		});
		certificates.write("client.p12", certificates.keys("renewed"));
		await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
			assertThat(shelf.book(7)).isEqualTo(new Book(7, "seven"));
			assertThat(server.channels().clients().get("tcp")).singleElement()
				.satisfies((connected) -> assertThat(connected).containsEntry("subject", "CN=renewed,O=Test"));
		});
	}

}
