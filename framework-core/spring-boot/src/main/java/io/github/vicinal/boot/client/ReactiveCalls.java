package io.github.vicinal.boot.client;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.micrometer.context.ContextSnapshot;
import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpRequest;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.ClientHttpRequest;
import org.springframework.http.client.reactive.ClientHttpResponse;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import io.github.vicinal.boot.client.HttpLegs.Original;
import io.github.vicinal.boot.contract.ResultShape.Timing;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.replica.Outcome;

/** Calls of reactive clients; loaded only where Reactor and {@code WebClient} are. */
final class ReactiveCalls {

	private ReactiveCalls() {
	}

	static Object publisher(AsyncCalls async, ClientChannel channel, MethodPlan plan, @Nullable Object[] arguments,
			Original original) {
		CallAnswer answer = channel.legs().answer(plan);
		Flux<Object> elements = Flux.deferContextual((context) -> {
			Observation parent = context.getOrDefault(ObservationThreadLocalAccessor.KEY, null);
			ReplicaTurn turn = channel.turn(plan, arguments);
			CallerContext caller = CallerContext.of(context, parent).with(answer);
			Flux<Object> made = channel.legs()
				.during(answer, () -> make(async, channel, plan, arguments, turn, original, caller));
			return (turn == null) ? made
					: made.doOnComplete(() -> turn.end((Throwable) null))
						.doOnError(turn::end)
						.doOnCancel(() -> turn.end(Outcome.ABANDONED));
		});
		return (plan.shape().timing() == Timing.FLUX) ? elements : elements.singleOrEmpty();
	}

	private static Flux<Object> make(AsyncCalls async, ClientChannel channel, MethodPlan plan,
			@Nullable Object[] arguments, @Nullable ReplicaTurn turn, Original original, CallerContext caller) {
		String address = channel.target(plan, turn, arguments);
		String noRoom = async.noRoom();
		CallPath path = channel.path(plan, address, turn, arguments, noRoom);
		if (path == null) {
			return overHttp(channel, plan, address, turn, arguments, noRoom, original);
		}
		return Mono.fromFuture(() -> async.attempt(channel, plan, address, path, arguments, caller))
			.flatMapMany((attempt) -> conclude(channel, plan, address, turn, arguments, attempt, original, caller));
	}

	@SuppressWarnings("try")
	private static Publisher<Object> conclude(ClientChannel channel, MethodPlan plan, @Nullable String address,
			@Nullable ReplicaTurn turn, @Nullable Object[] arguments, Attempt attempt, Original original,
			CallerContext caller) {
		if (turn != null) {
			turn.attempted(attempt);
		}
		if (attempt instanceof Attempt.Answered answered) {
			Object result = answered.result();
			if (plan.shape().timing() == Timing.FLUX) {
				return (result instanceof List<?> list) ? Flux.fromIterable(list) : Flux.empty();
			}
			return Mono.justOrEmpty(result);
		}
		if (attempt instanceof Attempt.HandlerFailed failed) {
			// WebClient observes the response, not what is raised because of it.
			failed.observed().answered(failed.failure().status(), failed.failure().headers(), null);
			HttpLeg leg = channel.leg(plan, arguments, failed).to(turn);
			Flux<Object> replayed = original(channel, leg, original);
			// It does so when it is subscribed to, and is told not to on its leg.
			return (subscriber) -> channel.legs().runSubscription(leg, () -> replayed.subscribe(subscriber));
		}
		if (attempt instanceof Attempt.Unanswered unanswered) {
			Throwable failure = channel.failure(plan, address, arguments, unanswered.cause());
			unanswered.observed().failed(unanswered.cause(), failure);
			return Mono.error(failure);
		}
		String reason = ((Attempt.GoOn) attempt).reason();
		try (ContextSnapshot.Scope assembles = caller.open()) {
			Flux<Object> http = channel.legs()
				.during(caller.answer(), () -> overHttp(channel, plan, address, turn, arguments, reason, original));
			return (subscriber) -> {
				try (ContextSnapshot.Scope subscribes = caller.open()) {
					http.subscribe(subscriber);
				}
			};
		}
	}

	private static Flux<Object> overHttp(ClientChannel channel, MethodPlan plan, @Nullable String address,
			@Nullable ReplicaTurn turn, @Nullable Object[] arguments, @Nullable String reason, Original original) {
		HttpLeg leg = channel.leg(plan, address, arguments, reason).to(turn);
		return original(channel, leg, original).doFinally((signal) -> channel.wentOverHttp(plan, leg));
	}

	@SuppressWarnings("unchecked")
	private static Flux<Object> original(ClientChannel channel, HttpLeg leg, Original original) {
		try {
			Object publisher = channel.legs().run(leg, original);
			if (publisher == null) {
				return Flux.error(new IllegalStateException("The HTTP client returned no publisher"));
			}
			return Flux.from((Publisher<Object>) publisher).contextWrite((context) -> context.put(HttpLeg.class, leg));
		}
		catch (Throwable ex) {
			return Flux.error(ex);
		}
	}

	/** Marks a filter that adds nothing to requests that servers would notice. */
	private interface Asking extends ExchangeFilterFunction {

	}

	/** Returns whether a filter is the one that asks peers for their paths. */
	static boolean isOurs(Object filter) {
		return filter instanceof Asking;
	}

	/** What {@link ChannelRequestFactory} is to blocking clients. */
	static ExchangeFilterFunction filter(HttpLegs legs) {
		return (Asking) (request, next) -> {
			HttpLeg onThread = legs.current();
			return Mono.deferContextual((context) -> {
				HttpLeg leg = context.hasKey(HttpLeg.class) ? context.get(HttpLeg.class) : onThread;
				if (leg == null) {
					return next.exchange(request);
				}
				return leg.owns(request.method(), request.url(), request.attributes())
						? exchange(leg, request, next).contextWrite((known) -> known.put(HttpLeg.class, leg))
						: next.exchange(request).contextWrite((known) -> known.delete(HttpLeg.class));
			});
		};
	}

	private static Mono<ClientResponse> exchange(HttpLeg leg, ClientRequest request, ExchangeFunction next) {
		Reply.Failure replayed = leg.replay();
		if (replayed != null) {
			return Mono.just(ClientResponse.create(HttpStatusCode.valueOf(replayed.status()))
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
		ClientRequest asking = ClientRequest.from(request).url(leg.target(request.url())).headers((headers) -> {
			if (!leg.elsewhere()) {
				headers.set(PeerAnnouncement.SENT_HEADERS_HEADER, names(headers, request));
				headers.set(PeerAnnouncement.REQUEST_HEADER, leg.inquiry());
			}
		}).build();
		return next.exchange(asking)
			.doOnNext((response) -> leg.answered(request.url(), response.statusCode().value(),
					response.headers().asHttpHeaders()));
	}

	private static Flux<org.springframework.core.io.buffer.DataBuffer> body(Reply.Failure replayed) {
		Flux<org.springframework.core.io.buffer.DataBuffer> bytes = Flux
			.just(org.springframework.core.io.buffer.DefaultDataBufferFactory.sharedInstance.wrap(replayed.body()));
		return replayed.isCutOff()
				? bytes.concatWith(Flux.error(() -> new java.io.IOException("The peer cut the response off"))) : bytes;
	}

	/** Cookies become a header only when the connector writes the request. */
	private static String names(HttpHeaders headers, ClientRequest request) {
		String names = HttpLeg.names(headers);
		return request.cookies().isEmpty() ? names : names + ",cookie";
	}

	static RuntimeException requestFailure(String httpMethod, URI uri, java.io.IOException cause) {
		return new org.springframework.web.reactive.function.client.WebClientRequestException(cause,
				HttpMethod.valueOf(httpMethod), uri, new HttpHeaders());
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

	/** Tells calls how long their client waits, which only its connector knows. */
	static ClientHttpConnector connector(ClientHttpConnector delegate, @Nullable Duration readTimeout,
			Duration defaultTimeout) {
		return new TellingConnector(delegate,
				(readTimeout != null) ? delegate : DefaultTimeouts.of(delegate, defaultTimeout), readTimeout);
	}

	/** Returns the connector that the application has. */
	static Object unwrapped(Object connector) {
		return (connector instanceof TellingConnector telling) ? telling.delegate() : connector;
	}

	/**
	 * A connector that tells calls how long their client waits.
	 *
	 * @param delegate the client's own
	 * @param calls the same client, with a time-out
	 * @param readTimeout how long the client's own waits
	 */
	private record TellingConnector(ClientHttpConnector delegate, ClientHttpConnector calls,
			@Nullable Duration readTimeout) implements ClientHttpConnector {

		@Override
		public Mono<ClientHttpResponse> connect(HttpMethod method, URI uri,
				Function<? super ClientHttpRequest, Mono<Void>> callback) {
			return Mono.deferContextual((context) -> {
				HttpLeg leg = context.getOrDefault(HttpLeg.class, null);
				if (leg != null) {
					leg.inspect(true, this.readTimeout, List.of());
				}
				return ((leg != null && !leg.mayStream()) ? this.calls : this.delegate).connect(method, uri, callback);
			});
		}

	}

}
