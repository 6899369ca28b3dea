package io.github.vicinal.placement.source;

import java.util.List;

import io.github.vicinal.placement.model.Edge;

/**
 * Observations of a source.
 *
 * @param edges one per direction and pair of services, each with its evidence
 * @param notSeen known gaps, one sentence each: instances that did not answer, edges with
 * too little evidence, windows that are not full
 * @param unanswered instances and parts of servers that were asked and did not answer,
 * one sentence each. While there are any, no plan is recommended to be applied
 * @since 0.1.0
 */
public record Traffic(List<Edge> edges, List<String> notSeen, List<String> unanswered) {

	public Traffic {
		edges = List.copyOf(edges);
		notSeen = List.copyOf(notSeen);
		unanswered = List.copyOf(unanswered);
	}

	/**
	 * Creates what a source saw that answered as a whole.
	 * @param edges one per direction and pair of services, each with its evidence
	 * @param notSeen what is known to be missing, one sentence each
	 */
	public Traffic(List<Edge> edges, List<String> notSeen) {
		this(edges, notSeen, List.of());
	}

}
