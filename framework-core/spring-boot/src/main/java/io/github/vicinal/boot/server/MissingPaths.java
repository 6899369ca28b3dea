package io.github.vicinal.boot.server;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import io.github.vicinal.peer.MissingPath;
import io.github.vicinal.server.PathServer;

/**
 * Missing paths as announced to clients. The servers' own reasons name directories and
 * users, so they stay in the log and the endpoint. A client gets one of a few words for
 * the kind of reason.
 */
final class MissingPaths {

	private MissingPaths() {
	}

	/**
	 * Returns the words by the ids of paths.
	 * @param servers the servers of this application that are to offer their paths
	 * @param notOffered ids of the paths that this application has, but does not offer
	 */
	static Map<String, String> of(List<PathServer> servers, Collection<String> notOffered) {
		Map<String, String> missing = new TreeMap<>();
		notOffered.forEach((id) -> missing.put(id, MissingPath.NOT_CONFIGURED.word()));
		for (PathServer server : servers) {
			missing.remove(server.kind().id());
			server.unavailable().ifPresent((reason) -> missing.put(server.kind().id(), classify(reason).word()));
		}
		return missing;
	}

	static MissingPath classify(String reason) {
		String text = reason.toLowerCase(Locale.ROOT);
		if (has(text, "is closed", "shutting down")) {
			return MissingPath.CLOSING;
		}
		if (has(text, "tmpfs")) {
			return MissingPath.NO_TMPFS;
		}
		if (has(text, "too long", "socket allows")) {
			return MissingPath.LONG_PATH;
		}
		if (has(text, "belongs to", "others may", "others could", "symbolic link", "another user")) {
			return MissingPath.UNSAFE_DIRECTORY;
		}
		if (has(text, "no space", "too many open files", "disk quota", "no room")) {
			return MissingPath.NO_ROOM;
		}
		return has(text, "directory", "does not exist") ? MissingPath.NO_DIRECTORY : MissingPath.FAILED;
	}

	private static boolean has(String text, String... words) {
		for (String word : words) {
			if (text.contains(word)) {
				return true;
			}
		}
		return false;
	}

}
