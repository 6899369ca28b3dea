package io.github.vicinal.boot.server;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;

import io.github.vicinal.exchange.HttpExchanges;
import io.github.vicinal.peer.ContractInquiry;
import io.github.vicinal.peer.PeerAnnouncement;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServerRequest;

import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * Announces the paths of this instance to clients that ask for exchanges: the last of the
 * web filters, so that the others have let the request pass. Thread-safe.
 */
final class ReactiveInquiryFilter implements WebFilter, Ordered {

	private final ServiceCatalog catalog;

	private final IntSupplier port;

	/**
	 * Creates the filter.
	 * @param catalog what there is to announce
	 * @param port the TCP port of the server whose exchanges are announced
	 */
	public ReactiveInquiryFilter(ServiceCatalog catalog, IntSupplier port) {
		this.catalog = catalog;
		this.port = port;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		String asked = exchange.getRequest().getHeaders().getFirst(PeerAnnouncement.REQUEST_HEADER);
		if (asked != null && ContractInquiry.parse(asked).contract().equals(HttpExchanges.contract().name())
				&& ServerHttpRequestDecorator
					.<Object>getNativeRequest(exchange.getRequest()) instanceof HttpServerRequest request) {
			Inquiry inquiry = inquiry(asked, request);
			if (inquiry != null) {
				ServerHttpResponse response = exchange.getResponse();
				// Starting a path may take a while and must not block an event loop.
				response.beforeCommit(() -> Mono.<Void>fromRunnable(() -> announce(inquiry, response))
					.subscribeOn(Schedulers.boundedElastic()));
			}
		}
		return chain.filter(exchange);
	}

	/** Forwarded headers have been taken off, so this looks at what arrived. */
	private @Nullable Inquiry inquiry(String asked, HttpServerRequest request) {
		InetSocketAddress local = request.hostAddress();
		InetSocketAddress remote = request.remoteAddress();
		if (local == null || remote == null || local.getPort() != this.port.getAsInt()) {
			return null;
		}
		Set<String> known = ClientHeaders.known(request.requestHeaders().get(PeerAnnouncement.SENT_HEADERS_HEADER));
		Map<String, List<String>> headers = ConnectionFacts.ofLibrary(request.requestHeaders()::getAll, known);
		String refusal = (headers == null) ? "the headers that the HTTP client adds are too large to be kept"
				: ClientHeaders.refusal(request.requestHeaders().names(), known);
		ConnectionFacts facts = (headers != null) ? new ConnectionFacts(request.scheme(), text(remote), text(local),
				local.getHostString(), local.getPort(), ConnectionFacts.own(known), headers, new BodyFraming(),
				ConnectionFacts.spelled(request.requestHeaders().names())) : null;
		return new Inquiry(asked, facts, refusal, new RequestWatch());
	}

	private static String text(InetSocketAddress address) {
		return (address.getAddress() != null) ? address.getAddress().getHostAddress() : address.getHostString();
	}

	/** A handler may reject a client that the filters have let pass. */
	private void announce(Inquiry inquiry, ServerHttpResponse response) {
		if (ReactiveAnnouncementFilter.turnsAway(response)) {
			return;
		}
		String announcement = this.catalog.announcement(inquiry, this, null);
		if (announcement != null && ReactiveAnnouncementFilter.announce(announcement, response.getHeaders())
				&& inquiry.confirms()) {
			response.getHeaders().set(HttpHeaders.CONNECTION, "close");
		}
	}

	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

}
