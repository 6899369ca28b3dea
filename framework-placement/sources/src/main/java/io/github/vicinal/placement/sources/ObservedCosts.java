package io.github.vicinal.placement.sources;

import java.util.List;

import io.github.vicinal.placement.model.PathCosts;

/**
 * Path costs, measured as far as there is evidence and {@link PathCosts#defaults()} for
 * the rest.
 *
 * @param costs what calls cost within a host and between hosts
 * @param paths what was measured of each kind of path
 * @param notSeen which of the costs are defaults, and why, one sentence each
 * @since 0.1.0
 */
public record ObservedCosts(PathCosts costs, List<MeasuredPath> paths, List<String> notSeen) {

	public ObservedCosts {
		paths = List.copyOf(paths);
		notSeen = List.copyOf(notSeen);
	}

}
