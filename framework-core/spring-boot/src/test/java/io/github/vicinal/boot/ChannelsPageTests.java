package io.github.vicinal.boot;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import io.github.vicinal.channel.AffinityChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;

/** The page of channels, as browsers ask for it. */
@Timeout(60)
class ChannelsPageTests {

	private static final String BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

	@TempDir
	private Path directory;

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private HttpResponse<String> get(Map<String, Object> exposed, String path)
			throws IOException, InterruptedException {
		Map<String, Object> properties = new HashMap<>(exposed);
		properties.put("vicinal.rendezvous.directory", this.directory.resolve("meet").toString());
		properties.put("spring.http.serviceclient.shops.base-url", "http://localhost:1");
		ConfigurableApplicationContext application = this.applications.start(Application.class, properties);
		URI uri = URI.create("http://localhost:" + application.getEnvironment().getProperty("local.server.port")
				+ "/actuator/" + path);
		return HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(uri).header("Accept", BROWSER).build(), HttpResponse.BodyHandlers.ofString());
	}

	@Test
	void browsersGetThePage() throws IOException, InterruptedException {
		HttpResponse<String> page = get(Map.of("management.endpoints.web.exposure.include", "vicinalchannels"),
				"vicinalchannels/page");
		assertThat(page.statusCode()).isEqualTo(200);
		assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html;charset=UTF-8");
		assertThat(page.body()).startsWith("<!doctype html>").contains("<title>Channels</title>");
	}

	@Test
	void channelsAreStillDescribedAsJson() throws IOException, InterruptedException {
		HttpResponse<String> channel = get(Map.of("management.endpoints.web.exposure.include", "vicinalchannels"),
				"vicinalchannels/shops");
		assertThat(channel.statusCode()).isEqualTo(200);
		assertThat(channel.headers().firstValue("Content-Type").orElse("")).contains("json");
		assertThat(channel.body()).contains("\"name\":\"shops\"");
	}

	@Test
	void anUnknownSelectorIsNotFound() throws IOException, InterruptedException {
		assertThat(get(Map.of("management.endpoints.web.exposure.include", "vicinalchannels"), "vicinalchannels/other")
			.statusCode()).isEqualTo(404);
	}

	@Test
	void thereIsNoPageWithoutTheEndpoint() throws IOException, InterruptedException {
		assertThat(
				get(Map.of("management.endpoints.web.exposure.include", "health"), "vicinalchannels/page").statusCode())
			.isEqualTo(404);
	}

	@AffinityChannel
	interface Shops {

		@GetExchange("/open")
		String open();

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "shops", types = Shops.class)
	static class Application {

	}

}
