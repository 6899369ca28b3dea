package io.github.vicinal.placement.model;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What is known to be missing in the evidence of a model. It travels with the model, so
 * that whoever solves a copy of it knows as much as the one that observed it.
 *
 * @param notSeen what is known to be missing, one sentence each
 * @param unlocated names of services of which nobody says where all their replicas run.
 * While there are any, no plan is recommended to be applied
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
