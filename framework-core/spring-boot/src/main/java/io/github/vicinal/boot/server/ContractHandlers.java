package io.github.vicinal.boot.server;

import java.util.List;
import java.util.Objects;

import io.github.vicinal.boot.server.HandlerLookup.Handler;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.condition.PathPatternsRequestCondition;

/**
 * The handlers to which typed calls of a contract lead. The base URL of a client may have
 * a path of its own, with which its requests reach other handlers. Thread-safe.
 */
final class ContractHandlers {

	private final List<Handler> handlers;

	/**
	 * Creates them.
	 * @param handlers the handler of each method that has one, those of methods that must
	 * come by HTTP among them
	 */
	ContractHandlers(List<@Nullable Handler> handlers) {
		this.handlers = handlers.stream().filter(Objects::nonNull).map(Objects::requireNonNull).toList();
	}

	/**
	 * Finds out whether typed calls would lead where a request over HTTP has gone.
	 * @param reached what handles the request
	 * @param path the path of the request within the application, {@code null} if it is
	 * not known
	 * @return why they would lead elsewhere, or {@code null}
	 */
	@Nullable String elsewhere(Object reached, @Nullable PathContainer path) {
		if (path == null || !(reached instanceof HandlerMethod method) || this.handlers.isEmpty()) {
			return null;
		}
		for (Handler handler : this.handlers) {
			// Another handler may take a path that matches: the call itself finds that.
			if (isSame(handler.method(), method) || matches(handler, path)) {
				return null;
			}
		}
		return "requests for %s reach %s: the base URL of the client has another path"
			.formatted(this.handlers.get(0).method().getBeanType().getSimpleName(), method.getShortLogMessage());
	}

	private static boolean isSame(HandlerMethod one, HandlerMethod other) {
		return one.getMethod().equals(other.getMethod()) && one.getBeanType().equals(other.getBeanType());
	}

	private static boolean matches(Handler handler, PathContainer path) {
		PathPatternsRequestCondition condition = handler.info().getPathPatternsCondition();
		return condition == null || condition.getPatterns().stream().anyMatch((pattern) -> pattern.matches(path));
	}

}
