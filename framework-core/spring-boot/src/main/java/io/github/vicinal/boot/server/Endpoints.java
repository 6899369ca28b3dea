package io.github.vicinal.boot.server;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * The endpoints of an application, annotated ones and functional routes, and which one a
 * request is for, by its method and path. What its headers claim does not count, since
 * anybody can write them. Thread-safe.
 */
final class Endpoints {

	private static final PathContainer.Options DECODED = PathContainer.Options.create('/', false);

	private final Supplier<List<Endpoint>> endpoints;

	/**
	 * Handler of the requests of a path.
	 *
	 * @param pattern the path
	 * @param methods names of the HTTP methods, empty for all
	 * @param contract what its handler implements, or {@code null}
	 */
	record Endpoint(PathPattern pattern, Set<String> methods, @Nullable String contract) {

		boolean matches(PathContainer path, String method) {
			return Endpoints.matches(this.methods, method) && this.pattern.matches(path);
		}

		/** Returns what people call it, such as "GET /orders/{id}". */
		String name() {
			return this.methods.isEmpty() ? this.pattern.getPatternString()
					: String.join(",", new TreeSet<>(this.methods)) + " " + this.pattern.getPatternString();
		}

	}

	/** Returns whether a method is one of some, of which GET stands for HEAD, too. */
	static boolean matches(Set<String> methods, String method) {
		return methods.isEmpty() || methods.contains(method) || (method.equals("HEAD") && methods.contains("GET"));
	}

	/**
	 * Creates the endpoints, which are looked up with the first request.
	 * @param mappings the application's annotated handlers
	 * @param routes its functional routes
	 */
	public Endpoints(Supplier<Collection<RequestMappingHandlerMapping>> mappings,
			Supplier<Collection<RouterFunctionMapping>> routes) {
		this.endpoints = SingletonSupplier.of(() -> endpoints(mappings.get(), routes.get()));
	}

	private static List<Endpoint> endpoints(Collection<RequestMappingHandlerMapping> mappings,
			Collection<RouterFunctionMapping> routes) {
		HandlerLookup lookup = new HandlerLookup(mappings);
		List<Endpoint> all = new ArrayList<>();
		for (RequestMappingHandlerMapping mapping : mappings) {
			for (Map.Entry<RequestMappingInfo, HandlerMethod> entry : mapping.getHandlerMethods().entrySet()) {
				RequestMappingInfo info = entry.getKey();
				Set<String> methods = info.getMethodsCondition()
					.getMethods()
					.stream()
					.map(Enum::name)
					.collect(Collectors.toUnmodifiableSet());
				String contract = lookup.contractName(entry.getValue());
				patterns(info).forEach((pattern) -> all.add(new Endpoint(pattern, methods, contract)));
			}
		}
		for (RouterFunctionMapping mapping : routes) {
			all.addAll(RouteEndpoints.of(mapping.getRouterFunction()));
		}
		// The most specific ones first, as Spring MVC takes them.
		all.sort((one, other) -> one.pattern().compareTo(other.pattern()));
		return List.copyOf(all);
	}

	private static Collection<PathPattern> patterns(RequestMappingInfo info) {
		if (info.getPathPatternsCondition() != null) {
			return info.getPathPatternsCondition().getPatterns();
		}
		return info.getPatternValues().stream().map(Endpoints::parse).toList();
	}

	/** Returns a pattern, or one for all paths if it means something else elsewhere. */
	static PathPattern parse(String pattern) {
		try {
			return PathPatternParser.defaultInstance.parse(pattern);
		}
		catch (PatternParseException ex) {
			return PathPatternParser.defaultInstance.parse("/**");
		}
	}

	/** Returns a path that is decoded, so a percent sign in it encodes nothing. */
	static PathContainer decoded(String path) {
		return PathContainer.parsePath(path, DECODED);
	}

	/** Returns the endpoints, the most specific ones first. */
	List<Endpoint> all() {
		return this.endpoints.get();
	}

	/** Returns what a request is for, or {@code null} if nothing is there. */
	@Nullable Endpoint find(HttpServletRequest request) {
		PathContainer path = ServletRequestPathUtils.parse(request).pathWithinApplication();
		String method = request.getMethod();
		List<Endpoint> matching = all().stream().filter((known) -> known.matches(path, method)).toList();
		if (matching.size() > 1 && method.equals("HEAD")) {
			// Spring compares methods before patterns then: HEAD itself, GET, any. A path
			// without variables comes before all patterns.
			if (!matching.get(0).pattern().hasPatternSyntax()) {
				matching = matching.stream().filter((known) -> !known.pattern().hasPatternSyntax()).toList();
			}
			return first(matching, (methods) -> methods.contains("HEAD"),
					first(matching, (methods) -> !methods.isEmpty(), matching.get(0)));
		}
		return matching.isEmpty() ? null : matching.get(0);
	}

	private static Endpoint first(List<Endpoint> endpoints, Predicate<Set<String>> methods, Endpoint otherwise) {
		return endpoints.stream().filter((endpoint) -> methods.test(endpoint.methods())).findFirst().orElse(otherwise);
	}

}
