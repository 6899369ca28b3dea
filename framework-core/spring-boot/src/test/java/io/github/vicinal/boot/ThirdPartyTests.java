package io.github.vicinal.boot;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import com.sun.net.httpserver.HttpServer;
import io.github.vicinal.channel.AffinityChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;

/** Servers that a call names itself learn nothing of the channel. */
@Timeout(60)
class ThirdPartyTests {

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private final List<String> headers = new CopyOnWriteArrayList<>();

	private HttpServer stranger;

	@BeforeEach
	void start() throws IOException {
		this.stranger = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.stranger.createContext("/", (exchange) -> {
			this.headers.addAll(exchange.getRequestHeaders().keySet());
			exchange.sendResponseHeaders(204, -1);
			exchange.close();
		});
		this.stranger.start();
	}

	@AfterEach
	void stop() {
		this.stranger.stop(0);
	}

	private URI url() {
		return URI.create("http://localhost:" + this.stranger.getAddress().getPort() + "/elsewhere");
	}

	@Test
	void theyLearnNothing() {
		ConfigurableApplicationContext client = this.applications.start(Client.class,
				Map.of("spring.http.serviceclient.pages.base-url", "http://localhost:1"));
		client.getBean(Pages.class).page(url());
		assertThat(this.headers).contains("Host")
			.noneMatch((name) -> name.toLowerCase(Locale.ROOT).startsWith("vicinal"));
	}

	@AffinityChannel
	@HttpExchange
	interface Pages {

		@GetExchange("/page")
		void page(URI elsewhere);

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "pages", types = Pages.class)
	static class Client {

		@Bean
		ClientHttpRequestFactoryBuilder<?> requestFactory() {
			return ClientHttpRequestFactoryBuilder.jdk();
		}

	}

}
