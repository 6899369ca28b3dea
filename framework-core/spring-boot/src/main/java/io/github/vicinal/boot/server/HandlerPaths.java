package io.github.vicinal.boot.server;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.vicinal.boot.server.Endpoints.Endpoint;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Distinguishes requests to the application's handlers from others, such as those to
 * resources and actuator endpoints: by the first segment of their path, or by the whole
 * path where a handler's first segment is a variable. Thread-safe.
 */
final class HandlerPaths implements Predicate<String> {

	private final Supplier<Paths> paths;

	private record Paths(Set<String> segments, List<PathPattern> variable, Collection<String> exempt) {

		boolean handled(String path) {
			if (this.segments.contains(lower(firstSegment(path)))) {
				return true;
			}
			if (this.variable.isEmpty()) {
				return false;
			}
			PathContainer parsed = Endpoints.decoded(path);
			return this.variable.stream().anyMatch((pattern) -> pattern.matches(parsed));
		}

	}

	/**
	 * Creates the paths, which are looked up with the first request.
	 * @param endpoints the application's handlers
	 * @param exempt paths that are not for handlers, with what is below them
	 */
	public HandlerPaths(Endpoints endpoints, Supplier<Collection<String>> exempt) {
		this.paths = SingletonSupplier.of(() -> paths(endpoints.all(), exempt.get()));
	}

	private static Paths paths(List<Endpoint> endpoints, Collection<String> exempt) {
		Set<String> segments = new HashSet<>();
		List<PathPattern> variable = new ArrayList<>();
		for (Endpoint endpoint : endpoints) {
			String segment = firstSegment(endpoint.pattern().getPatternString());
			if (segment.indexOf('{') >= 0 || segment.indexOf('*') >= 0 || segment.indexOf('?') >= 0) {
				variable.add(endpoint.pattern());
			}
			else {
				segments.add(lower(segment));
			}
		}
		return new Paths(segments, variable, exempt);
	}

	private static String firstSegment(String path) {
		int from = path.startsWith("/") ? 1 : 0;
		int to = path.indexOf('/', from);
		return path.substring(from, (to < 0) ? path.length() : to);
	}

	/** Handlers may match paths in any case. */
	private static String lower(String segment) {
		return segment.toLowerCase(Locale.ROOT);
	}

	@Override
	public boolean test(@Nullable String path) {
		Paths known = this.paths.get();
		if (path == null || known == null || !known.handled(path)) {
			return false;
		}
		for (String exempt : known.exempt()) {
			if (path.startsWith(exempt) && (path.length() == exempt.length() || path.charAt(exempt.length()) == '/')) {
				return false;
			}
		}
		return true;
	}

}
