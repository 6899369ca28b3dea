package io.github.vicinal.boot.server;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.github.vicinal.boot.server.HandlerLookup.Handler;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.servlet.mvc.condition.PathPatternsRequestCondition;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Mappings that may take a request from a handler, for some values of the variables in
 * the path. Which one Spring MVC chooses is left to it.
 */
final class CompetingMappings {

	/**
	 * The handler's own pattern, or {@code null} if it matches whatever it is filled
	 * with.
	 */
	private final @Nullable PathPattern own;

	private final List<PathPattern> others;

	private CompetingMappings(@Nullable PathPattern own, List<PathPattern> others) {
		this.own = own;
		this.others = others;
	}

	/**
	 * Finds a mapping that matches all requests of a handler whose path has no variables.
	 * @return why it is not certain that the handler gets them, or {@code null}
	 */
	static @Nullable String always(Handler handler) {
		CompetingMappings competing = (handler.pattern().indexOf('{') < 0) ? of(handler) : null;
		return (competing != null) ? competing.matching(handler.pattern()) : null;
	}

	/**
	 * Finds the mappings that compete with that of a handler.
	 * @return what competes, or {@code null} if nothing does
	 */
	static @Nullable CompetingMappings of(Handler handler) {
		PathPatternsRequestCondition condition = handler.info().getPathPatternsCondition();
		if (condition == null) {
			return null;
		}
		PathPattern own = condition.getPatterns().iterator().next();
		List<PathPattern> others = handler.mapping()
			.getHandlerMethods()
			.keySet()
			.stream()
			.filter((info) -> info != handler.info() && haveMethodInCommon(info, handler.info()))
			.flatMap(CompetingMappings::patterns)
			.filter((other) -> competes(other, own))
			.toList();
		boolean restricted = isRestricted(own.getPatternString());
		return (restricted || !others.isEmpty()) ? new CompetingMappings(restricted ? own : null, others) : null;
	}

	private static boolean haveMethodInCommon(RequestMappingInfo info, RequestMappingInfo other) {
		Set<RequestMethod> some = info.getMethodsCondition().getMethods();
		Set<RequestMethod> more = other.getMethodsCondition().getMethods();
		return some.isEmpty() || more.isEmpty() || some.stream().anyMatch(more::contains);
	}

	private static Stream<PathPattern> patterns(RequestMappingInfo info) {
		PathPatternsRequestCondition condition = info.getPathPatternsCondition();
		return (condition != null) ? condition.getPatterns().stream() : Stream.empty();
	}

	/** A pattern that is less specific never wins where the handler's own one matches. */
	private static boolean competes(PathPattern other, PathPattern own) {
		return PathPattern.SPECIFICITY_COMPARATOR.compare(own, other) >= 0
				&& mayOverlap(other.getPatternString(), own.getPatternString());
	}

	/** Whether there are values of variables with which a pattern does not match. */
	private static boolean isRestricted(String pattern) {
		return pattern.indexOf(':') >= 0 || pattern.indexOf('*') >= 0 || pattern.indexOf('?') >= 0;
	}

	private static boolean mayOverlap(String first, String second) {
		if (isRestricted(first) || isRestricted(second)) {
			return true;
		}
		String[] some = first.split("/", -1);
		String[] more = second.split("/", -1);
		if (some.length != more.length) {
			return false;
		}
		for (int i = 0; i < some.length; i++) {
			if (some[i].indexOf('{') < 0 && more[i].indexOf('{') < 0 && !some[i].equalsIgnoreCase(more[i])) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Finds a mapping that matches a request.
	 * @param path the encoded path within the dispatcher servlet
	 * @return why it is not certain that the handler gets the request, or {@code null}
	 */
	@Nullable String matching(String path) {
		PathContainer parsed = PathContainer.parsePath(path);
		if (this.own != null && !this.own.matches(parsed)) {
			return "the path does not match %s".formatted(this.own);
		}
		for (PathPattern other : this.others) {
			if (other.matches(parsed)) {
				return "another mapping matches the path: %s".formatted(other);
			}
		}
		return null;
	}

}
