package io.github.vicinal.boot.exchange;

import java.util.ArrayList;
import java.util.List;

import io.github.vicinal.boot.client.RequestSize;
import io.github.vicinal.peer.PeerAnnouncement;
import org.jspecify.annotations.Nullable;
import reactor.netty.http.client.HttpClientResponse;

import org.springframework.cloud.gateway.filter.headers.HttpHeadersFilter;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.web.server.ServerWebExchange;

/**
 * A request by which a gateway asks a server for its paths. It is an attribute of the
 * exchange while the gateway's own filter sends the request, and ends once.
 */
final class GatewayInquiry {

	/** Headers that are for the next server only. */
	static final List<String> HOP_HEADERS = List.of(HttpHeaders.HOST, PeerAnnouncement.REQUEST_HEADER,
			PeerAnnouncement.SENT_HEADERS_HEADER);

	private static final String ATTRIBUTE = GatewayInquiry.class.getName();

	private final HttpAttempt attempt;

	private boolean ended;

	GatewayInquiry(HttpAttempt attempt) {
		this.attempt = attempt;
	}

	/** Lets the filters of headers take part. */
	void begin(ServerWebExchange exchange) {
		exchange.getAttributes().put(ATTRIBUTE, this);
	}

	/** Ends what an exchange has asked. Without an answer it has failed. */
	static void end(ServerWebExchange exchange) {
		if (exchange.getAttributes().remove(ATTRIBUTE) instanceof GatewayInquiry known && known.first()) {
			known.attempt.failed();
		}
	}

	private synchronized boolean first() {
		boolean first = !this.ended;
		this.ended = true;
		return first;
	}

	private void answered(HttpClientResponse answer, @Nullable String announcement) {
		if (first()) {
			this.attempt.answered(answer.status().code(), announcement, answer.redirectedFrom().length == 0);
		}
	}

	/**
	 * Puts the filters that ask and learn around those of a gateway: what asks must see
	 * all headers that the HTTP client is given.
	 * @param known the filters of the gateway
	 */
	static List<HttpHeadersFilter> around(@Nullable List<HttpHeadersFilter> known) {
		List<HttpHeadersFilter> all = new ArrayList<>();
		all.add(new Learning());
		if (known != null) {
			all.addAll(known);
		}
		all.add(new Asking());
		return List.copyOf(all);
	}

	/** Asks. What a client of the gateway has asked is for the gateway. */
	private static final class Asking implements HttpHeadersFilter {

		@Override
		public HttpHeaders filter(HttpHeaders input, ServerWebExchange exchange) {
			HttpHeaders headers = new HttpHeaders();
			headers.addAll(input);
			HOP_HEADERS.forEach(headers::remove);
			if (exchange.getAttribute(ATTRIBUTE) instanceof GatewayInquiry inquiry) {
				inquiry.attempt.ask(RequestSize.of(exchange.getRequest().getURI(), headers),
						List.copyOf(headers.headerNames()), headers::set);
			}
			return headers;
		}

	}

	/** Learns, and keeps from clients what servers say to the gateway. */
	private static final class Learning implements HttpHeadersFilter {

		@Override
		public boolean supports(Type type) {
			return type == Type.RESPONSE;
		}

		@Override
		public HttpHeaders filter(HttpHeaders input, ServerWebExchange exchange) {
			HttpHeaders headers = new HttpHeaders();
			headers.addAll(input);
			List<String> announced = headers.remove(PeerAnnouncement.HEADER);
			if (exchange.getAttribute(ATTRIBUTE) instanceof GatewayInquiry inquiry && exchange
				.getAttribute(ServerWebExchangeUtils.CLIENT_RESPONSE_ATTR) instanceof HttpClientResponse answer) {
				inquiry.answered(answer, (announced != null && !announced.isEmpty()) ? announced.get(0) : null);
			}
			return headers;
		}

	}

}
