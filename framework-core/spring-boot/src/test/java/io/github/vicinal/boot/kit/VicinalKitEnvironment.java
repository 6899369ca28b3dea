package io.github.vicinal.boot.kit;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntSupplier;

import io.github.vicinal.boot.client.ClientChannels;
import io.github.vicinal.channel.ChannelListener;
import io.github.vicinal.testkit.CarriedCall;
import io.github.vicinal.testkit.KitClient;
import io.github.vicinal.testkit.KitEnvironment;
import io.github.vicinal.testkit.server.KitPeers;
import io.github.vicinal.testkit.server.KitServerConfiguration;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import reactor.netty.http.client.HttpClient;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.http.codec.json.JacksonJsonDecoder;
import org.springframework.http.codec.json.JacksonJsonEncoder;
import org.springframework.util.FileSystemUtils;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.invoker.HttpExchangeAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/**
 * Two Spring Boot applications of this JVM, set up as users set them up: the kit's
 * server, and a client that makes its proxies by hand. Modules of other paths run the kit
 * in it, too.
 */
public class VicinalKitEnvironment implements KitEnvironment {

	private static final String FACTORY = "spring.http.clients.imperative.factory";

	private static final String CONNECTOR = "spring.http.clients.reactive.connector";

	private static final String NETTY = "reactor";

	private static final HttpClientSettings PATIENT = HttpClientSettings.defaults();

	private static final ApplicationContextInitializer<GenericApplicationContext> NO_BEANS = (context) -> {
	};

	private static final List<String> CONTRACTS = List.of("Arguments", "Bodies", "Results", "Errors", "Timing",
			"Context", "Additions", "Volume", "Shapes", "State", "Untouched", "Request", "Response");

	private final String path;

	private final String prefix;

	/** Whether requests go over the path as they are, and not as typed calls. */
	private final boolean exchanges;

	private final boolean neighbours;

	/** Whether clients have interfaces of their own. */
	private final boolean byStructure;

	private final IsolatedKitServer.Home home = new IsolatedKitServer.Home();

	/** Properties that the path needs on both sides. */
	private final Map<String, Object> pathProperties;

	private final ApplicationContextInitializer<GenericApplicationContext> pathBeans;

	private final Map<String, Object> serverProperties;

	private final Path rendezvous;

	private final ConcurrentLinkedQueue<CarriedCall> calls = new ConcurrentLinkedQueue<>();

	private final ExchangedCalls exchanged = new ExchangedCalls(this.calls);

	private final Map<String, String> beanNames = new ConcurrentHashMap<>();

	private final Map<Class<?>, Object> peers = new ConcurrentHashMap<>();

	private final ConfigurableApplicationContext client;

	/** The server, or {@code null} if it has a class loader of its own. */
	private @Nullable ConfigurableApplicationContext server;

	private Closeable running;

	private int port;

	VicinalKitEnvironment(String path) {
		this(path, "", Map.of());
	}

	/** Requests go over the path as they are. */
	static VicinalKitEnvironment ofExchanges(String path) {
		return new VicinalKitEnvironment(path, "", Map.of(), true, false, false, Map.of(), NO_BEANS);
	}

	/**
	 * Clients have interfaces of their own, which servers match by structure.
	 */
	static VicinalKitEnvironment byStructure(String path) {
		return new VicinalKitEnvironment(path, "", Map.of(), false, false, true, Map.of(), NO_BEANS);
	}

	/**
	 * Creates an environment for the path of another module.
	 * @param path the path, for example {@code tcp}
	 * @param exchanges whether requests go over the path as they are, and not as typed
	 * calls
	 * @param properties what the path needs on both sides
	 * @param beans registers what the path needs on both sides
	 * @return a started environment
	 */
	public static VicinalKitEnvironment of(String path, boolean exchanges, Map<String, Object> properties,
			ApplicationContextInitializer<GenericApplicationContext> beans) {
		return new VicinalKitEnvironment(path, "", Map.of(), exchanges, false, false, properties, beans);
	}

	/** Clients of both kinds are on Reactor Netty. */
	static VicinalKitEnvironment onNettyClient(String path) {
		return of(path, false, Map.of(FACTORY, NETTY, CONNECTOR, NETTY), (context) -> {
			// Contexts that close dispose of the resources of all.
			ReactorResourceFactory resources = new ReactorResourceFactory();
			resources.setUseGlobalResources(false);
			context.registerBean(ReactorResourceFactory.class, () -> resources);
		});
	}

	/** Client and server have class loaders of their own. */
	static VicinalKitEnvironment ofNeighbours(boolean exchanges) {
		return new VicinalKitEnvironment("direct", "", Map.of(), exchanges, true, false, Map.of(), NO_BEANS);
	}

	/** A server whose URLs have a prefix, because of its properties. */
	VicinalKitEnvironment(String path, String prefix, Map<String, Object> serverProperties) {
		this(path, prefix, serverProperties, false, false, false, Map.of(), NO_BEANS);
	}

	private VicinalKitEnvironment(String path, String prefix, Map<String, Object> serverProperties, boolean exchanges,
			boolean neighbours, boolean byStructure, Map<String, Object> pathProperties,
			ApplicationContextInitializer<GenericApplicationContext> pathBeans) {
		this.pathProperties = pathProperties;
		this.pathBeans = pathBeans;
		this.exchanges = exchanges;
		this.neighbours = neighbours;
		this.byStructure = byStructure;
		this.path = path;
		this.prefix = prefix;
		this.serverProperties = serverProperties;
		try {
			Path memory = Path.of("/dev/shm");
			this.rendezvous = Files.isDirectory(memory) ? Files.createTempDirectory(memory, "vicinal-kit")
					: Files.createTempDirectory("vicinal-kit");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		startServer();
		ChannelListener listener = (channel, method, kind, reason) -> this.calls
			.add(this.byStructure ? OwnInterfaces.carried(channel, method, kind, reason, this.path)
					: new CarriedCall(channel.contract().name(), kind.id(), reason));
		this.client = new SpringApplicationBuilder(ClientApplication.class).web(WebApplicationType.NONE)
			.properties(properties())
			.initializers((context) -> ((GenericApplicationContext) context).registerBean(ChannelListener.class,
					() -> listener), this.pathBeans, this::noteExchanges)
			.run();
		if (this.exchanges) {
			observationRegistry().observationConfig().observationHandler(this.exchanged);
		}
	}

	private void noteExchanges(ConfigurableApplicationContext context) {
		if (this.exchanges) {
			context.getBeanFactory().addBeanPostProcessor(this.exchanged);
		}
	}

	private Map<String, Object> properties() {
		Map<String, Object> properties = new TreeMap<>();
		properties.put("spring.main.banner-mode", "off");
		// Proxies are made later than the verification of channel names at start.
		properties.put("spring.main.lazy-initialization", "true");
		properties.put(FACTORY, "jdk");
		properties.put(CONNECTOR, "jdk");
		properties.put("vicinal.rendezvous.directory", this.rendezvous.toString());
		properties.put("vicinal.compare-paths", "false");
		properties.put("vicinal.confirm-interval", "0s");
		// A balancer that a client made by hand may use has to be met by HTTP now and
		// then.
		properties.put("spring.cloud.loadbalancer.enabled", "false");
		properties.put("vicinal.reconnect-delay", "20ms");
		for (String contract : CONTRACTS) {
			properties.put("vicinal.channels." + contract + "Contract.paths", this.path);
			properties.put("vicinal.channels." + contract + "Contract.enabled", String.valueOf(!this.exchanges));
			properties.put("vicinal.channels." + contract + "Contract" + OwnInterfaces.SUFFIX + ".paths", this.path);
		}
		// For requests as they are, and for calls that typed paths cannot carry.
		properties.put("vicinal.http-exchanges.paths", this.path);
		properties.putAll(this.pathProperties);
		return properties;
	}

	@Override
	public String expectedPath() {
		return this.path;
	}

	@Override
	public <T> T onPath(Class<T> contract, KitClient kitClient) {
		return onPath(this.client, contract, kitClient);
	}

	private <T> T onPath(ConfigurableApplicationContext application, Class<T> contract, KitClient kitClient) {
		ObservationRegistry registry = application.getBean(ObservationRegistry.class);
		HttpExchangeAdapter adapter;
		if (kitClient.isReactive()) {
			WebClient.Builder builder = (WebClient.Builder) processed(application, WebClient.builder(), "webClient");
			adapter = reactive(builder, application.getBean(ClientHttpConnectorBuilder.class), kitClient, registry);
		}
		else {
			adapter = blocking(application.getBean(RestClient.Builder.class),
					application.getBean(ClientHttpRequestFactoryBuilder.class), kitClient, registry);
		}
		Class<? extends T> type = this.byStructure ? OwnInterfaces.of(contract, MethodHandles.lookup()) : contract;
		T proxy = contract.cast(processed(application, proxy(adapter, type, kitClient), beanName(contract, kitClient)));
		return this.exchanges ? this.exchanged.noting(contract, proxy) : proxy;
	}

	/** Processing that the object would have as a bean of the application. */
	private static Object processed(ConfigurableApplicationContext application, Object bean, String name) {
		return application.getAutowireCapableBeanFactory().applyBeanPostProcessorsAfterInitialization(bean, name);
	}

	/** One bean for each contract and configuration of the client. */
	private String beanName(Class<?> contract, KitClient kitClient) {
		String key = System.identityHashCode(contract) + " " + System.identityHashCode(kitClient);
		return this.beanNames.computeIfAbsent(key, (ignored) -> "bean" + this.beanNames.size());
	}

	@Override
	public <T> T overHttp(Class<T> contract, KitClient kitClient) {
		ObservationRegistry registry = observationRegistry();
		HttpExchangeAdapter adapter = kitClient.isReactive()
				? reactive(WebClient.builder(), connectors(), kitClient, registry)
				: blocking(this.client.getBean(RestClient.Builder.class), factories(), kitClient, registry);
		return proxy(adapter, contract, kitClient);
	}

	private boolean onNetty() {
		return NETTY.equals(this.pathProperties.get(FACTORY));
	}

	/**
	 * Reactor Netty does not repeat requests, so that a connection of a server that was
	 * stopped must not be used again.
	 */
	private ClientHttpRequestFactoryBuilder<?> factories() {
		return onNetty() ? ClientHttpRequestFactoryBuilder.reactor().withHttpClientFactory(HttpClient::newConnection)
				: ClientHttpRequestFactoryBuilder.jdk();
	}

	private ClientHttpConnectorBuilder<?> connectors() {
		return onNetty()
				? ClientHttpConnectorBuilder.reactor()
					.withReactorResourceFactory(this.client.getBean(ReactorResourceFactory.class))
				: ClientHttpConnectorBuilder.jdk();
	}

	private HttpExchangeAdapter blocking(RestClient.Builder builder, ClientHttpRequestFactoryBuilder<?> requests,
			KitClient kitClient, ObservationRegistry registry) {
		builder.baseUrl("http://localhost:" + this.port + this.prefix)
			.requestFactory(requests.build(settings(kitClient)))
			.observationRegistry(registry);
		kitClient.customize(builder);
		return RestClientAdapter.create(builder.build());
	}

	private HttpExchangeAdapter reactive(WebClient.Builder builder, ClientHttpConnectorBuilder<?> connectors,
			KitClient kitClient, ObservationRegistry registry) {
		JsonMapper mapper = this.client.getBean(JsonMapper.class);
		builder.baseUrl("http://localhost:" + this.port + this.prefix)
			// As Spring Boot does where its module for WebClient is.
			.codecs((codecs) -> {
				codecs.defaultCodecs().jacksonJsonDecoder(new JacksonJsonDecoder(mapper));
				codecs.defaultCodecs().jacksonJsonEncoder(new JacksonJsonEncoder(mapper));
			})
			.clientConnector(connectors.build(settings(kitClient)))
			.observationRegistry(registry);
		kitClient.customize(builder);
		return WebClientAdapter.create(builder.build());
	}

	private static HttpClientSettings settings(KitClient kitClient) {
		Duration timeout = kitClient.readTimeout();
		return (timeout != null) ? PATIENT.withReadTimeout(timeout) : PATIENT;
	}

	private static <T> T proxy(HttpExchangeAdapter adapter, Class<T> contract, KitClient kitClient) {
		HttpServiceProxyFactory.Builder factory = HttpServiceProxyFactory.builderFor(adapter);
		kitClient.customize(factory);
		return factory.build().createClient(contract);
	}

	@Override
	public String baseUrl() {
		return "http://localhost:" + this.port;
	}

	/** Over HTTP, calls are as slow as the oracle's, and there is no path to test. */
	@Override
	public int concurrentCalls() {
		return expectedPath().equals("http") ? 1_000 : KitEnvironment.super.concurrentCalls();
	}

	@Override
	public List<CarriedCall> drainCalls() {
		List<CarriedCall> result = new ArrayList<>();
		for (CarriedCall call = this.calls.poll(); call != null; call = this.calls.poll()) {
			result.add(call);
		}
		return result;
	}

	@Override
	public Duration patience() {
		return this.exchanges ? Duration.ofSeconds(8) : KitEnvironment.super.patience();
	}

	@Override
	public boolean isDeclined(CarriedCall call) {
		return call.reason() != null && this.client.getBean(ClientChannels.class)
			.reports()
			.stream()
			.anyMatch((channel) -> channel.leftToHttp().containsKey(call.reason()));
	}

	/** Spring's headers of Netty do, once an exception has copied them. */
	@Override
	public boolean repeatsValuesBySpelling() {
		return onNetty();
	}

	@Override
	public ObservationRegistry observationRegistry() {
		return this.client.getBean(ObservationRegistry.class);
	}

	@Override
	public Set<String> privateResponseHeaders() {
		return Set.of("vicinal-peer");
	}

	@Override
	public void stopServer(Ending manner) {
		close(this.running);
		this.peers.clear();
	}

	@Override
	public final void startServer() {
		Map<String, Object> properties = properties();
		properties.put("server.port", this.port);
		properties.put("server.shutdown", "immediate");
		properties.putAll(this.serverProperties);
		if (this.neighbours) {
			Object isolated = this.home.start(properties);
			this.running = (Closeable) isolated;
			this.port = ((IntSupplier) isolated).getAsInt();
			return;
		}
		ConfigurableApplicationContext started = new SpringApplicationBuilder(ServerApplication.class)
			.web(WebApplicationType.SERVLET)
			.properties(properties)
			.initializers(
					(context) -> ((GenericApplicationContext) context).registerBean(KitPeers.class, () -> this::peer),
					this.pathBeans)
			.run();
		this.server = started;
		this.running = started;
		this.port = ((WebServerApplicationContext) started).getWebServer().getPort();
	}

	/** The server is a client of itself. */
	private <T> T peer(Class<T> contract) {
		return contract.cast(this.peers.computeIfAbsent(contract,
				(key) -> onPath(Objects.requireNonNull(this.server), contract, KitClient.BLOCKING)));
	}

	@Override
	public void close() {
		this.client.close();
		close(this.running);
		close(this.home);
		FileSystemUtils.deleteRecursively(this.rendezvous.toFile());
	}

	private static void close(Closeable closeable) {
		try {
			closeable.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(KitServerConfiguration.class)
	static class ServerApplication {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class ClientApplication {

	}

}
