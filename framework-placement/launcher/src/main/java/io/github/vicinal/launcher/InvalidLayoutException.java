package io.github.vicinal.launcher;

/**
 * A layout cannot be run. The message names the value, the rule and the remedy.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public final class InvalidLayoutException extends RuntimeException {

	InvalidLayoutException(String message) {
		super(message);
	}

}
