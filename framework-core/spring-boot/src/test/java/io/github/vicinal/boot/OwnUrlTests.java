package io.github.vicinal.boot;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport.PeerReport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Calls that name their URL themselves go there, and others do not follow them. */
@Timeout(60)
class OwnUrlTests {

	@TempDir
	private Path directory;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(
				Map.of("vicinal.rendezvous.directory", this.directory.resolve("meet").toString()));
		all.putAll(properties);
		return this.applications.start(type, all);
	}

	private String node(String name) {
		ConfigurableApplicationContext node = start(NodeService.class,
				Map.of("node.name", name, "vicinal.server.paths", "uds"));
		return "http://localhost:" + node.getEnvironment().getProperty("local.server.port");
	}

	private static void assertElsewhere(Nodes nodes, String url, String name) {
		assertThat(nodes.status(URI.create(url + "/status"))).isEqualTo(name);
		assertThat(nodes.optional(Optional.of(URI.create(url + "/status")))).isEqualTo(name);
	}

	@Test
	void theOtherCallsOfAClientStayAtItsBaseUrl() {
		String a = node("a");
		String b = node("b");
		ConfigurableApplicationContext client = start(NodeClient.class,
				Map.of("spring.http.serviceclient.nodes.base-url", a));
		Nodes nodes = client.getBean(Nodes.class);
		assertElsewhere(nodes, b, "b");
		await().untilAsserted(() -> {
			assertThat(nodes.status()).isEqualTo("a");
			assertThat(peers(client)).singleElement()
				.satisfies((peer) -> assertThat(peer.path()).as(peer.reason()).isEqualTo("uds"));
		});
		for (int i = 0; i < 200; i++) {
			if (i % 20 == 0) {
				assertElsewhere(nodes, b, "b");
			}
			assertThat(nodes.status()).isEqualTo("a");
			assertThat(nodes.optional(Optional.empty())).isEqualTo("a");
		}
		assertThat(peers(client)).singleElement()
			.satisfies((peer) -> assertThat(a).endsWith(peer.address().substring(peer.address().indexOf(':'))));
	}

	/** Typed calls reach the controller of the contract, so they must not be made. */
	@Test
	void aBaseUrlWithAPathOfItsOwnReachesTheHandlersBelowIt() {
		String a = node("a");
		ConfigurableApplicationContext client = start(NodeClient.class,
				Map.of("spring.http.serviceclient.nodes.base-url", a + "/below", "vicinal.confirm-interval", "1ms"));
		Nodes nodes = client.getBean(Nodes.class);
		for (int i = 0; i < 2; i++) {
			assertThat(nodes.status()).isEqualTo("a below");
			await().untilAsserted(() -> assertThat(peers(client)).singleElement()
				.satisfies(
						(peer) -> assertThat(peer.reason()).contains("the base URL of the client has another path")));
		}
	}

	private static List<PeerReport> peers(ConfigurableApplicationContext client) {
		return client.getBean(ChannelsEndpoint.class).channel("nodes").peers();
	}

	@Test
	void instancesDoNotTakeThem() {
		String instances = node("a") + "," + node("a");
		String b = node("b");
		ConfigurableApplicationContext client = start(NodeClient.class,
				Map.of("vicinal.channels.nodes.instances", instances));
		Nodes nodes = client.getBean(Nodes.class);
		for (int i = 0; i < 10; i++) {
			assertElsewhere(nodes, b, "b");
			assertThat(nodes.status()).isEqualTo("a");
			assertThat(nodes.optional(Optional.empty())).isEqualTo("a");
		}
	}

	@AffinityChannel
	interface Nodes {

		@GetExchange("/status")
		String status();

		@GetExchange("/uri")
		String status(URI node);

		@GetExchange("/optional")
		String optional(Optional<URI> node);

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ NodeController.class, BelowController.class })
	static class NodeService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "nodes", types = Nodes.class)
	static class NodeClient {

	}

	@RestController
	static class NodeController implements Nodes {

		private final String name;

		NodeController(@Value("${node.name}") String name) {
			this.name = name;
		}

		@Override
		public String status() {
			return this.name;
		}

		@Override
		public String status(@Nullable URI node) {
			return this.name;
		}

		@Override
		public String optional(@Nullable Optional<URI> node) {
			return this.name;
		}

	}

	/** No controller of the contract, below a path of its own. */
	@RestController
	static class BelowController {

		private final String name;

		BelowController(@Value("${node.name}") String name) {
			this.name = name;
		}

		@GetMapping("/below/status")
		String status() {
			return this.name + " below";
		}

	}

}
