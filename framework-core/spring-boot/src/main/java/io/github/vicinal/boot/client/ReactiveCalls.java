package io.github.vicinal.boot.client;

import java.util.List;

import io.github.vicinal.boot.contract.ResultShape.Timing;
import io.github.vicinal.replica.Outcome;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Makes calls whose caller takes a publisher. Loaded only where Reactor and
 * {@code WebClient} are.
 */
final class ReactiveCalls {

	private final ClientCall call;

	private final AsyncCalls async;

	private final CallerContext caller;

	private ReactiveCalls(ClientCall call, AsyncCalls async, CallerContext caller) {
		this.call = call;
		this.async = async;
		this.caller = caller;
	}

	/**
	 * Makes a call.
	 * @param asked the call; each subscription makes it anew
	 * @return a publisher
	 */
	static Object make(ClientCall asked, AsyncCalls async) {
		Flux<Object> elements = Flux.deferContextual((context) -> {
			Observation parent = context.getOrDefault(ObservationThreadLocalAccessor.KEY, null);
			return new ReactiveCalls(asked.again(), async, CallerContext.of(context, parent)).make();
		});
		return (asked.timing() == Timing.FLUX) ? elements : elements.singleOrEmpty();
	}

	private Flux<Object> make() {
		Publisher<Object> first;
		try {
			first = attempt(false);
		}
		catch (Throwable ex) {
			this.call.goesOn(ex);
			throw ex;
		}
		if (this.call.replicaAttempt() == null) {
			return Flux.from(first);
		}
		if (!this.call.failsOver()) {
			return abandoned(first).doOnComplete(() -> this.call.goesOn(null)).doOnError(this.call::goesOn);
		}
		boolean[] again = new boolean[1];
		return Flux.defer(() -> {
			boolean isFirst = !again[0];
			again[0] = true;
			return abandoned(isFirst ? first : attempt(true));
		})
			.filter((element) -> this.call.delivers())
			.repeat(() -> this.call.goesOn(null))
			.retryWhen(Retry.indefinitely().filter(this.call::goesOn));
	}

	/**
	 * Ends the attempt at a replica if the subscriber cancels it. That may happen while
	 * the call is on its way to the next one.
	 */
	private Flux<Object> abandoned(Publisher<Object> attempt) {
		ReplicaAttempt replicaAttempt = this.call.replicaAttempt();
		Flux<Object> made = Flux.from(attempt);
		return (replicaAttempt != null) ? made.doOnCancel(() -> replicaAttempt.end(Outcome.ABANDONED)) : made;
	}

	/**
	 * Returns an attempt, at one replica.
	 * @param another whether there was one before, so that this one begins on a thread
	 * that is not the caller's
	 */
	@SuppressWarnings("try")
	private Publisher<Object> attempt(boolean another) {
		if (another) {
			try (ContextSnapshot.Scope scope = this.caller.open()) {
				return route() ? typed() : forCaller(this.call.overHttp());
			}
		}
		return route() ? typed() : overHttp(this.call.overHttp());
	}

	private boolean route() {
		return this.call.route(this.async.noRoom(), this.caller.parent());
	}

	private Publisher<Object> typed() {
		return Mono.fromFuture(() -> this.async.attempt(this.call, this.caller)).flatMapMany(this::conclude);
	}

	private Publisher<Object> conclude(Attempt attempt) {
		if (!(attempt instanceof Attempt.Answered answered)) {
			return forCaller(this.call.next(attempt));
		}
		Object result = answered.result();
		if (this.call.timing() == Timing.FLUX) {
			return (result instanceof List<?> list) ? Flux.fromIterable(list) : Flux.empty();
		}
		return Mono.justOrEmpty(result);
	}

	/**
	 * The HTTP client assembles its request, and sends it, with what the caller carries.
	 */
	@SuppressWarnings("try")
	private Publisher<Object> forCaller(HttpLeg leg) {
		try (ContextSnapshot.Scope assembles = this.caller.open()) {
			Flux<Object> http = overHttp(leg);
			return (subscriber) -> {
				try (ContextSnapshot.Scope subscribes = this.caller.open()) {
					this.call.subscribe(leg, () -> http.subscribe(subscriber));
				}
			};
		}
	}

	@SuppressWarnings("unchecked")
	private Flux<Object> overHttp(HttpLeg leg) {
		Flux<Object> made;
		try {
			Object publisher = this.call.run(leg);
			made = (publisher == null) ? Flux.error(new IllegalStateException("The HTTP client returned no publisher"))
					: Flux.from((Publisher<Object>) publisher)
						.contextWrite((context) -> context.put(HttpLeg.class, leg));
		}
		catch (Throwable ex) {
			made = Flux.error(ex);
		}
		return made.doFinally((signal) -> leg.end(null));
	}

}
