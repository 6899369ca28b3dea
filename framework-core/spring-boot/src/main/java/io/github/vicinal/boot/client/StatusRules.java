package io.github.vicinal.boot.client;

import java.util.Collection;
import java.util.function.Predicate;

import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatusCode;
import org.springframework.web.client.DefaultResponseErrorHandler;
import org.springframework.web.client.NoOpResponseErrorHandler;
import org.springframework.web.client.ResponseErrorHandler;

/**
 * Decides whether an HTTP client treats some answer as an error that typed paths return.
 * Answers with a status of 400 or more go to the HTTP client in any case.
 */
final class StatusRules {

	private static final int FIRST_ANSWER = 200;

	private static final int FIRST_ERROR = 400;

	private StatusRules() {
	}

	/**
	 * Inspects the status handlers that a {@code RestClient} or {@code WebClient} applies
	 * to every answer.
	 * @param handlers objects of their private classes
	 * @return what is different from typed paths, or {@code null}
	 */
	static @Nullable String difference(@Nullable Object handlers) throws UnknownLayoutException {
		if (handlers instanceof Collection<?> all) {
			for (Object handler : all) {
				String found = ofPredicate(Fields.required(handler, "predicate"));
				if (found != null) {
					return found;
				}
			}
		}
		return null;
	}

	/** A {@code RestClient} has predicates of responses, which capture the user's. */
	private static @Nullable String ofPredicate(Object predicate) throws UnknownLayoutException {
		if (predicate instanceof Predicate<?> ofStatus) {
			return matching(ofStatus);
		}
		try {
			return matching(Fields.firstOf(predicate, Predicate.class));
		}
		catch (UnknownLayoutException ex) {
			return difference(Fields.firstOf(predicate, ResponseErrorHandler.class));
		}
	}

	@SuppressWarnings("unchecked")
	private static @Nullable String matching(Predicate<?> predicate) {
		Predicate<HttpStatusCode> ofStatus = (Predicate<HttpStatusCode>) predicate;
		for (int status = FIRST_ANSWER; status < FIRST_ERROR; status++) {
			if (ofStatus.test(HttpStatusCode.valueOf(status))) {
				return "status handler for %d".formatted(status);
			}
		}
		return null;
	}

	/**
	 * Inspects an error handler. A handler of the application may find one in any
	 * response.
	 * @param handler the handler
	 * @return what is different from typed paths, or {@code null}
	 */
	static @Nullable String difference(ResponseErrorHandler handler) {
		Class<?> type = handler.getClass();
		return (type == DefaultResponseErrorHandler.class || type == NoOpResponseErrorHandler.class) ? null
				: "error handler " + type.getName();
	}

}
