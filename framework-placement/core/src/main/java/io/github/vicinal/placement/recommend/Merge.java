package io.github.vicinal.placement.recommend;

import java.util.List;

/**
 * Services that could share a JVM, because all their replicas share hosts and they talk
 * to each other.
 *
 * @param services names
 * @param trafficShare the part of all traffic that runs between them
 * @param obstacles why they may not; empty if they may
 * @since 0.1.0
 */
public record Merge(List<String> services, double trafficShare, List<String> obstacles) {

	public Merge {
		services = List.copyOf(services);
		obstacles = List.copyOf(obstacles);
	}

	/**
	 * Returns whether a checker has looked at the services.
	 * @return {@code false} if the only obstacle is that nothing is known
	 */
	public boolean known() {
		return !this.obstacles.equals(List.of(MergeChecker.UNKNOWN));
	}

}
