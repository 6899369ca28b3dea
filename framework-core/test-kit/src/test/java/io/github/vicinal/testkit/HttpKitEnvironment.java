package io.github.vicinal.testkit;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.vicinal.testkit.server.KitPeers;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.invoker.HttpExchangeAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/**
 * Plain Spring at both ends, in one JVM: the path under test is HTTP itself.
 */
class HttpKitEnvironment implements KitEnvironment {

	private static final String CONTRACT = HttpKitEnvironment.class.getName() + ".contract";

	private final ConcurrentLinkedQueue<CarriedCall> calls = new ConcurrentLinkedQueue<>();

	private final ObservationRegistry observationRegistry = ObservationRegistry.create();

	private final HttpClient httpClient = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

	private @Nullable ConfigurableApplicationContext server;

	private int port;

	HttpKitEnvironment() {
		startServer();
	}

	@Override
	public String expectedPath() {
		return "http";
	}

	@Override
	public <T> T onPath(Class<T> contract, KitClient client) {
		return proxy(contract, client, true);
	}

	@Override
	public <T> T overHttp(Class<T> contract, KitClient client) {
		return proxy(contract, client, false);
	}

	private <T> T proxy(Class<T> contract, KitClient client, boolean recording) {
		HttpServiceProxyFactory.Builder factory = HttpServiceProxyFactory
			.builderFor((client.isReactive()) ? reactive(client, recording) : blocking(client, contract, recording));
		if (recording) {
			factory.httpRequestValuesProcessor(
					(method, parameters, arguments, builder) -> builder.addAttribute(CONTRACT, contract.getName()));
		}
		client.customize(factory);
		return factory.build().createClient(contract);
	}

	/** An interceptor would record, too, but make the length of each body known. */
	private HttpExchangeAdapter blocking(KitClient client, Class<?> contract, boolean recording) {
		JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(this.httpClient);
		Duration readTimeout = client.readTimeout();
		requests.setReadTimeout((readTimeout != null) ? readTimeout : Duration.ofSeconds(60));
		RestClient.Builder builder = RestClient.builder()
			.baseUrl("http://localhost:" + this.port)
			.requestFactory((uri, method) -> {
				if (recording) {
					record(contract.getName());
				}
				return requests.createRequest(uri, method);
			})
			.observationRegistry(this.observationRegistry);
		client.customize(builder);
		return RestClientAdapter.create(builder.build());
	}

	private HttpExchangeAdapter reactive(KitClient client, boolean recording) {
		JdkClientHttpConnector connector = new JdkClientHttpConnector(this.httpClient);
		Duration readTimeout = client.readTimeout();
		connector.setReadTimeout((readTimeout != null) ? readTimeout : Duration.ofSeconds(60));
		WebClient.Builder builder = WebClient.builder()
			.baseUrl("http://localhost:" + this.port)
			.clientConnector(connector)
			.observationRegistry(this.observationRegistry);
		client.customize(builder);
		if (recording) {
			builder.filter((request, next) -> Mono.defer(() -> next.exchange(request))
				.doOnTerminate(() -> record(request.attributes().get(CONTRACT)))
				.doOnCancel(() -> record(request.attributes().get(CONTRACT))));
		}
		return WebClientAdapter.create(builder.build());
	}

	private void record(@Nullable Object contract) {
		this.calls.add(new CarriedCall(String.valueOf(contract), expectedPath(), null));
	}

	final void record(CarriedCall call) {
		this.calls.add(call);
	}

	final ConfigurableApplicationContext server() {
		if (this.server == null) {
			throw new IllegalStateException("The server is stopped");
		}
		return this.server;
	}

	@Override
	public String baseUrl() {
		return "http://localhost:" + this.port;
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
	public ObservationRegistry observationRegistry() {
		return this.observationRegistry;
	}

	@Override
	public void stopServer(Ending manner) {
		server().close();
		this.server = null;
	}

	@Override
	public final void startServer() {
		this.server = new SpringApplicationBuilder(KitServerApplication.class).web(WebApplicationType.SERVLET)
			.initializers(
					(context) -> ((GenericApplicationContext) context).registerBean(KitPeers.class, () -> this::peer))
			.run("--server.port=" + this.port, "--server.shutdown=immediate", "--spring.main.banner-mode=off",
					"--logging.level.root=OFF", "--spring.jmx.enabled=false");
		this.port = ((WebServerApplicationContext) this.server).getWebServer().getPort();
	}

	private <T> T peer(Class<T> contract) {
		return proxy(contract, KitClient.BLOCKING, false);
	}

	@Override
	public void close() {
		if (this.server != null) {
			this.server.close();
		}
	}

	/** These calls are as slow as the oracle's, and there is no path to test. */
	@Override
	public int concurrentCalls() {
		return 1_000;
	}

}
