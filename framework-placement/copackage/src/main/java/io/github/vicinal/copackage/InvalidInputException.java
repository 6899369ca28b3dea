package io.github.vicinal.copackage;

import tools.jackson.core.JacksonException;

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

	static InvalidInputException noJson(Object file, JacksonException ex) {
		// What follows in brackets names no place that a reader knows.
		String reason = String.valueOf(ex.getOriginalMessage()).replaceFirst(" \\(start marker .*", "");
		int line = (ex.getLocation() != null) ? ex.getLocation().getLineNr() : 1;
		return new InvalidInputException("'%s' is no JSON: %s, line %d".formatted(file, reason, line));
	}

}
