package io.github.vicinal.boot.server;

import java.util.List;
import java.util.Map;

/**
 * Facts that a web server shows of a client's connection, and what the client's HTTP
 * library adds to each request: seen when the client sent a real HTTP request, never
 * taken from its word. Immutable.
 */
interface ClientConnection {

	/**
	 * Returns the scheme of the connection.
	 * @return {@code http} or {@code https}
	 */
	String scheme();

	/**
	 * Returns the IP address of the client.
	 * @return a literal address
	 */
	String remoteAddr();

	/**
	 * Returns the IP address at which requests arrive.
	 * @return a literal address
	 */
	String localAddr();

	/**
	 * Returns the TCP port at which requests arrive.
	 * @return a port
	 */
	int localPort();

	/**
	 * Returns the headers that the client's HTTP library adds by itself.
	 * @return values by lower-case name
	 */
	Map<String, List<String>> headers();

}
