package io.github.vicinal.transport.tcp;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.report.ChannelReport.PeerReport;
import org.junit.jupiter.api.AfterEach;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.ImportHttpServices;

/** A service that knows books, and its clients, as applications of this JVM. */
abstract class ShelfApplications {

	final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

	@AfterEach
	void close() {
		for (int i = this.contexts.size() - 1; i >= 0; i--) {
			this.contexts.get(i).close();
		}
	}

	/** Starts an application on a free port. */
	final ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(Map.of("server.port", "0", "spring.main.banner-mode", "off",
				"management.endpoints.web.exposure.include", "*", "vicinal.compare-paths", "false",
				"vicinal.confirm-interval", "0s", "server.shutdown", "immediate", "spring.cloud.loadbalancer.enabled",
				"false"));
		all.putAll(properties);
		SpringApplication application = new SpringApplication(type);
		application.setDefaultProperties(all);
		ConfigurableApplicationContext context = application.run();
		this.contexts.add(context);
		return context;
	}

	static List<PeerReport> peers(ConfigurableApplicationContext client, String channel) {
		ChannelReport report = client.getBean(ChannelsEndpoint.class).channel(channel);
		return (report != null) ? report.peers() : List.of();
	}

	/** Returns what lets an application speak TLS over tcp. */
	static Map<String, Object> bundle(String keys, String trust) {
		String jks = "spring.ssl.bundle.jks.mesh.";
		return Map.of("vicinal.tcp.enabled", "true", "vicinal.tcp.ssl.bundle", "mesh", jks + "keystore.location", keys,
				jks + "keystore.password", Certificates.PASSWORD, jks + "truststore.location", trust,
				jks + "truststore.password", Certificates.PASSWORD, jks + "reload-on-update", "true",
				"spring.ssl.bundle.watch.file.quiet-period", "50ms", "vicinal.channels.shelf.paths", "tcp",
				"vicinal.tcp.address", "127.0.0.1");
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
