package io.github.vicinal.boot.client;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.HttpHeaders;

/**
 * Traits of an HTTP client that its requests reveal: its time-out, whether it is
 * reactive, and additions to calls that the contract does not know. A client that is made
 * by hand can only be known in this way. Thread-safe.
 */
final class ClientTraits {

	/**
	 * Headers that HTTP clients write by themselves, and those that typed paths replace
	 * by other means.
	 */
	private static final Set<String> ORDINARY = Set.of("accept", "accept-encoding", "connection", "content-length",
			"content-type", "expect", "host", "http2-settings", "transfer-encoding", "upgrade", "user-agent",
			"vicinal-contract", "traceparent", "tracestate", "baggage", "b3");

	private static final String B3_PREFIX = "x-b3-";

	private static final String SPRINGS = "org.springframework.";

	private static final String LOAD_BALANCERS = "org.springframework.cloud.client.loadbalancer.";

	private static final Logger logger = LoggerFactory.getLogger(ClientTraits.class);

	private final String channel;

	private final String remedy;

	private final boolean ignoresAdditions;

	private volatile @Nullable String restriction;

	/** The addition that the log named last, where additions are ignored. */
	private volatile String skipped = "";

	private volatile @Nullable Duration readTimeout;

	private volatile boolean reactive;

	/** A {@code WebClient}'s rules for redirects; {@code null} if they are not known. */
	private volatile @Nullable RedirectRules redirects;

	/** Whether the connector of a {@code WebClient} makes exchanges. */
	private volatile boolean exchanges;

	private volatile boolean balanced;

	private volatile boolean inspected;

	/**
	 * Creates traits that are not known yet.
	 * @param channel the channel's name
	 * @param ignoresAdditions whether typed paths may be used although the client adds
	 * something
	 * @param interceptors interceptors that are known beforehand
	 */
	ClientTraits(String channel, boolean ignoresAdditions, Collection<String> interceptors) {
		this.channel = channel;
		this.remedy = "; if that does no harm, set vicinal.channels.%s.ignore-client-interceptors=true"
			.formatted(channel);
		this.ignoresAdditions = ignoresAdditions;
		intercepted(interceptors);
	}

	/** Returns why the client's calls must go over HTTP, or {@code null}. */
	@Nullable String restriction() {
		return this.restriction;
	}

	/** Returns how long the client waits for an answer, or {@code null}. */
	@Nullable Duration readTimeout() {
		return this.readTimeout;
	}

	boolean reactive() {
		return this.reactive;
	}

	/** Returns how a {@code WebClient} follows redirects, or {@code null}. */
	@Nullable RedirectRules redirects() {
		return this.redirects;
	}

	/** Notes how the connector of a {@code WebClient} follows redirects. */
	void redirects(@Nullable RedirectRules ofConnector) {
		this.redirects = ofConnector;
	}

	/** Returns whether the connector of a {@code WebClient} makes exchanges. */
	boolean exchanges() {
		return this.exchanges;
	}

	/** Notes whether the connector of a {@code WebClient} makes exchanges. */
	void exchanges(boolean ofConnector) {
		this.exchanges = ofConnector;
	}

	/**
	 * Returns whether the client's treatment of a request may hide replicas. The filters
	 * of a {@code WebClient} are unknown.
	 */
	boolean balanced() {
		return this.balanced;
	}

	/** Returns whether a request has shown the traits that do not change. */
	boolean inspected() {
		return this.inspected;
	}

	/**
	 * Notes what does not change from request to request.
	 * @param ofWebClient whether the request comes from a {@code WebClient}
	 * @param timeout how long the client waits, or {@code null} if it cannot be seen
	 * @param interceptors class names of the interceptors, Spring's among them
	 */
	void inspect(boolean ofWebClient, @Nullable Duration timeout, Collection<String> interceptors) {
		this.reactive = ofWebClient;
		List<String> own = interceptors.stream().filter((name) -> !name.startsWith(SPRINGS)).toList();
		this.balanced = ofWebClient || !own.isEmpty()
				|| interceptors.stream().anyMatch((name) -> name.startsWith(LOAD_BALANCERS));
		if (timeout != null) {
			this.readTimeout = timeout;
		}
		intercepted(own);
		this.inspected = true;
	}

	private void intercepted(Collection<String> interceptors) {
		if (!interceptors.isEmpty()) {
			additions("the HTTP client has interceptors, which typed paths do not run: " + List.copyOf(interceptors));
		}
	}

	/**
	 * Notes what is registered with the client that typed paths do not run.
	 * @param registered what, for people
	 */
	void registered(Collection<String> registered) {
		if (!registered.isEmpty()) {
			additions("the HTTP client has settings that typed paths do not apply: " + List.copyOf(registered));
		}
	}

	/** Notes that requests go through a proxy. */
	void proxied(String address) {
		if (this.restriction == null) {
			additions("requests to %s go through a proxy".formatted(address));
		}
	}

	private void additions(String reason) {
		if (!this.ignoresAdditions) {
			restrict(reason);
		}
		else if (!reason.equals(this.skipped)) {
			this.skipped = reason;
			logger.info("Channel '{}': {}; typed paths are used all the same, as ignore-client-interceptors says",
					this.channel, reason);
		}
	}

	/** Returns whether typed paths are used whatever the client adds. */
	boolean ignoresAdditions() {
		return this.ignoresAdditions;
	}

	/** Returns what the user can do about additions. */
	String remedy() {
		return this.remedy;
	}

	/**
	 * Finds headers that neither the contract nor HTTP explains.
	 * @param headers what is about to be sent
	 * @param explained lower-case names of headers that the call's arguments explain
	 */
	void sending(HttpHeaders headers, Set<String> explained) {
		if (this.ignoresAdditions || this.restriction != null) {
			return;
		}
		headers.forEach((name, values) -> {
			String key = name.toLowerCase(Locale.ROOT);
			if (!ORDINARY.contains(key) && !key.startsWith(B3_PREFIX) && !explained.contains(key)) {
				restrict("the HTTP client adds the header %s, which typed paths do not carry".formatted(name));
			}
		});
	}

	private void restrict(String reason) {
		this.restriction = reason + this.remedy;
		logger.info("Channel '{}': only http ({}{})", this.channel, reason, this.remedy);
	}

}
