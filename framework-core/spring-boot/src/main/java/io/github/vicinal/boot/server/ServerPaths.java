package io.github.vicinal.boot.server;

import java.util.List;

import io.github.vicinal.boot.autoconfigure.PathIds;
import io.github.vicinal.boot.autoconfigure.VicinalProperties;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.server.PathServer;

import org.springframework.beans.factory.ObjectProvider;

/** Paths that an application offers. */
final class ServerPaths {

	private ServerPaths() {
	}

	static OfferedPaths offered(VicinalProperties properties, ObjectProvider<PathServer> servers) {
		List<PathServer> all = servers.orderedStream().toList();
		List<String> ids = properties.server().paths();
		if (ids == null) {
			return new OfferedPaths(all, List.of(), properties.https().localPaths());
		}
		List<PathKind> kinds = PathIds.kinds(ids, all.stream().map(PathServer::kind).toList(), "vicinal.server.paths");
		return new OfferedPaths(all.stream().filter((server) -> kinds.contains(server.kind())).toList(),
				all.stream().map(PathServer::kind).filter((kind) -> !kinds.contains(kind)).map(PathKind::id).toList(),
				properties.https().localPaths());
	}

}
