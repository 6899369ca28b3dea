package io.github.vicinal.boot.exchange;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.github.vicinal.boot.client.PlainConnector;
import io.github.vicinal.boot.client.RedirectRules;
import io.github.vicinal.boot.client.RequestSize;
import io.github.vicinal.channel.Peer;
import io.github.vicinal.exchange.ExchangeClient;
import io.github.vicinal.exchange.RequestHead;
import io.github.vicinal.exchange.ResponseHead;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpCookie;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseCookie;
import org.springframework.http.client.reactive.AbstractClientHttpResponse;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.ClientHttpRequest;
import org.springframework.http.client.reactive.ClientHttpResponse;
import org.springframework.util.MultiValueMap;

/**
 * Turns requests of {@code WebClient} into exchanges if there is a path, in front of a
 * connector. Never blocks the thread of the client. Thread-safe.
 */
final class ExchangeConnector implements ClientHttpConnector {

	private final Exchanges exchanges;

	private final ExchangeThreads threads;

	/** Additions of Spring's connector. */
	private final PlainConnector.Library library;

	private final ReactiveLibrary connector;

	ExchangeConnector(Exchanges exchanges, ExchangeThreads threads, PlainConnector.Library library,
			ReactiveLibrary connector) {
		this.exchanges = exchanges;
		this.threads = threads;
		this.library = library;
		this.connector = connector;
	}

	@Override
	public Mono<ClientHttpResponse> connect(HttpMethod method, URI uri,
			Function<? super ClientHttpRequest, Mono<Void>> callback) {
		String host = uri.getHost();
		if (host == null || !Exchanges.isHttp(String.valueOf(uri.getScheme()))) {
			return this.library.delegate().connect(method, uri, callback);
		}
		return Mono.defer(() -> this.exchanges.isKnown(host) ? connect(client(uri), method, uri, callback)
				: Mono.fromSupplier(() -> Client.of(client(uri)))
					.subscribeOn(Schedulers.boundedElastic())
					.flatMap((found) -> connect(found.client(), method, uri, callback)));
	}

	/**
	 * Optional client, since a supplier of a {@code Mono} that returns {@code null}
	 * completes it.
	 */
	private record Client(@Nullable ExchangeClient client) {

		static Client of(@Nullable ExchangeClient client) {
			return new Client(client);
		}

	}

	/** Returns the client of exchanges, {@code null} if the server may not be asked. */
	private @Nullable ExchangeClient client(URI uri) {
		return this.exchanges.mayAsk(String.valueOf(uri.getScheme()), uri.getHost(), ExchangeRequests.port(uri))
				? this.exchanges.client() : null;
	}

	private Mono<ClientHttpResponse> connect(@Nullable ExchangeClient client, HttpMethod method, URI uri,
			Function<? super ClientHttpRequest, Mono<Void>> callback) {
		if (client == null) {
			return this.library.delegate().connect(method, uri, callback);
		}
		Peer peer = this.exchanges.peer(client, uri.getHost() + ":" + ExchangeRequests.port(uri),
				() -> this.library.additions().of(uri) == null);
		if (!peer.hasPath() || this.library.additions().of(uri) != null) {
			return overHttp(client, peer, method, uri, callback);
		}
		ReactiveExchangeRequest request = new ReactiveExchangeRequest(method, uri, this.connector);
		return Mono.defer(() -> callback.apply(request))
			.then(Mono.defer(request::measured))
			.then(Mono.defer(() -> send(client, peer, request)))
			.onErrorResume(ReactiveExchangeRequest.NeedsLibraryException.class,
					(needed) -> overHttp(client, peer, method, uri, callback));
	}

	private Mono<ClientHttpResponse> send(ExchangeClient client, Peer peer, ReactiveExchangeRequest request) {
		RequestHead head = request.head();
		if (head == null) {
			return this.library.delegate()
				.connect(request.getMethod(), request.getURI(), (next) -> request.copyTo(next, null));
		}
		if (!this.threads.take()) {
			return overHttp(client, peer, request.getMethod(), request.getURI(), (next) -> request.copyTo(next, null));
		}
		ReactiveExchange exchange = new ReactiveExchange(this.exchanges, this.threads, request, head, this.connector);
		Mono<ResponseHead> sent = exchange.send(client, peer.address());
		Duration timeout = this.connector.timeout();
		if (timeout != null && this.connector.limitsWholeRequests() && request.body() != null) {
			// The publisher may take long, too.
			sent = sent.timeout(timeout);
		}
		return sent.onErrorMap(ExchangeConnector::isTimeout, this.connector::timedOut)
			.onErrorMap(SocketException.class, (failure) -> this.connector.lost(false, failure))
			.flatMap((response) -> redirected(exchange, response, request))
			.switchIfEmpty(Mono.defer(() -> {
				DataBuffer unsent = exchange.unsent();
				return overHttp(client, peer, request.getMethod(), request.getURI(),
						(next) -> request.copyTo(next, unsent));
			}));
	}

	private static boolean isTimeout(Throwable failure) {
		return failure instanceof SocketTimeoutException || failure instanceof TimeoutException;
	}

	private Mono<ClientHttpResponse> overHttp(ExchangeClient client, Peer peer, HttpMethod method, URI uri,
			Function<? super ClientHttpRequest, Mono<Void>> callback) {
		return Mono.defer(() -> {
			HttpAttempt attempt = new HttpAttempt(this.exchanges, client, peer, method.name(), this.connector.name());
			ReactiveLibrary.Asking asking = this.connector.asking();
			return asking.connector().connect(method, uri, (request) -> {
				request.beforeCommit(() -> {
					ask(attempt, request);
					return Mono.empty();
				});
				return callback.apply(request);
			})
				.doOnNext((response) -> attempt.answered(response.getStatusCode().value(),
						response.getHeaders().getFirst(PeerAnnouncement.HEADER), asking.isOwn().test(response)))
				.doOnError((failure) -> attempt.failed())
				.doOnCancel(attempt::failed);
		});
	}

	/** Cookies become a header later, those of the library's store later still. */
	private void ask(HttpAttempt attempt, ClientHttpRequest request) {
		HttpHeaders headers = request.getHeaders();
		if (!headers.containsHeader(PeerAnnouncement.REQUEST_HEADER)) {
			List<String> names = new ArrayList<>(headers.headerNames());
			if (!request.getCookies().isEmpty()) {
				names.add(HttpHeaders.COOKIE);
			}
			RequestSize size = RequestSize.of(request.getURI(), headers);
			for (List<HttpCookie> cookies : request.getCookies().values()) {
				for (HttpCookie cookie : cookies) {
					size = size.with(cookie.getName(), cookie.getValue());
				}
			}
			attempt.ask(this.library.additions().withCookies(size, request.getURI()), names, headers::set);
		}
	}

	/** The response, or what a redirect leads to, as the library would follow it. */
	private Mono<ClientHttpResponse> redirected(ReactiveExchange exchange, ResponseHead head,
			ReactiveExchangeRequest request) {
		HttpHeaders headers = new HttpHeaders();
		head.fields().forEach(headers::add);
		List<String> setCookies = headers.getOrEmpty(HttpHeaders.SET_COOKIE);
		this.library.additions().keepCookies(request.getURI(), setCookies);
		RedirectRules rules = this.connector.redirects();
		String location = headers.getFirst(HttpHeaders.LOCATION);
		if (rules != null && location == null && rules.requiresLocation(head.status())) {
			exchange.close();
			// As the JDK's client says it, which WebClient's users see as its cause.
			return Mono.error(new UncheckedIOException(new IOException("Invalid redirection")));
		}
		RedirectRules.Hop hop = (rules == null || location == null || head.status() < 300 || head.status() >= 400)
				? null : rules.after(request.getMethod(), request.getURI(), new Reply.Failure(head.status(),
						Map.of(HttpHeaders.LOCATION, List.of(location)), new byte[0], ""));
		HttpHeaders kept = new HttpHeaders();
		kept.putAll(request.getHeaders());
		request.cookieHeader().ifPresent((cookies) -> kept.add(HttpHeaders.COOKIE, cookies));
		if (rules == null || hop == null || !rules.mayLeave(request.getURI(), hop, kept)) {
			if (this.connector.measuresBodies() && NettyFields.hasNoBody(request.getMethod(), head.status())) {
				headers.remove(HttpHeaders.TRANSFER_ENCODING);
			}
			String encoding = this.connector.decodes() ? BodyDecoding.encoding(headers) : null;
			if (encoding != null) {
				headers.remove(HttpHeaders.CONTENT_ENCODING);
				if (headers.remove(HttpHeaders.CONTENT_LENGTH) != null) {
					headers.set(HttpHeaders.TRANSFER_ENCODING, "chunked");
				}
			}
			return Mono.just(new Response(head.status(), HttpHeaders.readOnlyHttpHeaders(headers),
					this.connector.cookies(setCookies), exchange.body(head.status(), encoding)));
		}
		exchange.close();
		return this.library.delegate().connect(hop.method(), hop.uri(), (next) -> {
			if (hop.keepsHeaders()) {
				next.getHeaders().putAll(kept);
			}
			if (!hop.keepsBody()) {
				next.getHeaders().remove(HttpHeaders.CONTENT_LENGTH);
				return next.setComplete();
			}
			return request.writeBody(next);
		});
	}

	/** The response of an exchange, whose body comes as it is requested. */
	private static final class Response extends AbstractClientHttpResponse {

		Response(int status, HttpHeaders headers, MultiValueMap<String, ResponseCookie> cookies,
				Flux<DataBuffer> body) {
			super(HttpStatusCode.valueOf(status), headers, cookies, body);
		}

	}

}
