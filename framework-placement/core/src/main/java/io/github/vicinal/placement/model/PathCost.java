package io.github.vicinal.placement.model;

/**
 * Cost of one call by a path: {@code fixed + perKiB * KiB}, filled from measured paths.
 *
 * @param path the path's name, for instance {@code uds} or {@code http}
 * @param latencyMicros time the caller waits for the path, in us
 * @param latencyMicrosPerKib more of it per KiB of request and response
 * @param cpuMicros CPU time of both ends, in us
 * @param cpuMicrosPerKib more of it per KiB of request and response
 * @param relativeError standard error of the figures, as a part of them
 * @since 0.1.0
 */
public record PathCost(String path, double latencyMicros, double latencyMicrosPerKib, double cpuMicros,
		double cpuMicrosPerKib, double relativeError) {

	public PathCost {
		for (double value : new double[] { latencyMicros, latencyMicrosPerKib, cpuMicros, cpuMicrosPerKib,
				relativeError }) {
			if (!(value >= 0 && value <= Edge.MAX_FIGURE)) {
				throw new InvalidModelException(
						"Path '%s' has a cost of %s; costs are between 0 and 1e30".formatted(path, value));
			}
		}
	}

	/**
	 * Returns this path with costs that are at most those of another one. A nearer path
	 * that costs more than a farther one gains nothing.
	 * @param farther the other path
	 * @return a path of the same name and error
	 */
	public PathCost atMost(PathCost farther) {
		return new PathCost(this.path, Math.min(this.latencyMicros, farther.latencyMicros),
				Math.min(this.latencyMicrosPerKib, farther.latencyMicrosPerKib),
				Math.min(this.cpuMicros, farther.cpuMicros), Math.min(this.cpuMicrosPerKib, farther.cpuMicrosPerKib),
				this.relativeError);
	}

	/**
	 * Returns the time that a caller waits for the path.
	 * @param bytes of request and response
	 * @return in us
	 */
	public double latency(double bytes) {
		return this.latencyMicros + this.latencyMicrosPerKib * bytes / 1024;
	}

	/**
	 * Returns the CPU time of both ends.
	 * @param bytes of request and response
	 * @return in us
	 */
	public double cpu(double bytes) {
		return this.cpuMicros + this.cpuMicrosPerKib * bytes / 1024;
	}

}
