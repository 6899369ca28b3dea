package io.github.vicinal.samples.trainticket.launch;

/**
 * Wrong use of a command. The message names the offending value, the rule that it breaks,
 * and what to do.
 */
public class UsageException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the exception.
	 * @param value what is wrong, naming the value
	 * @param rule the rule that it breaks
	 * @param remedy what to do
	 */
	public UsageException(String value, String rule, String remedy) {
		super(value + System.lineSeparator() + "  Rule:   " + rule + System.lineSeparator() + "  Remedy: " + remedy);
	}

}
