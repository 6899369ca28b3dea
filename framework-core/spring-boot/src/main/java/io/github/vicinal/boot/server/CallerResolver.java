package io.github.vicinal.boot.server;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Names the caller of a request for the rules of {@code vicinal.server.requests.rules}. A
 * bean of this type replaces the default, which is the address of the client as the web
 * server sees it ({@code server.forward-headers-strategy} decides whether that is what a
 * proxy says).
 * <p>
 * Called before the filters of Spring Security, on the request's thread, for each request
 * if a rule needs it. It must not block, and must not believe what a client can write
 * itself.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface CallerResolver {

	/**
	 * Names the caller of a request.
	 * @param request the request, whose body must not be read
	 * @return a name, or {@code null} if it is not known
	 */
	@Nullable String caller(HttpServletRequest request);

}
