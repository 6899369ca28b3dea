package io.github.vicinal.boot.client;

import java.net.Authenticator;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Supplier;

import io.github.vicinal.boot.contract.BodyConverters;
import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.client.BufferingClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.util.CollectionUtils;
import org.springframework.util.MultiValueMap;
import org.springframework.util.StringUtils;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.service.invoker.HttpExchangeAdapter;
import org.springframework.web.util.DefaultUriBuilderFactory;
import org.springframework.web.util.DefaultUriBuilderFactory.EncodingMode;

/**
 * Additions of an HTTP client to the requests of calls, and its treatment of their
 * answers, by what is registered with it. Typed paths carry static headers and cookies.
 * They do not carry values that are known only at the time of a request, nor conversions
 * and rules of the client's own. A part that cannot be inspected counts as the latter.
 * Thread-safe.
 */
final class ClientAdditions {

	/** Headers of one connection, and those that say where and how a body is sent. */
	private static final Set<String> NOT_IN_FRAMES = Set.of("connection", "content-encoding", "content-length",
			"content-type", "expect", "host", "http2-settings", "keep-alive", "proxy-authenticate",
			"proxy-authorization", "proxy-connection", "range", "te", "trailer", "transfer-encoding", "upgrade");

	private static final String OURS = "vicinal-";

	private static final String LOAD_BALANCERS = "org.springframework.cloud.client.loadbalancer.";

	private static final String CIRCUIT_BREAKERS = "org.springframework.cloud.client.circuitbreaker.";

	private static final String HTTP_SERVICES = "org.springframework.web.service.invoker.";

	private static final String REST_CLIENT = "org.springframework.web.client.DefaultRestClient";

	private static final String REST_CLIENT_ADAPTER = "org.springframework.web.client.support.RestClientAdapter";

	private static final String REST_TEMPLATE_ADAPTER = "org.springframework.web.client.support.RestTemplateAdapter";

	private static final String WEB_CLIENT = "org.springframework.web.reactive.function.client.DefaultWebClient";

	private static final String WEB_CLIENT_ADAPTER = "org.springframework.web.reactive.function.client.support.WebClientAdapter";

	static final String JETTY_FACTORY = "org.springframework.http.client.JettyClientHttpRequestFactory";

	static final String NETTY_FACTORY = "org.springframework.http.client.ReactorClientHttpRequestFactory";

	static final String APACHE_FACTORY = "org.springframework.http.client.HttpComponentsClientHttpRequestFactory";

	private static final String BOOTS_SIMPLE_FACTORY = "org.springframework.boot.http.client."
			+ "SimpleClientHttpRequestFactoryBuilder$SimpleClientHttpsRequestFactory";

	private static final String JDK_CONNECTOR = "org.springframework.http.client.reactive.JdkClientHttpConnector";

	static final String NETTY_CONNECTOR = "org.springframework.http.client.reactive.ReactorClientHttpConnector";

	private static final String JDK_CLIENTS = "jdk.internal.net.http.";

	private final List<String> unsupported;

	/** Lower-case names; several values are separated by line feeds. */
	private final Map<String, String> headers;

	private final boolean contentType;

	private final List<Supplier<@Nullable String>> live;

	private final List<ProxySelector> proxies;

	private final boolean defaultProxies;

	private final @Nullable CookieJar jar;

	private ClientAdditions(Found found) {
		this.unsupported = List.copyOf(found.unsupported);
		this.headers = Map.copyOf(found.headers);
		this.contentType = found.contentType;
		this.live = List.copyOf(found.live);
		this.proxies = List.copyOf(found.proxies);
		this.defaultProxies = found.defaultProxies;
		this.jar = found.jar;
	}

	/** Collects what is found. */
	static final class Found {

		private final @Nullable Application application;

		private final Set<String> unsupported = new LinkedHashSet<>();

		private final Map<String, String> headers = new LinkedHashMap<>();

		private final List<Supplier<@Nullable String>> live = new ArrayList<>();

		private final List<ProxySelector> proxies = new ArrayList<>();

		private boolean defaultProxies;

		private boolean contentType;

		private boolean balanced;

		private @Nullable CookieJar jar;

		Found(@Nullable Application application) {
			this.application = application;
		}

		/** Returns the application, which only what is above the HTTP library needs. */
		Application application() {
			return Objects.requireNonNull(this.application);
		}

		/** Notes that a load balancer of the application takes part. */
		void balanced() {
			this.balanced = true;
		}

		/** Adds what is different from typed paths, if anything. */
		void different(@Nullable String what) {
			if (what != null) {
				unsupported(what);
			}
		}

		/** Adds what typed paths do not carry. */
		void unsupported(String what) {
			this.unsupported.add(what);
		}

		/** Adds a question that is asked for each call, as its answer may change. */
		void live(Supplier<@Nullable String> check) {
			this.live.add(check);
		}

		/** Adds what chooses proxies; {@code null} for what the JVM has. */
		void proxies(@Nullable ProxySelector selector) {
			if (selector != null) {
				this.proxies.add(selector);
			}
			else {
				this.defaultProxies = true;
			}
		}

		void jar(CookieJar cookieJar) {
			CookieJar other = this.jar;
			if (other != null && !other.equals(cookieJar)) {
				unsupported("several cookie stores");
			}
			this.jar = cookieJar;
		}

	}

	/**
	 * Counterparts of the client's settings in typed calls.
	 *
	 * @param mapper the mapper of bodies
	 * @param observation observes calls
	 */
	record Application(JsonMapper mapper, ClientObservation observation) {
	}

	/**
	 * Inspects the clients of proxies.
	 * @param proxies the proxies of an HTTP interface, or the factories that make them
	 * @param balancers returns what load balancers of the application add to requests
	 * @param application what typed calls have in place of settings of the client
	 * @return what the clients add
	 */
	static ClientAdditions of(Collection<Advised> proxies, Supplier<Collection<String>> balancers,
			Application application) {
		Found all = new Found(application);
		Map<String, String> first = null;
		for (Advised proxy : proxies) {
			all.headers.clear();
			try {
				inspect(proxy, all);
			}
			catch (UnknownLayoutException | RuntimeException ex) {
				all.unsupported("unknown HTTP client: it cannot be inspected (%s)".formatted(ex.getMessage()));
			}
			if (first != null && !first.equals(all.headers)) {
				all.unsupported("default headers that differ from client to client");
			}
			first = Map.copyOf(all.headers);
		}
		return of(all, balancers);
	}

	/** Returns what was found, with what load balancers add if there are any. */
	static ClientAdditions of(Found all, Supplier<Collection<String>> balancers) {
		if (all.balanced) {
			balancers.get().forEach(all::unsupported);
		}
		return new ClientAdditions(all);
	}

	/**
	 * Inspects the HTTP library of a request factory.
	 * @param factory the library's own factory
	 * @param found receives what it adds
	 */
	static ClientAdditions of(ClientHttpRequestFactory factory, Found found) {
		try {
			library(factory, found);
		}
		catch (UnknownLayoutException | RuntimeException ex) {
			found.unsupported("unknown HTTP client: it cannot be inspected (%s)".formatted(ex.getMessage()));
		}
		return new ClientAdditions(found);
	}

	private static void inspect(Advised proxy, Found found) throws UnknownLayoutException {
		for (Advisor advisor : proxy.getAdvisors()) {
			Object advice = advisor.getAdvice();
			if (advice.getClass().getName().startsWith(HTTP_SERVICES)) {
				Map<?, ?> methods = (Map<?, ?>) Fields.required(advice, "httpServiceMethods");
				UnknownLayoutException failure = null;
				for (Object method : methods.values()) {
					try {
						method(Objects.requireNonNull(method), found);
						return;
					}
					catch (UnknownLayoutException ex) {
						failure = ex;
					}
				}
				if (failure != null) {
					throw failure;
				}
			}
		}
		found.unsupported("unknown HTTP client: the proxy is not one of HttpServiceProxyFactory");
	}

	/** The methods of a proxy have all that is looked at in common. */
	private static void method(Object method, Found found) throws UnknownLayoutException {
		HttpExchangeAdapter adapter = Fields.firstOf(
				Fields.required(Fields.required(method, "responseFunction"), "responseFunction"),
				HttpExchangeAdapter.class);
		processor(Fields.required(method, "requestValuesProcessor"), found);
		for (Object resolver : (Collection<?>) Fields.required(method, "argumentResolvers")) {
			String name = resolver.getClass().getName();
			if (!name.startsWith(HTTP_SERVICES)) {
				found.unsupported("argument resolver " + name);
			}
			else {
				found.different(Conversions.difference(resolver));
			}
		}
		adapter(adapter, found);
	}

	private static void processor(Object processor, Found found) throws UnknownLayoutException {
		String name = processor.getClass().getName();
		if (name.startsWith(HTTP_SERVICES)) {
			for (Object each : (Collection<?>) Fields.required(processor, "processors")) {
				processor(each, found);
			}
		}
		else if (!(processor instanceof ChannelMark) && !name.startsWith(CIRCUIT_BREAKERS)) {
			found.unsupported("request values processor " + name);
		}
	}

	private static void adapter(Object adapter, Found found) throws UnknownLayoutException {
		String name = adapter.getClass().getName();
		switch (name) {
			case REST_CLIENT_ADAPTER -> restClient(Fields.required(adapter, "restClient"), found);
			case REST_TEMPLATE_ADAPTER -> restTemplate(Fields.required(adapter, "restTemplate"), found);
			case WEB_CLIENT_ADAPTER -> webClient(Fields.required(adapter, "webClient"), found);
			default -> {
				if (adapter instanceof ChannelExchangeAdapter || name.startsWith(CIRCUIT_BREAKERS)
						|| name.startsWith(HTTP_SERVICES)) {
					Object delegate = Fields.required(adapter, "delegate");
					if (name.startsWith(CIRCUIT_BREAKERS) && !(delegate instanceof ChannelExchangeAdapter)) {
						// Calls that enter at the proxy would pass it by.
						found.unsupported("circuit breaker " + name);
					}
					adapter(delegate, found);
				}
				else {
					found.unsupported("exchange adapter " + name);
				}
			}
		}
	}

	private static void restClient(Object client, Found found) throws UnknownLayoutException {
		if (!client.getClass().getName().equals(REST_CLIENT)) {
			found.unsupported("RestClient of " + client.getClass().getName());
			return;
		}
		Collection<?> interceptors = (Collection<?>) Fields.get(client, "interceptors");
		Collection<?> initializers = (Collection<?>) Fields.get(client, "initializers");
		interceptors(interceptors, found);
		each(initializers, "request initializer ", found);
		if (interceptors != null || initializers != null) {
			// Customizers of the builder may have kept these lists, and add to them.
			Application application = found.application();
			found.live(() -> {
				if (isEmpty(interceptors) && isEmpty(initializers)) {
					return null;
				}
				Found now = new Found(application);
				interceptors(interceptors, now);
				each(initializers, "request initializer ", now);
				return now.unsupported.isEmpty() ? null : String.join(", ", now.unsupported);
			});
		}
		defaults(client, found);
		found.different(BodyConverters.difference(converters(Fields.required(client, "messageConverters")),
				found.application().mapper()));
		requestFactory(Fields.required(client, "clientRequestFactory"), found);
	}

	private static boolean isEmpty(@Nullable Collection<?> some) {
		return some == null || some.isEmpty();
	}

	@SuppressWarnings("unchecked")
	private static List<HttpMessageConverter<?>> converters(Object converters) {
		return (List<HttpMessageConverter<?>>) converters;
	}

	/** Common parts of {@code RestClient} and {@code WebClient}. */
	private static void defaults(Object client, Found found) throws UnknownLayoutException {
		if (Fields.get(client, "defaultRequest") != null) {
			found.unsupported("consumer of default requests");
		}
		// Spring Boot gives groups an inserter in any case, which inserts nothing without
		// a version.
		if (Fields.get(client, "defaultApiVersion") != null) {
			found.unsupported("API version");
		}
		uris(Fields.required(client, "uriBuilderFactory"), found);
		headers((HttpHeaders) Fields.get(client, "defaultHeaders"), found);
		cookies(Fields.get(client, "defaultCookies"), found);
		found.different(StatusRules.difference(Fields.get(client, "defaultStatusHandlers")));
		found.different(found.application()
			.observation()
			.difference(Fields.get(client, "observationRegistry"), Fields.get(client, "observationConvention")));
	}

	private static void interceptors(@Nullable Collection<?> interceptors, Found found) {
		if (interceptors != null) {
			for (Object interceptor : interceptors) {
				if (interceptor.getClass().getName().startsWith(LOAD_BALANCERS)) {
					found.balanced = true;
				}
				else {
					found.unsupported("interceptor " + interceptor.getClass().getName());
				}
			}
		}
	}

	private static void each(@Nullable Collection<?> registered, String what, Found found) {
		if (registered != null) {
			registered.forEach((one) -> found.unsupported(what + one.getClass().getName()));
		}
	}

	private static void uris(Object factory, Found found) throws UnknownLayoutException {
		if (!(factory instanceof DefaultUriBuilderFactory known)
				|| factory.getClass() != DefaultUriBuilderFactory.class) {
			found.unsupported("URI builder factory " + factory.getClass().getName());
			return;
		}
		if (known.getEncodingMode() != EncodingMode.TEMPLATE_AND_VALUES || !known.shouldParsePath()) {
			found.unsupported("URI builder factory with an encoding of its own");
		}
		if (!CollectionUtils.isEmpty(known.getDefaultUriVariables())) {
			found.unsupported("default URI variables");
		}
		Object base = Fields.get(known, "baseUri");
		if (base instanceof org.springframework.web.util.UriComponentsBuilder builder) {
			String query = builder.cloneBuilder().build().getQuery();
			if (StringUtils.hasLength(query)) {
				found.unsupported("base URL with a query");
			}
		}
	}

	private static void headers(@Nullable HttpHeaders defaults, Found found) {
		if (defaults != null) {
			defaults.forEach((name, values) -> header(name.toLowerCase(Locale.ROOT), values, found));
		}
	}

	private static void header(String name, List<String> values, Found found) {
		if (name.equals("content-type") && isJson(values)) {
			found.contentType = true;
		}
		else if (NOT_IN_FRAMES.contains(name) || name.startsWith(OURS) || (name.equals("accept") && !isJson(values))) {
			found.unsupported("default header " + name);
		}
		else {
			found.headers.put(name, String.join("\n", values));
		}
	}

	private static boolean isJson(List<String> values) {
		return values.size() == 1 && MediaType.APPLICATION_JSON_VALUE.equalsIgnoreCase(values.get(0).strip());
	}

	/**
	 * Cookies as {@code RestClient} writes them, instead of a header of the same name.
	 */
	private static void cookies(@Nullable Object cookies, Found found) {
		if (cookies instanceof MultiValueMap<?, ?> defaults && !defaults.isEmpty()) {
			StringJoiner header = new StringJoiner("; ");
			defaults
				.forEach((name, values) -> ((Collection<?>) values).forEach((value) -> header.add(name + "=" + value)));
			found.headers.put("cookie", header.toString());
		}
	}

	private static void restTemplate(Object client, Found found) throws UnknownLayoutException {
		if (client.getClass() != RestTemplate.class) {
			found.unsupported("RestTemplate of " + client.getClass().getName());
			return;
		}
		RestTemplate template = (RestTemplate) client;
		Application application = found.application();
		// All of it can be changed at any time.
		found.live(() -> {
			Found now = new Found(application);
			interceptors(template.getInterceptors(), now);
			each(template.getClientHttpRequestInitializers(), "request initializer ", now);
			now.different(BodyConverters.difference(template.getMessageConverters(), application.mapper()));
			now.different(StatusRules.difference(template.getErrorHandler()));
			now.different(application.observation()
				.difference(template.getObservationRegistry(), template.getObservationConvention()));
			return now.unsupported.isEmpty() ? null : String.join(", ", now.unsupported);
		});
		uris(template.getUriTemplateHandler(), found);
		requestFactory(Fields.required(template, "requestFactory"), found);
	}

	private static void requestFactory(Object factory, Found found) throws UnknownLayoutException {
		if (factory instanceof ChannelRequestFactory ours) {
			library(ours.delegate(), found);
		}
		else if (factory.getClass() == BufferingClientHttpRequestFactory.class) {
			requestFactory(Fields.required(factory, "requestFactory"), found);
		}
		else {
			found.unsupported("request factory " + factory.getClass().getName());
		}
	}

	static void library(ClientHttpRequestFactory factory, Found found) throws UnknownLayoutException {
		if (factory.getClass() == JdkClientHttpRequestFactory.class) {
			jdk((HttpClient) Fields.required(factory, "httpClient"), found);
		}
		else if (factory.getClass().getName().equals(APACHE_FACTORY)) {
			ApacheClients.inspect((org.springframework.http.client.HttpComponentsClientHttpRequestFactory) factory,
					found);
		}
		else if (factory.getClass() == SimpleClientHttpRequestFactory.class
				|| factory.getClass().getName().equals(BOOTS_SIMPLE_FACTORY)) {
			Object proxy = Fields.get(factory, "proxy");
			if (proxy == null) {
				found.proxies(null);
			}
			else if (proxy != Proxy.NO_PROXY) {
				found.unsupported("proxy");
			}
			found.live(() -> (Authenticator.getDefault() != null) ? "authenticator of the JVM" : null);
			found.jar(new CookieJar.OfJvm());
		}
		else if (factory.getClass().getName().equals(NETTY_FACTORY)) {
			NettyClients.addedTo(factory).forEach(found::unsupported);
		}
		else {
			found.unsupported("request factory " + factory.getClass().getName());
		}
	}

	private static void jdk(HttpClient client, Found found) {
		if (!client.getClass().getName().startsWith(JDK_CLIENTS)) {
			found.unsupported("HTTP client " + client.getClass().getName());
			return;
		}
		client.cookieHandler().ifPresent((handler) -> found.jar(new CookieJar.OfJdk(handler)));
		client.authenticator().ifPresent((known) -> found.unsupported("authenticator " + known.getClass().getName()));
		found.proxies(client.proxy().orElse(null));
	}

	private static void webClient(Object client, Found found) throws UnknownLayoutException {
		if (!client.getClass().getName().equals(WEB_CLIENT)) {
			found.unsupported("WebClient of " + client.getClass().getName());
			return;
		}
		defaults(client, found);
		Object builder = Fields.required(client, "builder");
		if (Fields.get(builder, "exchangeFunction") != null) {
			found.unsupported("exchange function");
		}
		else {
			found.different(ReactiveCodecs.difference(
					Fields.required(Fields.required(client, "exchangeFunction"), "strategies"),
					found.application().mapper()));
		}
		if (Fields.get(builder, "filters") instanceof Collection<?> filters) {
			for (Object filter : filters) {
				String name = filter.getClass().getName();
				if (name.startsWith(LOAD_BALANCERS)) {
					found.balanced = true;
				}
				else if (!ReactiveRequests.isOurs(filter)) {
					found.unsupported("filter " + name);
				}
			}
		}
		Object connector = Fields.get(builder, "connector");
		if (connector != null) {
			connector(ReactiveRequests.unwrapped(connector), found);
		}
	}

	/** Returns what a client without additions has. */
	static ClientAdditions none() {
		return new ClientAdditions(new Found(null));
	}

	/** Returns what a client has that is only known by these names. */
	static ClientAdditions of(List<String> unsupported) {
		Found found = new Found(null);
		unsupported.forEach(found::unsupported);
		return new ClientAdditions(found);
	}

	/** Returns what was found. */
	static ClientAdditions ofFound(Found found) {
		return new ClientAdditions(found);
	}

	/** Looks into a connector of reactive clients. */
	static ClientAdditions ofConnector(Object connector, Found found) {
		try {
			connector(connector, found);
		}
		catch (UnknownLayoutException ex) {
			found.unsupported(String.valueOf(ex.getMessage()));
		}
		return new ClientAdditions(found);
	}

	private static void connector(Object connector, Found found) throws UnknownLayoutException {
		if (connector.getClass().getName().equals(JDK_CONNECTOR)) {
			jdk((HttpClient) Fields.required(connector, "httpClient"), found);
		}
		else if (connector.getClass().getName().equals(NETTY_CONNECTOR)) {
			NettyClients.addedTo(connector).forEach(found::unsupported);
		}
		else {
			found.unsupported("connector " + connector.getClass().getName());
		}
	}

	/** Returns what is registered that typed paths do not carry, for people. */
	List<String> unsupported() {
		return this.unsupported;
	}

	/** Returns the headers of all calls, by lower-case names. */
	Map<String, String> headers() {
		return this.headers;
	}

	/** Returns what the client would add to a request now, or {@code null}. */
	@Nullable String live() {
		for (Supplier<@Nullable String> check : this.live) {
			String what = check.get();
			if (what != null) {
				return what;
			}
		}
		return null;
	}

	@Nullable CookieJar jar() {
		return this.jar;
	}

	/** Returns the size of a request with the cookies that the client adds to it. */
	RequestSize withCookies(RequestSize size, URI uri) {
		return (this.jar != null) ? size.with(HttpHeaders.COOKIE, this.jar.chars(uri)) : size;
	}

	/**
	 * Returns why typed paths cannot carry the static headers along with what a method
	 * has itself, or {@code null}.
	 */
	@Nullable String unsupportedWith(MethodPlan plan) {
		for (String name : plan.headerNames()) {
			if (this.headers.containsKey(name)) {
				return "the HTTP client has a default value for its header " + name;
			}
		}
		if (plan.hasAccept() && this.headers.containsKey("accept")) {
			return "the HTTP client has a default value for its header accept";
		}
		if (plan.hasVersion()) {
			return "the HTTP client inserts its API version";
		}
		if (this.contentType && !plan.hasBody()) {
			return "the HTTP client sends a Content-Type without a body";
		}
		return null;
	}

	/** Returns whether requests to a URI go through a proxy. */
	boolean proxied(URI uri) {
		if (this.defaultProxies && isProxied(ProxySelector.getDefault(), uri)) {
			return true;
		}
		for (ProxySelector selector : this.proxies) {
			if (isProxied(selector, uri)) {
				return true;
			}
		}
		return false;
	}

	private static boolean isProxied(@Nullable ProxySelector selector, URI uri) {
		if (selector == null || uri.getHost() == null) {
			return false;
		}
		List<Proxy> proxies;
		try {
			proxies = selector.select(uri);
		}
		catch (IllegalArgumentException ex) {
			return true;
		}
		return proxies != null && proxies.stream().anyMatch((proxy) -> proxy.type() != Proxy.Type.DIRECT);
	}

}
