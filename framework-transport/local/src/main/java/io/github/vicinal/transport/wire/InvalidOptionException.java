package io.github.vicinal.transport.wire;

import java.time.Duration;

/**
 * An option of a path has a value that breaks its rule.
 *
 * @since 0.1.0
 */
public final class InvalidOptionException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private final String option;

	private final String rule;

	private final String value;

	private InvalidOptionException(String option, String rule, Object value) {
		super("The option %s must be %s, not %s".formatted(option, rule, value));
		this.option = option;
		this.rule = rule;
		this.value = String.valueOf(value);
	}

	/**
	 * Checks an option.
	 * @param valid whether its value obeys its rule
	 * @param option the name of the option
	 * @param rule the rule, as it follows "must be"
	 * @param value the value
	 * @throws InvalidOptionException if the value breaks the rule
	 */
	public static void check(boolean valid, String option, String rule, Object value) {
		if (!valid) {
			throw new InvalidOptionException(option, rule, value);
		}
	}

	/**
	 * Checks that a time is positive.
	 * @param option the name of the option
	 * @param value its value
	 * @throws InvalidOptionException if it is not
	 */
	public static void checkPositive(String option, Duration value) {
		check(!value.isNegative() && !value.isZero(), option, "positive", value);
	}

	/**
	 * Returns the name of the option.
	 * @return as its component of the options is called
	 */
	public String option() {
		return this.option;
	}

	/**
	 * Returns the rule.
	 * @return as it follows "must be"
	 */
	public String rule() {
		return this.rule;
	}

	/**
	 * Returns the value that breaks the rule.
	 * @return its text
	 */
	public String value() {
		return this.value;
	}

}
