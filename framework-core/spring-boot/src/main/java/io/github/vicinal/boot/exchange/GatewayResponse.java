package io.github.vicinal.boot.exchange;

import java.util.List;

import reactor.core.publisher.Mono;

import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.filter.NettyWriteResponseFilter;
import org.springframework.cloud.gateway.filter.headers.HttpHeadersFilter;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.core.Ordered;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.client.reactive.ClientHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;

/**
 * The response of an exchange that a gateway passes on: its head when it comes, its body
 * once all filters have seen the head. It is an attribute of the gateway's exchange.
 */
final class GatewayResponse {

	private static final String ATTRIBUTE = GatewayResponse.class.getName();

	private static final String ENDED = ATTRIBUTE + ".ended";

	private GatewayResponse() {
	}

	/**
	 * Passes the head on.
	 * @param answer the response
	 * @param filters what changes headers
	 * @param exchange the gateway's exchange
	 */
	static void answered(ClientHttpResponse answer, List<HttpHeadersFilter> filters, ServerWebExchange exchange) {
		exchange.getAttributes().put(ATTRIBUTE, answer);
		if (exchange.getAttribute(ENDED) != null) {
			// The client of the gateway has gone while the response came.
			release(exchange);
			return;
		}
		HttpHeaders headers = new HttpHeaders();
		headers.addAll(answer.getHeaders());
		String type = headers.getFirst(HttpHeaders.CONTENT_TYPE);
		if (type != null && !type.isEmpty()) {
			exchange.getAttributes().put(ServerWebExchangeUtils.ORIGINAL_RESPONSE_CONTENT_TYPE_ATTR, type);
		}
		ServerHttpResponse response = exchange.getResponse();
		response.setStatusCode(answer.getStatusCode());
		HttpHeaders filtered = HttpHeadersFilter.filter(filters, headers, exchange, HttpHeadersFilter.Type.RESPONSE);
		if (filtered.containsHeader(HttpHeaders.CONTENT_LENGTH)) {
			filtered.remove(HttpHeaders.TRANSFER_ENCODING);
		}
		exchange.getAttributes().put(ServerWebExchangeUtils.CLIENT_RESPONSE_HEADER_NAMES, filtered.headerNames());
		if (!response.isCommitted()) {
			response.getHeaders().addAll(filtered);
		}
	}

	/**
	 * Ends a response, whether its body was read or not: a later attempt takes its place,
	 * or a filter has written something else.
	 */
	static void release(ServerWebExchange exchange) {
		if (exchange.getAttributes().remove(ATTRIBUTE) instanceof ClientHttpResponse known) {
			known.getBody().subscribe(DataBufferUtils.releaseConsumer(), (failure) -> {
			}).dispose();
		}
	}

	/** Writes bodies where the gateway's own filter does. */
	static final class Writing implements GlobalFilter, Ordered {

		private final List<MediaType> streamingTypes;

		Writing(List<MediaType> streamingTypes) {
			this.streamingTypes = List.copyOf(streamingTypes);
		}

		@Override
		public int getOrder() {
			return NettyWriteResponseFilter.WRITE_RESPONSE_FILTER_ORDER;
		}

		@Override
		public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
			return chain.filter(exchange).then(Mono.defer(() -> write(exchange))).doFinally((signal) -> {
				exchange.getAttributes().put(ENDED, true);
				release(exchange);
			});
		}

		private Mono<Void> write(ServerWebExchange exchange) {
			ServerHttpResponse response = exchange.getResponse();
			if (response.isCommitted() || !(exchange.getAttribute(ATTRIBUTE) instanceof ClientHttpResponse answer)) {
				return Mono.empty();
			}
			return isStreaming(response.getHeaders()) ? response.writeAndFlushWith(answer.getBody().map(Mono::just))
					: response.writeWith(answer.getBody());
		}

		private boolean isStreaming(HttpHeaders headers) {
			try {
				MediaType type = headers.getContentType();
				return type != null
						&& this.streamingTypes.stream().anyMatch((streaming) -> streaming.isCompatibleWith(type));
			}
			catch (InvalidMediaTypeException ex) {
				return false;
			}
		}

	}

}
