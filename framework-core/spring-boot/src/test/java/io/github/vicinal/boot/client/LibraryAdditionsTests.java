package io.github.vicinal.boot.client;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.netty.handler.codec.http.cookie.ClientCookieDecoder;
import io.netty.handler.codec.http.cookie.ClientCookieEncoder;
import org.eclipse.jetty.client.BasicAuthentication;
import org.eclipse.jetty.client.HttpProxy;
import org.eclipse.jetty.client.ProtocolHandler;
import org.eclipse.jetty.client.RedirectCache;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.transport.HttpClientTransportDynamic;
import org.eclipse.jetty.http.HttpCookie;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.netty.http.client.HttpClient;

import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JettyClientHttpRequestFactory;
import org.springframework.http.client.ReactorClientHttpRequestFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Settings of Reactor Netty's and Jetty's clients behind Spring's blocking factories. */
class LibraryAdditionsTests {

	private static final URI SERVER = URI.create("http://localhost:8080/");

	@Test
	void clientOfSpringBootAddsNothing() {
		LibraryAdditions library = new LibraryAdditions(new ReactorClientHttpRequestFactory(
				HttpClient.create().compress(true).followRedirect(true).responseTimeout(Duration.ofSeconds(3))));
		assertThat(library.of(SERVER)).isNull();
		assertThat(library.isNetty()).isTrue();
		assertThat(library.decodes()).isTrue();
		assertThat(library.responseTimeout(null)).isEqualTo(Duration.ofSeconds(3));
	}

	/** Netty waits without an end then, too. */
	@ParameterizedTest
	@ValueSource(longs = { 0, -1, -3000 })
	void responseTimeoutThatIsNotPositiveIsNone(long millis) {
		LibraryAdditions library = new LibraryAdditions(
				new ReactorClientHttpRequestFactory(HttpClient.create().responseTimeout(Duration.ofMillis(millis))));
		assertThat(library.responseTimeout(null)).isNull();
		assertThat(library.of(SERVER)).isNull();
	}

	@ParameterizedTest
	@MethodSource("settings")
	void settingsOfTheApplicationAreFound(String name, UnaryOperator<HttpClient> setting) {
		LibraryAdditions library = new LibraryAdditions(
				new ReactorClientHttpRequestFactory(setting.apply(HttpClient.create())));
		assertThat(library.of(SERVER)).contains(name);
	}

	static Stream<Arguments> settings() {
		return Stream.of(setting("wiretap", (client) -> client.wiretap(true)),
				setting("proxy", (client) -> client.proxy(
						(proxy) -> proxy.type(reactor.netty.transport.ProxyProvider.Proxy.HTTP).host("proxy.example"))),
				setting("baseUrl", (client) -> client.baseUrl("http://a.example")),
				setting("doOnRequest", (client) -> client.doOnRequest((request, connection) -> {
				})), setting("doOnResponse", (client) -> client.doOnResponse((response, connection) -> {
				})),
				setting("default header x-tenant", (client) -> client.headers((headers) -> headers.set("X-Tenant", 1))),
				setting("followRedirect", (client) -> client.followRedirect((request, response) -> true)),
				setting("metrics", (client) -> client.metrics(true, (uri) -> uri)),
				setting("protocol", (client) -> client.protocol(reactor.netty.http.HttpProtocol.H2C)),
				setting("cookieCodec",
						(client) -> client.cookieCodec(ClientCookieEncoder.LAX, ClientCookieDecoder.LAX)));
	}

	@Test
	void jettysClientAsSpringBootBuildsIt() throws Exception {
		try (Jetty jetty = new Jetty()) {
			LibraryAdditions library = jetty.library();
			assertThat(library.of(SERVER)).isNull();
			assertThat(library.isJetty()).isTrue();
			assertThat(library.responseTimeout(null)).isEqualTo(Duration.ofSeconds(3));
			assertThat(library.decodes()).isTrue();
		}
	}

	@ParameterizedTest
	@MethodSource("settingsOfJetty")
	void settingsOfTheApplicationAreFoundInJettysClient(String name,
			Consumer<org.eclipse.jetty.client.HttpClient> setting) throws Exception {
		try (Jetty jetty = new Jetty(setting)) {
			assertThat(jetty.library().of(SERVER)).contains(name);
		}
	}

	static Stream<Arguments> settingsOfJetty() {
		return Stream
			.of(ofJetty("beginListener", (client) -> client.getRequestListeners().addBeginListener((request) -> {
			})), ofJetty("failureListener",
					(client) -> client.getRequestListeners().addFailureListener((request, failure) -> {
					})), ofJetty("redirect cache", (client) -> client.setRedirectCache(new RedirectCache.Default(8))),
					ofJetty("protocol handler", (client) -> client.getProtocolHandlers().put(new OwnHandler())));
	}

	/** What may be added while the client runs. */
	@Test
	void jettysClientIsLookedAtForEachRequest() throws Exception {
		try (Jetty jetty = new Jetty()) {
			LibraryAdditions library = jetty.library();
			HttpProxy proxy = new HttpProxy("proxy.example", 3128);
			jetty.client().getProxyConfiguration().addProxy(proxy);
			assertThat(library.of(SERVER)).isEqualTo("proxy");
			jetty.client().getProxyConfiguration().removeProxy(proxy);
			assertThat(library.of(SERVER)).isNull();
			BasicAuthentication authentication = new BasicAuthentication(SERVER, "realm", "user", "secret");
			jetty.client().getAuthenticationStore().addAuthentication(authentication);
			assertThat(library.of(SERVER)).isEqualTo("authentication");
			jetty.client().getAuthenticationStore().removeAuthentication(authentication);
			library.keepCookies(SERVER, List.of("a=1; Path=/"));
			assertThat(jetty.client().getHttpCookieStore().match(SERVER)).extracting(HttpCookie::getName)
				.containsExactly("a");
			assertThat(library.of(SERVER)).isEqualTo("cookies");
		}
	}

	@Test
	void anotherTransportOfJettysClientIsFound() {
		ClientHttpRequestFactory factory = ClientHttpRequestFactoryBuilder.jetty()
			.withHttpClientTransportFactory((connector) -> new HttpClientTransportDynamic(connector) {
			})
			.build();
		assertThat(new LibraryAdditions(factory).of(SERVER)).contains("protocol");
	}

	private static Arguments ofJetty(String name, Consumer<org.eclipse.jetty.client.HttpClient> setting) {
		return arguments(name, setting);
	}

	/** A handler of responses that no client has by itself. */
	private static final class OwnHandler implements ProtocolHandler {

		@Override
		public String getName() {
			return "own";
		}

		@Override
		public boolean accept(Request request, Response response) {
			return false;
		}

		@Override
		public Response.@Nullable Listener getResponseListener() {
			return null;
		}

	}

	/** Jetty's client as Spring Boot builds it, started. */
	private static final class Jetty implements AutoCloseable {

		private final JettyClientHttpRequestFactory factory;

		private org.eclipse.jetty.client.@Nullable HttpClient client;

		Jetty() throws Exception {
			this((client) -> {
			});
		}

		Jetty(Consumer<org.eclipse.jetty.client.HttpClient> setting) throws Exception {
			this.factory = ClientHttpRequestFactoryBuilder.jetty().withHttpClientCustomizer((client) -> {
				this.client = client;
				setting.accept(client);
			}).build(HttpClientSettings.defaults().withReadTimeout(Duration.ofSeconds(3)));
			this.factory.afterPropertiesSet();
		}

		LibraryAdditions library() {
			return new LibraryAdditions(this.factory);
		}

		org.eclipse.jetty.client.HttpClient client() {
			return Objects.requireNonNull(this.client);
		}

		@Override
		public void close() throws Exception {
			this.factory.destroy();
		}

	}

	private static Arguments setting(String name, UnaryOperator<HttpClient> setting) {
		return arguments(name, setting);
	}

}
