package io.github.vicinal.placement.source;

import java.util.List;

import io.github.vicinal.placement.model.Edge;
import io.github.vicinal.placement.model.Route;

/**
 * Observations of a source.
 *
 * @param edges one per direction and pair of services, each with its evidence
 * @param notSeen known gaps, one sentence each: instances that did not answer, edges with
 * too little evidence, windows that are not full
 * @param unanswered instances and parts of servers that were asked and did not answer,
 * one sentence each. While there are any, no plan is recommended to be applied
 * @param routes kinds of request with the calls that their answers wait for; traces alone
 * know them
 * @since 0.1.0
 */
public record Traffic(List<Edge> edges, List<String> notSeen, List<String> unanswered, List<Route> routes) {

	public Traffic {
		edges = List.copyOf(edges);
		notSeen = List.copyOf(notSeen);
		unanswered = List.copyOf(unanswered);
		routes = List.copyOf(routes);
	}

	/**
	 * Creates what a source saw that answered as a whole.
	 * @param edges one per direction and pair of services, each with its evidence
	 * @param notSeen what is known to be missing, one sentence each
	 */
	public Traffic(List<Edge> edges, List<String> notSeen) {
		this(edges, notSeen, List.of());
	}

	/**
	 * Creates what a source saw that knows no routes.
	 * @param edges one per direction and pair of services, each with its evidence
	 * @param notSeen what is known to be missing, one sentence each
	 * @param unanswered what was asked and did not answer, one sentence each
	 */
	public Traffic(List<Edge> edges, List<String> notSeen, List<String> unanswered) {
		this(edges, notSeen, unanswered, List.of());
	}

}
