package io.github.vicinal.path;

import io.github.vicinal.peer.PeerAnnouncement;
import org.jspecify.annotations.Nullable;

/**
 * Decides which paths may stand in for the HTTP requests to a peer, by the facts about
 * the way of these requests. Thread-safe.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface PathRule {

	/** Allows each path. */
	PathRule ANY = (kind, protection, peer) -> null;

	/**
	 * Returns why a path must not be used. May look up names, so it is never called by a
	 * thread that makes calls.
	 * @param kind the kind of path
	 * @param protection how the path is protected
	 * @param peer what the peer said of itself in the latest answer over HTTP
	 * @return the reason, and what to do; {@code null} if the path may be used
	 */
	@Nullable String forbids(PathKind kind, PathProtection protection, PeerAnnouncement peer);

}
