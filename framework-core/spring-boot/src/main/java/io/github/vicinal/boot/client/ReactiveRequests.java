package io.github.vicinal.boot.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpRequest;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.ClientHttpRequest;
import org.springframework.http.client.reactive.ClientHttpRequestDecorator;
import org.springframework.http.client.reactive.ClientHttpResponse;
import org.springframework.util.MultiValueMap;
import org.springframework.web.reactive.function.BodyInserters;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClientRequestException;

/**
 * Asks peers for their paths, on requests of a {@code WebClient} that belong to a
 * channel; what {@link ChannelRequestFactory} is to blocking clients. Loaded only where
 * Reactor and {@code WebClient} are.
 */
final class ReactiveRequests {

	private ReactiveRequests() {
	}

	/** Marks a filter that adds nothing to requests that servers would notice. */
	private interface Asking extends ExchangeFilterFunction {

	}

	/** Returns whether a filter is the one that asks peers for their paths. */
	static boolean isOurs(Object filter) {
		return filter instanceof Asking;
	}

	/** Reactive counterpart of {@link ChannelRequestFactory}. */
	static ExchangeFilterFunction filter(HttpLegs legs, Function<URI, ? extends Collection<PathKind>> exchanges) {
		return (Asking) (request, next) -> {
			HttpLeg onThread = legs.current();
			return Mono.deferContextual((context) -> {
				HttpLeg leg = context.hasKey(HttpLeg.class) ? context.get(HttpLeg.class) : onThread;
				if (leg == null) {
					return next.exchange(request);
				}
				return leg.owns(request.method(), request.url(), request.attributes())
						? exchange(leg, request, next, exchanges).contextWrite((known) -> known.put(HttpLeg.class, leg))
						: next.exchange(request).contextWrite((known) -> known.delete(HttpLeg.class));
			});
		};
	}

	private static Mono<ClientResponse> exchange(HttpLeg leg, ClientRequest request, ExchangeFunction next,
			Function<URI, ? extends Collection<PathKind>> exchanges) {
		Reply.Failure replayed = leg.replay();
		if (replayed != null) {
			Mono<ClientResponse> redirected = redirected(leg, replayed, request, next);
			return (redirected != null) ? redirected
					: Mono.just(ClientResponse.create(HttpStatusCode.valueOf(replayed.status()))
						.request(new ReplayedRequest(request))
						.headers((headers) -> {
							replayed.headers().forEach(headers::addAll);
							headers.remove(Reply.Failure.CUT_OFF_HEADER);
						})
						.body(body(replayed))
						.build());
		}
		if (leg.inspects()) {
			leg.inspect(true, null, List.of());
		}
		leg.sending(request.url(), request.headers());
		if (leg.exchanges()) {
			leg.leavesToExchanges(exchanges);
		}
		// Only a connector of Spring Boot's says that it follows none.
		leg.hidesRedirects(true);
		ClientRequest.Builder asking = ClientRequest.from(request).url(leg.target(request.url())).headers((headers) -> {
			if (!leg.elsewhere() && !leg.exchanged()) {
				leg.ask(size(headers, request, leg.target(request.url())), names(headers, request), true, headers::set);
			}
		});
		Mono<ClientResponse> responding = leg.watchesRequest() ? watched(leg, request, asking, next)
				: next.exchange(asking.build());
		return responding.doOnNext((response) -> leg.answered(request.url(), response.statusCode().value(),
				response.headers().asHttpHeaders()));
	}

	/**
	 * Does what the connector does with a redirect, if that is more than to return it.
	 */
	private static @Nullable Mono<ClientResponse> redirected(HttpLeg leg, Reply.Failure replayed, ClientRequest request,
			ExchangeFunction next) {
		RedirectRules rules = leg.redirects();
		if (rules == null) {
			return null;
		}
		if (rules.failsWith(replayed)) {
			// As the JDK's client says it, which WebClient's users see as its cause.
			return Mono
				.error(new WebClientRequestException(new UncheckedIOException(new IOException("Invalid redirection")),
						request.method(), request.url(), request.headers()));
		}
		URI asked = leg.target(request.url());
		RedirectRules.Hop hop = rules.after(request.method(), asked, replayed);
		HttpHeaders kept = new HttpHeaders();
		kept.putAll(request.headers());
		if (hop == null || !rules.mayLeave(asked, hop, kept)) {
			return null;
		}
		boolean leaves = !String.valueOf(asked.getRawAuthority()).equalsIgnoreCase(hop.uri().getRawAuthority());
		ClientRequest.Builder following = ClientRequest.from(request)
			.method(hop.method())
			.url(hop.uri())
			.headers((headers) -> {
				headers.clear();
				if (hop.keepsHeaders()) {
					headers.putAll(kept);
				}
			});
		if (leaves || !hop.keepsHeaders()) {
			following.cookies(MultiValueMap::clear);
		}
		if (!hop.keepsBody()) {
			following.body(BodyInserters.empty());
		}
		return next.exchange(following.build()).contextWrite((context) -> context.delete(HttpLeg.class));
	}

	/** Sends a request, and notes of one that gets no answer how far it came. */
	private static Mono<ClientResponse> watched(HttpLeg leg, ClientRequest request, ClientRequest.Builder asking,
			ExchangeFunction next) {
		Progress progress = new Progress();
		ClientRequest watched = asking
			.body((message, context) -> request.body().insert(new WatchedRequest(message, progress), context))
			.build();
		return next.exchange(watched).doOnError((failure) -> {
			if (leg.hidesRedirects() && (progress.sending || progress.bodyless)) {
				leg.failed(progress.sending);
			}
		});
	}

	/** Progress of a request. */
	private static final class Progress {

		/** Whether the body was requested, which happens once there is a connection. */
		private volatile boolean sending;

		/**
		 * Whether the request has no body, so that the time when it is sent is unknown.
		 */
		private volatile boolean bodyless;

	}

	/** A request that reports its progress. */
	private static final class WatchedRequest extends ClientHttpRequestDecorator {

		private final Progress progress;

		WatchedRequest(ClientHttpRequest delegate, Progress progress) {
			super(delegate);
			this.progress = progress;
		}

		@Override
		public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
			return super.writeWith(watched(body));
		}

		@Override
		public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
			return super.writeAndFlushWith(watched(body));
		}

		@Override
		public Mono<Void> setComplete() {
			this.progress.bodyless = true;
			return super.setComplete();
		}

		/** Connectors treat a {@code Mono} differently: they know its length. */
		private <T> Publisher<T> watched(Publisher<T> body) {
			Consumer<Subscription> begun = (subscription) -> this.progress.sending = true;
			return (body instanceof Mono<T> mono) ? mono.doOnSubscribe(begun) : Flux.from(body).doOnSubscribe(begun);
		}

	}

	/** Like a body that comes by a connection: consumed once, and possibly empty. */
	private static Flux<DataBuffer> body(Reply.Failure replayed) {
		byte[] known = replayed.body();
		Flux<DataBuffer> bytes = (known.length > 0) ? Flux.just(DefaultDataBufferFactory.sharedInstance.wrap(known))
				: Flux.empty();
		Flux<DataBuffer> whole = replayed.isCutOff()
				? bytes
					.concatWith(Flux.error(() -> new IOException("The peer ended the response before it was complete")))
				: bytes;
		AtomicBoolean consumed = new AtomicBoolean();
		return Flux.defer(() -> consumed.getAndSet(true)
				? Flux.error(new IllegalStateException("The client response body can only be consumed once")) : whole);
	}

	/** Cookies become a header only when the connector writes the request. */
	private static String names(HttpHeaders headers, ClientRequest request) {
		String names = HttpLeg.names(headers);
		return request.cookies().isEmpty() ? names : names + ",cookie";
	}

	private static RequestSize size(HttpHeaders headers, ClientRequest request, URI target) {
		RequestSize size = RequestSize.of(target, headers);
		for (Map.Entry<String, List<String>> cookie : request.cookies().entrySet()) {
			for (String value : cookie.getValue()) {
				size = size.with(cookie.getKey(), value);
			}
		}
		return size;
	}

	static RuntimeException requestFailure(String httpMethod, URI uri, IOException cause) {
		return new WebClientRequestException(cause, HttpMethod.valueOf(httpMethod), uri, new HttpHeaders());
	}

	/** The request as exceptions name it. */
	private record ReplayedRequest(ClientRequest request) implements HttpRequest {

		@Override
		public HttpMethod getMethod() {
			return this.request.method();
		}

		@Override
		public URI getURI() {
			return this.request.url();
		}

		@Override
		public HttpHeaders getHeaders() {
			return this.request.headers();
		}

		@Override
		public Map<String, Object> getAttributes() {
			return this.request.attributes();
		}

	}

	/**
	 * Reports to calls what only their client's connector knows.
	 * @param delegate the connector
	 * @param readTimeout how long the client waits, or {@code null}
	 * @param follows whether the connector may follow redirects
	 * @param defaultTimeout how long calls wait where the client has no time-out
	 * @param plain makes the requests that belong to no channel, or {@code null}
	 */
	static ClientHttpConnector connector(ClientHttpConnector delegate, @Nullable Duration readTimeout, boolean follows,
			Duration defaultTimeout, @Nullable PlainConnector plain) {
		ClientHttpConnector calls = (readTimeout != null) ? delegate : DefaultTimeouts.of(delegate, defaultTimeout);
		ClientHttpConnector made = plain(delegate, plain);
		return new ReportingConnector(delegate, calls, readTimeout, follows, made,
				(calls != delegate) ? plain(calls, plain) : made);
	}

	private static ClientHttpConnector plain(ClientHttpConnector connector, @Nullable PlainConnector plain) {
		return (plain != null)
				? plain.of(new PlainConnector.Library(connector, LibraryAdditions.ofConnector(connector))) : connector;
	}

	/** Returns the connector that the application has. */
	static Object unwrapped(Object connector) {
		return (connector instanceof ReportingConnector reporting) ? reporting.delegate() : connector;
	}

	/**
	 * A connector that reports to calls its client's time-out, and whether it follows
	 * redirects.
	 *
	 * @param delegate the client's own
	 * @param calls the same client, with a time-out
	 * @param readTimeout how long the client's own waits
	 * @param follows whether it may follow redirects
	 * @param plain makes the requests that belong to no channel
	 * @param plainCalls makes such requests with a time-out
	 */
	private record ReportingConnector(ClientHttpConnector delegate, ClientHttpConnector calls,
			@Nullable Duration readTimeout, boolean follows, ClientHttpConnector plain,
			ClientHttpConnector plainCalls) implements ClientHttpConnector {

		@Override
		public Mono<ClientHttpResponse> connect(HttpMethod method, URI uri,
				Function<? super ClientHttpRequest, Mono<Void>> callback) {
			return Mono.deferContextual((context) -> {
				HttpLeg leg = context.getOrDefault(HttpLeg.class, null);
				if (leg != null) {
					leg.inspect(true, this.readTimeout, List.of());
					leg.hidesRedirects(this.follows);
					leg.redirects(this.follows ? RedirectRules.of(this.delegate) : null);
					leg.exchanges(this.plain != this.delegate);
				}
				if (leg == null) {
					return this.plain.connect(method, uri, callback);
				}
				if (leg.exchanged()) {
					return (leg.mayStream() ? this.plain : this.plainCalls).connect(method, uri, callback);
				}
				return (leg.mayStream() ? this.delegate : this.calls).connect(method, uri, callback);
			});
		}

	}

}
