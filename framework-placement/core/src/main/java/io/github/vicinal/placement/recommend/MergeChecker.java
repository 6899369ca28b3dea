package io.github.vicinal.placement.recommend;

import java.util.List;

import io.github.vicinal.placement.model.JvmSharing;

/**
 * Decides whether two services may share one JVM. The answer needs their dependencies,
 * configuration and code; this is where a conflict checker plugs in.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface MergeChecker {

	/** Begins an obstacle that says that a service was not looked at. */
	String UNKNOWN_OF = "nothing is known about the dependencies of ";

	/** Obstacle between services of which nothing is known. */
	String UNKNOWN = UNKNOWN_OF + "either";

	/**
	 * Checks a pair.
	 * @param one name of a service
	 * @param other name of another service on the same hosts
	 * @return why they may not share a JVM; empty if they may
	 */
	List<String> obstacles(String one, String other);

	/**
	 * Returns the memory that a service saves if it is not the first of its JVM.
	 * @return in MiB
	 */
	default long savedMib() {
		return JvmSharing.DEFAULT_SAVED_MIB;
	}

	/**
	 * Returns the checker that knows nothing, and therefore allows nothing.
	 * @return a checker
	 */
	static MergeChecker none() {
		return (one, other) -> List.of(UNKNOWN);
	}

}
