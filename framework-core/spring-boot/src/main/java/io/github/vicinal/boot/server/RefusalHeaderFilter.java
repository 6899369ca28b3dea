package io.github.vicinal.boot.server;

import io.github.vicinal.requestserver.Rejection;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * Reactive counterpart of {@link ChannelResponse}. A reactive application, which refuses
 * nothing itself, cannot claim that a request was not executed by passing on the refusal
 * of another server.
 */
final class RefusalHeaderFilter implements WebFilter, Ordered {

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		exchange.getResponse()
			.beforeCommit(() -> Mono.fromRunnable(() -> exchange.getResponse().getHeaders().remove(Rejection.HEADER)));
		return chain.filter(exchange);
	}

	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

}
