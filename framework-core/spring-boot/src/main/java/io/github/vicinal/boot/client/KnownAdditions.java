package io.github.vicinal.boot.client;

import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.github.vicinal.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Additions of the clients of one channel to requests. They are examined when the first
 * call is made, because a client may be customised until then. Thread-safe.
 */
final class KnownAdditions {

	private final Channel channel;

	private final Collection<MethodPlan> plans;

	private final ClientTraits traits;

	/** Additions of the application's load balancers to requests. */
	private final Supplier<Collection<String>> balancerAdditions;

	private final Supplier<ClientAdditions.Application> application;

	private final ClientKind kind;

	/** The proxies of the client; more than one only if its bean is no singleton. */
	private final Set<Object> clients = Collections.newSetFromMap(new IdentityHashMap<>());

	/** {@code null} until the clients have been looked at. */
	private volatile @Nullable ClientAdditions known;

	/** Why methods cannot be called with what the client adds to each request. */
	private volatile Map<MethodPlan, String> unsupported = Map.of();

	/**
	 * Creates what is not known yet.
	 * @param kind the kind of the clients
	 * @param plans the plans of the contract's methods
	 * @param traits what requests have shown of the client
	 * @param balancerAdditions returns what load balancers add to requests
	 * @param application returns what the application has that additions are compared
	 * with
	 */
	KnownAdditions(Channel channel, ClientKind kind, Collection<MethodPlan> plans, ClientTraits traits,
			Supplier<Collection<String>> balancerAdditions, Supplier<ClientAdditions.Application> application) {
		this.channel = channel;
		this.kind = kind;
		this.plans = plans;
		this.traits = traits;
		this.balancerAdditions = balancerAdditions;
		this.application = application;
	}

	/**
	 * Names a client.
	 * @param proxy its proxy, or what makes it
	 */
	void client(Object proxy) {
		synchronized (this.clients) {
			if (this.clients.add(proxy) && this.known != null) {
				inspectAll();
			}
		}
	}

	/** Returns what the clients add to requests. */
	ClientAdditions get() {
		ClientAdditions found = this.known;
		if (found != null) {
			return found;
		}
		synchronized (this.clients) {
			found = this.known;
			return (found != null) ? found : inspectAll();
		}
	}

	private ClientAdditions inspectAll() {
		ClientAdditions found = this.kind.additions(this.clients, this.balancerAdditions, this.application.get());
		this.traits.registered(found.unsupported());
		Map<MethodPlan, String> methods = new IdentityHashMap<>();
		for (MethodPlan plan : this.plans) {
			String reason = found.unsupportedWith(plan);
			if (reason != null) {
				methods.put(plan, reason);
			}
		}
		this.unsupported = methods;
		this.channel.clientHeaders(found.headers());
		this.known = found;
		return found;
	}

	/**
	 * Returns why a call needs the HTTP client, which adds something to it.
	 * @param plan the plan of its method
	 * @return the reason, or {@code null}
	 */
	@Nullable String onlyHttpBecause(MethodPlan plan) {
		ClientAdditions found = get();
		String restriction = this.traits.restriction();
		if (restriction != null) {
			return restriction;
		}
		CookieJar jar = found.jar();
		if (jar != null && jar.mayHoldCookies()) {
			return "the HTTP client keeps cookies, which typed paths do not send";
		}
		String added = this.traits.ignoresAdditions() ? null : found.live();
		if (added != null) {
			return "the HTTP client has settings that typed paths do not apply: " + added + this.traits.remedy();
		}
		return this.unsupported.isEmpty() ? null : this.unsupported.get(plan);
	}

}
