package io.github.vicinal.boot.kit.security;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.github.vicinal.boot.kit.OwnInterfaces;
import io.github.vicinal.channel.ChannelListener;
import org.junit.jupiter.api.extension.ExtensionContext;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.util.FileSystemUtils;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/**
 * One client application for each path, which makes its proxies by hand, and what all
 * servers and clients share. Lives until the last test has ended.
 */
final class Clients implements AutoCloseable {

	private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(Clients.class);

	private final Path rendezvous;

	/** One for all proxies over HTTP: each has threads until it is collected. */
	private final ClientHttpRequestFactory plain = ClientHttpRequestFactoryBuilder.jdk()
		.build(HttpClientSettings.defaults());

	private final Map<String, ConfigurableApplicationContext> applications = new LinkedHashMap<>();

	private final AtomicInteger beans = new AtomicInteger();

	/** Path that carried the calls of each method. */
	private final Map<String, Set<String>> ways = new ConcurrentHashMap<>();

	/** Calls by what carried them, and why. */
	private final Map<String, Integer> carried = new ConcurrentHashMap<>();

	private Clients() {
		try {
			Path memory = Path.of("/dev/shm");
			this.rendezvous = Files.isDirectory(memory) ? Files.createTempDirectory(memory, "vicinal-kit")
					: Files.createTempDirectory("vicinal-kit");
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Creates clients that their creator closes. */
	static Clients create() {
		return new Clients();
	}

	static Clients of(ExtensionContext context) {
		return context.getRoot()
			.getStore(NAMESPACE)
			.computeIfAbsent(Clients.class, (key) -> new Clients(), Clients.class);
	}

	/** Returns the properties that servers and clients have in common. */
	Map<String, Object> properties() {
		Map<String, Object> properties = new TreeMap<>();
		properties.put("spring.main.banner-mode", "off");
		properties.put("spring.main.lazy-initialization", "true");
		properties.put("spring.http.clients.imperative.factory", "jdk");
		properties.put("vicinal.rendezvous.directory", this.rendezvous.toString());
		properties.put("vicinal.compare-paths", "false");
		properties.put("vicinal.reconnect-delay", "20ms");
		properties.put("spring.cloud.loadbalancer.enabled", "false");
		properties.put("logging.level.root", "OFF");
		return properties;
	}

	/** Returns the client of a path, or one without Vicinal for no path. */
	private ConfigurableApplicationContext application(String path) {
		return this.applications.computeIfAbsent(path, (key) -> {
			Map<String, Object> properties = properties();
			properties.put("vicinal.enabled", String.valueOf(!path.isEmpty()));
			properties.put("vicinal.channels.Vault.paths", path);
			properties.put("vicinal.channels.Vault" + OwnInterfaces.SUFFIX + ".paths", path);
			properties.put("vicinal.channels.Cases.paths", path);
			// Calls that typed paths cannot carry are exchanges on the same path.
			properties.put("vicinal.http-exchanges.paths", path);
			ChannelListener listener = (channel, method, kind, reason) -> {
				String way = kind.id() + ((reason != null) ? " because " + reason : "");
				this.carried.merge(way, 1, Integer::sum);
				// Some arguments are left to HTTP by the client, whatever the server
				// does.
				if (reason == null || !(reason.contains("treated specially by servers")
						|| reason.contains("has a meaning to servers"))) {
					this.ways.computeIfAbsent(method.method().getName(), (name) -> ConcurrentHashMap.newKeySet())
						.add(way);
				}
			};
			return new SpringApplicationBuilder(ClientApplication.class).web(WebApplicationType.NONE)
				.properties(properties)
				.initializers((context) -> ((GenericApplicationContext) context).registerBean(ChannelListener.class,
						() -> listener))
				.run();
		});
	}

	/** Creates a proxy whose calls may take a path. */
	<T> T onPath(Class<T> contract, String path, String url, Consumer<RestClient.Builder> customizer) {
		ConfigurableApplicationContext application = application(path);
		RestClient.Builder builder = application.getBean(RestClient.Builder.class)
			.requestFactory(
					application.getBean(ClientHttpRequestFactoryBuilder.class).build(HttpClientSettings.defaults()));
		T proxy = proxy(contract, url, builder, customizer);
		return contract.cast(application.getAutowireCapableBeanFactory()
			.applyBeanPostProcessorsAfterInitialization(proxy, "bean" + this.beans.incrementAndGet()));
	}

	/** Creates a proxy as an application without Vicinal makes it. */
	<T> T overHttp(Class<T> contract, String url, Consumer<RestClient.Builder> customizer) {
		return proxy(contract, url, application("").getBean(RestClient.Builder.class).requestFactory(this.plain),
				customizer);
	}

	private static <T> T proxy(Class<T> contract, String url, RestClient.Builder builder,
			Consumer<RestClient.Builder> customizer) {
		builder.baseUrl(url);
		customizer.accept(builder);
		return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(builder.build()))
			.build()
			.createClient(contract);
	}

	/** Returns and forgets what carried the calls so far. */
	Map<String, Integer> drainCarried() {
		Map<String, Integer> result = new TreeMap<>(this.carried);
		this.carried.clear();
		return result;
	}

	/** Returns what carried the calls of each method. */
	Map<String, Set<String>> ways() {
		return new TreeMap<>(this.ways);
	}

	/** Forgets what carried the calls so far. */
	void forgetWays() {
		this.ways.clear();
	}

	@Override
	public void close() {
		this.applications.values().forEach(ConfigurableApplicationContext::close);
		FileSystemUtils.deleteRecursively(this.rendezvous.toFile());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class ClientApplication {

	}

}
