package io.github.vicinal.boot.client;

import java.net.Authenticator;
import java.net.CookieManager;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.message.BasicHeader;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.Advised;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.InterceptingClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.client.support.RestTemplateAdapter;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.invoker.HttpExchangeAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

import static org.assertj.core.api.Assertions.assertThat;

class ClientAdditionsTests {

	private static final URI SERVICE = URI.create("http://localhost:8080/shop/1");

	interface Shop {

		@GetExchange("/shop/1")
		String name();

	}

	private static ClientAdditions of(HttpExchangeAdapter adapter) {
		Advised proxy = (Advised) HttpServiceProxyFactory.builderFor(adapter).build().createClient(Shop.class);
		return ClientAdditions.of(List.of(proxy), List::of);
	}

	private static ClientHttpRequestFactory asking(ClientHttpRequestFactoryBuilder<?> builder) {
		return ChannelRequestFactories
			.asking(builder, new HttpLegs(), new HttpSockets(() -> null, () -> null), Duration.ZERO)
			.build();
	}

	private static ClientAdditions with(Consumer<RestClient.Builder> customizer) {
		RestClient.Builder builder = RestClient.builder()
			.baseUrl("http://localhost:8080")
			.requestFactory(asking(ClientHttpRequestFactoryBuilder.jdk()));
		customizer.accept(builder);
		return of(RestClientAdapter.create(builder.build()));
	}

	private static ClientAdditions library(ClientHttpRequestFactoryBuilder<?> builder) {
		return with((client) -> client.requestFactory(asking(builder)));
	}

	private static ClientAdditions withApache(Consumer<HttpClientBuilder> customizer) {
		return library(ClientHttpRequestFactoryBuilder.httpComponents().withHttpClientCustomizer(customizer));
	}

	private static ClientAdditions withJdk(Consumer<HttpClient.Builder> customizer) {
		return library(ClientHttpRequestFactoryBuilder.jdk().withHttpClientCustomizer(customizer));
	}

	private static void assertNothing(ClientAdditions additions) {
		assertThat(additions.unsupported()).isEmpty();
		assertThat(additions.live()).isNull();
		assertThat(additions.proxied(SERVICE)).isFalse();
	}

	private static void assertUnsupported(ClientAdditions additions, String what) {
		assertThat(additions.unsupported()).singleElement().asString().contains(what);
	}

	private static final class Own implements ClientHttpRequestInterceptor {

		@Override
		public org.springframework.http.client.ClientHttpResponse intercept(HttpRequest request, byte[] body,
				org.springframework.http.client.ClientHttpRequestExecution execution) throws java.io.IOException {
			return execution.execute(request, body);
		}

	}

	@Test
	void clientsAsBootMakesThemAddNothing() {
		assertNothing(with((builder) -> {
		}));
		assertNothing(library(ClientHttpRequestFactoryBuilder.httpComponents()));
		assertNothing(library(ClientHttpRequestFactoryBuilder.simple()));
		assertNothing(of(WebClientAdapter.create(WebClient.builder()
			.filter(ReactiveCalls.filter(new HttpLegs()))
			.baseUrl("http://localhost:8080")
			.build())));
		RestTemplate template = new RestTemplate(asking(ClientHttpRequestFactoryBuilder.jdk()));
		template
			.setUriTemplateHandler(new org.springframework.web.util.DefaultUriBuilderFactory("http://localhost:8080"));
		assertNothing(of(RestTemplateAdapter.create(template)));
	}

	@Test
	void staticHeadersAndCookiesTravel() {
		ClientAdditions additions = with((builder) -> builder.defaultHeader("X-Tenant", "red", "blue")
			.defaultCookie("a", "1")
			.defaultCookie("b", "2"));
		assertNothing(additions);
		assertThat(additions.headers()).containsEntry("x-tenant", "red\nblue").containsEntry("cookie", "a=1; b=2");
	}

	@Test
	void headersOfConnectionsAndBodiesDoNot() {
		assertUnsupported(with((builder) -> builder.defaultHeader("Host", "tenant.example")), "default header host");
		assertUnsupported(with((builder) -> builder.defaultHeader("Connection", "close")), "default header connection");
		assertUnsupported(with((builder) -> builder.defaultHeader("Content-Type", "application/xml")), "content-type");
		assertUnsupported(with((builder) -> builder.defaultHeader("Accept", "application/xml")), "accept");
		assertUnsupported(with((builder) -> builder.defaultHeader("Vicinal-Ticket", "0")), "vicinal-ticket");
	}

	@Test
	void whatIsRegisteredCountsAlthoughItHasAddedNothingYet() {
		assertUnsupported(with((builder) -> builder.requestInterceptor(new Own())), "Own");
		assertUnsupported(with((builder) -> builder.requestInitializer((request) -> {
		})), "request initializer");
		assertUnsupported(with((builder) -> builder.defaultRequest((request) -> {
		})), "consumer of default requests");
		assertUnsupported(with((builder) -> builder.baseUrl("http://localhost:8080?tenant=red")), "query");
		assertUnsupported(of(WebClientAdapter.create(WebClient.builder()
			.baseUrl("http://localhost:8080")
			.filter((request, next) -> next.exchange(request))
			.build())), "filter");
	}

	@Test
	void whatWrapsTheRequestFactoryIsNotKnown() {
		assertUnsupported(
				with((builder) -> builder.requestFactory(new InterceptingClientHttpRequestFactory(
						asking(ClientHttpRequestFactoryBuilder.jdk()), List.of(new Own())))),
				"InterceptingClientHttpRequestFactory");
		assertUnsupported(
				with((builder) -> builder
					.requestFactory((uri, method) -> new SimpleClientHttpRequestFactory().createRequest(uri, method))),
				"request factory");
		assertUnsupported(library(ClientHttpRequestFactoryBuilder.of(OwnFactory::new)), "OwnFactory");
	}

	private static final class OwnFactory extends JdkClientHttpRequestFactory {

	}

	@Test
	void interceptorsOfATemplateMayComeLater() {
		RestTemplate template = new RestTemplate(asking(ClientHttpRequestFactoryBuilder.jdk()));
		template
			.setUriTemplateHandler(new org.springframework.web.util.DefaultUriBuilderFactory("http://localhost:8080"));
		ClientAdditions additions = of(RestTemplateAdapter.create(template));
		assertNothing(additions);
		template.getInterceptors().add(new Own());
		assertThat(additions.live()).contains("Own");
	}

	@Test
	void theHttpLibraryMayAddSomethingToo() {
		assertUnsupported(withApache((client) -> client.addRequestInterceptorLast((request, entity, context) -> {
		})), "interceptor");
		assertUnsupported(withApache((client) -> client.addExecInterceptorFirst("own",
				(request, scope, chain) -> chain.proceed(request, scope))), "execution interceptor");
		assertUnsupported(withApache((client) -> client.setDefaultHeaders(List.of(new BasicHeader("X-Tenant", "red")))),
				"default headers");
		assertUnsupported(withApache((client) -> client.setProxy(new HttpHost("localhost", 3128))), "proxy");
		BasicCredentialsProvider credentials = new BasicCredentialsProvider();
		ClientAdditions withCredentials = withApache((client) -> client.setDefaultCredentialsProvider(credentials));
		assertNothing(withCredentials);
		credentials.setCredentials(new AuthScope("localhost", 8080),
				new UsernamePasswordCredentials("user", "secret".toCharArray()));
		assertThat(withCredentials.live()).isEqualTo("credentials");

		assertUnsupported(withJdk((client) -> client.authenticator(new Authenticator() {
		})), "authenticator");
		ProxySelector proxy = ProxySelector.of(new InetSocketAddress("localhost", 3128));
		assertThat(withJdk((client) -> client.proxy(proxy)).proxied(SERVICE)).isTrue();
	}

	@Test
	void cookiesOfTypedCallsAreKeptWhereTheClientKeepsThem() {
		CookieManager cookies = new CookieManager();
		assertKept(withJdk((client) -> client.cookieHandler(cookies)));
		assertThat(cookies.getCookieStore().getCookies()).hasSize(1);
		assertKept(withApache((client) -> {
		}));
		assertThat(withApache(HttpClientBuilder::disableCookieManagement).jar()).isNull();
		assertThat(withJdk((client) -> {
		}).jar()).isNull();
	}

	private static void assertKept(ClientAdditions additions) {
		assertNothing(additions);
		CookieJar jar = additions.jar();
		assertThat(jar).isNotNull();
		assertThat(jar.mayHoldCookies()).isFalse();
		jar.keep(SERVICE, List.of("session=1; Path=/"));
		assertThat(jar.mayHoldCookies()).isTrue();
	}

}
