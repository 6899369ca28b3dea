package io.github.vicinal.boot.server;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Finds out by which connection a request arrived, where a web server shows handlers
 * another one, such as that which forwarded headers name. Thread-safe.
 */
@FunctionalInterface
interface RequestSockets {

	/**
	 * Returns the connection of a request.
	 * @param request the request, as the first filter sees it
	 * @return the connection, {@code null} if it is that which the request shows
	 */
	@Nullable Socket of(HttpServletRequest request);

	/**
	 * A connection.
	 *
	 * @param scheme {@code http} or {@code https}
	 * @param remoteAddr IP address of the client
	 * @param localAddr IP address at which the request arrived
	 * @param localPort TCP port at which the request arrived
	 */
	record Socket(String scheme, String remoteAddr, String localAddr, int localPort) {
	}

}
