package io.github.vicinal.boot.actuate;

import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.requestserver.RequestServerReport;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** Shows what the request server of an application did and does. */
@Endpoint(id = "vicinalrequests")
class RequestServerEndpoint {

	private final RequestServer server;

	/**
	 * Creates the endpoint.
	 * @param server the application's server
	 */
	public RequestServerEndpoint(RequestServer server) {
		this.server = server;
	}

	/**
	 * Describes the server.
	 * @return a snapshot
	 */
	@ReadOperation
	public RequestServerReport requestServer() {
		return this.server.report();
	}

}
