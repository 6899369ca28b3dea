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

	/**
	 * Prepares for a peer that has not announced anything yet, so that {@link #connect}
	 * takes less time. Does nothing unless overridden. May block; never called by a
	 * thread that makes calls.
	 * @param host the host of the peer's HTTP address: a name or an IP address
	 * @param address where the peer listens for this kind of path, as a service registry
	 * says. Anybody may have written it, so nothing about this application or its calls
	 * may be sent there
	 */
	default void prepare(String host, String address) {
	}

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
