package io.github.vicinal.peer;

import java.util.Locale;

/**
 * The ways to reach a peer, best first.
 *
 * @since 0.1.0
 */
public enum PathKind {

	/** A call inside one JVM. */
	DIRECT,

	/** Memory shared by two processes of one host. */
	SHM,

	/** A Unix domain socket between two processes of one host. */
	UDS,

	/** The HTTP client that was there before. Always works. */
	HTTP;

	/**
	 * Returns the name in configuration, headers and reports.
	 * @return the lower-case name
	 */
	public String id() {
		return name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Finds a kind by its {@link #id()}.
	 * @param id the name, in any case
	 * @return the kind
	 * @throws IllegalArgumentException if there is none of that name
	 */
	public static PathKind of(String id) {
		for (PathKind kind : values()) {
			if (kind.id().equals(id.toLowerCase(Locale.ROOT))) {
				return kind;
			}
		}
		throw new IllegalArgumentException(
				"There is no path '%s'; the paths are direct, shm, uds and http".formatted(id));
	}

}
