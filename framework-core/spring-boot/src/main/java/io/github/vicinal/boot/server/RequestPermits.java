package io.github.vicinal.boot.server;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.Reply;
import io.github.vicinal.requestserver.Bulkhead;
import io.github.vicinal.requestserver.Permit;
import io.github.vicinal.requestserver.Priority;
import io.github.vicinal.requestserver.RejectedRequestException;
import io.github.vicinal.requestserver.Rejection;
import io.github.vicinal.requestserver.RequestServer;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/**
 * Permits of the calls that come over any path, and what is answered to those that get
 * none. Thread-safe.
 */
final class RequestPermits {

	/** Channel name for requests that do not come from a channel. */
	static final String OTHER = "http";

	private static final Map<Rejection.Reason, byte[]> BODIES = bodies();

	private final @Nullable RequestServer server;

	private final Map<String, Priority> priorities;

	private final @Nullable RequestRules rules;

	/**
	 * Creates the permits.
	 * @param server decides, or {@code null} if everything may run at once
	 * @param priorities of contracts, by their class name with or without the package
	 * @param rules what is said of some requests, or {@code null}
	 */
	public RequestPermits(@Nullable RequestServer server, Map<String, Priority> priorities,
			@Nullable RequestRules rules) {
		this.server = server;
		this.priorities = Map.copyOf(priorities);
		this.rules = (rules != null && !rules.isEmpty()) ? rules : null;
	}

	/** Returns whether it matters to which contract or endpoint a request belongs. */
	boolean distinguishes() {
		return !this.priorities.isEmpty() || (this.server != null && this.server.settings().maxPerChannel() > 0);
	}

	Priority priority(String contract) {
		Priority known = this.priorities.get(contract);
		if (known == null) {
			known = this.priorities.get(contract.substring(contract.lastIndexOf('.') + 1));
		}
		return (known != null) ? known : Priority.NORMAL;
	}

	/**
	 * Takes a permit.
	 * @param channel what the request counts for
	 * @param priority how much it matters, unless a rule says something else
	 * @param request what rules are about
	 * @param also what it counts for beside the bulkheads of rules
	 * @param deadlineNanos as for {@link RequestServer#enter}
	 * @param beforeWaiting as for {@link RequestServer#enter}
	 * @return a permit, or {@code null} if there are no permits
	 */
	@Nullable Permit enter(String channel, Priority priority, HttpServletRequest request, List<Bulkhead> also, long deadlineNanos,
			Runnable beforeWaiting) {
		if (this.server == null) {
			return null;
		}
		if (this.rules == null) {
			return this.server.enter(channel, priority, also, deadlineNanos, beforeWaiting);
		}
		RequestRules.Said said = this.rules.of(request);
		List<Bulkhead> all = said.bulkheads();
		if (!also.isEmpty()) {
			all = new ArrayList<>(all);
			all.addAll(also);
		}
		return this.server.enter(channel, (said.priority() != null) ? said.priority() : priority, all, deadlineNanos,
				beforeWaiting);
	}

	/**
	 * Takes a permit for a call over a path.
	 * @param channel what the call counts for
	 * @param priority how much it matters, unless a rule says something else
	 * @param request what rules are about
	 * @param call the call; a caller that gives up ends the wait
	 * @param beforeWaiting as for {@link RequestServer#enter}
	 * @return a permit, or {@code null} if there are no permits
	 * @throws RejectedRequestException if there is no permit for the call, or nobody
	 * waits for its answer any more
	 */
	@Nullable Permit enter(String channel, Priority priority, HttpServletRequest request, CallFrame call,
			Runnable beforeWaiting) {
		Permit permit = null;
		boolean wanted;
		try {
			permit = enter(channel, priority, request, List.of(), call.deadlineNanos(), beforeWaiting);
		}
		finally {
			wanted = call.endWaiting();
		}
		if (!wanted) {
			if (permit != null) {
				permit.closeUnused();
			}
			throw new RejectedRequestException(new Rejection(Rejection.Reason.INTERRUPTED,
					() -> "the caller has given up before the call was executed", Duration.ZERO));
		}
		return permit;
	}

	/** The response to a refusal, the same on each path. */
	static Reply.Failure failure(Rejection refusal) {
		return new Reply.Failure(HttpStatus.SERVICE_UNAVAILABLE.value(),
				Map.of(HttpHeaders.RETRY_AFTER, List.of(retryAfter(refusal)), Rejection.HEADER,
						List.of(reason(refusal)), HttpHeaders.CONTENT_TYPE,
						List.of(MediaType.APPLICATION_PROBLEM_JSON_VALUE)),
				body(refusal), "");
	}

	/**
	 * Returns the answer of a handler, which was executed whatever the handler says: it
	 * may have passed on a refusal that it met elsewhere.
	 */
	static Reply executed(Reply reply) {
		if (reply instanceof Reply.Failure failure
				&& failure.headers().keySet().stream().anyMatch(Rejection.HEADER::equalsIgnoreCase)) {
			Map<String, List<String>> headers = new LinkedHashMap<>(failure.headers());
			headers.keySet().removeIf(Rejection.HEADER::equalsIgnoreCase);
			return new Reply.Failure(failure.status(), headers, failure.body(), failure.remoteType());
		}
		return reply;
	}

	/**
	 * HTTP knows whole seconds. Up to as many again are added at random, or all that are
	 * rejected together would come back together.
	 */
	private static String retryAfter(Rejection refusal) {
		long seconds = Math.max(1, refusal.retryAfter().plusNanos(999_999_999).toSeconds());
		return Long.toString(seconds + ThreadLocalRandom.current().nextLong(seconds + 1));
	}

	/** A stranger learns the rule, not the numbers. */
	private static byte[] body(Rejection refusal) {
		return Objects.requireNonNull(BODIES.get(refusal.reason())).clone();
	}

	static String reason(Rejection refusal) {
		return reason(refusal.reason());
	}

	private static String reason(Rejection.Reason reason) {
		return reason.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	private static Map<Rejection.Reason, byte[]> bodies() {
		Map<Rejection.Reason, byte[]> bodies = new EnumMap<>(Rejection.Reason.class);
		for (Rejection.Reason reason : Rejection.Reason.values()) {
			bodies.put(reason,
					"""
							{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"Not executed: %s"}"""
						.formatted(reason(reason))
						.getBytes(StandardCharsets.UTF_8));
		}
		return Collections.unmodifiableMap(bodies);
	}

}
