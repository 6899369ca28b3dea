package io.github.vicinal.boot.topic;

/**
 * A method with {@code @AffinityListener} cannot be called with messages.
 */
final class InvalidListenerException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message names the method, the rule and the remedy
	 */
	public InvalidListenerException(String message) {
		super(message);
	}

}
