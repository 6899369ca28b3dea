package io.github.vicinal.placement.source;

import java.util.List;

import io.github.vicinal.placement.model.Edge;

/**
 * Observations of a source.
 *
 * @param edges one per direction and pair of services, each with its evidence
 * @param notSeen known gaps, one sentence each: instances that did not answer, edges with
 * too little evidence, windows that are not full
 * @since 0.1.0
 */
public record Traffic(List<Edge> edges, List<String> notSeen) {

	public Traffic {
		edges = List.copyOf(edges);
		notSeen = List.copyOf(notSeen);
	}

}
