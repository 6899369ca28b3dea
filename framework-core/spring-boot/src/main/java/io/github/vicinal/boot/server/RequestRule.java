package io.github.vicinal.boot.server;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.github.vicinal.requestserver.InvalidSettingException;
import io.github.vicinal.requestserver.Priority;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * Rule by property for some requests: their priority, and how many of them may be in
 * flight.
 */
final class RequestRule {

	/** Scope of the limit. */
	public enum Per {

		/** All requests of the rule together. */
		RULE,

		/** Those of each endpoint. */
		ENDPOINT,

		/** Those of each caller. */
		CALLER

	}

	private final String property;

	private final PathPattern path;

	private final Set<String> methods;

	private final List<CallerMatcher> callers;

	private final @Nullable Priority priority;

	private final @Nullable Integer maxInFlight;

	private final Per per;

	/**
	 * Creates a rule.
	 * @param property its name below that of the request server, for errors
	 * @param path a path pattern as handlers have it
	 * @param methods HTTP methods, empty for all
	 * @param callers names or addresses, empty for all
	 * @param priority how much these requests matter, or {@code null}
	 * @param maxInFlight the most that wait and run, or {@code null} for no limit
	 * @param per what that counts for
	 * @throws InvalidSettingException if a value is impossible
	 */
	public RequestRule(String property, String path, Collection<String> methods, Collection<String> callers,
			@Nullable Priority priority, @Nullable Integer maxInFlight, Per per) {
		this.property = property;
		this.path = parse(property + ".path", path);
		this.methods = methods.stream()
			.map((method) -> method(property + ".methods", method))
			.collect(Collectors.toUnmodifiableSet());
		this.callers = callers.stream().map((caller) -> caller(property + ".callers", caller)).toList();
		this.priority = priority;
		this.maxInFlight = maxInFlight;
		this.per = per;
		require(priority != null || maxInFlight != null, property, "without an effect",
				"must say a priority or max-in-flight", "add one of them or remove the rule");
		require(maxInFlight == null || maxInFlight >= 1, property + ".max-in-flight", String.valueOf(maxInFlight),
				"must be at least 1", "leave it out for no limit");
		require(maxInFlight != null || per == Per.RULE, property + ".per", per.name().toLowerCase(Locale.ROOT),
				"says what max-in-flight counts for, which the rule does not have", "add max-in-flight or remove it");
	}

	private static void require(boolean holds, String property, String value, String rule, String remedy) {
		if (!holds) {
			throw new InvalidSettingException(property, value, rule, remedy);
		}
	}

	private static PathPattern parse(String property, String path) {
		require(path.startsWith("/"), property, "'" + path + "'", "must begin with a slash", "use '/" + path + "'");
		try {
			return parser().parse(path);
		}
		catch (PatternParseException ex) {
			throw new InvalidSettingException(property, "'" + path + "'",
					"must be a path pattern as @RequestMapping has it: " + ex.getMessage(),
					"use one such as /orders/{id} or /orders/**");
		}
	}

	/** A handler may match paths in any case, so a rule does. */
	private static PathPatternParser parser() {
		PathPatternParser parser = new PathPatternParser();
		parser.setCaseSensitive(false);
		return parser;
	}

	private static String method(String property, String method) {
		RequestMethod known = RequestMethod.resolve(method.toUpperCase(Locale.ROOT));
		require(known != null, property, "'" + method + "'",
				"must be one of " + new TreeSet<>(Arrays.asList(RequestMethod.values())), "leave it out for all");
		return String.valueOf(known);
	}

	private static CallerMatcher caller(String property, String caller) {
		try {
			return CallerMatcher.of(caller);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidSettingException(property, "'" + caller + "'", String.valueOf(ex.getMessage()),
					"leave it out for all callers");
		}
	}

	PathPattern path() {
		return this.path;
	}

	boolean namesCallers() {
		return !this.callers.isEmpty();
	}

	@Nullable Priority priority() {
		return this.priority;
	}

	@Nullable Integer maxInFlight() {
		return this.maxInFlight;
	}

	Per per() {
		return this.per;
	}

	boolean matches(PathContainer path, String method) {
		return Endpoints.matches(this.methods, method) && this.path.matches(path);
	}

	boolean matchesCaller(String caller) {
		return this.callers.stream().anyMatch((matcher) -> matcher.test(caller));
	}

	/** Returns whether all requests of another rule are requests of this one, too. */
	boolean contains(RequestRule other) {
		boolean path = this.path.equals(other.path) || this.path.getPatternString().equals("/**");
		boolean methods = this.methods.isEmpty()
				|| (!other.methods.isEmpty() && this.methods.containsAll(other.methods));
		return path && methods && this.callers.isEmpty();
	}

	@Override
	public String toString() {
		return this.property + " (" + this.path.getPatternString() + ")";
	}

}
