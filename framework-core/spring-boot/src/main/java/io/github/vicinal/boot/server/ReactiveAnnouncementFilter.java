package io.github.vicinal.boot.server;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.github.vicinal.exchange.HttpExchanges;
import io.github.vicinal.peer.ContractInquiry;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * Announces to clients that ask for a contract that a reactive application answers over
 * HTTP only, so that they do not take it for one without Vicinal. Rejected requests get
 * no such answer. Thread-safe.
 */
final class ReactiveAnnouncementFilter implements WebFilter, Ordered {

	private static final String REASON = "it is a WebFlux application, and typed calls need Spring MVC on the server";

	private final Supplier<@Nullable PeerIdentity> self;

	private final boolean exchanges;

	/**
	 * Creates the filter.
	 * @param self names this instance, {@code null} if it has no name
	 * @param exchanges whether exchanges are announced elsewhere
	 */
	public ReactiveAnnouncementFilter(Supplier<@Nullable PeerIdentity> self, boolean exchanges) {
		this.self = self;
		this.exchanges = exchanges;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		String asked = exchange.getRequest().getHeaders().getFirst(PeerAnnouncement.REQUEST_HEADER);
		if (asked != null) {
			ContractInquiry inquiry = ContractInquiry.parse(asked);
			if (!this.exchanges || !inquiry.contract().equals(HttpExchanges.contract().name())) {
				ServerHttpResponse response = exchange.getResponse();
				response.beforeCommit(() -> Mono.fromRunnable(() -> announce(inquiry, response)));
			}
		}
		return chain.filter(exchange);
	}

	/** Returns whether a client is not to learn anything with a response. */
	static boolean turnsAway(ServerHttpResponse response) {
		HttpStatusCode status = response.getStatusCode();
		return status != null
				&& (status.isSameCodeAs(HttpStatus.UNAUTHORIZED) || status.isSameCodeAs(HttpStatus.FORBIDDEN));
	}

	/**
	 * Announces this instance, if there is room for it beside the other headers: HTTP
	 * clients refuse responses whose headers are larger than they allow.
	 * @return whether the response announces it
	 */
	static boolean announce(String announcement, HttpHeaders headers) {
		int chars = AnnouncementRoom.chars(PeerAnnouncement.HEADER, announcement);
		for (Map.Entry<String, List<String>> header : headers.headerSet()) {
			for (String value : header.getValue()) {
				chars += AnnouncementRoom.chars(header.getKey(), value);
			}
		}
		boolean fits = chars <= AnnouncementRoom.MAX_CHARS;
		if (fits) {
			headers.set(PeerAnnouncement.HEADER, announcement);
		}
		return fits;
	}

	private void announce(ContractInquiry inquiry, ServerHttpResponse response) {
		PeerIdentity identity = turnsAway(response) ? null : this.self.get();
		if (identity != null) {
			boolean announced = announce(new PeerAnnouncement(identity, Set.of(), "", REASON).format(),
					response.getHeaders());
			if (announced && inquiry.confirms()) {
				// Its paths were those of the application that was here before.
				response.getHeaders().set(HttpHeaders.CONNECTION, "close");
			}
		}
	}

	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

}
