package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import feign.Client;
import feign.Request;
import feign.Response;
import io.github.vicinal.boot.client.FeignRedirects;
import io.github.vicinal.boot.client.LibraryAdditions;
import io.github.vicinal.boot.client.RequestSize;
import io.github.vicinal.boot.client.UrlConnectionClient;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.exchange.ClientExchange;
import io.github.vicinal.exchange.ExchangeClient;
import io.github.vicinal.exchange.RequestHead;
import io.github.vicinal.peer.PeerAnnouncement;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * Makes requests of Feign exchanges where there is a path, in front of the client of
 * {@code HttpURLConnection}. Thread-safe.
 */
final class FeignExchangeClient implements UrlConnectionClient {

	private static final String LIBRARY = Client.Default.class.getName();

	/** Headers that the client adds to requests by itself. */
	private static final List<String> ADDED = List.of("cookie", "authorization");

	private final Exchanges exchanges;

	private final Client delegate;

	private final LibraryAdditions additions = LibraryAdditions.ofUrlConnection();

	FeignExchangeClient(Exchanges exchanges, Client delegate) {
		this.exchanges = exchanges;
		this.delegate = delegate;
	}

	@Override
	public Response execute(Request request, Request.Options options) throws IOException {
		URI uri = uri(request);
		if (uri == null || uri.getHost() == null || has(request, PeerAnnouncement.REQUEST_HEADER) || !this.exchanges
			.mayAskService(String.valueOf(uri.getScheme()), uri.getHost(), ExchangeRequests.port(uri))) {
			return this.delegate.execute(request, options);
		}
		ExchangeClient client = this.exchanges.client();
		if (client == null) {
			return this.delegate.execute(request, options);
		}
		String address = uri.getHost() + ":" + ExchangeRequests.port(uri);
		if (this.additions.of(uri) == null) {
			RequestHead head = FeignMessages.head(request, uri);
			ExchangeClient.Route route = (head != null)
					? client.route(address, Exchanges.isIdempotent(request.httpMethod().name()), LIBRARY) : null;
			ClientExchange exchange = (head != null && route != null) ? this.exchanges.make(route, head,
					FeignMessages.body(request), timeoutNanos(options), Repetition.OF_BODILESS) : null;
			if (exchange != null) {
				return followed(response(exchange, request, uri), request, uri, options);
			}
		}
		Peer peer = this.exchanges.peer(client, address, () -> this.additions.of(uri) == null);
		return followed(overHttp(client, peer, request, uri, options), request, uri, options);
	}

	private static @Nullable URI uri(Request request) {
		try {
			return new URI(request.url());
		}
		catch (URISyntaxException ex) {
			return null;
		}
	}

	private static boolean has(Request request, String name) {
		return request.headers().keySet().stream().anyMatch(name::equalsIgnoreCase);
	}

	private static long timeoutNanos(Request.Options options) {
		long timeout = options.readTimeoutUnit().toNanos(options.readTimeout());
		return (timeout > 0) ? timeout : ClientExchange.NO_TIMEOUT;
	}

	private Response response(ClientExchange exchange, Request request, URI uri) throws IOException {
		Response response = null;
		try {
			response = FeignMessages.response(exchange, request, this.additions);
			this.additions.keepCookies(uri,
					List.copyOf(response.headers().getOrDefault(HttpHeaders.SET_COOKIE, List.of())));
			return response;
		}
		finally {
			if (response == null) {
				exchange.close();
			}
		}
	}

	/** The target of a redirect does not see what asks: it is followed afterwards. */
	private Response overHttp(ExchangeClient client, Peer peer, Request request, URI uri, Request.Options options)
			throws IOException {
		HttpAttempt attempt = new HttpAttempt(this.exchanges, client, peer, request.httpMethod().name(), LIBRARY);
		Map<String, Collection<String>> headers = new LinkedHashMap<>(request.headers());
		List<String> names = new ArrayList<>(headers.keySet());
		names.addAll(ADDED);
		attempt.ask(this.additions.withCookies(RequestSize.of(uri, headers), uri), names,
				(name, value) -> headers.put(name, List.of(value)));
		Response response = null;
		try {
			response = this.delegate.execute(Request.create(request.httpMethod(), request.url(), headers,
					request.body(), request.charset(), request.requestTemplate()), FeignRedirects.without(options));
			Collection<String> announcement = response.headers().get(PeerAnnouncement.HEADER);
			attempt.answered(response.status(),
					(announcement != null && !announcement.isEmpty()) ? announcement.iterator().next() : null, true);
			return response.toBuilder().request(request).build();
		}
		finally {
			if (response == null) {
				attempt.failed();
			}
		}
	}

	private Response followed(Response response, Request request, URI uri, Request.Options options) throws IOException {
		return FeignRedirects.followed(response, request, uri, options, this.delegate);
	}

}
