package io.github.vicinal.boot.client;

import java.net.Authenticator;
import java.net.CookieManager;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import io.github.vicinal.observation.DefaultChannelObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.message.BasicHeader;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aop.framework.Advised;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.http.HttpRequest;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.InterceptingClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.http.client.observation.DefaultClientRequestObservationConvention;
import org.springframework.http.codec.json.JacksonJsonDecoder;
import org.springframework.http.codec.json.JacksonJsonEncoder;
import org.springframework.http.converter.ByteArrayHttpMessageConverter;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.converter.StringHttpMessageConverter;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.web.client.DefaultResponseErrorHandler;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.client.support.RestTemplateAdapter;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.invoker.HttpExchangeAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import org.springframework.web.util.DefaultUriBuilderFactory;
import org.springframework.web.util.DefaultUriBuilderFactory.EncodingMode;

import static org.assertj.core.api.Assertions.assertThat;

class ClientAdditionsTests {

	private static final URI SERVICE = URI.create("http://localhost:8080/shop/1");

	private static final JsonMapper MAPPER = JsonMapper.builder().build();

	private static final ObservationRegistry REGISTRY = ObservationRegistry.create();

	interface Shop {

		@GetExchange("/shop/1")
		String name();

	}

	private static ClientAdditions of(HttpExchangeAdapter adapter) {
		Advised proxy = (Advised) HttpServiceProxyFactory.builderFor(adapter).build().createClient(Shop.class);
		return of(proxy);
	}

	private static ClientAdditions of(Advised proxy) {
		return ClientAdditions.of(List.of(proxy), List::of,
				new ClientAdditions.Application(MAPPER,
						new ClientObservation(REGISTRY, new DefaultClientRequestObservationConvention(),
								new DefaultChannelObservationConvention(), () -> null)));
	}

	private static ClientHttpRequestFactory asking(ClientHttpRequestFactoryBuilder<?> builder) {
		return ChannelRequestFactories.asking(builder, new HttpLegs(), Duration.ZERO, PlainRequests.OF_CLIENT).build();
	}

	private static ClientAdditions with(Consumer<RestClient.Builder> customizer) {
		RestClient.Builder builder = RestClient.builder()
			.baseUrl("http://localhost:8080")
			.configureMessageConverters((converters) -> converters.registerDefaults()
				.withJsonConverter(new JacksonJsonHttpMessageConverter(MAPPER)))
			.requestFactory(asking(ClientHttpRequestFactoryBuilder.jdk()));
		customizer.accept(builder);
		return of(RestClientAdapter.create(builder.build()));
	}

	private static ClientAdditions withWebClient(Consumer<WebClient.Builder> customizer) {
		WebClient.Builder builder = WebClient.builder()
			.filter(ReactiveRequests.filter(new HttpLegs(), (target) -> Set.of()))
			.baseUrl("http://localhost:8080")
			.codecs((codecs) -> {
				codecs.defaultCodecs().jacksonJsonDecoder(new JacksonJsonDecoder(MAPPER));
				codecs.defaultCodecs().jacksonJsonEncoder(new JacksonJsonEncoder(MAPPER));
			});
		customizer.accept(builder);
		return of(WebClientAdapter.create(builder.build()));
	}

	private static RestTemplate template() {
		RestTemplate template = new RestTemplate(asking(ClientHttpRequestFactoryBuilder.jdk()));
		template.setUriTemplateHandler(new DefaultUriBuilderFactory("http://localhost:8080"));
		template.setMessageConverters(List.of(new ByteArrayHttpMessageConverter(), new StringHttpMessageConverter(),
				new JacksonJsonHttpMessageConverter(MAPPER)));
		return template;
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
		assertNothing(withWebClient((builder) -> {
		}));
		assertNothing(of(RestTemplateAdapter.create(template())));
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
	void registeredAdditionsCountBeforeTheyAddAnything() {
		assertUnsupported(with((builder) -> builder.requestInterceptor(new Own())), "Own");
		assertUnsupported(with((builder) -> builder.requestInitializer((request) -> {
		})), "request initializer");
		assertUnsupported(with((builder) -> builder.defaultRequest((request) -> {
		})), "consumer of default requests");
		assertUnsupported(with((builder) -> builder.baseUrl("http://localhost:8080?tenant=red")), "query");
		assertUnsupported(withWebClient((builder) -> builder.filter((request, next) -> next.exchange(request))),
				"filter");
	}

	@Test
	void aWrapperOfTheRequestFactoryIsNotKnown() {
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
		RestTemplate template = template();
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

	@Test
	void convertersHaveToBeThoseOfTypedPaths() {
		JacksonJsonHttpMessageConverter prefixed = new JacksonJsonHttpMessageConverter(MAPPER);
		prefixed.setPrefixJson(true);
		assertUnsupported(withJson(prefixed), "prefix");
		JacksonJsonHttpMessageConverter narrow = new JacksonJsonHttpMessageConverter(MAPPER);
		narrow.setSupportedMediaTypes(List.of(MediaType.APPLICATION_NDJSON));
		assertUnsupported(withConverters(new ByteArrayHttpMessageConverter(), new StringHttpMessageConverter(), narrow),
				"media types of its own");
		assertUnsupported(withJson(new JacksonJsonHttpMessageConverter()), "another JsonMapper");
		assertUnsupported(withJson(new JacksonJsonHttpMessageConverter(MAPPER) {
		}), "message converter");
		assertUnsupported(withConverters(new JacksonJsonHttpMessageConverter(MAPPER), new StringHttpMessageConverter()),
				"in front of");
		assertUnsupported(withConverters(new StringHttpMessageConverter()), "no message converter");
		assertNothing(withConverters(new ByteArrayHttpMessageConverter(), new StringHttpMessageConverter(),
				new JacksonJsonHttpMessageConverter(MAPPER), new JacksonJsonHttpMessageConverter()));
	}

	private static ClientAdditions withJson(JacksonJsonHttpMessageConverter converter) {
		return with((builder) -> builder
			.configureMessageConverters((converters) -> converters.registerDefaults().withJsonConverter(converter)));
	}

	private static ClientAdditions withConverters(HttpMessageConverter<?>... converters) {
		return of(RestClientAdapter.create(RestClient.builder()
			.baseUrl("http://localhost:8080")
			.requestFactory(asking(ClientHttpRequestFactoryBuilder.jdk()))
			.messageConverters(List.of(converters))
			.build()));
	}

	@Test
	void codecsHaveToBeThoseOfTypedPaths() {
		assertUnsupported(of(WebClientAdapter.create(WebClient.builder()
			.filter(ReactiveRequests.filter(new HttpLegs(), (target) -> Set.of()))
			.baseUrl("http://localhost:8080")
			.build())), "another JsonMapper");
		assertUnsupported(
				withWebClient((builder) -> builder
					.codecs((codecs) -> codecs.defaultCodecs().jacksonJsonEncoder(new JacksonJsonEncoder()))),
				"another JsonMapper");
		assertUnsupported(
				withWebClient((builder) -> builder
					.codecs((codecs) -> codecs.customCodecs().register(new JacksonJsonDecoder(new JsonMapper())))),
				"another JsonMapper");
		assertUnsupported(withWebClient((builder) -> builder.exchangeFunction((request) -> Mono.empty())),
				"exchange function");
	}

	@Test
	void aHandlerThatMakesErrorsOfAnswersIsNotKnown() {
		assertUnsupported(with(
				(builder) -> builder.defaultStatusHandler((status) -> status.value() == 204, (request, response) -> {
				})), "status handler for 204");
		assertNothing(with((builder) -> builder.defaultStatusHandler(HttpStatusCode::isError, (request, response) -> {
		})));
		assertNothing(with((builder) -> builder.defaultStatusHandler(new DefaultResponseErrorHandler())));
		assertUnsupported(with((builder) -> builder.defaultStatusHandler(new DefaultResponseErrorHandler() {
		})), "error handler");
		assertUnsupported(withWebClient((builder) -> builder.defaultStatusHandler(HttpStatusCode::is3xxRedirection,
				(response) -> Mono.empty())), "status handler for 300");
	}

	@Test
	void settingsOfATemplateMayChangeLater() {
		RestTemplate template = template();
		ClientAdditions additions = of(RestTemplateAdapter.create(template));
		assertThat(additions.live()).isNull();
		template.setErrorHandler(new DefaultResponseErrorHandler() {
		});
		assertThat(additions.live()).contains("error handler");
		template.setErrorHandler(new DefaultResponseErrorHandler());
		template.getMessageConverters().add(0, new JacksonJsonHttpMessageConverter());
		assertThat(additions.live()).contains("message converter for JSON in front");
	}

	@Test
	void argumentsHaveToBecomeTheSameTexts() {
		DefaultFormattingConversionService conversions = new DefaultFormattingConversionService();
		HttpExchangeAdapter adapter = RestClientAdapter.create(RestClient.builder()
			.baseUrl("http://localhost:8080")
			.configureMessageConverters((converters) -> converters.registerDefaults()
				.withJsonConverter(new JacksonJsonHttpMessageConverter(MAPPER)))
			.requestFactory(asking(ClientHttpRequestFactoryBuilder.jdk()))
			.build());
		HttpServiceProxyFactory.Builder factory = HttpServiceProxyFactory.builderFor(adapter)
			.conversionService(conversions);
		assertNothing(of((Advised) factory.build().createClient(Shop.class)));
		conversions.addConverter(Integer.class, String.class, (number) -> "no " + number);
		assertUnsupported(of((Advised) factory.build().createClient(Shop.class)), "conversion service");
	}

	@Test
	void anotherObservationIsNotThatOfTypedCalls() {
		ObservationRegistry other = ObservationRegistry.create();
		other.observationConfig().observationHandler((context) -> true);
		assertNothing(with((builder) -> builder.observationRegistry(REGISTRY)
			.observationConvention(new DefaultClientRequestObservationConvention())));
		assertUnsupported(with((builder) -> builder.observationRegistry(other)), "observation registry");
		assertUnsupported(
				with((builder) -> builder
					.observationConvention(new DefaultClientRequestObservationConvention("own.requests"))),
				"observation convention");
	}

	@Test
	void urisHaveToBeExpandedAsUsual() {
		assertUnsupported(with((builder) -> builder.defaultUriVariables(Map.of("tenant", "red"))),
				"default URI variables");
		DefaultUriBuilderFactory uris = new DefaultUriBuilderFactory("http://localhost:8080");
		uris.setEncodingMode(EncodingMode.NONE);
		assertUnsupported(with((builder) -> builder.uriBuilderFactory(uris)), "encoding of its own");
	}

}
