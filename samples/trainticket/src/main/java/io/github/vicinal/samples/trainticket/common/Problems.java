package io.github.vicinal.samples.trainticket.common;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * The problems that services report, as exceptions that Spring MVC turns into problem
 * details.
 */
public final class Problems {

	private Problems() {
	}

	/**
	 * Something that was asked for does not exist.
	 * @param kind what was asked for, such as "station"
	 * @param key the key that nothing was found under
	 * @return the exception to throw (404)
	 */
	public static ResponseStatusException notFound(String kind, String key) {
		return problem(HttpStatus.NOT_FOUND, "There is no " + kind + " '" + key + "'");
	}

	/**
	 * Any other problem.
	 * @param status the HTTP status
	 * @param detail what is wrong, for the caller to read
	 * @return the exception to throw
	 */
	public static ResponseStatusException problem(HttpStatus status, String detail) {
		return new ResponseStatusException(status, detail);
	}

}
