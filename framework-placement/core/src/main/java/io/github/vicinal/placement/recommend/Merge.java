package io.github.vicinal.placement.recommend;

import java.util.List;

import io.github.vicinal.placement.model.PrintableText;

/**
 * Services that could share a JVM, because all their replicas share hosts and they talk
 * to each other.
 *
 * @param services names
 * @param trafficShare the part of all traffic that runs between them
 * @param savedCores processors that their calls would need less, by the path costs of the
 * model; 0 for edges without calls
 * @param savedMib memory that would be saved, in MiB: an estimate, of which capacities
 * know nothing
 * @param obstacles why they may not; empty if they may
 * @since 0.1.0
 */
public record Merge(List<String> services, double trafficShare, double savedCores, long savedMib,
		List<String> obstacles) {

	public Merge {
		services = List.copyOf(services);
		obstacles = obstacles.stream().map(PrintableText::escaped).toList();
	}

	/**
	 * Returns whether a checker has looked at the services.
	 * @return {@code false} if the only obstacles are that nothing is known of one, or of
	 * both
	 */
	public boolean known() {
		return this.obstacles.isEmpty()
				|| !this.obstacles.stream().allMatch((each) -> each.contains(MergeChecker.UNKNOWN_OF));
	}

	/**
	 * Returns whether they may share a JVM.
	 * @return whether there are no obstacles
	 */
	public boolean allowed() {
		return this.obstacles.isEmpty();
	}

}
