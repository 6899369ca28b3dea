package io.github.vicinal.boot.autoconfigure;

/**
 * A mistake in the configuration of channels, found at start.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class InvalidChannelException extends RuntimeException {

	private final String action;

	/**
	 * Creates the exception.
	 * @param description the value and the rule that it breaks
	 * @param action what to do about it
	 */
	public InvalidChannelException(String description, String action) {
		super(description);
		this.action = action;
	}

	/**
	 * Returns what to do about it.
	 * @return a sentence
	 */
	public String action() {
		return this.action;
	}

}
