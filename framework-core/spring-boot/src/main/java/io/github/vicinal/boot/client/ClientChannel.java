package io.github.vicinal.boot.client;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

import io.github.vicinal.boot.client.ClientChannels.ClientFacts;
import io.github.vicinal.boot.client.ClientChannels.Toolbox;
import io.github.vicinal.boot.contract.ClientAnnotations;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelInterceptor;
import io.github.vicinal.channel.ChannelListener;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.report.ChannelReport.CachedMethod;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;

/**
 * A channel as its client has it: the plans of its methods, their caches, and what each
 * {@link ClientCall} goes through. Thread-safe.
 */
final class ClientChannel {

	private final Channel channel;

	private final HttpLegs legs;

	private final ClientObservation observation;

	private final List<ChannelInterceptor> interceptors;

	private final ChannelListener[] listeners;

	private final AsyncCalls async;

	private final ClientTraits traits;

	private final @Nullable Duration configuredTimeout;

	/** Chooses among replicas; {@code null} if others do. */
	private final @Nullable ReplicaBalancer replicas;

	private final Map<Method, MethodPlan> plans;

	/** Caches of cacheable methods. Not modified after construction. */
	private final Map<MethodPlan, CallCache> caches;

	private final KnownAdditions additions;

	private final CallRoutes routes;

	private final CallAttempts attempts;

	private final RequestInspector inspector;

	private final ChannelStructure structure;

	private final ClientKind kind;

	private final @Nullable String group;

	private final @Nullable String bean;

	/**
	 * Creates the channel of a client.
	 * @param facts what is known of the client
	 * @param tools what all channels share
	 * @param traits what requests have shown of the client
	 * @param configuredTimeout how long callers wait, or {@code null} for as long as the
	 * HTTP client does
	 * @param replicas chooses among replicas, or {@code null}
	 * @param async runs calls whose caller does not wait
	 */
	ClientChannel(Channel channel, ClientFacts facts, Toolbox tools, ClientTraits traits,
			@Nullable Duration configuredTimeout, @Nullable ReplicaBalancer replicas, AsyncCalls async) {
		this.channel = channel;
		this.legs = tools.legs();
		this.observation = tools.observation();
		this.interceptors = List.copyOf(tools.interceptors().get());
		this.listeners = tools.listeners().get().toArray(ChannelListener[]::new);
		this.async = async;
		this.traits = traits;
		this.configuredTimeout = configuredTimeout;
		this.replicas = replicas;
		this.group = facts.group();
		this.bean = facts.bean();
		ClientAnnotations annotations = facts.kind().annotations(channel.contract().type());
		this.kind = facts.kind();
		this.plans = plans(channel, annotations, tools.placeholders());
		this.caches = this.kind.isOfSpring() ? caches(tools.callCaches().get()) : Map.of();
		this.additions = new KnownAdditions(channel, this.kind, this.plans.values(), traits, tools.balancerAdditions(),
				() -> new ClientAdditions.Application(tools.mapper().get(), tools.observation()));
		this.routes = new CallRoutes(channel, facts.targets(), replicas, facts.discovers(), traits, this.additions);
		this.attempts = new CallAttempts(channel, this.interceptors, traits, this.additions, this.kind);
		this.structure = new ChannelStructure(channel, annotations, tools.mapper(), tools.placeholders());
		this.inspector = new RequestInspector(channel, traits, this.additions, facts.clientName());
	}

	private Map<MethodPlan, CallCache> caches(@Nullable CallCaches makes) {
		Map<MethodPlan, CallCache> made = new IdentityHashMap<>();
		for (MethodPlan plan : this.plans.values()) {
			CallCache cache = CallCaches.of(makes, name(), this.channel.contract(), plan);
			if (cache != null) {
				made.put(plan, cache);
			}
		}
		return made;
	}

	private static Map<Method, MethodPlan> plans(Channel channel, ClientAnnotations annotations,
			UnaryOperator<String> placeholders) {
		Map<Method, MethodPlan> plans = new LinkedHashMap<>();
		Class<?> type = channel.contract().type();
		for (Method method : type.getMethods()) {
			ContractMethod contractMethod = channel.contract().method(method);
			if (contractMethod != null) {
				plans.put(method, new MethodPlan(type, annotations, contractMethod, placeholders));
			}
		}
		return Map.copyOf(plans);
	}

	/**
	 * Names a client of this channel.
	 * @param proxy its proxy, or the factory that makes it
	 */
	void client(Advised proxy) {
		this.caches.values().forEach((cache) -> cache.client(this.interceptors, proxy));
		this.additions.client(proxy);
	}

	/**
	 * Names a client of this channel that is no HTTP interface of Spring.
	 * @param client what its kind knows
	 */
	void clientOfKind(Object client) {
		this.additions.client(client);
	}

	ClientKind kind() {
		return this.kind;
	}

	/** Starts the observation of a call over a path, on its caller's thread. */
	ClientObservation.Call observe(MethodPlan plan, PathKind path, @Nullable Object[] arguments,
			@Nullable Observation parent) {
		UriTemplates known = uris();
		if (known == null) {
			return ClientObservation.Call.NOOP;
		}
		return this.kind.isOfSpring() ? this.observation.start(name(), path, plan, known, arguments, parent)
				: this.observation.startOwn(name(), path, plan, parent);
	}

	/** Returns whether this is the channel of a client, by its group or its bean. */
	boolean isOf(@Nullable String groupName, @Nullable String beanName) {
		return Objects.equals(this.group, groupName) && Objects.equals(this.bean, beanName);
	}

	String name() {
		return this.channel.settings().name();
	}

	Channel channel() {
		return this.channel;
	}

	ChannelReport report() {
		ChannelReport report = this.channel.report();
		if (this.replicas != null) {
			report = report.withReplicas(this.replicas.report());
		}
		return this.caches.isEmpty() ? report
				: report.withCachedMethods(this.caches.values()
					.stream()
					.map(CallCache::report)
					.sorted(Comparator.comparing(CachedMethod::method))
					.toList());
	}

	/**
	 * Returns the plan of a method.
	 * @param method a method of the proxied interface
	 * @return the plan, or {@code null} if the method is not part of the contract
	 */
	@Nullable MethodPlan plan(Method method) {
		return this.plans.get(method);
	}

	/** Returns the cache of a method, or {@code null} if it is not cacheable. */
	@Nullable CallCache cache(MethodPlan plan) {
		return this.caches.isEmpty() ? null : this.caches.get(plan);
	}

	/** Returns whether a call may be made at more than one replica. */
	boolean failsOver() {
		return this.routes.failsOver();
	}

	/** Returns the deadline of a call whose caller begins to wait now. */
	long deadline() {
		Duration timeout = timeout();
		return (timeout != null) ? System.nanoTime() + timeout.toNanos() : CallFrame.NO_DEADLINE;
	}

	/**
	 * Returns the configured time-out, else that of the HTTP client, else Boot's default.
	 */
	private @Nullable Duration timeout() {
		if (this.configuredTimeout != null) {
			return this.configuredTimeout;
		}
		Duration seen = this.traits.readTimeout();
		return (seen != null) ? seen : this.channel.settings().timeout();
	}

	/** Notifies listeners of the path that carries a call. */
	void carried(MethodPlan plan, PathKind path, @Nullable String reason) {
		for (ChannelListener listener : this.listeners) {
			listener.calling(this.channel, plan.method(), path, reason);
		}
	}

	boolean hasListeners() {
		return this.listeners.length > 0;
	}

	HttpLegs legs() {
		return this.legs;
	}

	ClientTraits traits() {
		return this.traits;
	}

	ClientObservation observation() {
		return this.observation;
	}

	AsyncCalls async() {
		return this.async;
	}

	CallRoutes routes() {
		return this.routes;
	}

	CallAttempts attempts() {
		return this.attempts;
	}

	/** Returns what the client adds to requests. */
	ClientAdditions additions() {
		return this.additions.get();
	}

	ChannelStructure structure() {
		return this.structure;
	}

	RequestInspector inspector() {
		return this.inspector;
	}

	/** Returns the templates of URIs, or {@code null} as long as no request was sent. */
	@Nullable UriTemplates uris() {
		return this.inspector.uris();
	}

	void close() {
		try {
			this.async.close();
		}
		finally {
			this.channel.close();
		}
	}

}
