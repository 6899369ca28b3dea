package io.github.vicinal.boot.placement;

/**
 * The configuration of placement cannot be used.
 *
 * @since 0.1.0
 */
class InvalidPlacementException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String action;

	/**
	 * Creates the exception.
	 * @param message what is wrong, naming the value
	 * @param action what to do
	 */
	public InvalidPlacementException(String message, String action) {
		super(message);
		this.action = action;
	}

	/**
	 * Returns what to do.
	 * @return a sentence without a full stop
	 */
	public String action() {
		return this.action;
	}

}
