package io.github.vicinal.boot;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.channel.AffinityChannel;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.report.ChannelReport.PeerReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.registry.HttpServiceProxyRegistry;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** One contract, with one name, in two groups that call different services. */
@Timeout(60)
class GroupsEndToEndTests {

	@TempDir
	private Path rendezvous;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private ConfigurableApplicationContext start(Class<?> type, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(Map.of("vicinal.server.paths", "uds", "vicinal.rendezvous.directory",
				this.rendezvous.resolve("meet").toString()));
		all.putAll(properties);
		return this.applications.start(type, all);
	}

	private String server(String region) {
		return "http://localhost:"
				+ start(OrderService.class, Map.of("region", region)).getEnvironment().getProperty("local.server.port");
	}

	@Test
	void eachGroupCallsItsOwnService() {
		ConfigurableApplicationContext client = start(OrderClient.class,
				Map.of("spring.http.serviceclient.eu.base-url", server("eu"), "spring.http.serviceclient.us.base-url",
						server("us"), "vicinal.channels.shop.paths", "uds"));
		HttpServiceProxyRegistry clients = client.getBean(HttpServiceProxyRegistry.class);
		Orders eu = clients.getClient("eu", Orders.class);
		Orders us = clients.getClient("us", Orders.class);
		assertThat(eu.region()).isEqualTo("eu");
		await().until(() -> paths(client).contains("uds"));
		assertThat(us.region()).isEqualTo("us");
		await().until(() -> paths(client).equals(List.of("uds", "uds")));
		for (int i = 0; i < 20; i++) {
			assertThat(eu.region()).isEqualTo("eu");
			assertThat(us.region()).isEqualTo("us");
		}
		List<ChannelReport> channels = client.getBean(ChannelsEndpoint.class).channels().channels();
		assertThat(channels).extracting(ChannelReport::name).contains("shop").hasSize(2);
		assertThat(channels).allSatisfy((channel) -> assertThat(channel.name()).matches("shop(-eu|-us)?"));
	}

	private static List<String> paths(ConfigurableApplicationContext client) {
		return client.getBean(ChannelsEndpoint.class)
			.channels()
			.channels()
			.stream()
			.flatMap((channel) -> channel.peers().stream())
			.map(PeerReport::path)
			.toList();
	}

	@AffinityChannel(name = "shop")
	public interface Orders {

		@GetExchange("/region")
		String region();

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(OrderController.class)
	static class OrderService {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "eu", types = Orders.class)
	@ImportHttpServices(group = "us", types = Orders.class)
	static class OrderClient {

	}

	@RestController
	static class OrderController implements Orders {

		private final String region;

		OrderController(@Value("${region}") String region) {
			this.region = region;
		}

		@Override
		public String region() {
			return this.region;
		}

	}

}
