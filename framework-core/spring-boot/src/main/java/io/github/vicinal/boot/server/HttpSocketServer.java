package io.github.vicinal.boot.server;

import java.util.Optional;

/**
 * Takes the HTTP requests of processes of this host on a Unix domain socket, beside the
 * TCP port of the web server and with the same filters, security and handlers.
 */
public interface HttpSocketServer {

	/**
	 * Starts to take requests if that has not happened yet. Never throws.
	 * @return the TCP port whose requests the socket takes, 0 if there is no socket
	 */
	int start();

	/**
	 * Returns why there is no socket.
	 * @return the reason, or empty if there is one or it was not asked for yet
	 */
	Optional<String> unavailable();

}
