package io.github.vicinal.samples.trainticket.bench;

/**
 * A measurement that cannot go on.
 */
class BenchException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	BenchException(String message, String detail) {
		super(message + System.lineSeparator() + detail);
	}

}
