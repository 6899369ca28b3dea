package io.github.vicinal.transport.tcp;

import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.report.ChannelReport.PeerReport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.http.client.JdkClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.restclient.autoconfigure.RestClientBuilderConfigurer;
import org.springframework.cloud.client.DefaultServiceInstance;
import org.springframework.cloud.client.loadbalancer.LoadBalanced;
import org.springframework.cloud.client.serviceregistry.AbstractAutoServiceRegistration;
import org.springframework.cloud.client.serviceregistry.AutoServiceRegistrationProperties;
import org.springframework.cloud.client.serviceregistry.Registration;
import org.springframework.cloud.client.serviceregistry.ServiceRegistry;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A service that registers, and clients that find it in a list of instances. */
@Timeout(120)
class TcpDiscoveryTests extends ShelfApplications {

	private static final String ENTRY = "vicinal-tcp";

	/** The handler waits with the answer for this one. */
	private static final long GATED = 99;

	@TempDir
	private static Path directory;

	private static Map<String, Object> bundle;

	@BeforeAll
	static void makeKeys() throws Exception {
		Certificates certificates = new Certificates(directory).authority("ca")
			.signed("server", "ca", "-ext", "san=ip:127.0.0.1");
		bundle = new TreeMap<>(bundle(certificates.write("server.p12", certificates.keys("server")),
				certificates.write("trust.p12", certificates.trust("ca"))));
		bundle.put("vicinal.tcp.handshake-timeout", "40s");
	}

	private static Map<String, Object> with(Map<String, Object> properties, String... more) {
		Map<String, Object> all = new TreeMap<>(properties);
		for (int i = 0; i < more.length; i += 2) {
			all.put(more[i], more[i + 1]);
		}
		return all;
	}

	private static String port(ConfigurableApplicationContext service) {
		return service.getEnvironment().getRequiredProperty("local.server.port");
	}

	private static Map<String, String> registered(ConfigurableApplicationContext service) {
		return service.getBean(Registry.class).registered;
	}

	/** Starts a client that finds one instance. */
	private ConfigurableApplicationContext client(Map<String, Object> properties, String url, @Nullable String entry) {
		return client(ShelfClient.class, properties, url, entry);
	}

	private ConfigurableApplicationContext client(Class<?> type, Map<String, Object> properties, String url,
			@Nullable String entry) {
		String instance = "spring.cloud.discovery.client.simple.instances.shelf[0].";
		Map<String, Object> all = with(properties, "spring.cloud.loadbalancer.enabled", "true", instance + "uri", url);
		if (entry != null) {
			all.put(instance + "metadata." + ENTRY, entry);
		}
		return start(type, all);
	}

	private static CompletableFuture<Book> gated(ConfigurableApplicationContext client) {
		Shelf shelf = client.getBean(Shelf.class);
		return CompletableFuture.supplyAsync(() -> shelf.book(GATED), (task) -> new Thread(task).start());
	}

	private static void goesBy(ConfigurableApplicationContext client, String path, String reason) {
		await().untilAsserted(() -> {
			assertThat(client.getBean(Shelf.class).book(7)).isEqualTo(new Book(7, "seven"));
			assertThat(peers(client, "shelf")).singleElement()
				.satisfies((peer) -> assertThat(peer.path()).as(peer.reason()).isEqualTo(path))
				.satisfies((peer) -> assertThat(peer.reason()).contains(reason));
		});
	}

	@Test
	void aClientConnectsBeforeTheFirstAnswerAndCallsTakeThatConnection() throws Exception {
		ConfigurableApplicationContext service = start(RegisteredService.class, bundle);
		TcpPathServer server = service.getBean(TcpPathServer.class);
		assertThat(registered(service)).containsEntry(ENTRY, server.address().orElseThrow())
			.containsEntry("zone", "z1");
		assertThat(registered(service).values()).noneMatch((value) -> value.contains(server.identity().instanceId()));
		ConfigurableApplicationContext client = client(bundle, "http://127.0.0.1:" + port(service),
				registered(service).get(ENTRY));
		CompletableFuture<Book> first = gated(client);
		Gate gate = service.getBean(Gate.class);
		gate.reached.await();
		// The server has not answered anything yet.
		await().untilAsserted(() -> assertThat(server.clients()).singleElement()
			.satisfies((connected) -> assertThat(connected).containsEntry("tls", "TLSv1.3")
				.containsEntry("subject", "CN=server,O=Test")));
		assertThat(peers(client, "shelf")).singleElement().returns("http", PeerReport::path);
		gate.opened.countDown();
		assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo(new Book(GATED, "seven"));
		goesBy(client, "tcp", "over the network");
		assertThat(server.metrics().accepted().sum()).isOne();
	}

	/** A client that knows addresses only, whose requests become exchanges. */
	@Test
	void aClientWithoutAContractConnectsBeforeTheFirstAnswer() throws Exception {
		ConfigurableApplicationContext service = start(RegisteredService.class, bundle);
		TcpPathServer server = service.getBean(TcpPathServer.class);
		ConfigurableApplicationContext client = client(PlainClient.class,
				with(bundle, "vicinal.http-exchanges.paths", "tcp"), "http://127.0.0.1:" + port(service),
				registered(service).get(ENTRY));
		CompletableFuture<String> first = gatedRequest(client);
		Gate gate = service.getBean(Gate.class);
		gate.reached.await();
		await().untilAsserted(() -> assertThat(server.clients()).singleElement()
			.satisfies((connected) -> assertThat(connected).containsEntry("tls", "TLSv1.3")
				.containsEntry("subject", "CN=server,O=Test")));
		assertThat(first).isNotDone();
		gate.opened.countDown();
		assertThat(first.get(20, TimeUnit.SECONDS)).contains("seven");
		await().untilAsserted(() -> {
			assertThat(request(client, 7)).contains("seven");
			assertThat(server.metrics().calls().sum()).isPositive();
		});
		assertThat(server.metrics().accepted().sum()).isOne();
	}

	@Test
	void nothingIsConnectedAheadOfRequestsThatGoThroughAProxy() throws Exception {
		ConfigurableApplicationContext service = start(RegisteredService.class, bundle);
		try (HttpsAndProxiesTests.Proxy proxy = new HttpsAndProxiesTests.Proxy(Integer.parseInt(port(service)))) {
			isNotConnectedAhead(service, PlainProxiedClient.class, with(bundle, "shelf.proxy",
					String.valueOf(proxy.port()), "spring.http.clients.imperative.factory", "jdk"));
		}
	}

	@Test
	void nothingIsConnectedAheadOfRequestsThatStayOnHttp() throws Exception {
		isNotConnectedAhead(start(RegisteredService.class, bundle), PlainClient.class,
				with(bundle, "vicinal.http-exchanges.enabled", "false"));
	}

	private void isNotConnectedAhead(ConfigurableApplicationContext service, Class<?> type,
			Map<String, Object> properties) throws Exception {
		TcpPathServer server = service.getBean(TcpPathServer.class);
		ConfigurableApplicationContext client = client(type, properties, "http://127.0.0.1:" + port(service),
				registered(service).get(ENTRY));
		CompletableFuture<String> first = gatedRequest(client);
		Gate gate = service.getBean(Gate.class);
		gate.reached.await();
		await().during(Duration.ofMillis(300)).until(() -> server.metrics().accepted().sum() == 0);
		gate.opened.countDown();
		assertThat(first.get(20, TimeUnit.SECONDS)).contains("seven");
	}

	private static String request(ConfigurableApplicationContext client, long id) {
		return client.getBean(RestClient.class).get().uri("/shelf/" + id).retrieve().body(String.class);
	}

	private static CompletableFuture<String> gatedRequest(ConfigurableApplicationContext client) {
		return CompletableFuture.supplyAsync(() -> request(client, GATED), (task) -> new Thread(task).start());
	}

	@Test
	void withoutAnEntryNothingIsConnectedBeforeTheFirstAnswer() throws Exception {
		ConfigurableApplicationContext service = start(RegisteredService.class, bundle);
		TcpPathServer server = service.getBean(TcpPathServer.class);
		ConfigurableApplicationContext client = client(bundle, "http://127.0.0.1:" + port(service), null);
		CompletableFuture<Book> first = gated(client);
		Gate gate = service.getBean(Gate.class);
		gate.reached.await();
		assertThat(server.metrics().accepted().sum()).isZero();
		gate.opened.countDown();
		assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo(new Book(GATED, "seven"));
		goesBy(client, "tcp", "over the network");
	}

	@Test
	void anEntryOpensNoPathAroundAProxy() throws Exception {
		Map<String, Object> hasty = with(bundle, "vicinal.tcp.handshake-timeout", "2s");
		ConfigurableApplicationContext service = start(RegisteredService.class, bundle);
		TcpPathServer server = service.getBean(TcpPathServer.class);
		try (HttpsAndProxiesTests.Proxy proxy = new HttpsAndProxiesTests.Proxy(Integer.parseInt(port(service)))) {
			ConfigurableApplicationContext client = client(hasty, "http://127.0.0.1:" + proxy.port(),
					registered(service).get(ENTRY));
			goesBy(client, "http", "something between sends them on");
			await().until(() -> server.metrics().accepted().sum() == 1 && server.metrics().open().sum() == 0);
			assertThat(client.getBean(Shelf.class).book(8)).isEqualTo(new Book(8, "seven"));
			assertThat(server.metrics().calls().sum()).isZero();
		}
	}

	/**
	 * Requests go where the registry says, but by way of a proxy that the client knows.
	 */
	@Test
	void nothingIsConnectedAheadByAClientThatUsesAProxy() throws Exception {
		ConfigurableApplicationContext service = start(RegisteredService.class, bundle);
		TcpPathServer server = service.getBean(TcpPathServer.class);
		try (HttpsAndProxiesTests.Proxy proxy = new HttpsAndProxiesTests.Proxy(Integer.parseInt(port(service)))) {
			ConfigurableApplicationContext client = client(
					ProxiedClient.class, with(bundle, "shelf.proxy", String.valueOf(proxy.port()),
							"spring.http.clients.imperative.factory", "jdk"),
					"http://127.0.0.1:" + port(service), registered(service).get(ENTRY));
			CompletableFuture<Book> first = gated(client);
			Gate gate = service.getBean(Gate.class);
			gate.reached.await();
			assertThat(server.metrics().accepted().sum()).isZero();
			gate.opened.countDown();
			assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo(new Book(GATED, "seven"));
		}
	}

	@Test
	void anEntryLeadsToNoOtherInstance() throws Exception {
		ConfigurableApplicationContext service = start(RegisteredService.class, bundle);
		ConfigurableApplicationContext other = start(RegisteredService.class, bundle);
		TcpPathServer server = service.getBean(TcpPathServer.class);
		TcpPathServer wrong = other.getBean(TcpPathServer.class);
		ConfigurableApplicationContext client = client(bundle, "http://127.0.0.1:" + port(service),
				registered(other).get(ENTRY));
		goesBy(client, "tcp", "over the network");
		assertThat(client.getBean(Shelf.class).book(8)).isEqualTo(new Book(8, "seven"));
		assertThat(server.metrics().calls().sum()).isPositive();
		assertThat(wrong.metrics().calls().sum()).isZero();
		assertThat(wrong.metrics().accepted().sum()).isLessThanOrEqualTo(1);
	}

	@Test
	void whatIsWrittenIntoTheEntryKeepsNoCallFromBeingAnswered() {
		ConfigurableApplicationContext service = start(RegisteredService.class, bundle);
		for (String entry : new String[] { "", "tcp", "127.0.0.1:0", "example.org:80", "192.0.2.1:80", "x".repeat(9999),
				"127.0.0.1:1" }) {
			ConfigurableApplicationContext client = client(bundle, "http://127.0.0.1:" + port(service), entry);
			goesBy(client, "tcp", "over the network");
			this.contexts.remove(client);
			client.close();
		}
	}

	@Test
	void withoutTlsNothingIsRegistered() {
		ConfigurableApplicationContext service = start(RegisteredService.class, Map.of("vicinal.tcp.enabled", "true"));
		assertThat(registered(service)).containsOnlyKeys("zone");
		assertThat(service.getBean(TcpPathServer.class).address()).as("it starts when a client asks").isEmpty();
	}

	@Test
	void aServerThatDoesNotOfferThePathRegistersNothing() {
		assertThat(registered(start(RegisteredService.class, with(bundle, "vicinal.server.paths", "uds"))))
			.containsOnlyKeys("zone");
		assertThat(registered(start(RegisteredService.class, with(bundle, "vicinal.server.paths", "uds, TCP"))))
			.containsOnlyKeys("zone", ENTRY);
		assertThat(registered(start(RegisteredService.class, with(bundle, "vicinal.server.enabled", "false"))))
			.containsOnlyKeys("zone");
		assertThat(registered(start(RegisteredService.class, with(bundle, "vicinal.tcp.discovery-metadata", "false"))))
			.containsOnlyKeys("zone");
		assertThat(registered(start(RegisteredService.class, with(bundle, "vicinal.tcp.enabled", "false"))))
			.containsOnlyKeys("zone");
		assertThat(registered(start(RegisteredService.class, with(bundle, "vicinal.enabled", "false"))))
			.containsOnlyKeys("zone");
	}

	/** Keeps what is registered. */
	static final class Registry implements ServiceRegistry<Registration> {

		private volatile Map<String, String> registered = Map.of();

		@Override
		public void register(Registration registration) {
			this.registered = Map.copyOf(registration.getMetadata());
		}

		@Override
		public void deregister(Registration registration) {
		}

		@Override
		public void close() {
		}

		@Override
		public void setStatus(Registration registration, String status) {
		}

		@Override
		public <T> @Nullable T getStatus(Registration registration) {
			return null;
		}

	}

	@SuppressWarnings("serial")
	static final class ShelfRegistration extends DefaultServiceInstance implements Registration {

		ShelfRegistration(@Nullable Map<String, String> metadata) {
			super("shelf-1", "shelf", "127.0.0.1", 0, false, metadata);
		}

	}

	/** Registers when the web server has started, as those of registries do. */
	private static final class AutoRegistration extends AbstractAutoServiceRegistration<Registration> {

		private final Registration registration;

		AutoRegistration(ApplicationContext context, Registry registry) {
			super(context, registry, new AutoServiceRegistrationProperties());
			this.registration = new ShelfRegistration(new HashMap<>(Map.of("zone", "z1")));
		}

		@Override
		protected Object getConfiguration() {
			return this;
		}

		@Override
		protected boolean isEnabled() {
			return true;
		}

		@Override
		protected Registration getRegistration() {
			return this.registration;
		}

		@Override
		protected @Nullable Registration getManagementRegistration() {
			return null;
		}

	}

	/** Keeps an answer back. */
	static final class Gate {

		private final CountDownLatch reached = new CountDownLatch(1);

		private final CountDownLatch opened = new CountDownLatch(1);

		void pass() {
			this.reached.countDown();
			try {
				this.opened.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

	@RestController
	static class GatedController implements Shelf {

		private final Gate gate;

		GatedController(Gate gate) {
			this.gate = gate;
		}

		@Override
		public Book book(long id) {
			if (id == GATED) {
				this.gate.pass();
			}
			return new Book(id, "seven");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(GatedController.class)
	static class RegisteredService {

		@Bean
		Gate gate() {
			return new Gate();
		}

		@Bean
		Registry registry() {
			return new Registry();
		}

		@Bean
		AbstractAutoServiceRegistration<Registration> autoRegistration(ApplicationContext context, Registry registry) {
			return new AutoRegistration(context, registry);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class PlainClient {

		@Bean
		@LoadBalanced
		RestClient.Builder balanced(RestClientBuilderConfigurer configurer) {
			return configurer.configure(RestClient.builder());
		}

		@Bean
		RestClient shelf(RestClient.Builder builder) {
			return builder.baseUrl("http://shelf").build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ PlainClient.class, ProxiedClient.Proxied.class })
	static class PlainProxiedClient {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ ShelfClient.class, ProxiedClient.Proxied.class })
	static class ProxiedClient {

		@Configuration(proxyBeanMethods = false)
		static class Proxied {

			@Bean
			ClientHttpRequestFactoryBuilderCustomizer<JdkClientHttpRequestFactoryBuilder> proxy(
					@Value("${shelf.proxy}") int port) {
				return new ClientHttpRequestFactoryBuilderCustomizer<>() {

					@Override
					public JdkClientHttpRequestFactoryBuilder customize(JdkClientHttpRequestFactoryBuilder builder) {
						return builder.withHttpClientCustomizer(
								(client) -> client.proxy(ProxySelector.of(new InetSocketAddress("127.0.0.1", port))));
					}

				};
			}

		}

	}

}
