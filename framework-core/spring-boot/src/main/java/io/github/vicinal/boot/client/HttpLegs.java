package io.github.vicinal.boot.client;

import java.lang.reflect.Method;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.observation.ClientRequestObservationContext;
import org.springframework.web.service.invoker.HttpRequestValues;

/**
 * The HTTP leg that the current thread is on: what connects a client's proxy with the
 * request factory at the end of its HTTP client.
 */
final class HttpLegs {

	private final ThreadLocal<HttpLeg> current = new ThreadLocal<>();

	private final ReplicaSelection.Holder selections = new ReplicaSelection.Holder();

	private final RouteRules rules;

	/** Creates legs with the strictest rules. */
	HttpLegs() {
		this(RouteRules.defaults());
	}

	/**
	 * Creates the legs of an application.
	 * @param rules which paths may stand in for requests
	 */
	public HttpLegs(RouteRules rules) {
		this.rules = rules;
	}

	RouteRules rules() {
		return this.rules;
	}

	ReplicaSelection.Holder selections() {
		return this.selections;
	}

	/**
	 * Returns the leg that requests of this thread may belong to. While a request of the
	 * leg is on its way, there is none: an exchange may run its handler on this thread,
	 * which sends requests of its own.
	 */
	@Nullable HttpLeg current() {
		HttpLeg leg = this.current.get();
		return (leg != null && !leg.executing()) ? leg : null;
	}

	/**
	 * Takes the leg whose request this thread is about to send, until it is given back.
	 */
	@Nullable HttpLeg takeExecuting() {
		HttpLeg leg = this.current.get();
		if (leg == null || !leg.executing()) {
			return null;
		}
		this.current.remove();
		return leg;
	}

	/** Gives back a leg that was taken. */
	void giveBack(HttpLeg leg) {
		this.current.set(leg);
	}

	/** A call that may throw anything. */
	@FunctionalInterface
	interface Original {

		@Nullable Object proceed() throws Throwable;

	}

	@Nullable Object run(HttpLeg leg, Original original) throws Throwable {
		HttpLeg outer = this.current.get();
		this.current.set(leg);
		try {
			return original.proceed();
		}
		finally {
			restore(outer);
		}
	}

	/** Runs a subscription, with which reactive clients begin. */
	void runSubscription(HttpLeg leg, Runnable subscription) {
		HttpLeg outer = this.current.get();
		this.current.set(leg);
		try {
			subscription.run();
		}
		finally {
			restore(outer);
		}
	}

	private void restore(@Nullable HttpLeg outer) {
		if (outer != null) {
			this.current.set(outer);
		}
		else {
			this.current.remove();
		}
	}

	/** Marks the request that a client's proxy makes of a call. */
	void mark(Method method, HttpRequestValues.Builder request) {
		HttpLeg leg = this.current.get();
		if (leg != null && leg.calls(method)) {
			HttpLeg.Mark mark = new HttpLeg.Mark();
			mark.set(leg);
			request.addAttribute(HttpLeg.ATTRIBUTE, mark);
		}
	}

	/** Marks a request that was made before the current call was begun. */
	void mark(HttpRequestValues request) {
		HttpLeg leg = this.current.get();
		if (leg != null && request.getAttributes().get(HttpLeg.ATTRIBUTE) instanceof HttpLeg.Mark mark) {
			mark.set(leg);
		}
	}

	/**
	 * Returns whether an error is replayed, which is observed already.
	 * @param observed what is about to be observed
	 * @return whether this HTTP client observation is to be left out
	 */
	public boolean replaying(Observation.Context observed) {
		HttpLeg leg = this.current.get();
		if (leg == null || !leg.replays()) {
			// Also once the error was replayed: what reacts to it may send a request.
			return false;
		}
		if (observed instanceof ClientRequestObservationContext blocking) {
			ClientHttpRequest request = blocking.getCarrier();
			return request == null || leg.owns(request.getMethod(), request.getURI(), request.getAttributes());
		}
		return true;
	}

}
