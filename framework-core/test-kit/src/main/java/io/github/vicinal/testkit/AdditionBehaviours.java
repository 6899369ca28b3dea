package io.github.vicinal.testkit;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;

import io.github.vicinal.testkit.contract.AdditionsContract;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpHeaders;
import org.springframework.web.client.ApiVersionInserter;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.service.invoker.HttpExchangeAdapter;
import org.springframework.web.service.invoker.HttpExchangeAdapterDecorator;
import org.springframework.web.service.invoker.HttpRequestValues;
import org.springframework.web.util.DefaultUriBuilderFactory;
import org.springframework.web.util.UriBuilderFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Additions of clients to requests beside the contract: always, sometimes, and with a
 * value of its own for each call. The server sees the same as over HTTP.
 */
abstract class AdditionBehaviours extends Behaviours {

	private static final String ADDED = "X-Kit-Added";

	/** Addition to the next request, if any. */
	private final AtomicReference<@Nullable String> next = new AtomicReference<>();

	private void add(BiConsumer<String, String> headers) {
		String value = this.next.get();
		if (value != null) {
			headers.accept(ADDED, value);
		}
	}

	private static void assertSeen(Outcome outcome, String value) {
		assertThat(outcome.value()).isEqualTo(value);
	}

	/** The first calls, which open the path, have no additions. */
	private void assertAddedSometimes(KitClient client) {
		this.next.set(null);
		assertSeen(sameAdded(client, (additions) -> additions.header(ADDED)), "seen null");
		for (String value : List.of("red", "blue")) {
			this.next.set(value);
			assertSeen(sameAdded(client, (additions) -> additions.header(ADDED)), "seen " + value);
			assertSeen(sameAdded(client, (additions) -> additions.headerOfPost(ADDED, "body")),
					"seen " + value + " with body");
		}
		this.next.set(null);
		assertSeen(sameAdded(client, (additions) -> additions.header(ADDED)), "seen null");
	}

	private Outcome sameAdded(KitClient client, Kit.Call<AdditionsContract> call) {
		return kit().compareSettled(AdditionsContract.class, client, call);
	}

	@Test
	@DisplayName("a default header arrives")
	void defaultHeader() {
		KitClient client = KitClient.BLOCKING.withRestClient((builder) -> builder.defaultHeader(ADDED, "always"));
		assertSeen(same(AdditionsContract.class, client, (additions) -> additions.header(ADDED)), "seen always");
		assertSeen(same(AdditionsContract.class, client, (additions) -> additions.headerOfPost(ADDED, "body")),
				"seen always with body");
	}

	@Test
	@DisplayName("default credentials arrive")
	void defaultAuthorization() {
		KitClient client = KitClient.BLOCKING
			.withRestClient((builder) -> builder.defaultHeaders((headers) -> headers.setBearerAuth("kit")));
		assertSeen(same(AdditionsContract.class, client, (additions) -> additions.header(HttpHeaders.AUTHORIZATION)),
				"seen Bearer kit");
	}

	@Test
	@DisplayName("default cookies arrive")
	void defaultCookies() {
		KitClient client = KitClient.BLOCKING
			.withRestClient((builder) -> builder.defaultCookie("a", "1").defaultCookie("b", "2"));
		assertSeen(same(AdditionsContract.class, client, (additions) -> additions.header(HttpHeaders.COOKIE)),
				"seen a=1; b=2");
	}

	@Test
	@DisplayName("a default language arrives")
	void defaultLanguage() {
		KitClient client = KitClient.BLOCKING
			.withRestClient((builder) -> builder.defaultHeader(HttpHeaders.ACCEPT_LANGUAGE, "it-CH"));
		assertSeen(same(AdditionsContract.class, client, (additions) -> additions.header(HttpHeaders.ACCEPT_LANGUAGE)),
				"seen it-CH");
	}

	@Test
	@DisplayName("an argument takes precedence over a default header")
	void argumentBeforeDefaultHeader() {
		KitClient client = KitClient.BLOCKING.withRestClient((builder) -> builder.defaultHeader(ADDED, "always"));
		assertSeen(sameAdded(client, (additions) -> additions.named("argument")), "named argument");
		assertSeen(sameAdded(client, (additions) -> additions.named(null)), "named always");
	}

	@Test
	@DisplayName("cookies of arguments and default ones meet as over HTTP")
	void argumentBesideDefaultCookies() {
		KitClient client = KitClient.BLOCKING.withRestClient((builder) -> builder.defaultCookie("a", "1"));
		sameAdded(client, (additions) -> additions.cookieNamed("2"));
		assertSeen(sameAdded(client, (additions) -> additions.cookieNamed(null)), "own null, all a=1");
	}

	@Test
	@DisplayName("a default Content-Type arrives without a body, too")
	void defaultContentType() {
		KitClient client = KitClient.BLOCKING
			.withRestClient((builder) -> builder.defaultHeader(HttpHeaders.CONTENT_TYPE, "application/json"));
		assertSeen(sameAdded(client, (additions) -> additions.header(HttpHeaders.CONTENT_TYPE)),
				"seen application/json");
	}

	@Test
	@DisplayName("a default forwarded host arrives")
	void defaultForwardedHost() {
		KitClient client = KitClient.BLOCKING
			.withRestClient((builder) -> builder.defaultHeader("X-Forwarded-Host", "tenant.example"));
		assertSeen(sameAdded(client, (additions) -> additions.header("X-Forwarded-Host")), "seen tenant.example");
	}

	@Test
	@DisplayName("an interceptor adds to some requests")
	void interceptor() {
		assertAddedSometimes(KitClient.BLOCKING
			.withRestClient((builder) -> builder.requestInterceptor((request, body, execution) -> {
				add(request.getHeaders()::set);
				return execution.execute(request, body);
			})));
	}

	@Test
	@DisplayName("an interceptor changes what a request has")
	void interceptorThatRemoves() {
		KitClient client = KitClient.BLOCKING.withRestClient(
				(builder) -> builder.defaultHeader(ADDED, "always").requestInterceptor((request, body, execution) -> {
					request.getHeaders().remove(ADDED);
					return execution.execute(request, body);
				}));
		assertSeen(sameAdded(client, (additions) -> additions.header(ADDED)), "seen null");
	}

	@Test
	@DisplayName("an initializer adds to some requests")
	void initializer() {
		assertAddedSometimes(KitClient.BLOCKING
			.withRestClient((builder) -> builder.requestInitializer((request) -> add(request.getHeaders()::set))));
	}

	@Test
	@DisplayName("a consumer of default requests adds to some")
	void defaultRequest() {
		assertAddedSometimes(KitClient.BLOCKING.withRestClient(
				(builder) -> builder.defaultRequest((request) -> add((name, value) -> request.header(name, value)))));
	}

	@Test
	@DisplayName("a processor of request values adds to some")
	void requestValuesProcessor() {
		assertAddedSometimes(KitClient.BLOCKING.withProxyFactory((factory) -> factory.httpRequestValuesProcessor(
				(method, parameters, arguments, values) -> add((name, value) -> values.addHeader(name, value)))));
	}

	@Test
	@DisplayName("a decorator of the exchange adapter changes what is answered")
	void exchangeAdapterDecorator() {
		KitClient client = KitClient.BLOCKING
			.withProxyFactory((factory) -> factory.exchangeAdapterDecorator(Changing::new));
		assertSeen(sameAdded(client, (additions) -> additions.header(ADDED)), "changed");
	}

	private static final class Changing extends HttpExchangeAdapterDecorator {

		Changing(HttpExchangeAdapter delegate) {
			super(delegate);
		}

		@Override
		@SuppressWarnings("unchecked")
		public <T> @Nullable T exchangeForBody(HttpRequestValues values, ParameterizedTypeReference<T> bodyType) {
			T body = super.exchangeForBody(values, bodyType);
			return (body instanceof String text && text.startsWith("seen")) ? (T) "changed" : body;
		}

	}

	@Test
	@DisplayName("an API version is inserted")
	void apiVersion() {
		KitClient client = KitClient.BLOCKING.withRestClient(
				(builder) -> builder.defaultApiVersion("2").apiVersionInserter(ApiVersionInserter.useHeader(ADDED)));
		assertSeen(sameAdded(client, (additions) -> additions.header(ADDED)), "seen 2");
	}

	@Test
	@DisplayName("a URI builder factory adds to the query")
	void uriBuilderFactory() {
		String base = kit().environment().baseUrl();
		UriBuilderFactory adding = new DefaultUriBuilderFactory(base) {

			@Override
			public URI expand(String template, Map<String, ?> variables) {
				return added(super.expand(template, variables));
			}

			@Override
			public URI expand(String template, @Nullable Object... variables) {
				return added(super.expand(template, variables));
			}

		};
		KitClient client = KitClient.BLOCKING.withRestClient((builder) -> builder.uriBuilderFactory(adding));
		assertSeen(sameAdded(client, (additions) -> additions.query("it")), "it of asked=it");
		this.next.set("red");
		assertSeen(sameAdded(client, (additions) -> additions.query("it")), "it of asked=it&added=red");
	}

	private URI added(URI uri) {
		String value = this.next.get();
		return (value != null) ? URI.create(uri + "&added=" + value) : uri;
	}

	@Test
	@DisplayName("a base URL brings a query of its own")
	void queryOfTheBaseUrl() {
		String base = kit().environment().baseUrl();
		KitClient client = KitClient.BLOCKING.withRestClient((builder) -> builder.baseUrl(base + "?tenant=red"));
		Outcome outcome = sameAdded(client, (additions) -> additions.query("it"));
		assertThat(outcome.value()).asString().contains("tenant=red");
	}

	@Test
	@DisplayName("a cookie that was set is sent as over HTTP")
	void cookieStore() {
		KitClient client = KitClient.BLOCKING.withRestClient((builder) -> {
		});
		sameAdded(client, (additions) -> additions.header(HttpHeaders.COOKIE));
		sameAdded(client, (additions) -> additions.setCookie("first"));
		sameAdded(client, (additions) -> additions.header(HttpHeaders.COOKIE));
		sameAdded(client, (additions) -> additions.setCookie("second"));
		sameAdded(client, (additions) -> additions.header(HttpHeaders.COOKIE));
	}

	@Test
	@DisplayName("reactive: default headers and cookies arrive")
	void reactiveDefaults() {
		KitClient client = KitClient.REACTIVE
			.withWebClient((builder) -> builder.defaultHeader(ADDED, "always").defaultCookie("a", "1"));
		assertSeen(same(AdditionsContract.class, client, (additions) -> additions.headerLater(ADDED).block()),
				"seen always");
		assertSeen(
				same(AdditionsContract.class, client, (additions) -> additions.headerLater(HttpHeaders.COOKIE).block()),
				"seen a=1");
	}

	@Test
	@DisplayName("reactive: a filter adds to some requests")
	void reactiveFilter() {
		assertAddedSometimesLater(KitClient.REACTIVE.withWebClient((builder) -> builder.filter((request, exchange) -> {
			ClientRequest.Builder adding = ClientRequest.from(request);
			add((name, value) -> adding.header(name, value));
			return exchange.exchange(adding.build());
		})));
	}

	@Test
	@DisplayName("reactive: a consumer of default requests adds to some")
	void reactiveDefaultRequest() {
		assertAddedSometimesLater(KitClient.REACTIVE.withWebClient(
				(builder) -> builder.defaultRequest((request) -> add((name, value) -> request.header(name, value)))));
	}

	private void assertAddedSometimesLater(KitClient client) {
		this.next.set(null);
		assertSeen(sameAdded(client, (additions) -> additions.headerLater(ADDED).block()), "seen null");
		this.next.set("red");
		assertSeen(sameAdded(client, (additions) -> additions.headerLater(ADDED).block()), "seen red");
	}

}
