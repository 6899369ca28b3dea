package io.github.vicinal.placement.model;

import org.jspecify.annotations.Nullable;

/**
 * The paths that calls take within a JVM, within a host, between hosts and between zones.
 *
 * @param sameHost between two services of one host
 * @param otherHost between hosts of one zone
 * @param otherZone between hosts of different zones, {@code null} if that costs as much
 * as between hosts of one zone
 * @param sameJvm between two services of one JVM, {@code null} if that costs as much as
 * between two JVMs of one host
 * @since 0.1.0
 */
public record PathCosts(PathCost sameHost, PathCost otherHost, @Nullable PathCost otherZone,
		@Nullable PathCost sameJvm) {

	public PathCosts {
		if (sameJvm != null && dearer(sameJvm, sameHost)) {
			throw new InvalidModelException(
					"Path '%s' within a JVM costs more than '%s' within a host; exchange them, or measure them again"
						.formatted(sameJvm.path(), sameHost.path()));
		}
		if (dearer(sameHost, otherHost)) {
			throw new InvalidModelException(
					"Path '%s' within a host costs more than '%s' between hosts; exchange them, or measure them again"
						.formatted(sameHost.path(), otherHost.path()));
		}
		if (otherZone != null && dearer(otherHost, otherZone)) {
			throw new InvalidModelException(
					"Path '%s' between hosts of one zone costs more than '%s' between zones; exchange them, or measure them again"
						.formatted(otherHost.path(), otherZone.path()));
		}
	}

	/**
	 * Creates costs that are the same between all hosts.
	 * @param sameHost between two services of one host
	 * @param otherHost between hosts
	 */
	public PathCosts(PathCost sameHost, PathCost otherHost) {
		this(sameHost, otherHost, null, null);
	}

	private static boolean dearer(PathCost near, PathCost far) {
		return near.latencyMicros() > far.latencyMicros() || near.cpuMicros() > far.cpuMicros()
				|| near.latencyMicrosPerKib() > far.latencyMicrosPerKib()
				|| near.cpuMicrosPerKib() > far.cpuMicrosPerKib();
	}

	/**
	 * Returns the path between hosts of different zones.
	 * @return that between zones, or that between hosts if zones cost nothing more
	 */
	public PathCost farthest() {
		return (this.otherZone != null) ? this.otherZone : this.otherHost;
	}

	/**
	 * Returns the path between services of one JVM.
	 * @return that within a JVM, or that within a host if a JVM saves nothing more
	 */
	public PathCost nearest() {
		return (this.sameJvm != null) ? this.sameJvm : this.sameHost;
	}

	/**
	 * Returns costs measured for a call of 1 KiB on one quiet machine with two
	 * processors: {@code direct} within a JVM, by reference and with a copy of the bytes,
	 * {@code uds} within a host, {@code http} over the loopback interface as a lower
	 * bound between hosts. Replace them by measurements of your own machines.
	 * @return the costs
	 */
	public static PathCosts defaults() {
		return new PathCosts(new PathCost("uds", 55, 1.5, 42, 1.5, 0.25), new PathCost("http", 147, 4, 180, 6, 0.35),
				null, new PathCost("direct", 1.3, 1, 1.3, 1, 0.25));
	}

}
