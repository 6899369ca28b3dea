package io.github.vicinal.copackage;

/**
 * A file or an argument cannot be used. The message names the value, the rule and the
 * remedy.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public final class InvalidInputException extends RuntimeException {

	InvalidInputException(String message) {
		super(message);
	}

}
