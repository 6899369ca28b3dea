package io.github.vicinal.boot.server;

import java.util.List;

import io.github.vicinal.server.PathServer;

/**
 * The paths that an application offers to its clients.
 *
 * @param servers the servers of these paths
 * @param notOffered ids of the paths that the application has, but is not to offer
 */
public record OfferedPaths(List<PathServer> servers, List<String> notOffered) {

	public OfferedPaths {
		servers = List.copyOf(servers);
		notOffered = List.copyOf(notOffered);
	}

}
