package io.github.vicinal.boot;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

import io.github.vicinal.boot.EndToEndTests.BasketClient;
import io.github.vicinal.boot.EndToEndTests.BasketService;
import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.report.ChannelReport.PeerReport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Whatever is missing or fails, calls go on and the reason is shown. */
@Timeout(60)
class FallbackTests {

	@TempDir
	private Path directory;

	private ConfigurableApplicationContext server;

	private ConfigurableApplicationContext client;

	@AfterEach
	void stop() {
		if (this.client != null) {
			this.client.close();
		}
		if (this.server != null) {
			this.server.close();
		}
	}

	private static ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(Map.of("spring.main.banner-mode", "off",
				"management.endpoints.web.exposure.include", "*", "vicinal.compare-paths", "false",
				"vicinal.confirm-interval", "0s", "vicinal.reconnect-delay", "10ms", "server.shutdown", "immediate"));
		all.putAll(properties);
		SpringApplication application = new SpringApplication(type);
		application.setDefaultProperties(all);
		return application.run();
	}

	private String port() {
		return String.valueOf(this.server.getEnvironment().getProperty("local.server.port"));
	}

	private void startServer(String port, String directory) {
		this.server = start(BasketService.class,
				Map.of("server.port", port, "vicinal.server.paths", "uds", "vicinal.rendezvous.directory", directory));
	}

	private Baskets startClient(String directory) {
		this.client = start(BasketClient.class,
				Map.of("server.port", "0", "spring.http.serviceclient.baskets.base-url", "http://localhost:" + port(),
						"vicinal.channels.baskets.paths", "uds", "vicinal.rendezvous.directory", directory));
		return this.client.getBean(Baskets.class);
	}

	private PeerReport peer() {
		return this.client.getBean(ChannelsEndpoint.class).channel("baskets").peers().get(0);
	}

	private String rendezvous() {
		return this.directory.resolve("rendezvous").toString();
	}

	private static void awaitPath(Baskets baskets, FallbackTests test, String path) {
		await().untilAsserted(() -> {
			baskets.get(1);
			assertThat(test.peer().path()).as(test.peer().reason()).isEqualTo(path);
		});
	}

	@Test
	void aServerWithoutDirectoryIsCalledOverHttp() throws Exception {
		Path file = Files.createFile(this.directory.resolve("file"));
		startServer("0", file.toString());
		Baskets baskets = startClient(rendezvous());
		assertThat(baskets.get(1).id()).isEqualTo(1);
		await().untilAsserted(() -> assertThat(peer().reason()).contains("uds: it has no rendezvous directory")
			.doesNotContain(file.toString()));
		assertThat(this.server.getBean(ChannelsEndpoint.class).channels().unavailable()).containsKey("uds");
		assertThat(peer().path()).isEqualTo("http");
		assertThat(baskets.get(2).id()).isEqualTo(2);
	}

	@Test
	void aClientWithoutDirectoryStaysOnHttp() throws Exception {
		Path file = Files.createFile(this.directory.resolve("file"));
		startServer("0", rendezvous());
		Baskets baskets = startClient(file.toString());
		assertThat(baskets.get(1).id()).isEqualTo(1);
		await().untilAsserted(() -> assertThat(peer().reason()).contains("uds:").contains(file.toString()));
		assertThat(baskets.get(2).id()).isEqualTo(2);
	}

	@Test
	void anotherDirectoryIsAnotherHost() {
		startServer("0", rendezvous());
		Baskets baskets = startClient(this.directory.resolve("other").toString());
		assertThat(baskets.get(1).id()).isEqualTo(1);
		await().untilAsserted(() -> assertThat(peer().reason()).contains("uds:").contains("host"));
	}

	@Test
	void aRestartedServerIsReachedAgainWithoutAnError() {
		startServer("0", rendezvous());
		String port = port();
		Baskets baskets = startClient(rendezvous());
		awaitPath(baskets, this, "uds");
		String first = peer().instanceId();
		this.server.close();
		startServer(port, rendezvous());
		awaitPath(baskets, this, "uds");
		assertThat(peer().instanceId()).isNotEqualTo(first);
		assertThat(peer().decisions()).hasSizeGreaterThanOrEqualTo(3);
	}

	@Test
	void aSocketThatDisappearsIsLeftForHttp() throws Exception {
		startServer("0", rendezvous());
		Baskets baskets = startClient(rendezvous());
		awaitPath(baskets, this, "uds");
		this.server.getBean(io.github.vicinal.transport.uds.UdsPathServer.class).close();
		assertThat(baskets.get(3).id()).isEqualTo(3);
		assertThat(peer().path()).isEqualTo("http");
		assertThat(peer().decisions().get(1).toString()).contains("uds -> http");
	}

}
