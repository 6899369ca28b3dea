package io.github.vicinal.placement.model;

import java.util.List;

/**
 * The given model cannot be placed by any solver: a value in it is wrong, or it
 * contradicts itself. The message names the value, the rule, and what to do.
 *
 * @since 0.1.0
 */
public final class InvalidModelException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final transient List<String> culprits;

	/**
	 * Creates an exception.
	 * @param message value, rule and remedy
	 * @param culprits names of the smallest set of services and hosts that cannot be
	 * satisfied together; empty if the input is malformed
	 */
	public InvalidModelException(String message, List<String> culprits) {
		super(message);
		this.culprits = List.copyOf(culprits);
	}

	/**
	 * Creates an exception for malformed input.
	 * @param message value, rule and remedy
	 */
	public InvalidModelException(String message) {
		this(message, List.of());
	}

	/**
	 * Returns the smallest set that cannot be satisfied together.
	 * @return names of services and hosts; empty if the input is malformed
	 */
	public List<String> culprits() {
		return this.culprits;
	}

}
