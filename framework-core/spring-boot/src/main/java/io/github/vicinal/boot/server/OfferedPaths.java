package io.github.vicinal.boot.server;

import java.util.List;

import io.github.vicinal.server.PathServer;

/**
 * The paths that an application offers to its clients.
 *
 * @param servers the servers of these paths
 * @param notOffered ids of the paths that the application has, but is not to offer
 * @param httpsLocalPaths whether paths between processes of one user are offered to
 * clients that come by https
 */
record OfferedPaths(List<PathServer> servers, List<String> notOffered, boolean httpsLocalPaths) {

	/**
	 * Creates paths of which clients that come by https are offered those with TLS only.
	 * @param servers the servers of these paths
	 * @param notOffered ids of the paths that the application has, but is not to offer
	 */
	public OfferedPaths(List<PathServer> servers, List<String> notOffered) {
		this(servers, notOffered, false);
	}

	public OfferedPaths {
		servers = List.copyOf(servers);
		notOffered = List.copyOf(notOffered);
	}

}
