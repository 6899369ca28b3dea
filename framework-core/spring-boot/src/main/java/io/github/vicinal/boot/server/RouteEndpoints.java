package io.github.vicinal.boot.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.vicinal.boot.server.Endpoints.Endpoint;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.Resource;
import org.springframework.http.HttpMethod;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.RequestPredicate;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;

/**
 * Reads the endpoints of functional routes. A route whose path is not known counts for
 * all paths below those around it. Resources are no endpoints.
 */
final class RouteEndpoints implements RouterFunctions.Visitor {

	private static final String BELOW = "/**";

	private final List<Endpoint> endpoints = new ArrayList<>();

	/** Paths of the routes around the present one, innermost first. */
	private final Deque<Set<String>> around = new ArrayDeque<>();

	private RouteEndpoints() {
		this.around.push(Set.of(""));
	}

	static List<Endpoint> of(@Nullable RouterFunction<?> routes) {
		RouteEndpoints visitor = new RouteEndpoints();
		if (routes != null) {
			routes.accept(visitor);
		}
		return visitor.endpoints;
	}

	@Override
	public void startNested(RequestPredicate predicate) {
		this.around.push(within(Matched.by(predicate).paths(), ""));
	}

	@Override
	public void endNested(RequestPredicate predicate) {
		this.around.pop();
	}

	@Override
	public void route(RequestPredicate predicate, HandlerFunction<?> handlerFunction) {
		add(Matched.by(predicate));
	}

	private void add(Matched matched) {
		for (String path : within(matched.paths(), BELOW)) {
			this.endpoints.add(new Endpoint(Endpoints.parse(path), matched.methods(), null));
		}
	}

	/**
	 * Returns paths below those around them.
	 * @param paths {@code null} if they are not known
	 * @param otherwise what stands for those
	 */
	private Set<String> within(@Nullable Set<String> paths, String otherwise) {
		Set<String> all = new LinkedHashSet<>();
		for (String prefix : this.around.getFirst()) {
			for (String path : (paths != null) ? paths : Set.of(otherwise)) {
				all.add(prefix + path);
			}
		}
		return all;
	}

	@Override
	public void resources(Function<ServerRequest, Optional<Resource>> lookupFunction) {
	}

	@Override
	public void attributes(Map<String, Object> attributes) {
	}

	@Override
	public void unknown(RouterFunction<?> routerFunction) {
		add(Matched.ANYTHING);
	}

	/**
	 * Requirements of a predicate.
	 *
	 * @param paths path patterns of which one must match, {@code null} if any path may
	 * @param methods names of HTTP methods, empty for all
	 */
	private record Matched(@Nullable Set<String> paths, Set<String> methods) {

		static final Matched ANYTHING = new Matched(null, Set.of());

		static Matched by(RequestPredicate predicate) {
			Reader reader = new Reader();
			predicate.accept(reader);
			return reader.read.isEmpty() ? ANYTHING : reader.read.getFirst();
		}

		/** Both: of two paths one may be ignored, which makes it match more. */
		Matched and(Matched other) {
			return new Matched((this.paths != null) ? this.paths : other.paths,
					this.methods.isEmpty() ? other.methods : this.methods);
		}

		Matched or(Matched other) {
			Set<String> either = null;
			if (this.paths != null && other.paths != null) {
				either = new LinkedHashSet<>(this.paths);
				either.addAll(other.paths);
			}
			Set<String> methods = Set.of();
			if (!this.methods.isEmpty() && !other.methods.isEmpty()) {
				methods = new LinkedHashSet<>(this.methods);
				methods.addAll(other.methods);
			}
			return new Matched(either, methods);
		}

	}

	/** Evaluates a predicate as a calculator does that knows its operands first. */
	private static final class Reader implements RequestPredicates.Visitor {

		private final Deque<Matched> read = new ArrayDeque<>();

		@Override
		public void method(Set<HttpMethod> methods) {
			this.read.push(
					new Matched(null, methods.stream().map(HttpMethod::name).collect(Collectors.toUnmodifiableSet())));
		}

		@Override
		public void path(String pattern) {
			this.read.push(new Matched(Set.of(pattern), Set.of()));
		}

		private void other() {
			this.read.push(Matched.ANYTHING);
		}

		@Override
		@SuppressWarnings("removal")
		public void pathExtension(String extension) {
			other();
		}

		@Override
		public void header(String name, String value) {
			other();
		}

		@Override
		public void param(String name, String value) {
			other();
		}

		@Override
		public void version(String version) {
			other();
		}

		@Override
		public void unknown(RequestPredicate predicate) {
			other();
		}

		@Override
		public void startAnd() {
		}

		@Override
		public void and() {
		}

		@Override
		public void endAnd() {
			Matched last = this.read.pop();
			this.read.push(this.read.pop().and(last));
		}

		@Override
		public void startOr() {
		}

		@Override
		public void or() {
		}

		@Override
		public void endOr() {
			Matched last = this.read.pop();
			this.read.push(this.read.pop().or(last));
		}

		@Override
		public void startNegate() {
		}

		@Override
		public void endNegate() {
			this.read.pop();
			other();
		}

	}

}
