package io.github.vicinal.path;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.peer.PeerAnnouncement;

/**
 * The client side of one kind of path.
 *
 * @since 0.1.0
 */
public interface PathProvider extends AutoCloseable {

	/**
	 * Returns the kind of path.
	 * @return the kind
	 */
	PathKind kind();

	/**
	 * Returns how the paths of this provider are protected.
	 * @return {@link PathProtection#NONE} unless overridden
	 */
	default PathProtection protection() {
		return PathProtection.NONE;
	}

	/**
	 * Connects to a peer. May block; never called by a thread that makes calls.
	 * @param contract the contract that will be called
	 * @param peer what the peer said of itself
	 * @return an open path, or the reason why there is none
	 */
	Attempt connect(Contract contract, PeerAnnouncement peer);

	/** Closes the resources that all paths share. Never throws. */
	@Override
	void close();

	/**
	 * The result of an attempt to connect.
	 *
	 * @since 0.1.0
	 */
	sealed interface Attempt {

	}

	/**
	 * The path is there.
	 *
	 * @param path the open path; the caller closes it
	 * @since 0.1.0
	 */
	record Connected(CallPath path) implements Attempt {
	}

	/**
	 * There is no such path to that peer.
	 *
	 * @param reason why, in words for people
	 * @param retryable whether a later attempt may succeed with the same peer
	 * @since 0.1.0
	 */
	record Unavailable(String reason, boolean retryable) implements Attempt {
	}

}
