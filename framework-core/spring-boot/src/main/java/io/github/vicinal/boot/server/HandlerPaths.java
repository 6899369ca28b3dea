package io.github.vicinal.boot.server;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * Distinguishes requests to the application's handlers from others, such as those to
 * resources and actuator endpoints, by the first segment of their path. Thread-safe.
 */
public final class HandlerPaths implements Predicate<String> {

	private final Supplier<Paths> paths;

	private record Paths(Set<String> segments, boolean all, Collection<String> exempt) {
	}

	/**
	 * Creates the paths, which are looked up with the first request.
	 * @param mappings the application's handlers
	 * @param exempt paths that are not for handlers, with what is below them
	 */
	public HandlerPaths(Supplier<Collection<RequestMappingHandlerMapping>> mappings,
			Supplier<Collection<String>> exempt) {
		this.paths = SingletonSupplier.of(() -> paths(mappings.get(), exempt.get()));
	}

	private static Paths paths(Collection<RequestMappingHandlerMapping> mappings, Collection<String> exempt) {
		Set<String> segments = new HashSet<>();
		boolean all = false;
		for (RequestMappingHandlerMapping mapping : mappings) {
			for (RequestMappingInfo info : mapping.getHandlerMethods().keySet()) {
				for (String pattern : info.getPatternValues()) {
					String segment = firstSegment(pattern);
					segments.add(segment);
					all |= segment.indexOf('{') >= 0 || segment.indexOf('*') >= 0 || segment.indexOf('?') >= 0;
				}
			}
		}
		return new Paths(segments, all, exempt);
	}

	private static String firstSegment(String path) {
		int from = path.startsWith("/") ? 1 : 0;
		int to = path.indexOf('/', from);
		return path.substring(from, (to < 0) ? path.length() : to);
	}

	@Override
	public boolean test(@Nullable String path) {
		Paths known = this.paths.get();
		if (path == null || known == null || !(known.all() || known.segments().contains(firstSegment(path)))) {
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
