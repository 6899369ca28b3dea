package io.github.vicinal.copackage;

/**
 * Degrees of sharing between applications, closest first.
 *
 * @since 0.1.0
 */
public enum Verdict {

	/**
	 * One JVM and one class loader: nothing of one hides or replaces anything of another.
	 */
	SHARED,

	/**
	 * One JVM; some libraries, which are the same and keep no state, are loaded once for
	 * all.
	 */
	HOISTED,

	/** One JVM; each application loads all of its libraries itself. */
	ISOLATED,

	/** One container, each application in a process of its own. */
	SAME_CONTAINER,

	/** Neither a JVM nor a container in common. */
	FORBIDDEN;

	/**
	 * Returns whether applications may run in one JVM.
	 * @return {@code true} from {@link #SHARED} to {@link #ISOLATED}
	 */
	public boolean oneJvm() {
		return compareTo(ISOLATED) <= 0;
	}

	/**
	 * Returns the farther one.
	 * @param other another verdict
	 * @return the verdict that both allow
	 */
	public Verdict and(Verdict other) {
		return (compareTo(other) >= 0) ? this : other;
	}

}
