package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.github.vicinal.boot.exchange.ReactiveLibrary.UnsupportedClientException;
import io.netty.handler.codec.http.cookie.ClientCookieDecoder;
import io.netty.handler.codec.http.cookie.ClientCookieEncoder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.PrematureCloseException;
import reactor.netty.transport.ProxyProvider;

import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.HttpRedirects;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.http.HttpCookie;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseCookie;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.mock.http.client.reactive.MockClientHttpRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Clients of Reactor Netty that make exchanges, and their settings. */
class NettyConnectorTests {

	static Stream<Arguments> settings() {
		return Map.<String, UnaryOperator<HttpClient>>ofEntries(
				Map.entry("baseUrl", (client) -> client.baseUrl("http://localhost")),
				Map.entry("connector", (client) -> client.mapConnect((connection) -> connection)),
				Map.entry("deferredConf", (client) -> client.headersWhen(Mono::just)),
				Map.entry("doAfterRequest", (client) -> client.doAfterRequest((request, connection) -> {
				})), Map.entry("doAfterResponseSuccess",
						(client) -> client.doAfterResponseSuccess((response, connection) -> {
						})),
				Map.entry("doOnRedirect", (client) -> client.doOnRedirect((response, connection) -> {
				})), Map.entry("doOnRequest", (client) -> client.doOnRequest((request, connection) -> {
				})), Map.entry("doOnRequestError", (client) -> client.doOnRequestError((request, failure) -> {
				})), Map.entry("doOnResponse", (client) -> client.doOnResponse((response, connection) -> {
				})), Map.entry("doOnResponseError", (client) -> client.doOnResponseError((response, failure) -> {
				})), Map.entry("redirectRequestConsumer", (client) -> client.followRedirect(true, (request) -> {
				})),
				Map.entry("followRedirect with a predicate",
						(client) -> client.followRedirect((request, response) -> false)),
				Map.entry("proxy",
						(client) -> client
							.proxy((proxy) -> proxy.type(ProxyProvider.Proxy.HTTP).host("localhost").port(1))),
				Map.entry("metrics", (client) -> client.metrics(true, (uri) -> uri)),
				Map.entry("wiretap", (client) -> client.wiretap(true)),
				Map.entry("doOnConnect", (client) -> client.doOnConnected((connection) -> {
				})), Map.entry("observe", (client) -> client.observe((connection, state) -> {
				})), Map.entry("doOnChannelInit", (client) -> client.doOnChannelInit((observer, channel, address) -> {
				})), Map.entry("protocol", (client) -> client.protocol(HttpProtocol.H2C, HttpProtocol.HTTP11)),
				Map.entry("cookieCodec",
						(client) -> client.cookieCodec(ClientCookieEncoder.LAX, ClientCookieDecoder.LAX)),
				Map.entry("default header x-tenant",
						(client) -> client.headers((headers) -> headers.set("X-Tenant", "a"))))
			.entrySet()
			.stream()
			.map((entry) -> Arguments.of(entry.getKey(), entry.getValue()));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("settings")
	void aClientThatDoesMoreIsNotReplaced(String what, UnaryOperator<HttpClient> setting) {
		assertThatExceptionOfType(UnsupportedClientException.class)
			.isThrownBy(() -> NettyConnector.of(new ReactorClientHttpConnector(setting.apply(HttpClient.create()))))
			.withMessage(what);
	}

	@Test
	void resourcesThatAreStartedLaterAreNotKnown() {
		ReactorResourceFactory resources = new ReactorResourceFactory();
		assertThatExceptionOfType(UnsupportedClientException.class)
			.isThrownBy(() -> NettyConnector.of(new ReactorClientHttpConnector(resources, UnaryOperator.identity())));
	}

	@Test
	void clientsOfSpringBootAndOfSpringAreKnown() throws Exception {
		ReactiveLibrary boots = NettyConnector.of(ClientHttpConnectorBuilder.reactor()
			.build(HttpClientSettings.defaults().withReadTimeout(Duration.ofSeconds(3))));
		assertThat(boots.timeout()).isEqualTo(Duration.ofSeconds(3));
		assertThat(boots.redirects()).isNotNull();
		assertThat(boots.decodes()).isTrue();
		ReactiveLibrary springs = NettyConnector.of(new ReactorClientHttpConnector());
		assertThat(springs.timeout()).isNull();
		assertThat(springs.redirects()).isNull();
		assertThat(springs.decodes()).isTrue();
		assertThat(NettyConnector
			.of(ClientHttpConnectorBuilder.reactor()
				.build(HttpClientSettings.defaults().withRedirects(HttpRedirects.DONT_FOLLOW)))
			.redirects()).isNull();
		assertThat(NettyConnector.of(new ReactorClientHttpConnector(HttpClient.create())).decodes()).isFalse();
	}

	/** Netty waits without an end then, too. */
	@ParameterizedTest
	@ValueSource(longs = { 0, -1, -3000 })
	void responseTimeoutThatIsNotPositiveIsNone(long millis) throws Exception {
		assertThat(NettyConnector
			.of(new ReactorClientHttpConnector(HttpClient.create().responseTimeout(Duration.ofMillis(millis))))
			.timeout()).isNull();
	}

	@Test
	void cookiesOfRequestsAreJoinedUnlessTheLibraryMightRefuseThem() throws Exception {
		ReactiveLibrary library = NettyConnector.of(new ReactorClientHttpConnector());
		MockClientHttpRequest request = new MockClientHttpRequest(HttpMethod.GET, "/");
		request.getCookies().add("a", new HttpCookie("a", "b"));
		request.getCookies().add("c", new HttpCookie("c", ""));
		assertThat(library.cookies(request)).isEqualTo("a=b; c=");
		request.getCookies().add("d", new HttpCookie("d", "e;f"));
		assertThat(library.cookies(request)).isNull();
	}

	@Test
	void cookiesOfResponsesAreParsedAsTheLibraryDoes() throws Exception {
		ReactiveLibrary library = NettyConnector.of(new ReactorClientHttpConnector());
		assertThat(library.cookies(List.of("a=b; Path=/x; Max-Age=7; Secure; HttpOnly; SameSite=Lax", "c=d", "nothing"))
			.toSingleValueMap())
			.containsExactlyInAnyOrderEntriesOf(Map.of("a",
					ResponseCookie.from("a", "b")
						.path("/x")
						.maxAge(7)
						.secure(true)
						.httpOnly(true)
						.sameSite("Lax")
						.build(),
					"c", ResponseCookie.from("c", "d").build()));
	}

	@Test
	void aConnectionThatEndsFailsAsWithTheLibrary() throws Exception {
		ReactiveLibrary library = NettyConnector.of(new ReactorClientHttpConnector());
		assertThat(library.lost(false, new IOException("gone"))).isInstanceOf(PrematureCloseException.class)
			.hasMessage("Connection prematurely closed BEFORE response");
		assertThat(library.lost(true, new IOException("gone"))).isInstanceOf(PrematureCloseException.class)
			.hasMessage("Connection prematurely closed DURING response");
	}

}
