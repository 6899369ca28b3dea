package io.github.vicinal.placement.model;

/**
 * The paths that calls take within a host and between hosts.
 *
 * @param sameHost between two services of one host
 * @param otherHost between hosts; the reference that weights are normalised to
 * @since 0.1.0
 */
public record PathCosts(PathCost sameHost, PathCost otherHost) {

	public PathCosts {
		if (sameHost.latencyMicros() > otherHost.latencyMicros() || sameHost.cpuMicros() > otherHost.cpuMicros()
				|| sameHost.latencyMicrosPerKib() > otherHost.latencyMicrosPerKib()
				|| sameHost.cpuMicrosPerKib() > otherHost.cpuMicrosPerKib()) {
			throw new InvalidModelException(
					"Path '%s' within a host costs more than '%s' between hosts; exchange them, or measure them again"
						.formatted(sameHost.path(), otherHost.path()));
		}
	}

	/**
	 * Returns costs measured for a call of 1 KiB on one quiet machine with two
	 * processors: {@code uds} within a host, {@code http} over the loopback interface as
	 * a lower bound between hosts. Replace them by measurements of your own machines.
	 * @return the costs
	 */
	public static PathCosts defaults() {
		return new PathCosts(new PathCost("uds", 55, 1.5, 42, 1.5, 0.25), new PathCost("http", 147, 4, 180, 6, 0.35));
	}

}
