package io.github.vicinal.placement.sources;

import org.jspecify.annotations.Nullable;

/**
 * Count of one edge by one reporter since it started.
 *
 * @param from name of the calling service
 * @param to name of the called service, or a key that is resolved to one later
 * @param side the end of the edge that counted
 * @param calls calls
 * @param applicationBytes bytes of requests and responses, {@code null} if nobody counts
 * them
 * @since 0.1.0
 */
public record EdgeCount(String from, String to, Side side, double calls, @Nullable Double applicationBytes) {

	/**
	 * An end of an edge.
	 *
	 * @since 0.1.0
	 */
	public enum Side {

		/** The caller. */
		CLIENT,

		/** The called. */
		SERVER

	}

}
