package io.github.vicinal.boot;

import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.github.vicinal.testing.InTurn;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

/** A proxy stands before the service, and sends its connections elsewhere one day. */
@Timeout(90)
class MovedAddressTests {

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	@TempDir
	private Path directory;

	@AffinityChannel
	@HttpExchange("/colour")
	interface Colours {

		@GetExchange
		String get();

		@PostExchange
		String post();

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@RestController
	static class Service implements Colours {

		private final Environment environment;

		Service(Environment environment) {
			this.environment = environment;
		}

		@Override
		public String get() {
			return this.environment.getRequiredProperty("colour");
		}

		@Override
		public String post() {
			return get();
		}

		@GetMapping("/closed")
		void closed() {
			throw new ResponseStatusException(HttpStatus.FORBIDDEN);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "colours", types = Colours.class)
	static class Client {

	}

	private int service(String colour, String path) {
		ConfigurableApplicationContext started = this.applications.start(Service.class,
				Map.of("colour", colour, "vicinal.server.paths", path, "vicinal.rendezvous.directory",
						this.directory.resolve("rendezvous").toString()));
		return Integer.parseInt(started.getEnvironment().getRequiredProperty("local.server.port"));
	}

	private ConfigurableApplicationContext client(int port, String path, Map<String, Object> more) {
		Map<String, Object> properties = new HashMap<>(Map.of("vicinal.confirm-interval", "500ms",
				"vicinal.reconnect-delay", "10ms", "vicinal.channels.colours.paths", path,
				"spring.http.serviceclient.colours.base-url", "http://localhost:" + port,
				"vicinal.rendezvous.directory", this.directory.resolve("rendezvous").toString()));
		properties.putAll(more);
		return this.applications.start(Client.class, properties);
	}

	private static PeerReport peer(ConfigurableApplicationContext client) {
		return client.getBean(ChannelsEndpoint.class).channel("colours").peers().get(0);
	}

	@ParameterizedTest
	@InTurn({ "direct", "uds" })
	void callsFollowAnAddressThatMoves(String path) throws Exception {
		int blue = service("blue", path);
		int green = service("green", path);
		try (Forwarder proxy = new Forwarder(blue)) {
			ConfigurableApplicationContext client = client(proxy.port(), path, Map.of());
			Colours colours = client.getBean(Colours.class);
			await().untilAsserted(() -> {
				assertThat(colours.get()).isEqualTo("blue");
				assertThat(peer(client).path()).isEqualTo(path);
			});
			proxy.forwardTo(green);
			// Calls that are not idempotent notice it, too.
			await().ignoreExceptionsInstanceOf(ResourceAccessException.class)
				.untilAsserted(() -> assertThat(colours.post()).isEqualTo("green"));
			await().untilAsserted(() -> {
				assertThat(colours.get()).isEqualTo("green");
				assertThat(peer(client).path()).as(peer(client).reason()).isEqualTo(path);
			});
			assertThat(peer(client).decisions()).anySatisfy((decision) -> assertThat(decision.why())
				.contains("another instance answers at the peer's address"));
		}
	}

	/** As proxies do that let connections to a retiring service end by themselves. */
	@ParameterizedTest
	@InTurn({ "direct", "uds" })
	void callsFollowAnAddressThatMovesForNewConnectionsOnly(String path) throws Exception {
		int blue = service("blue", path);
		int green = service("green", path);
		try (Forwarder proxy = new Forwarder(blue)) {
			ConfigurableApplicationContext client = client(proxy.port(), path, Map.of());
			Colours colours = client.getBean(Colours.class);
			await().untilAsserted(() -> {
				assertThat(colours.get()).isEqualTo("blue");
				assertThat(peer(client).path()).isEqualTo(path);
			});
			proxy.forwardNewConnectionsTo(green);
			await().untilAsserted(() -> {
				assertThat(colours.get()).isEqualTo("green");
				assertThat(peer(client).path()).as(peer(client).reason()).isEqualTo(path);
			});
		}
	}

	@Test
	void callsThatAllGoOverHttpKeepTheirConnection() throws Exception {
		int blue = service("blue", "uds");
		try (Forwarder proxy = new Forwarder(blue)) {
			ConfigurableApplicationContext client = client(proxy.port(), "http",
					Map.of("vicinal.confirm-interval", "1ms"));
			Colours colours = client.getBean(Colours.class);
			for (int i = 0; i < 20; i++) {
				assertThat(colours.get()).isEqualTo("blue");
			}
			assertThat(proxy.accepted()).isOne();
		}
	}

	/** Tomcat and what Spring makes of a rejection by the handler, seen on the wire. */
	@ParameterizedTest
	@CsvSource(textBlock = """
			MovedAddressTests$Colours; confirm, /colour, 200, true
			MovedAddressTests$Colours,          /colour, 200, false
			,                                   /colour, 200, false
			MovedAddressTests$Colours; confirm, /colour/closed, 403, false
			NoSuchContract; confirm,            /colour, 200, true
			""")
	void onlyAnAcceptedConfirmationEndsItsConnection(@Nullable String asked, String path, int status, boolean ends)
			throws Exception {
		int blue = service("blue", "uds");
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), blue)) {
			socket.setSoTimeout(20_000);
			String contract = (asked == null) ? "" : "Vicinal-Contract: %s\r\n"
				.formatted(asked.replace("MovedAddressTests", MovedAddressTests.class.getName()));
			String request = "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n".formatted(path, contract);
			socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
			if (!ends) {
				// Headers that end a connection which would be kept.
				socket.getOutputStream()
					.write("GET /colour HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
						.getBytes(StandardCharsets.US_ASCII));
			}
			String answers = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
			assertThat(answers).startsWith("HTTP/1.1 " + status);
			assertThat(answers.split("HTTP/1.1 ", -1)).as(answers).hasSize(ends ? 2 : 3);
			assertThat(answers.split("Connection: close", -1)).as(answers).hasSize(2);
		}
	}

	@Test
	void aMissingBaseUrlIsSpringsOwnError() {
		ConfigurableApplicationContext client = client(1, "uds",
				Map.of("spring.http.serviceclient.colours.base-url", "", "spring.cloud.loadbalancer.enabled", "false"));
		Colours colours = client.getBean(Colours.class);
		for (int i = 0; i < 2; i++) {
			assertThatException().isThrownBy(colours::get)
				.isNotInstanceOf(NullPointerException.class)
				.satisfies((ex) -> assertThat(String.valueOf(ex)).contains("Target host is not specified"));
		}
		assertThat(client.getBean(ChannelsEndpoint.class).channel("colours").peers()).isEmpty();
	}

}
