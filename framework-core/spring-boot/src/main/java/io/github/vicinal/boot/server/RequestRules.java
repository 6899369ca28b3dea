package io.github.vicinal.boot.server;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.github.vicinal.boot.server.Endpoints.Endpoint;
import io.github.vicinal.requestserver.Bulkhead;
import io.github.vicinal.requestserver.Priority;
import io.github.vicinal.requestserver.RequestServerSettings;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.server.PathContainer;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * The rules by which requests get their priority and their bulkheads. The limits of all
 * rules count that a request meets; its priority is that of the first of them that says
 * one. Thread-safe.
 */
final class RequestRules {

	private static final Logger logger = LoggerFactory.getLogger(RequestRules.class);

	private final List<RequestRule> rules;

	private final CallerResolver callers;

	private final Endpoints endpoints;

	/**
	 * Creates the rules.
	 * @param rules what is configured, in order
	 * @param callers names callers
	 * @param endpoints the application's endpoints
	 */
	public RequestRules(List<RequestRule> rules, CallerResolver callers, Endpoints endpoints) {
		this.rules = List.copyOf(rules);
		this.callers = callers;
		this.endpoints = endpoints;
	}

	/**
	 * Result of the rules for a request.
	 *
	 * @param priority how much it matters, {@code null} if no rule says that
	 * @param bulkheads what it counts for
	 */
	record Said(@Nullable Priority priority, List<Bulkhead> bulkheads) {
	}

	boolean isEmpty() {
		return this.rules.isEmpty();
	}

	Said of(HttpServletRequest request) {
		PathContainer path = ServletRequestPathUtils.parse(request).pathWithinApplication();
		String method = request.getMethod();
		Priority priority = null;
		List<Bulkhead> bulkheads = new ArrayList<>(this.rules.size());
		String caller = null;
		for (RequestRule rule : this.rules) {
			if (!rule.matches(path, method)) {
				continue;
			}
			if (caller == null && (rule.namesCallers() || rule.per() == RequestRule.Per.CALLER)) {
				String known = this.callers.caller(request);
				caller = (known != null) ? known : "";
			}
			if (rule.namesCallers() && (caller == null || !rule.matchesCaller(caller))) {
				continue;
			}
			if (priority == null) {
				priority = rule.priority();
			}
			if (rule.maxInFlight() != null) {
				bulkheads.add(new Bulkhead(name(rule, caller, request), rule.maxInFlight()));
			}
		}
		return new Said(priority, bulkheads);
	}

	private String name(RequestRule rule, @Nullable String caller, HttpServletRequest request) {
		return switch (rule.per()) {
			case RULE -> rule.toString();
			case CALLER -> rule + " from " + caller;
			case ENDPOINT -> {
				Endpoint endpoint = this.endpoints.find(request);
				yield (endpoint != null) ? rule + " at " + endpoint.name() : rule.toString();
			}
		};
	}

	/**
	 * Warns of rules and limits that do nothing, once all endpoints are known.
	 * @param settings say how many requests may wait and run at all
	 */
	public void warnOfUseless(RequestServerSettings settings) {
		int mostInFlight = settings.threads().most() + settings.queueCapacity() + settings.burst();
		if (settings.maxPerChannel() >= mostInFlight) {
			logger.warn(
					"vicinal.server.requests.max-per-channel of {} is never reached, since no more than {} "
							+ "requests may run and wait at all; lower it or leave it out",
					settings.maxPerChannel(), mostInFlight);
		}
		for (int i = 0; i < this.rules.size(); i++) {
			RequestRule rule = this.rules.get(i);
			if (this.endpoints.all().stream().noneMatch((endpoint) -> meet(rule, endpoint))) {
				logger.warn("vicinal.server.requests.{} does nothing: no handler has such a path; there are {}", rule,
						this.endpoints.all()
							.stream()
							.map((endpoint) -> endpoint.pattern().getPatternString())
							.collect(Collectors.toCollection(TreeSet::new)));
			}
			Integer most = rule.maxInFlight();
			if (most != null && most >= mostInFlight) {
				logger.warn(
						"vicinal.server.requests.{}: a max-in-flight of {} is never reached, since no more than {} "
								+ "requests may run and wait at all; lower it or leave it out",
						rule, most, mostInFlight);
			}
			for (RequestRule earlier : this.rules.subList(0, i)) {
				if (rule.priority() != null && earlier.priority() != null && earlier.contains(rule)) {
					logger.warn("vicinal.server.requests.{}: its priority does nothing, as {} comes first and has the "
							+ "same requests; put the more specific rule first", rule, earlier);
					break;
				}
			}
		}
	}

	/** Returns whether a request may be for both. */
	private static boolean meet(RequestRule rule, Endpoint endpoint) {
		PathContainer own = Endpoints.decoded(endpoint.pattern().getPatternString());
		PathContainer asked = Endpoints.decoded(rule.path().getPatternString());
		return rule.path().matches(own) || endpoint.pattern().matches(asked);
	}

}
