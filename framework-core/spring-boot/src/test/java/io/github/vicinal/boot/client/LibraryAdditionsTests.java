package io.github.vicinal.boot.client;

import java.net.URI;
import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.netty.handler.codec.http.cookie.ClientCookieDecoder;
import io.netty.handler.codec.http.cookie.ClientCookieEncoder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.netty.http.client.HttpClient;

import org.springframework.http.client.ReactorClientHttpRequestFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Settings of Reactor Netty's client behind Spring's blocking factory. */
class LibraryAdditionsTests {

	private static final URI SERVER = URI.create("http://localhost:8080/");

	@Test
	void clientOfSpringBootAddsNothing() {
		LibraryAdditions library = new LibraryAdditions(new ReactorClientHttpRequestFactory(
				HttpClient.create().compress(true).followRedirect(true).responseTimeout(Duration.ofSeconds(3))));
		assertThat(library.of(SERVER)).isNull();
		assertThat(library.isNetty()).isTrue();
		assertThat(library.decodes()).isTrue();
		assertThat(library.responseTimeout()).isEqualTo(Duration.ofSeconds(3));
	}

	/** Netty waits without an end then, too. */
	@ParameterizedTest
	@ValueSource(longs = { 0, -1, -3000 })
	void responseTimeoutThatIsNotPositiveIsNone(long millis) {
		LibraryAdditions library = new LibraryAdditions(
				new ReactorClientHttpRequestFactory(HttpClient.create().responseTimeout(Duration.ofMillis(millis))));
		assertThat(library.responseTimeout()).isNull();
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

	private static Arguments setting(String name, UnaryOperator<HttpClient> setting) {
		return arguments(name, setting);
	}

}
