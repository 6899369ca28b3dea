package io.github.vicinal.boot.client;

import java.lang.reflect.Method;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.http.HttpHeaders;
import tools.jackson.databind.json.JsonMapper;

import io.github.vicinal.boot.client.ClientChannels.ClientFacts;
import io.github.vicinal.boot.client.HttpLegs.Original;
import io.github.vicinal.boot.contract.ResultShape.Timing;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelInterceptor;
import io.github.vicinal.channel.ChannelListener;
import io.github.vicinal.report.ChannelReport;
import io.github.vicinal.report.ChannelReport.CachedMethod;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.Reply;
import io.github.vicinal.contract.ContractMethod;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.replica.Replica;

/**
 * The way of a call through a channel: a typed path if one is open and can carry the
 * arguments, else the original HTTP call. Thread-safe.
 */
final class ClientChannel {

	/**
	 * Behind a balancer that cannot be asked, one of so many calls lets HTTP find
	 * replicas.
	 */
	private static final int DISCOVERY_MASK = 63;

	/** A result that cannot be decoded is to HTTP clients JSON that cannot be read. */
	private static final Reply.Failure UNREADABLE = new Reply.Failure(200,
			Map.of("Content-Type", List.of("application/json")), new byte[] { '?' }, "");

	private final Channel channel;

	private final HttpLegs legs;

	private final CallTargets targets;

	/** Chooses among replicas; {@code null} if others do. */
	private final @Nullable ReplicaBalancer replicas;

	private final boolean discovers;

	private final ClientObservation observation;

	private final List<ChannelInterceptor> interceptors;

	private final ChannelListener[] listeners;

	private final AsyncCalls async;

	private final ClientTraits traits;

	private final @Nullable Duration configuredTimeout;

	private final Map<Method, MethodPlan> plans;

	/** Caches of cacheable methods. Not modified after construction. */
	private final Map<MethodPlan, CallCache> caches;

	/** What load balancers of the application add to requests. */
	private final Supplier<Collection<String>> balancerAdditions;

	/** The mapper of bodies on typed paths. */
	private final Supplier<JsonMapper> mapper;

	private final @Nullable CallCaches callCaches;

	private final @Nullable String clientName;

	private final @Nullable String group;

	private final @Nullable String bean;

	/** The proxies of this client; more than one only if its bean is no singleton. */
	private final Set<Advised> clients = Collections.newSetFromMap(new IdentityHashMap<>());

	/** What its client adds to requests; {@code null} until that has been looked at. */
	private volatile @Nullable ClientAdditions additions;

	/** Why methods cannot be called with what the client adds to each request. */
	private volatile Map<MethodPlan, String> unsupported = Map.of();

	/**
	 * Learned from the first request that was sent; calls over other paths come later.
	 */
	private volatile @Nullable UriTemplates uris;

	ClientChannel(Channel channel, HttpLegs legs, ClientFacts facts, ClientObservation observation,
			List<ChannelInterceptor> interceptors, List<ChannelListener> listeners, AsyncCalls async,
			ClientTraits traits, @Nullable Duration configuredTimeout, @Nullable CallCaches caches,
			@Nullable ReplicaBalancer replicas, Supplier<Collection<String>> balancerAdditions,
			Supplier<JsonMapper> mapper, UnaryOperator<String> placeholders) {
		this.channel = channel;
		this.legs = legs;
		this.targets = facts.targets();
		this.replicas = replicas;
		this.balancerAdditions = balancerAdditions;
		this.mapper = mapper;
		this.clientName = facts.clientName();
		this.discovers = facts.discovers() && replicas == null;
		this.group = facts.group();
		this.bean = facts.bean();
		this.observation = observation;
		this.interceptors = List.copyOf(interceptors);
		this.listeners = listeners.toArray(ChannelListener[]::new);
		this.async = async;
		this.traits = traits;
		this.configuredTimeout = configuredTimeout;
		this.plans = plans(channel, placeholders);
		this.callCaches = caches;
		this.caches = caches(caches);
	}

	private Map<MethodPlan, CallCache> caches(@Nullable CallCaches makes) {
		Map<MethodPlan, CallCache> made = new IdentityHashMap<>();
		for (MethodPlan plan : this.plans.values()) {
			CallCache cache = CallCaches.of(makes, this.channel.settings().name(), this.channel.contract(), plan);
			if (cache != null) {
				made.put(plan, cache);
			}
		}
		return made;
	}

	private static Map<Method, MethodPlan> plans(Channel channel, UnaryOperator<String> placeholders) {
		Map<Method, MethodPlan> plans = new LinkedHashMap<>();
		Class<?> type = channel.contract().type();
		for (Method method : type.getMethods()) {
			ContractMethod contractMethod = channel.contract().method(method);
			if (contractMethod != null) {
				plans.put(method, new MethodPlan(type, contractMethod, placeholders));
			}
		}
		return Map.copyOf(plans);
	}

	/**
	 * Names a client of this channel.
	 * @param proxy its proxy, or the factory that makes it
	 */
	void client(Advised proxy) {
		CallCaches.client(this.callCaches, this.channel.settings().name(), this.caches.values(), this.interceptors,
				proxy);
		synchronized (this.clients) {
			if (this.clients.add(proxy) && this.additions != null) {
				inspectAll();
			}
		}
	}

	/** Returns what the client adds to requests. */
	private ClientAdditions additions() {
		ClientAdditions known = this.additions;
		if (known != null) {
			return known;
		}
		synchronized (this.clients) {
			known = this.additions;
			return (known != null) ? known : inspectAll();
		}
	}

	/** Looked at when the first call is made: until then a client may be customised. */
	private ClientAdditions inspectAll() {
		ClientAdditions found = ClientAdditions.of(this.clients, this.balancerAdditions,
				new ClientAdditions.Application(this.mapper.get(), this.observation));
		this.traits.registered(found.unsupported());
		Map<MethodPlan, String> methods = new IdentityHashMap<>();
		for (MethodPlan plan : this.plans.values()) {
			String reason = found.unsupportedWith(plan);
			if (reason != null) {
				methods.put(plan, reason);
			}
		}
		this.unsupported = methods;
		this.channel.clientHeaders(found.headers());
		this.additions = found;
		return found;
	}

	/** Returns why a call needs the HTTP client, which adds something to it. */
	private @Nullable String additionTo(MethodPlan plan) {
		ClientAdditions known = additions();
		String restriction = this.traits.restriction();
		if (restriction != null) {
			return restriction;
		}
		CookieJar jar = known.jar();
		if (jar != null && jar.mayHoldCookies()) {
			return "the HTTP client keeps cookies, which typed paths do not send";
		}
		String added = this.traits.ignoresAdditions() ? null : known.live();
		if (added != null) {
			return "the HTTP client has settings that typed paths do not apply: " + added + this.traits.remedy();
		}
		return this.unsupported.isEmpty() ? null : this.unsupported.get(plan);
	}

	/** Returns whether this is the channel of a client, by its group or its bean. */
	boolean isOf(@Nullable String groupName, @Nullable String beanName) {
		return Objects.equals(this.group, groupName) && Objects.equals(this.bean, beanName);
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

	/**
	 * Makes a call.
	 * @param plan the plan of the method
	 * @param arguments the arguments; not changed
	 * @param original the HTTP call
	 * @return what the contract method returns
	 * @throws Throwable what the HTTP call would have thrown
	 */
	@Nullable Object invoke(MethodPlan plan, @Nullable Object[] arguments, Original original) throws Throwable {
		CallCache cache = this.caches.isEmpty() ? null : this.caches.get(plan);
		return (cache != null)
				? cache.call(arguments, (answer) -> this.legs.answering(answer, () -> make(plan, arguments, original)))
				: make(plan, arguments, original);
	}

	private @Nullable Object make(MethodPlan plan, @Nullable Object[] arguments, Original original) throws Throwable {
		return switch (plan.shape().timing()) {
			case SYNC -> invokeSync(plan, arguments, original);
			case FUTURE -> this.async.future(this, plan, arguments, original);
			case MONO, FLUX -> this.async.publisher(this, plan, arguments, original);
		};
	}

	/** Makes a call that enters at the exchange adapter. */
	@Nullable Object invokeWithin(MethodPlan plan, @Nullable Object[] arguments, Original original) throws Throwable {
		CallCache cache = this.caches.isEmpty() ? null : this.caches.get(plan);
		return (cache != null)
				? cache.call(arguments,
						(answer) -> this.legs.answering(answer, () -> invokeSync(plan, arguments, original)))
				: invokeSync(plan, arguments, original);
	}

	@Nullable Object invokeSync(MethodPlan plan, @Nullable Object[] arguments, Original original) throws Throwable {
		ReplicaTurn turn = turn(plan, arguments);
		if (turn == null) {
			return invokeAt(plan, null, arguments, original);
		}
		List<Replica> met = List.of();
		while (true) {
			Object result = null;
			Throwable failure = null;
			try {
				result = invokeAt(plan, turn, arguments, original);
			}
			catch (Throwable ex) {
				failure = ex;
			}
			turn.end(failure);
			if (turn.mayGoOn(plan.method().idempotent(), failure)) {
				met = and(met, turn.replica());
				ReplicaTurn other = goOn(met);
				if (other != null) {
					turn = other;
					continue;
				}
			}
			if (failure != null) {
				throw failure;
			}
			return result;
		}
	}

	/** Begins a turn at another replica, if this channel may and there is one. */
	private @Nullable ReplicaTurn goOn(List<Replica> met) {
		if (this.replicas == null || !this.replicas.failsOver() || met.size() >= this.replicas.size()) {
			return null;
		}
		return this.replicas.begin(met);
	}

	private static List<Replica> and(List<Replica> met, Replica latest) {
		List<Replica> all = new ArrayList<>(met);
		all.add(latest);
		return all;
	}

	/** Returns whether a call may be made more than once. */
	boolean repeats() {
		return this.replicas != null && this.replicas.failsOver();
	}

	private @Nullable Object invokeAt(MethodPlan plan, @Nullable ReplicaTurn turn, @Nullable Object[] arguments,
			Original original) throws Throwable {
		String address = target(plan, turn, arguments);
		CallPath path = path(plan, address, turn, arguments, null);
		if (path == null) {
			return overHttp(plan, address, turn, arguments, null, original);
		}
		Attempt attempt = attempt(plan, address, path, arguments, deadline(), observe(plan, path, arguments, null));
		if (turn != null) {
			turn.attempted(attempt);
		}
		if (attempt instanceof Attempt.Answered answered) {
			return answered.result();
		}
		if (attempt instanceof Attempt.HandlerFailed failed) {
			return replay(plan, turn, arguments, failed, original);
		}
		if (attempt instanceof Attempt.Unanswered unanswered) {
			RuntimeException failure = failure(plan, address, arguments, unanswered.cause());
			unanswered.observed().failed(unanswered.cause(), failure);
			throw failure;
		}
		return overHttp(plan, address, turn, arguments, ((Attempt.GoOn) attempt).reason(), original);
	}

	/**
	 * Returns the open path that can carry a call.
	 * @param noRoom why no call can be made over a path now, if that is so
	 * @return a path, or {@code null} for HTTP
	 */
	@Nullable CallPath path(MethodPlan plan, @Nullable String address, @Nullable ReplicaTurn turn, @Nullable Object[] arguments,
			@Nullable String noRoom) {
		String reason = (noRoom != null) ? noRoom : onlyHttpBecause(plan, address, arguments);
		boolean discovers = this.discovers && this.traits.balanced()
				&& (ThreadLocalRandom.current().nextInt() & DISCOVERY_MASK) == 0;
		// A path that is selected but never used would count as a hung call.
		CallPath path = (reason == null && !discovers && address != null)
				? this.channel.path(address, plan.method(), arguments) : null;
		if (path == null && turn == null && address != null && ThreadLocalRandom.current().nextBoolean()) {
			/*
			 * A balancer that takes turns is asked twice for this call: it was asked
			 * here, and the HTTP client will ask again. Without an extra turn now and
			 * then HTTP would never meet the instance that was chosen here.
			 */
			this.targets.choose();
		}
		if (reason != null && this.channel.hasPath(address)) {
			String always = this.channel.httpOnlyReason(address, plan.method());
			this.channel.leftToHttp((always != null && noRoom == null) ? plan.method() + ": " + reason : reason);
		}
		return path;
	}

	private @Nullable String onlyHttpBecause(MethodPlan plan, @Nullable String address, @Nullable Object[] arguments) {
		String added = additionTo(plan);
		if (added != null) {
			return added;
		}
		String method = this.channel.httpOnlyReason(address, plan.method());
		if (method != null) {
			return method;
		}
		if (plan.shape().timing() != Timing.SYNC && !this.traits.reactive()) {
			return "to a RestClient, %s is the type of a body".formatted(plan.shape().timing());
		}
		return plan.onlyHttpBecause(arguments);
	}

	/** Says of a call that went over HTTP why it did. */
	private String reasonForHttp(MethodPlan plan, @Nullable String address, @Nullable Object[] arguments) {
		String reason = onlyHttpBecause(plan, address, arguments);
		return (reason != null) ? reason : this.channel.reasonForHttp(address);
	}

	private void tell(MethodPlan plan, PathKind path, @Nullable String reason) {
		for (ChannelListener listener : this.listeners) {
			listener.calling(this.channel, plan.method(), path, reason);
		}
	}

	/** Begins the turn of a call at a replica, if this channel chooses among replicas. */
	@Nullable ReplicaTurn turn(MethodPlan plan, @Nullable Object[] arguments) {
		return (this.replicas != null && !plan.goesElsewhere(arguments)) ? this.replicas.begin(List.of()) : null;
	}

	/**
	 * Returns the peer that a call is for. It is asked for once for each call: the one
	 * that answered last may soon be another.
	 * @return its HTTP address, or {@code null} if it is not known
	 */
	@Nullable String target(MethodPlan plan, @Nullable ReplicaTurn turn, @Nullable Object[] arguments) {
		if (turn != null) {
			return turn.address();
		}
		if (plan.goesElsewhere(arguments)) {
			return null;
		}
		String chosen = this.targets.choose();
		return (chosen != null) ? chosen : this.channel.address(null);
	}

	private @Nullable Object overHttp(MethodPlan plan, @Nullable String chosen, @Nullable ReplicaTurn turn,
			@Nullable Object[] arguments, @Nullable String reason, Original original) throws Throwable {
		HttpLeg leg = leg(plan, chosen, arguments, reason).to(turn);
		try {
			return this.legs.run(leg, original);
		}
		finally {
			wentOverHttp(plan, leg);
		}
	}

	/** Ends a call that went over HTTP, and learns from it. */
	void wentOverHttp(MethodPlan plan, HttpLeg leg) {
		leg.end();
		if (leg.elsewhere()) {
			return;
		}
		URI sent = leg.sent();
		if (sent != null && this.uris == null) {
			this.uris = UriTemplates.learn(sent, plan.path(), this.clientName);
		}
		if (leg.address() == null) {
			this.channel.unseenOverHttp();
		}
	}

	/** Returns the deadline of a call whose caller begins to wait now. */
	long deadline() {
		Duration timeout = timeout();
		return (timeout != null) ? System.nanoTime() + timeout.toNanos() : CallFrame.NO_DEADLINE;
	}

	/** Makes a call over a typed path, on the calling thread. */
	Attempt attempt(MethodPlan plan, @Nullable String address, CallPath path, @Nullable Object[] arguments,
			long deadline, ClientObservation.Call observed) {
		Reply reply;
		CallAnswer answer = this.legs.answer(plan);
		try {
			if (answer != null) {
				answer.sending();
			}
			reply = exchange(plan, address, path, arguments, deadline, observed);
			if (answer != null) {
				answer.received(reply.status(), reply.headers());
			}
		}
		catch (PathException ex) {
			if (mayRepeat(plan, ex)) {
				observed.failed(ex, ex);
				return new Attempt.GoOn("%s: %s".formatted(path.kind().id(), ex.getMessage()));
			}
			tell(plan, path.kind(), null);
			if (ex.reason() == PathException.Reason.CODEC) {
				return new Attempt.HandlerFailed(UNREADABLE, observed);
			}
			return new Attempt.Unanswered(ex, observed);
		}
		catch (RuntimeException | Error ex) {
			observed.failed(new PathException(PathException.Reason.IO, true, String.valueOf(ex.getMessage()), ex), ex);
			throw ex;
		}
		keepCookies(plan, arguments, reply);
		if (isRedirect(reply)) {
			Reply.Failure redirect = this.traits.reactive() ? null : bodyless(reply);
			if (redirect != null) {
				tell(plan, path.kind(), null);
				return new Attempt.HandlerFailed(redirect, observed);
			}
			plan.redirected();
			if (plan.method().idempotent()) {
				observed.answered(reply.status(), reply.headers(), null);
				return new Attempt.GoOn(MethodPlan.REDIRECTED);
			}
		}
		tell(plan, path.kind(), null);
		if (reply instanceof Reply.Value value) {
			observed.answered(value.status(), value.headers(), null);
			return new Attempt.Answered(ResultAdapter.adapt(plan.shape(), value));
		}
		return new Attempt.HandlerFailed((Reply.Failure) reply, observed);
	}

	/** A redirect that the HTTP client can be shown, so that it follows it if it does. */
	private static Reply.@Nullable Failure bodyless(Reply reply) {
		if (reply instanceof Reply.Failure failure) {
			return failure;
		}
		return (reply instanceof Reply.Value value && value.body() == null)
				? new Reply.Failure(value.status(), value.headers(), new byte[0], "") : null;
	}

	/** HTTP clients may follow a redirect, somewhere below what can be replayed. */
	private static boolean isRedirect(Reply reply) {
		return reply.status() >= 300 && reply.status() < 400 && reply.status() != 304;
	}

	/**
	 * Starts the observation of a call, on its caller's thread.
	 * @param parent what the call belongs to, or {@code null} if that is the thread's
	 * current observation
	 */
	ClientObservation.Call observe(MethodPlan plan, CallPath path, @Nullable Object[] arguments,
			@Nullable Observation parent) {
		UriTemplates uris = this.uris;
		if (uris == null) {
			return ClientObservation.Call.NOOP;
		}
		return this.observation.start(this.channel.settings().name(), path.kind(), plan, uris, arguments, parent);
	}

	Reply exchange(MethodPlan plan, @Nullable String address, CallPath path, @Nullable Object[] arguments,
			long deadline, ClientObservation.Call observed) throws PathException {
		CallFrame frame = new CallFrame(this.channel.contract(), plan.method(), arguments, deadline,
				headers(this.channel.frameHeaders(address), observed.headers()));
		if (this.interceptors.isEmpty()) {
			return this.channel.call(address, path, frame);
		}
		return ChannelInterceptor
			.chain(this.channel.settings().name(), this.interceptors,
					(intercepted) -> this.channel.call(address, path, intercepted))
			.call(frame);
	}

	/** Mostly there is nothing to put together. */
	private static Map<String, String> headers(Map<String, String> added, Map<String, String> observed) {
		if (observed.isEmpty()) {
			return added;
		}
		if (added.isEmpty()) {
			return observed;
		}
		Map<String, String> all = new HashMap<>(added);
		all.putAll(observed);
		return all;
	}

	/** Lets the HTTP client keep the cookies of an answer that it does not see. */
	private void keepCookies(MethodPlan plan, @Nullable Object[] arguments, Reply reply) {
		UriTemplates known = this.uris;
		CookieJar jar = reply.headers().isEmpty() ? null : additions().jar();
		if (jar == null || known == null) {
			return;
		}
		reply.headers().forEach((name, values) -> {
			if (name.equalsIgnoreCase(HttpHeaders.SET_COOKIE)) {
				jar.keep(known.expanded(plan, arguments), values);
			}
		});
	}

	/** A call that may have been executed is repeated only if that does no harm. */
	static boolean mayRepeat(MethodPlan plan, PathException failure) {
		return switch (failure.reason()) {
			case TIMEOUT, INTERRUPTED -> false;
			default -> !failure.maybeExecuted() || plan.method().idempotent();
		};
	}

	/** Lets the HTTP client raise what it raises for such a response. */
	private @Nullable Object replay(MethodPlan plan, @Nullable ReplicaTurn turn, @Nullable Object[] arguments,
			Attempt.HandlerFailed failed, Original original) throws Throwable {
		HttpLeg leg = leg(plan, arguments, failed).to(turn);
		try {
			Object result = this.legs.run(leg, original);
			failed.observed().answered(status(leg, failed), fields(leg, failed), null);
			return result;
		}
		catch (Throwable ex) {
			// WebClient observes the response, not what is raised because of it.
			failed.observed().answered(status(leg, failed), fields(leg, failed), this.traits.reactive() ? null : ex);
			throw ex;
		}
	}

	private static int status(HttpLeg leg, Attempt.HandlerFailed failed) {
		return (leg.status() != 0) ? leg.status() : failed.failure().status();
	}

	/** What a redirect led to is not known here. */
	private static Map<String, List<String>> fields(HttpLeg leg, Attempt.HandlerFailed failed) {
		return (leg.status() != 0) ? Map.of() : failed.failure().headers();
	}

	HttpLeg leg(MethodPlan plan, @Nullable Object[] arguments, Attempt.HandlerFailed failed) {
		return new HttpLeg(this.channel, plan, arguments, failed.failure()).telling(this.legs.answer(plan));
	}

	/** Starts a call over HTTP, of which listeners are told when it is sent. */
	HttpLeg leg(MethodPlan plan, @Nullable String address, @Nullable Object[] arguments, @Nullable String reason) {
		boolean comparable = reason == null && onlyHttpBecause(plan, address, arguments) == null;
		return new HttpLeg(this.channel, plan, arguments, new HttpLeg.Watcher() {

			@Override
			public boolean inspects() {
				return !ClientChannel.this.traits.inspected();
			}

			@Override
			public void inspect(boolean ofWebClient, @Nullable Duration readTimeout, Collection<String> interceptors) {
				ClientChannel.this.traits.inspect(ofWebClient, readTimeout, interceptors);
			}

			@Override
			public void sending(URI target, HttpHeaders headers) {
				if (additions().proxied(target)) {
					ClientChannel.this.traits.proxied(HttpLeg.address(target));
				}
				if (plan.method().httpOnlyReason() == null) {
					// Headers may come from a map otherwise, or from the annotation.
					Set<String> explained = plan.explainedHeaders(arguments);
					explained.addAll(additions().headers().keySet());
					ClientChannel.this.traits.sending(headers, explained);
				}
				if (ClientChannel.this.listeners.length > 0) {
					tell(plan, PathKind.HTTP, (reason != null) ? reason : reasonForHttp(plan, address, arguments));
				}
			}

		}).comparable(comparable).elsewhere(plan.goesElsewhere(arguments)).telling(this.legs.answer(plan));
	}

	/** What is configured, else what the HTTP client shows, else what Boot configures. */
	private @Nullable Duration timeout() {
		if (this.configuredTimeout != null) {
			return this.configuredTimeout;
		}
		Duration seen = this.traits.readTimeout();
		return (seen != null) ? seen : this.channel.settings().timeout();
	}

	HttpLegs legs() {
		return this.legs;
	}

	void close() {
		try {
			this.async.close();
		}
		finally {
			this.channel.close();
		}
	}

	/** Returns what the client raises when a request gets no answer. */
	RuntimeException failure(MethodPlan plan, @Nullable String address, @Nullable Object[] arguments,
			PathException cause) {
		UriTemplates known = this.uris;
		if (this.traits.reactive()) {
			return ClientFailures.ofWebClient(plan.httpMethod(),
					(known != null) ? known.expanded(plan, arguments) : URI.create("/"), cause);
		}
		String uri = (known != null) ? known.expanded(plan, arguments).toString()
				: this.channel.address(address) + plan.path();
		// As RestClient does, without the query.
		int query = uri.indexOf('?');
		return ClientFailures.ofRestClient(plan.httpMethod(), (query >= 0) ? uri.substring(0, query) : uri, cause);
	}

}
