package io.github.vicinal.boot.client;

import org.jspecify.annotations.Nullable;

/**
 * Finds the peer of a call, where a load balancer decides that.
 */
@FunctionalInterface
interface CallTargets {

	/** For clients with one fixed base URL. */
	CallTargets FIXED = () -> null;

	/**
	 * Chooses a peer.
	 * @return its HTTP address, or {@code null} for the one that answered last
	 */
	@Nullable String choose();

}
