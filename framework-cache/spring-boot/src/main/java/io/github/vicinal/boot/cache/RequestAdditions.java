package io.github.vicinal.boot.cache;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.github.vicinal.boot.client.NettyClients;
import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.http.client.observation.ClientRequestObservationContext;
import org.springframework.util.ClassUtils;
import org.springframework.web.service.invoker.HttpExchangeAdapter;
import org.springframework.web.util.DefaultUriBuilderFactory;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * Finds additions of an HTTP client to requests that may differ from caller to caller, by
 * what is registered with it. Values that are the same for all requests do not count,
 * such as a default header or cookie. A part that cannot be inspected counts as an
 * addition without a source.
 */
final class RequestAdditions {

	private static final String OURS = "io.github.vicinal.";

	/** Adapters and request factories that wrap those of the client. */
	private static final String OUR_CLIENT = OURS + "boot.client.";

	/** Packages of handlers that add traces at most, whose baggage is looked at. */
	private static final List<String> OBSERVERS = List.of("io.micrometer.", "org.springframework.", OURS);

	private static final String SPRINGS_INVOKER = "org.springframework.web.service.invoker.";

	private static final String LOAD_BALANCERS = "org.springframework.cloud.client.loadbalancer.";

	private static final String CIRCUIT_BREAKERS = "org.springframework.cloud.client.circuitbreaker.";

	private static final String REST_CLIENT_ADAPTER = "org.springframework.web.client.support.RestClientAdapter";

	private static final String REST_CLIENT = "org.springframework.web.client.DefaultRestClient";

	/** They write the version that a request has, and nothing else. */
	private static final Set<String> API_VERSIONS = Set.of("org.springframework.web.client.DefaultApiVersionInserter",
			"org.springframework.boot.http.client.autoconfigure.PropertiesApiVersionInserter");

	private static final String FACTORIES = "org.springframework.http.client.";

	/** HTTP exchanges of the client, which add nothing that differs by caller. */
	private static final String EXCHANGES = "io.github.vicinal.boot.exchange.";

	private static final String APACHES = "org.apache.hc.";

	private static final String APACHE_CLIENT = APACHES + "client5.http.impl.classic.InternalHttpClient";

	private final String channel;

	private final Collection<Class<?>> ofBalancers;

	private final List<RequestAddition> found = new ArrayList<>();

	private final List<Watched> lists = new ArrayList<>();

	/**
	 * Additions that are the same for all requests of a client, but may differ between
	 * clients.
	 */
	private final Map<String, Object> constants = new TreeMap<>();

	/**
	 * Sources of additions to the requests of all clients.
	 *
	 * @param balancers classes that load balancers ask to change requests
	 * @param baggage names of the headers to which traces add baggage
	 */
	record Application(List<Class<?>> balancers, List<String> baggage) {

		/** Nothing. */
		static final Application NOTHING = new Application(List.of(), List.of());

	}

	/**
	 * Additions that were found.
	 *
	 * @param additions additions that may differ from caller to caller
	 * @param constants additions that are the same for all requests of the client
	 * @param lists lists of the client whose elements were looked at. The application may
	 * still add to them
	 */
	record Found(List<RequestAddition> additions, Map<String, Object> constants, List<Watched> lists) {

		/** Result for a client that adds nothing. */
		static final Found NOTHING = new Found(List.of(), Map.of(), List.of());

		/** May hold what only the server should see. */
		@Override
		public String toString() {
			return this.additions.toString();
		}

	}

	/**
	 * A list of the client whose elements were looked at. It does not keep the list:
	 * there may be a client for each request.
	 */
	static final class Watched {

		private final String content;

		private final WeakReference<Collection<?>> list;

		private final List<?> seen;

		/**
		 * Creates it from what is in the list now.
		 * @param content what the list holds, for people
		 */
		Watched(String content, Collection<?> list) {
			this.content = content;
			this.list = new WeakReference<>(list);
			this.seen = List.copyOf(list);
		}

		String content() {
			return this.content;
		}

		List<?> seen() {
			return this.seen;
		}

		/** Returns whether the client is gone, and its list with it. */
		boolean isGone() {
			return this.list.refersTo(null);
		}

		boolean isChanged() {
			Collection<?> current = this.list.get();
			if (current == null) {
				return false;
			}
			try {
				int index = 0;
				for (Object each : current) {
					if (index == this.seen.size() || this.seen.get(index) != each) {
						return true;
					}
					index++;
				}
				return index != this.seen.size();
			}
			catch (ConcurrentModificationException ex) {
				return true;
			}
		}

	}

	private RequestAdditions(String channel, Collection<Class<?>> ofBalancers) {
		this.channel = channel;
		this.ofBalancers = ofBalancers;
	}

	/**
	 * Inspects the client behind a proxy.
	 * @param channel the name of the channel
	 * @param proxy the proxy, or the factory that makes it
	 * @param interceptors what typed calls of the channel pass
	 * @param application what the application has that adds to the requests of all
	 * clients
	 * @return what was found
	 */
	static Found of(String channel, Advised proxy, Collection<?> interceptors, Application application) {
		RequestAdditions additions = new RequestAdditions(channel, application.balancers());
		interceptors.forEach((interceptor) -> additions.add("channel interceptor", interceptor));
		if (!application.baggage().isEmpty()) {
			additions.unknown(
					"baggage of traces %s (management.tracing.baggage.remote-fields)".formatted(application.baggage()));
		}
		try {
			additions.proxy(proxy);
		}
		catch (UnknownLayoutException | RuntimeException ex) {
			additions.unknown("the HTTP client cannot be inspected (%s)".formatted(ex.getMessage()));
		}
		return new Found(List.copyOf(additions.found), Map.copyOf(additions.constants), List.copyOf(additions.lists));
	}

	private void add(String kind, Object source) {
		this.found.add(new RequestAddition(this.channel, kind + " " + source.getClass().getName(), source.getClass()));
	}

	private void unknown(String what) {
		this.found.add(new RequestAddition(this.channel, what, null));
	}

	private void proxy(Advised proxy) throws UnknownLayoutException {
		for (Advisor advisor : proxy.getAdvisors()) {
			Advice advice = advisor.getAdvice();
			String name = advice.getClass().getName();
			if (name.startsWith(SPRINGS_INVOKER)) {
				methods((Map<?, ?>) Fields.required(advice, "httpServiceMethods"));
				return;
			}
			if (!name.startsWith(OURS)) {
				add("advice", advice);
			}
		}
		unknown("the proxy is not one of HttpServiceProxyFactory");
	}

	private void methods(Map<?, ?> methods) throws UnknownLayoutException {
		for (Object method : methods.values()) {
			// They have all that is looked at in common.
			processor(Fields.required(method, "requestValuesProcessor"));
			for (Object resolver : (Collection<?>) Fields.required(method, "argumentResolvers")) {
				if (!resolver.getClass().getName().startsWith(SPRINGS_INVOKER)) {
					add("argument resolver", resolver);
				}
			}
			adapter(Fields.firstOf(Fields.required(Fields.required(method, "responseFunction"), "responseFunction"),
					HttpExchangeAdapter.class));
			return;
		}
	}

	private void processor(Object processor) throws UnknownLayoutException {
		String name = processor.getClass().getName();
		if (name.startsWith(SPRINGS_INVOKER)) {
			for (Object each : (Collection<?>) Fields.required(processor, "processors")) {
				processor(each);
			}
		}
		else if (!name.startsWith(OURS) && !name.startsWith(CIRCUIT_BREAKERS)) {
			add("request values processor", processor);
		}
	}

	private void adapter(Object adapter) throws UnknownLayoutException {
		String name = adapter.getClass().getName();
		if (name.equals(REST_CLIENT_ADAPTER)) {
			restClient(Fields.required(adapter, "restClient"));
		}
		else if (name.startsWith(OUR_CLIENT) || name.startsWith(CIRCUIT_BREAKERS)) {
			adapter(Fields.required(adapter, "delegate"));
		}
		else {
			unknown("exchange adapter " + name);
		}
	}

	private void restClient(Object client) throws UnknownLayoutException {
		if (!client.getClass().getName().equals(REST_CLIENT)) {
			unknown("RestClient of " + client.getClass().getName());
			return;
		}
		for (Object interceptor : watched("request interceptors", Fields.get(client, "interceptors"))) {
			if (interceptor.getClass().getName().startsWith(LOAD_BALANCERS)) {
				this.ofBalancers.forEach((type) -> this.found.add(new RequestAddition(this.channel,
						"request transformer of the load balancer " + type.getName(), type)));
			}
			else {
				add("request interceptor", interceptor);
			}
		}
		for (Object initializer : watched("request initializers", Fields.get(client, "initializers"))) {
			add("request initializer", initializer);
		}
		Object defaults = Fields.get(client, "defaultRequest");
		if (defaults != null) {
			add("consumer of default requests", defaults);
		}
		Object versions = Fields.get(client, "apiVersionInserter");
		if (versions != null && !API_VERSIONS.contains(versions.getClass().getName())) {
			add("API version inserter", versions);
		}
		for (String name : List.of("defaultHeaders", "defaultCookies", "defaultApiVersion")) {
			Object value = Fields.get(client, name);
			if (value != null) {
				this.constants.put(name, value);
			}
		}
		Object uris = Fields.required(client, "uriBuilderFactory");
		if (uris.getClass() != DefaultUriBuilderFactory.class) {
			add("URI builder factory", uris);
		}
		else {
			this.constants.put("defaultUriVariables", ((DefaultUriBuilderFactory) uris).getDefaultUriVariables());
			Object base = Fields.get(uris, "baseUri");
			if (base instanceof UriComponentsBuilder builder) {
				this.constants.put("baseUri", builder.cloneBuilder().build().toUriString());
			}
		}
		observation(Fields.get(client, "observationRegistry"));
		requestFactory(Fields.required(client, "clientRequestFactory"));
	}

	/** Builders hand their lists to their customizers, which may keep them. */
	private List<?> watched(String content, @Nullable Object registered) {
		if (!(registered instanceof Collection<?> some)) {
			return List.of();
		}
		Watched list = new Watched(content, some);
		this.lists.add(list);
		return list.seen();
	}

	/** Handlers of observations see each request before it is sent, with its headers. */
	private void observation(@Nullable Object registry) throws UnknownLayoutException {
		if (!(registry instanceof ObservationRegistry observations) || observations.isNoop()) {
			return;
		}
		for (Object handler : (Collection<?>) Fields.required(observations.observationConfig(),
				"observationHandlers")) {
			handler(handler);
		}
	}

	private void handler(Object handler) {
		String name = handler.getClass().getName();
		if (handler instanceof ObservationHandler.CompositeObservationHandler composite) {
			composite.getHandlers().forEach(this::handler);
		}
		else if (OBSERVERS.stream().noneMatch(name::startsWith) && isForRequests((ObservationHandler<?>) handler)) {
			unknown("observation handler %s, which may add headers".formatted(name));
		}
	}

	private static boolean isForRequests(ObservationHandler<?> handler) {
		try {
			return handler.supportsContext(new ClientRequestObservationContext(new SimpleClientHttpRequestFactory()
				.createRequest(URI.create("http://localhost"), HttpMethod.GET)));
		}
		catch (IOException | RuntimeException ex) {
			return true;
		}
	}

	private void requestFactory(Object factory) throws UnknownLayoutException {
		Class<?> type = factory.getClass();
		String name = type.getName();
		if (name.startsWith(OUR_CLIENT)) {
			requestFactory(Fields.required(factory, "delegate"));
			return;
		}
		if (!name.startsWith(FACTORIES)) {
			add("request factory", factory);
			return;
		}
		switch (type.getSimpleName()) {
			case "SimpleClientHttpRequestFactory" -> ofJvm();
			case "BufferingClientHttpRequestFactory" -> requestFactory(Fields.required(factory, "requestFactory"));
			case "JdkClientHttpRequestFactory" -> jdk((HttpClient) Fields.required(factory, "httpClient"));
			case "HttpComponentsClientHttpRequestFactory" -> {
				Object contexts = Fields.get(factory, "httpContextFactory");
				if (contexts != null) {
					add("HTTP context factory", contexts);
				}
				apache(Fields.required(factory, "httpClient"));
			}
			case "ReactorClientHttpRequestFactory" -> netty(factory);
			default -> unknown("HTTP library of " + ClassUtils.getQualifiedName(type));
		}
	}

	/** Process-wide handlers that the JVM's libraries ask. */
	private void ofJvm() {
		Authenticator authenticator = Authenticator.getDefault();
		if (authenticator != null) {
			add("authenticator of the JVM", authenticator);
		}
		CookieHandler cookies = CookieHandler.getDefault();
		if (cookies != null && cookies.getClass() != CookieManager.class) {
			add("cookie handler of the JVM", cookies);
		}
	}

	private void jdk(HttpClient client) {
		if (!client.getClass().getName().startsWith("jdk.internal.net.http.")) {
			add("HTTP client", client);
			return;
		}
		client.authenticator().ifPresent((authenticator) -> add("authenticator", authenticator));
		client.cookieHandler()
			.filter((handler) -> handler.getClass() != CookieManager.class)
			.ifPresent((handler) -> add("cookie handler", handler));
	}

	private void netty(Object factory) throws UnknownLayoutException {
		NettyClients.addedTo(factory).forEach(this::unknown);
	}

	private void apache(Object client) throws UnknownLayoutException {
		if (client.getClass().getName().startsWith(OURS)) {
			apache(Fields.required(client, "delegate"));
			return;
		}
		if (!client.getClass().getName().equals(APACHE_CLIENT)) {
			add("HTTP client", client);
			return;
		}
		foreign("cookie store", Fields.get(client, "cookieStore"));
		foreign("credentials provider", Fields.get(client, "credentialsProvider"));
		ofJvm();
		foreign("request executor", Fields.get(client, "requestExecutor"));
		foreign("route planner", Fields.get(client, "routePlanner"));
		Object element = Fields.required(client, "execChain");
		while (element != null) {
			Object handler = Fields.required(element, "handler");
			if (!handler.getClass().getName().startsWith(EXCHANGES)) {
				foreign("execution interceptor", handler);
			}
			if (handler.getClass().getName().startsWith(APACHES) && Fields.has(handler, "httpProcessor")) {
				Object processor = Fields.required(handler, "httpProcessor");
				foreign("HTTP processor", processor);
				for (Object interceptor : (Object[]) Fields.required(processor, "requestInterceptors")) {
					foreign("interceptor of the HTTP client", interceptor);
				}
			}
			element = Fields.get(element, "next");
		}
	}

	private void foreign(String kind, @Nullable Object part) {
		if (part != null && !part.getClass().getName().startsWith(APACHES)) {
			add(kind, part);
		}
	}

}
