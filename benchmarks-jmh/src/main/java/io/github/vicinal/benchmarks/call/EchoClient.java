package io.github.vicinal.benchmarks.call;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.report.ChannelReport;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.web.service.registry.ImportHttpServices;

/** A client application. */
public final class EchoClient implements AutoCloseable {

	private static final int MAX_CONNECTIONS = 200;

	private static final long UPGRADE_SECONDS = 30;

	private final ConfigurableApplicationContext context;

	private EchoClient(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/**
	 * Starts a client and waits until its calls take the path.
	 * @param port where the server is
	 * @param path the path, or {@code http} for a client without Vicinal
	 * @param observed whether observation is on
	 * @return the running client
	 * @throws InterruptedException if the thread was interrupted
	 */
	public static EchoClient start(String port, String path, boolean observed) throws InterruptedException {
		return start(port, path, observed, Map.of());
	}

	/** Starts a client that shows the token of {@link EchoSecurity}. */
	static EchoClient secured(String port, String path) throws InterruptedException {
		return start(port, path, true, Map.of("spring.profiles.active", "secured"));
	}

	private static EchoClient start(String port, String path, boolean observed, Map<String, Object> more)
			throws InterruptedException {
		return at("http://localhost:" + port, path, observed, more);
	}

	/** Starts a client of a server that may be on another host. */
	static EchoClient at(String url, String path, boolean observed, Map<String, Object> more)
			throws InterruptedException {
		Map<String, Object> properties = new HashMap<>(more);
		properties
			.putAll(Map.of("spring.main.web-application-type", "none", "spring.http.serviceclient.echo.base-url", url));
		if (path.equals("http")) {
			properties.put("vicinal.enabled", "false");
		}
		else {
			properties.put("vicinal.channels.echo.paths", path);
		}
		EchoClient client = new EchoClient(Contexts.start(Application.class, observed, properties));
		if (!path.equals("http")) {
			client.awaitPath(path);
		}
		return client;
	}

	private void awaitPath(String path) throws InterruptedException {
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(UPGRADE_SECONDS);
		echo().note(Echo.Note.sample());
		while (true) {
			ChannelReport report = this.context.getBean(ChannelsEndpoint.class).channel("echo");
			if (report != null && !report.peers().isEmpty() && report.peers().get(0).path().equals(path)) {
				return;
			}
			if (System.nanoTime() - deadline > 0) {
				throw new IllegalStateException("The channel did not reach the path %s: %s".formatted(path, report));
			}
			Thread.sleep(20);
		}
	}

	/**
	 * Returns the client's proxy.
	 * @return makes calls
	 */
	public Echo echo() {
		return this.context.getBean(Echo.class);
	}

	/**
	 * Returns what the channel's values travel as.
	 * @return the codec's name
	 */
	public String codec() {
		ChannelReport report = this.context.getBean(ChannelsEndpoint.class).channel("echo");
		if (report == null) {
			return "";
		}
		ChannelReport.CodecReport codec = report.peers().get(0).codec();
		return (codec != null) ? codec.name() : "";
	}

	@Override
	public void close() {
		this.context.close();
	}

	/**
	 * A common application whose HTTP client does not wait for a connection.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "echo", types = Echo.class)
	static class Application {

		@Bean
		ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder> connections() {
			return (builder) -> builder.withConnectionManagerCustomizer(
					(connections) -> connections.setMaxConnTotal(MAX_CONNECTIONS).setMaxConnPerRoute(MAX_CONNECTIONS));
		}

		@Bean
		@Profile("secured")
		RestClientCustomizer token() {
			return EchoSecurity.client();
		}

	}

}
