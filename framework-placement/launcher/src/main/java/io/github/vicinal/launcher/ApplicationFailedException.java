package io.github.vicinal.launcher;

/** An application does not run. The message says why, for people. */
@SuppressWarnings("serial")
final class ApplicationFailedException extends Exception {

	ApplicationFailedException(String message) {
		super(message);
	}

}
