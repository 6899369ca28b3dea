package io.github.vicinal.boot.exchange;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import io.github.vicinal.boot.client.LibraryAdditions;
import io.github.vicinal.boot.client.PlainConnector;
import io.github.vicinal.boot.exchange.ReactiveLibrary.UnsupportedClientException;
import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.exchange.ExchangeClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServerRequest;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.loadbalancer.Response;
import org.springframework.cloud.gateway.config.HttpClientProperties;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.NettyRoutingFilter;
import org.springframework.cloud.gateway.filter.headers.HttpHeadersFilter;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.support.RouteMetadataUtils;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.cloud.gateway.support.TimeoutException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.reactive.ClientHttpRequest;
import org.springframework.http.client.reactive.ClientHttpResponse;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;

/**
 * Turns requests of a Spring Cloud Gateway on WebFlux into exchanges, in the place of the
 * gateway's own routing filter, so that all other filters run before and after it as they
 * did. Requests to servers without a path, and those that only HTTP carries, are sent as
 * before. Loaded only where the gateway is. Thread-safe.
 */
final class GatewayRoutingFilter extends NettyRoutingFilter {

	private static final Logger logger = LoggerFactory.getLogger(GatewayRoutingFilter.class);

	/** Methods whose requests have no body unless a header says so. */
	private static final Set<HttpMethod> WITHOUT_BODY = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.DELETE);

	private final Supplier<@Nullable Exchanges> exchanges;

	private final HttpClient client;

	private final HttpClientProperties properties;

	private final ExchangeThreads threads = new ExchangeThreads();

	/** Made with the first request. */
	private final SingletonSupplier<Way> way = SingletonSupplier.ofNullable(this::find);

	private final SingletonSupplier<List<HttpHeadersFilter>> filters = SingletonSupplier
		.of(() -> GatewayInquiry.around(super.getHeadersFilters()));

	private GatewayRoutingFilter(Supplier<@Nullable Exchanges> exchanges, HttpClient client,
			ObjectProvider<List<HttpHeadersFilter>> filters, HttpClientProperties properties) {
		super(client, filters, properties);
		this.exchanges = exchanges;
		this.client = client;
		this.properties = properties;
	}

	/**
	 * Returns a filter that takes the place of a gateway's own.
	 * @param filter the gateway's own filter
	 * @param exchanges makes exchanges, if the application has any
	 * @throws UnknownLayoutException if the filter cannot be looked into
	 */
	@SuppressWarnings("unchecked")
	static NettyRoutingFilter of(NettyRoutingFilter filter, Supplier<@Nullable Exchanges> exchanges)
			throws UnknownLayoutException {
		return new GatewayRoutingFilter(exchanges, (HttpClient) Fields.required(filter, "httpClient"),
				(ObjectProvider<List<HttpHeadersFilter>>) Fields.required(filter, "headersFiltersProvider"),
				(HttpClientProperties) Fields.required(filter, "properties"));
	}

	/**
	 * How requests become exchanges.
	 *
	 * @param exchanges makes exchanges
	 * @param library the HTTP library of the gateway
	 * @param connector sends requests over a path, or over the gateway's HTTP client
	 */
	private record Way(Exchanges exchanges, ReactiveLibrary library, ExchangeConnector connector) {

		/** Returns the client of exchanges, if the server may be asked. */
		Optional<ExchangeClient> client(URI uri) {
			return this.exchanges.mayAsk(String.valueOf(uri.getScheme()), uri.getHost(), ExchangeRequests.port(uri))
					? Optional.ofNullable(this.exchanges.client()) : Optional.empty();
		}

	}

	private @Nullable Way find() {
		Exchanges known = this.exchanges.get();
		if (known == null) {
			return null;
		}
		try {
			ReactorClientHttpConnector connector = new ReactorClientHttpConnector(this.client);
			ReactiveLibrary library = NettyConnector.of(connector);
			return new Way(known, library, new ExchangeConnector(known, this.threads,
					new PlainConnector.Library(connector, LibraryAdditions.ofConnector(connector)), library));
		}
		catch (UnsupportedClientException ex) {
			logger.info("Requests of the gateway go over HTTP: its HttpClient has settings of the application that "
					+ "exchanges do not have: {}", ex.getMessage());
		}
		catch (UnknownLayoutException ex) {
			logger.warn("Requests of the gateway go over HTTP: its HttpClient cannot be inspected ({})",
					ex.getMessage());
		}
		return null;
	}

	@Override
	public List<HttpHeadersFilter> getHeadersFilters() {
		return this.filters.obtain();
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
		// Those of an earlier attempt.
		GatewayResponse.release(exchange);
		GatewayInquiry.end(exchange);
		URI uri = exchange.getAttribute(ServerWebExchangeUtils.GATEWAY_REQUEST_URL_ATTR);
		Way found = (uri != null && mayLeaveHttp(exchange, uri)) ? this.way.get() : null;
		if (uri == null || found == null) {
			return overHttp(exchange, chain);
		}
		ServiceInstance chosen = chosen(exchange, uri);
		if (chosen != null) {
			found.exchanges().service(uri.getHost(), ExchangeRequests.port(uri), ServiceAddresses.metadata(chosen));
		}
		if (found.exchanges().isKnown(uri.getHost())) {
			return route(found.client(uri), found, uri, exchange, chain);
		}
		// The name of the host may have to be looked up.
		return Mono.fromSupplier(() -> found.client(uri))
			.subscribeOn(Schedulers.boundedElastic())
			.flatMap((client) -> route(client, found, uri, exchange, chain));
	}

	private Mono<Void> overHttp(ServerWebExchange exchange, GatewayFilterChain chain) {
		return super.filter(exchange, chain);
	}

	/** Returns whether the request may be an exchange at all. */
	private static boolean mayLeaveHttp(ServerWebExchange exchange, URI uri) {
		return !ServerWebExchangeUtils.isAlreadyRouted(exchange) && uri.getHost() != null
				&& Exchanges.isHttp(String.valueOf(uri.getScheme()))
				&& !exchange.<Boolean>getAttributeOrDefault(ServerWebExchangeUtils.PRESERVE_HOST_HEADER_ATTRIBUTE,
						false)
				&& exchange.getRequest()
					.getHeaders()
					.getOrEmpty(HttpHeaders.UPGRADE)
					.stream()
					.noneMatch((value) -> Exchanges.leavesHttp(HttpHeaders.UPGRADE, value));
	}

	/**
	 * Returns the instance that the load balancer has chosen, if the request goes to it.
	 */
	private static @Nullable ServiceInstance chosen(ServerWebExchange exchange, URI uri) {
		return (exchange
			.getAttribute(ServerWebExchangeUtils.GATEWAY_LOADBALANCER_RESPONSE_ATTR) instanceof Response<?> chosen
				&& chosen.getServer() instanceof ServiceInstance instance && uri.getHost().equals(instance.getHost())
				&& uri.getPort() == instance.getPort()) ? instance : null;
	}

	private Mono<Void> route(Optional<ExchangeClient> known, Way found, URI uri, ServerWebExchange exchange,
			GatewayFilterChain chain) {
		ExchangeClient exchangeClient = known.orElse(null);
		if (exchangeClient == null) {
			return overHttp(exchange, chain);
		}
		// A client with a proxy has no way.
		Peer peer = found.exchanges()
			.peer(exchangeClient, uri.getHost() + ":" + ExchangeRequests.port(uri), () -> true);
		if (!peer.hasPath()) {
			new GatewayInquiry(new HttpAttempt(found.exchanges(), exchangeClient, peer,
					exchange.getRequest().getMethod().name(), found.library().name()))
				.begin(exchange);
			return overHttp(exchange, chain).doFinally((signal) -> GatewayInquiry.end(exchange));
		}
		ServerWebExchangeUtils.setAlreadyRouted(exchange);
		ServerHttpRequest request = exchange.getRequest();
		HttpHeaders headers = HttpHeadersFilter.filterRequest(getHeadersFilters(), exchange);
		Mono<ClientHttpResponse> sent = found.connector()
			.connect(request.getMethod(), URI.create(uri.toASCIIString()), (next) -> write(request, headers, next));
		Duration timeout = timeout(exchange);
		if (timeout != null) {
			// By the gateway's own class, for which its filters look.
			sent = sent
				.timeout(timeout,
						Mono.error(() -> new TimeoutException("Response took longer than timeout: " + timeout)))
				.onErrorMap(TimeoutException.class, (failure) -> new ResponseStatusException(HttpStatus.GATEWAY_TIMEOUT,
						failure.getMessage(), failure));
		}
		return sent.doOnNext((response) -> GatewayResponse.answered(response, getHeadersFilters(), exchange))
			.then(chain.filter(exchange));
	}

	private static Mono<Void> write(ServerHttpRequest request, HttpHeaders headers, ClientHttpRequest next) {
		next.getHeaders().putAll(headers);
		if (!isEmpty(request, headers)) {
			return next.writeWith(request.getBody());
		}
		if (NettyFields.saysEmpty(request.getMethod())) {
			// The library says it.
			next.getHeaders().remove(HttpHeaders.CONTENT_LENGTH);
		}
		return next.setComplete();
	}

	/** Returns whether there is no body, and the library would say the same of it. */
	private static boolean isEmpty(ServerHttpRequest request, HttpHeaders headers) {
		if (headers.containsHeader(HttpHeaders.CONTENT_LENGTH)) {
			return headers.getContentLength() == 0;
		}
		return WITHOUT_BODY.contains(request.getMethod()) && saysLength(request)
				&& !request.getHeaders().containsHeader(HttpHeaders.CONTENT_LENGTH)
				&& !request.getHeaders().containsHeader(HttpHeaders.TRANSFER_ENCODING);
	}

	/** Returns whether a body that comes with a request is announced by its headers. */
	private static boolean saysLength(ServerHttpRequest request) {
		return ServerHttpRequestDecorator.getNativeRequest(request) instanceof HttpServerRequest known
				&& known.version().majorVersion() == 1;
	}

	/** Returns how long the gateway waits for the head of a response. */
	private @Nullable Duration timeout(ServerWebExchange exchange) {
		Route route = exchange.getAttribute(ServerWebExchangeUtils.GATEWAY_ROUTE_ATTR);
		Object own = (route != null) ? route.getMetadata().get(RouteMetadataUtils.RESPONSE_TIMEOUT_ATTR) : null;
		if (own != null) {
			try {
				long millis = (own instanceof Number number) ? number.longValue() : Long.parseLong(own.toString());
				return (millis >= 0) ? Duration.ofMillis(millis) : null;
			}
			catch (NumberFormatException ex) {
				// The gateway takes its own then, too.
			}
		}
		return this.properties.getResponseTimeout();
	}

}
