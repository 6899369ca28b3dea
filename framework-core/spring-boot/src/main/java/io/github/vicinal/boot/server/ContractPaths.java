package io.github.vicinal.boot.server;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.condition.PathPatternsRequestCondition;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Finds the contract of an HTTP request by its method and path. Its headers do not count,
 * since any client can write them. Thread-safe.
 */
public final class ContractPaths {

	private final Supplier<List<Mapped>> mapped;

	/**
	 * A path pattern.
	 *
	 * @param methods the HTTP methods, empty for all
	 * @param contract what its handler implements, or {@code null}
	 */
	private record Mapped(PathPattern pattern, Set<RequestMethod> methods, @Nullable String contract) {

		boolean matches(PathContainer path, String method) {
			return (this.methods.isEmpty() || this.methods.stream().anyMatch((known) -> known.name().equals(method)))
					&& this.pattern.matches(path);
		}

	}

	/**
	 * Creates the paths, which are looked up with the first request.
	 * @param mappings the application's handlers
	 */
	public ContractPaths(Supplier<Collection<RequestMappingHandlerMapping>> mappings) {
		this.mapped = SingletonSupplier.of(() -> mapped(mappings.get()));
	}

	private static List<Mapped> mapped(Collection<RequestMappingHandlerMapping> mappings) {
		HandlerLookup lookup = new HandlerLookup(mappings);
		List<Mapped> all = new ArrayList<>();
		for (RequestMappingHandlerMapping mapping : mappings) {
			for (Map.Entry<RequestMappingInfo, HandlerMethod> entry : mapping.getHandlerMethods().entrySet()) {
				PathPatternsRequestCondition patterns = entry.getKey().getPathPatternsCondition();
				if (patterns != null) {
					String contract = lookup.contractName(entry.getValue());
					patterns.getPatterns()
						.forEach((pattern) -> all
							.add(new Mapped(pattern, entry.getKey().getMethodsCondition().getMethods(), contract)));
				}
			}
		}
		// The most specific ones first, as Spring MVC takes them.
		all.sort((one, other) -> one.pattern().compareTo(other.pattern()));
		return all;
	}

	/** Returns the class name of a request's contract, or {@code null} if it has none. */
	@Nullable String contract(HttpServletRequest request) {
		PathContainer path = ServletRequestPathUtils.parse(request).pathWithinApplication();
		for (Mapped known : this.mapped.get()) {
			if (known.matches(path, request.getMethod())) {
				return known.contract();
			}
		}
		return null;
	}

}
