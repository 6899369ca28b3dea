package io.github.vicinal.transport.rdma;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.report.ChannelReport.PeerReport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Applications that have nothing but the module, with devices that are emulated. */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class RdmaEndToEndTests {

	@TempDir
	private Path root;

	private final MemoryFabric fabric = new MemoryFabric();

	private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

	@AfterEach
	void close() {
		for (int i = this.contexts.size() - 1; i >= 0; i--) {
			this.contexts.get(i).close();
		}
	}

	private ConfigurableApplicationContext start(Class<?> type, boolean device, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"management.endpoints.web.exposure.include", "*", "vicinal.compare-paths", "false",
				"vicinal.confirm-interval", "0s", "server.shutdown", "immediate", "vicinal.reconnect-delay", "50ms"));
		all.put("logging.level.io.github.vicinal.transport.rdma", "info");
		all.putAll(properties);
		SpringApplication application = new SpringApplication(type);
		application.setDefaultProperties(all);
		ApplicationContextInitializer<GenericApplicationContext> devices = (context) -> context.registerBean(
				RdmaDevices.class, () -> device ? this.fabric.devices() : noDevices(),
				(bean) -> bean.setLazyInit(true));
		application.addInitializers(devices);
		ConfigurableApplicationContext context = application.run();
		this.contexts.add(context);
		return context;
	}

	/** Looks where there certainly is no device. */
	private RdmaDevices noDevices() {
		return new RdmaDevices(() -> RdmaDevices.detect(RdmaOptions.defaults(), new RdmaHost(this.root)));
	}

	private static String url(ConfigurableApplicationContext service) {
		return "http://localhost:" + service.getEnvironment().getRequiredProperty("local.server.port");
	}

	private ConfigurableApplicationContext client(String url, boolean device) {
		return start(ShelfClient.class, device, Map.of("spring.http.serviceclient.shelf.base-url", url,
				"vicinal.channels.shelf.paths", "rdma", "vicinal.http-exchanges.paths", "rdma"));
	}

	private static List<PeerReport> peers(ConfigurableApplicationContext client, String channel) {
		ChannelReport report = client.getBean(ChannelsEndpoint.class).channel(channel);
		return (report != null) ? report.peers() : List.of();
	}

	@Test
	void typedCallsAndExchangesTravelByRdma() {
		String url = url(start(ShelfService.class, true, Map.of()));
		ConfigurableApplicationContext client = client(url, true);
		Shelf shelf = client.getBean(Shelf.class);
		RestClient rest = client.getBean(RestClient.Builder.class).baseUrl(url).build();
		await().untilAsserted(() -> {
			assertThat(shelf.book(7)).isEqualTo(new Book(7, "seven"));
			assertThat(peers(client, "shelf")).first().returns("rdma", PeerReport::path);
			assertThat(rest.get().uri("/shelf/7").retrieve().body(Book.class)).isEqualTo(new Book(7, "seven"));
			assertThat(peers(client, "http-exchanges")).first().returns("rdma", PeerReport::path);
		});
		byte[] body = new byte[3_000_000];
		assertThat(rest.post().uri("/shelf/bytes").body(body).retrieve().body(byte[].class)).isEqualTo(body);
	}

	@Test
	void callsGoByHttpWhileADeviceIsGoneAndReturnWithIt() {
		ConfigurableApplicationContext service = start(ShelfService.class, true, Map.of());
		ConfigurableApplicationContext client = client(url(service), true);
		Shelf shelf = client.getBean(Shelf.class);
		await().untilAsserted(() -> {
			assertThat(shelf.book(7)).isEqualTo(new Book(7, "seven"));
			assertThat(peers(client, "shelf")).first().returns("rdma", PeerReport::path);
		});
		this.fabric.removeDevice();
		await().untilAsserted(() -> {
			assertThat(shelf.book(8)).isEqualTo(new Book(8, "seven"));
			assertThat(peers(client, "shelf")).first().returns("http", PeerReport::path);
		});
		this.fabric.addDevice();
		await().untilAsserted(() -> {
			assertThat(shelf.book(9)).isEqualTo(new Book(9, "seven"));
			assertThat(peers(client, "shelf")).first().returns("rdma", PeerReport::path);
		});
	}

	/** Whoever adds the module learns at once whether it does anything. */
	@Test
	void withoutADeviceTheModuleSaysWhyAtTheStartAndCallsGoByHttp(CapturedOutput output) {
		String reason = "this host has no RDMA device: there is no /sys/class/infiniband";
		String line = "The path rdma is not available: " + reason;
		ConfigurableApplicationContext service = start(ShelfService.class, false, Map.of());
		// A host that has RDMA is looked at when a peer asks.
		boolean none = new RdmaHost(Path.of("/")).missing(RdmaOptions.defaults().lockedBytes()) != null;
		assertThat(output.getOut().split(line, -1)).hasSize(none ? 2 : 1);
		ConfigurableApplicationContext client = client(url(service), false);
		await().untilAsserted(() -> {
			assertThat(client.getBean(Shelf.class).book(7)).isEqualTo(new Book(7, "seven"));
			assertThat(service.getBean(ChannelsEndpoint.class).channels().unavailable()).containsEntry("rdma", reason);
		});
		assertThat(peers(client, "shelf")).first().returns("http", PeerReport::path);
		assertThat(output.getOut().split(line, -1)).as("a line of each application").hasSize(3);
	}

	@AffinityChannel
	@HttpExchange("/shelf")
	interface Shelf {

		@GetExchange("/{id}")
		Book book(@PathVariable long id);

	}

	record Book(long id, String title) {
	}

	@RestController
	static class ShelfController implements Shelf {

		@Override
		public Book book(long id) {
			return new Book(id, "seven");
		}

	}

	@RestController
	static class BytesController {

		@PostMapping("/shelf/bytes")
		byte[] bytes(@RequestBody byte[] body) {
			return body;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ ShelfController.class, BytesController.class })
	static class ShelfService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "shelf", types = Shelf.class)
	static class ShelfClient {

	}

}
