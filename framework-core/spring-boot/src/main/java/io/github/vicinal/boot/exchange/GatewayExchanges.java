package io.github.vicinal.boot.exchange;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.github.vicinal.boot.client.LibraryAdditions;
import io.github.vicinal.boot.client.PlainConnector;
import io.github.vicinal.boot.exchange.ReactiveLibrary.UnsupportedClientException;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.exchange.ExchangeClient;
import io.github.vicinal.peer.PeerAnnouncement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientResponse;
import reactor.netty.http.server.HttpServerRequest;

import org.springframework.cloud.gateway.config.GatewayProperties;
import org.springframework.cloud.gateway.config.HttpClientProperties;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.filter.NettyRoutingFilter;
import org.springframework.cloud.gateway.filter.NettyWriteResponseFilter;
import org.springframework.cloud.gateway.filter.headers.HttpHeadersFilter;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.support.RouteMetadataUtils;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.client.reactive.ClientHttpRequest;
import org.springframework.http.client.reactive.ClientHttpResponse;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;

/**
 * Turns requests of a Spring Cloud Gateway on WebFlux into exchanges. Its own routing
 * filter keeps the requests to servers without a path, and those that only HTTP carries;
 * headers are filtered as it does. Loaded only where the gateway is. Thread-safe.
 */
final class GatewayExchanges {

	private static final Logger logger = LoggerFactory.getLogger(GatewayExchanges.class);

	/** Before the gateway's own filter sends the request. */
	private static final int ROUTING_ORDER = NettyRoutingFilter.ORDER - 1;

	/** Methods whose requests have no body unless a header says so. */
	private static final Set<HttpMethod> WITHOUT_BODY = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.DELETE);

	/** Headers between a client and the next server. */
	private static final List<String> OF_CONNECTION = List.of(HttpHeaders.HOST, PeerAnnouncement.REQUEST_HEADER,
			PeerAnnouncement.SENT_HEADERS_HEADER);

	/** Attribute of a response whose body is yet to be written. */
	private static final String RESPONSE = GatewayExchanges.class.getName() + ".response";

	private final Exchanges exchanges;

	private final Supplier<NettyRoutingFilter> gateway;

	private final Supplier<HttpClient> client;

	private final Supplier<HttpClientProperties> settings;

	private final List<MediaType> streamingTypes;

	private final ExchangeThreads threads = new ExchangeThreads();

	/** Found with the first request, as the gateway's beans may be made late. */
	private final SingletonSupplier<Way> way = SingletonSupplier.ofNullable(this::find);

	/**
	 * Creates the exchanges of a gateway.
	 * @param exchanges makes exchanges
	 * @param gateway the gateway's own routing filter
	 * @param client the gateway's HTTP client
	 * @param settings its settings
	 * @param properties the properties of the gateway
	 */
	public GatewayExchanges(Exchanges exchanges, Supplier<NettyRoutingFilter> gateway, Supplier<HttpClient> client,
			Supplier<HttpClientProperties> settings, GatewayProperties properties) {
		this.exchanges = exchanges;
		this.gateway = gateway;
		this.client = client;
		this.settings = settings;
		this.streamingTypes = List.copyOf(properties.getStreamingMediaTypes());
	}

	/**
	 * Returns the filter that routes requests.
	 * @return the filter
	 */
	public GlobalFilter routing() {
		return new Routing();
	}

	/**
	 * Returns the filter that writes responses of exchanges.
	 * @return the filter
	 */
	public GlobalFilter writing() {
		return new Writing();
	}

	/**
	 * Returns the filter that asks servers for their paths.
	 * @return the filter
	 */
	public HttpHeadersFilter asking() {
		return new Asking();
	}

	/**
	 * Returns the filter that learns from what servers answer.
	 * @return the filter
	 */
	public HttpHeadersFilter learning() {
		return new Learning();
	}

	/**
	 * The way of requests.
	 *
	 * @param filter the gateway's own routing filter
	 * @param library the HTTP library of the gateway
	 * @param connector makes exchanges, or sends over the gateway's HTTP client
	 */
	private record Way(NettyRoutingFilter filter, ReactiveLibrary library, ExchangeConnector connector) {
	}

	private @Nullable Way find() {
		NettyRoutingFilter filter = this.gateway.get();
		if (filter.getClass() != NettyRoutingFilter.class) {
			logger.info("Requests of the gateway go over HTTP: {} sends them, where Vicinal knows {}",
					filter.getClass().getName(), NettyRoutingFilter.class.getName());
			return null;
		}
		ReactorClientHttpConnector connector = new ReactorClientHttpConnector(this.client.get());
		try {
			ReactiveLibrary library = NettyConnector.of(connector);
			return new Way(filter, library, new ExchangeConnector(this.exchanges, this.threads,
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

	/** Sends requests. */
	private final class Routing implements GlobalFilter, Ordered {

		@Override
		public int getOrder() {
			return ROUTING_ORDER;
		}

		@Override
		public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
			release(exchange);
			URI uri = exchange.getAttribute(ServerWebExchangeUtils.GATEWAY_REQUEST_URL_ATTR);
			Way way = (uri != null && mayLeaveHttp(exchange, uri)) ? GatewayExchanges.this.way.get() : null;
			if (uri == null || way == null) {
				return chain.filter(exchange);
			}
			Exchanges exchanges = GatewayExchanges.this.exchanges;
			if (exchange.getAttribute(ServerWebExchangeUtils.GATEWAY_LOADBALANCER_RESPONSE_ATTR) != null) {
				exchanges.service(uri.getHost(), ExchangeRequests.port(uri));
			}
			if (exchanges.isKnown(uri.getHost())) {
				return route(client(uri), way, uri, exchange, chain);
			}
			// The name of the host may have to be looked up.
			return Mono.fromSupplier(() -> client(uri))
				.subscribeOn(Schedulers.boundedElastic())
				.flatMap((client) -> route(client, way, uri, exchange, chain));
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

		/** Returns the client of exchanges, if the server may be asked. */
		private Optional<ExchangeClient> client(URI uri) {
			Exchanges exchanges = GatewayExchanges.this.exchanges;
			return exchanges.mayAsk(String.valueOf(uri.getScheme()), uri.getHost(), ExchangeRequests.port(uri))
					? Optional.ofNullable(exchanges.client()) : Optional.empty();
		}

		private Mono<Void> route(Optional<ExchangeClient> found, Way way, URI uri, ServerWebExchange exchange,
				GatewayFilterChain chain) {
			ExchangeClient client = found.orElse(null);
			if (client == null) {
				return chain.filter(exchange);
			}
			Peer peer = client.channel().peer(uri.getHost() + ":" + ExchangeRequests.port(uri));
			if (!peer.hasPath()) {
				return ask(client, peer, way, exchange, chain);
			}
			ServerWebExchangeUtils.setAlreadyRouted(exchange);
			ServerHttpRequest request = exchange.getRequest();
			HttpHeaders headers = new HttpHeaders();
			headers.addAll(HttpHeadersFilter.filterRequest(way.filter().getHeadersFilters(), exchange));
			OF_CONNECTION.forEach(headers::remove);
			Mono<ClientHttpResponse> sent = way.connector()
				.connect(request.getMethod(), URI.create(uri.toASCIIString()), (next) -> write(request, headers, next));
			Duration timeout = timeout(exchange);
			if (timeout != null) {
				sent = sent.timeout(timeout)
					.onErrorMap(TimeoutException.class,
							(failure) -> new ResponseStatusException(HttpStatus.GATEWAY_TIMEOUT,
									"Response took longer than timeout: " + timeout, failure));
			}
			return sent.doOnNext((response) -> answered(response, way, exchange)).then(chain.filter(exchange));
		}

		/** Lets the gateway send the request, which asks the server for its paths. */
		private Mono<Void> ask(ExchangeClient client, Peer peer, Way way, ServerWebExchange exchange,
				GatewayFilterChain chain) {
			Inquiry inquiry = new Inquiry(new HttpAttempt(GatewayExchanges.this.exchanges, client, peer,
					exchange.getRequest().getMethod().name(), way.library().name()));
			exchange.getAttributes().put(Inquiry.class.getName(), inquiry);
			return chain.filter(exchange).doFinally((signal) -> inquiry.failed());
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

		/**
		 * Returns whether a body that comes with a request is announced by its headers.
		 */
		private static boolean saysLength(ServerHttpRequest request) {
			return ServerHttpRequestDecorator.getNativeRequest(request) instanceof HttpServerRequest known
					&& known.version().majorVersion() == 1;
		}

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
			return GatewayExchanges.this.settings.get().getResponseTimeout();
		}

	}

	/** Keeps the head of a response for filters, and the body for the writing one. */
	private static void answered(ClientHttpResponse answer, Way way, ServerWebExchange exchange) {
		exchange.getAttributes().put(RESPONSE, answer);
		HttpHeaders headers = new HttpHeaders();
		headers.addAll(answer.getHeaders());
		headers.remove(PeerAnnouncement.HEADER);
		String type = headers.getFirst(HttpHeaders.CONTENT_TYPE);
		if (type != null && !type.isEmpty()) {
			exchange.getAttributes().put(ServerWebExchangeUtils.ORIGINAL_RESPONSE_CONTENT_TYPE_ATTR, type);
		}
		ServerHttpResponse response = exchange.getResponse();
		response.setStatusCode(answer.getStatusCode());
		HttpHeaders filtered = HttpHeadersFilter.filter(way.filter().getHeadersFilters(), headers, exchange,
				HttpHeadersFilter.Type.RESPONSE);
		if (filtered.containsHeader(HttpHeaders.CONTENT_LENGTH)) {
			filtered.remove(HttpHeaders.TRANSFER_ENCODING);
		}
		exchange.getAttributes().put(ServerWebExchangeUtils.CLIENT_RESPONSE_HEADER_NAMES, filtered.headerNames());
		if (!response.isCommitted()) {
			response.getHeaders().addAll(filtered);
		}
	}

	/** Ends a response that nobody reads: a later attempt took its place, or failed. */
	private static void release(ServerWebExchange exchange) {
		if (exchange.getAttributes().remove(RESPONSE) instanceof ClientHttpResponse unread) {
			unread.getBody().subscribe().dispose();
		}
	}

	/** Writes the responses of exchanges. */
	private final class Writing implements GlobalFilter, Ordered {

		@Override
		public int getOrder() {
			return NettyWriteResponseFilter.WRITE_RESPONSE_FILTER_ORDER;
		}

		@Override
		public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
			return chain.filter(exchange).then(Mono.defer(() -> write(exchange))).doFinally((signal) -> {
				if (signal != SignalType.ON_COMPLETE) {
					release(exchange);
				}
			});
		}

		private Mono<Void> write(ServerWebExchange exchange) {
			ServerHttpResponse response = exchange.getResponse();
			if (response.isCommitted()) {
				release(exchange);
				return Mono.empty();
			}
			if (!(exchange.getAttributes().remove(RESPONSE) instanceof ClientHttpResponse answer)) {
				return Mono.empty();
			}
			return isStreaming(response.getHeaders()) ? response.writeAndFlushWith(answer.getBody().map(Mono::just))
					: response.writeWith(answer.getBody());
		}

		private boolean isStreaming(HttpHeaders headers) {
			try {
				MediaType type = headers.getContentType();
				return type != null && GatewayExchanges.this.streamingTypes.stream()
					.anyMatch((streaming) -> streaming.isCompatibleWith(type));
			}
			catch (InvalidMediaTypeException ex) {
				return false;
			}
		}

	}

	/** A request by which the gateway asks a server; it ends once. */
	private static final class Inquiry {

		private final HttpAttempt attempt;

		private boolean ended;

		Inquiry(HttpAttempt attempt) {
			this.attempt = attempt;
		}

		static @Nullable Inquiry of(ServerWebExchange exchange) {
			return exchange.getAttribute(Inquiry.class.getName());
		}

		private synchronized boolean end() {
			boolean first = !this.ended;
			this.ended = true;
			return first;
		}

		void answered(int status, @Nullable String announcement, boolean own) {
			if (end()) {
				this.attempt.answered(status, announcement, own);
			}
		}

		void failed() {
			if (end()) {
				this.attempt.failed();
			}
		}

	}

	/** The last filter of request headers sees what the HTTP client is given. */
	private static final class Asking implements HttpHeadersFilter, Ordered {

		@Override
		public int getOrder() {
			return Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		public HttpHeaders filter(HttpHeaders input, ServerWebExchange exchange) {
			Inquiry inquiry = Inquiry.of(exchange);
			if (inquiry == null) {
				return input;
			}
			HttpHeaders headers = new HttpHeaders();
			headers.addAll(input);
			OF_CONNECTION.forEach(headers::remove);
			inquiry.attempt.ask(List.copyOf(headers.headerNames()), headers::set);
			return headers;
		}

	}

	/** Takes out of the response what was meant for the gateway. */
	private static final class Learning implements HttpHeadersFilter, Ordered {

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

		@Override
		public boolean supports(Type type) {
			return type == Type.RESPONSE;
		}

		@Override
		public HttpHeaders filter(HttpHeaders input, ServerWebExchange exchange) {
			Inquiry inquiry = Inquiry.of(exchange);
			if (inquiry == null) {
				return input;
			}
			exchange.getAttributes().remove(Inquiry.class.getName());
			HttpHeaders headers = new HttpHeaders();
			headers.addAll(input);
			List<String> announced = headers.remove(PeerAnnouncement.HEADER);
			if (exchange
				.getAttribute(ServerWebExchangeUtils.CLIENT_RESPONSE_ATTR) instanceof HttpClientResponse answer) {
				inquiry.answered(answer.status().code(),
						(announced != null && !announced.isEmpty()) ? announced.get(0) : null,
						answer.redirectedFrom().length == 0);
			}
			return headers;
		}

	}

}
