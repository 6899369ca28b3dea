package io.github.vicinal.placement.model;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Known gaps in the evidence of a model. They travel with the model, so that a solver of
 * a copy knows as much as the observer.
 *
 * @param notSeen known gaps, one sentence each
 * @param unlocated names of services whose replicas are not all located. While there are
 * any, no plan is recommended to be applied
 * @since 0.1.0
 */
public record Doubts(List<String> notSeen, Set<String> unlocated) {

	private static final Doubts NONE = new Doubts(List.of(), Set.of());

	public Doubts {
		notSeen = List.copyOf(notSeen);
		unlocated = Collections.unmodifiableSet(new TreeSet<>(unlocated));
	}

	/**
	 * Returns the doubts of a model whose author states all of it.
	 * @return no doubts
	 */
	public static Doubts none() {
		return NONE;
	}

}
