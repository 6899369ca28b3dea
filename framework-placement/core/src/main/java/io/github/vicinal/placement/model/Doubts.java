package io.github.vicinal.placement.model;

import java.util.Collections;
import java.util.LinkedHashSet;
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
 * @param unanswered sources and instances that did not answer, one sentence each. While
 * there are any, no plan is recommended to be applied
 * @since 0.1.0
 */
public record Doubts(List<String> notSeen, Set<String> unlocated, List<String> unanswered) {

	private static final Doubts NONE = new Doubts(List.of(), Set.of(), List.of());

	public Doubts {
		notSeen = printable(notSeen);
		unlocated = Collections.unmodifiableSet(new TreeSet<>(unlocated));
		unanswered = printable(unanswered);
	}

	/** Sentences quote what others wrote, and are printed in terminals. */
	private static List<String> printable(List<String> sentences) {
		return sentences.stream().map(PrintableText::escaped).toList();
	}

	/**
	 * Creates doubts about a model all of whose sources answered.
	 * @param notSeen what is known to be missing, one sentence each
	 * @param unlocated names of services of which nobody says where all their replicas
	 * run
	 */
	public Doubts(List<String> notSeen, Set<String> unlocated) {
		this(notSeen, unlocated, List.of());
	}

	/**
	 * Returns these doubts and others. What both say is said once.
	 * @param others more doubts
	 * @return all of them
	 */
	public Doubts and(Doubts others) {
		Set<String> all = new TreeSet<>(this.unlocated);
		all.addAll(others.unlocated);
		return new Doubts(once(this.notSeen, others.notSeen), all, once(this.unanswered, others.unanswered));
	}

	private static List<String> once(List<String> these, List<String> others) {
		Set<String> all = new LinkedHashSet<>(these);
		all.addAll(others);
		return List.copyOf(all);
	}

	/**
	 * Returns the doubts of a model whose author states all of it.
	 * @return no doubts
	 */
	public static Doubts none() {
		return NONE;
	}

}
