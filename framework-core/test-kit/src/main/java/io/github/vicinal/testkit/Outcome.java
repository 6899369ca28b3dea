package io.github.vicinal.testkit;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException;

/**
 * Observable outcome of a finished call, in a form that allows comparing two calls: the
 * value, or the exception with status, headers and body.
 * <p>
 * It leaves out parts that differ between two calls over HTTP: dates, headers of the
 * connection and the wording of I/O errors.
 *
 * @since 0.1.0
 */
public final class Outcome {

	private static final Set<String> CONNECTION_HEADERS = Set.of("connection", "content-length", "date", "keep-alive",
			"transfer-encoding");

	private final @Nullable Object value;

	private final @Nullable Throwable failure;

	private final List<Object> facts;

	private Outcome(@Nullable Object value, @Nullable Throwable failure, List<Object> facts) {
		this.value = value;
		this.failure = failure;
		this.facts = facts;
	}

	/**
	 * Run a call and take down how it ended. An {@code AssertionError} of the call itself
	 * is an outcome like any other.
	 * @param call the call
	 * @param ignoredHeaders names of response headers to leave out, in lower case
	 * @return the outcome
	 */
	@SuppressWarnings("ThrowableNotThrown")
	public static Outcome of(Callable<? extends @Nullable Object> call, Set<String> ignoredHeaders) {
		try {
			Object value = call.call();
			return new Outcome(value, null, List.of("returned", new Box(comparable(value, ignoredHeaders))));
		}
		catch (Throwable ex) {
			Throwable failure = unwrap(ex);
			return new Outcome(null, failure, facts(failure, ignoredHeaders));
		}
	}

	private static Throwable unwrap(Throwable ex) {
		Throwable cause = ex.getCause();
		boolean wrapped = cause != null && (ex instanceof ExecutionException || ex instanceof CompletionException);
		return (wrapped && cause != null) ? unwrap(cause) : ex;
	}

	private static @Nullable Object comparable(@Nullable Object value, Set<String> ignoredHeaders) {
		if (value instanceof ResponseEntity<?> entity) {
			return new Entity(entity.getStatusCode().value(), headers(entity.getHeaders(), ignoredHeaders),
					entity.getBody());
		}
		if (value instanceof HttpEntity<?> entity) {
			return new Entity(0, headers(entity.getHeaders(), ignoredHeaders), entity.getBody());
		}
		if (value instanceof HttpHeaders headers) {
			return headers(headers, ignoredHeaders);
		}
		return value;
	}

	private static List<Object> facts(Throwable ex, Set<String> ignoredHeaders) {
		List<Object> facts = new ArrayList<>();
		facts.add("threw " + ex.getClass().getName());
		if (ex instanceof RestClientResponseException response) {
			facts.add(response.getStatusCode().value());
			facts.add(response.getStatusText());
			facts.add(timeless(response.getResponseBodyAsString(StandardCharsets.UTF_8)));
			HttpHeaders headers = response.getResponseHeaders();
			facts.add((headers != null) ? headers(headers, ignoredHeaders) : "no headers");
			facts.add(timeless(ex.getMessage()));
		}
		else if (ex instanceof WebClientResponseException response) {
			facts.add(response.getStatusCode().value());
			facts.add(response.getStatusText());
			facts.add(timeless(response.getResponseBodyAsString(StandardCharsets.UTF_8)));
			facts.add(headers(response.getHeaders(), ignoredHeaders));
			facts.add(timeless(ex.getMessage()));
		}
		else if (!(ex instanceof ResourceAccessException || ex instanceof WebClientRequestException)) {
			facts.add(timeless(ex.getMessage()));
			Throwable cause = ex.getCause();
			if (cause != null) {
				facts.add("because of " + cause.getClass().getName());
			}
		}
		return facts;
	}

	private static Map<String, List<String>> headers(HttpHeaders headers, Set<String> ignored) {
		Map<String, List<String>> result = new TreeMap<>();
		headers.forEach((name, values) -> {
			String key = name.toLowerCase(Locale.ROOT);
			if (!CONNECTION_HEADERS.contains(key) && !ignored.contains(key)) {
				result.put(key, List.copyOf(values));
			}
		});
		return result;
	}

	private static String timeless(@Nullable String text) {
		return String.valueOf(text).replaceAll("\"timestamp\":(\"[^\"]*\"|[0-9.]+)", "\"timestamp\":\"-\"");
	}

	/**
	 * Returns whether the call returned.
	 * @return {@code false} if it threw
	 */
	public boolean returned() {
		return this.failure == null;
	}

	/**
	 * Fail unless the call returned, and give the value.
	 * @return the value
	 */
	public @Nullable Object value() {
		if (this.failure != null) {
			throw new AssertionError("The call failed", this.failure);
		}
		return this.value;
	}

	/**
	 * Fail unless the call returned a value of a type, and give it.
	 * @param <T> the type
	 * @param type the expected type
	 * @return the value
	 */
	public <T> T value(Class<T> type) {
		Object result = value();
		if (!type.isInstance(result)) {
			throw new AssertionError("Expected " + type.getName() + " but the call returned " + result);
		}
		return type.cast(result);
	}

	/**
	 * Fail unless the call threw an exception of a type, and give it.
	 * @param <X> the type
	 * @param type the expected type
	 * @return the exception
	 */
	public <X extends Throwable> X failure(Class<X> type) {
		if (this.failure == null) {
			throw new AssertionError("Expected " + type.getName() + " but the call returned " + this.value);
		}
		if (!type.isInstance(this.failure)) {
			throw new AssertionError("Expected " + type.getName(), this.failure);
		}
		return type.cast(this.failure);
	}

	/**
	 * Fail unless this outcome equals the one of the oracle: values field by field,
	 * exceptions by all that a caller can ask them.
	 * @param oracle the outcome over HTTP
	 */
	public void assertSameAs(Outcome oracle) {
		String difference = DeepComparison.difference(this.facts, oracle.facts);
		if (difference != null) {
			AssertionError error = new AssertionError(
					"Not as over HTTP: " + difference + "\non the path:  " + this + "\nover HTTP:    " + oracle);
			if (this.failure != null) {
				error.addSuppressed(this.failure);
			}
			if (oracle.failure != null) {
				error.addSuppressed(oracle.failure);
			}
			throw error;
		}
	}

	boolean isSameAs(Outcome oracle) {
		return DeepComparison.difference(this.facts, oracle.facts) == null;
	}

	@Override
	public String toString() {
		String text = this.facts.toString();
		return (text.length() > 4000) ? text.substring(0, 4000) + "..." : text;
	}

	private record Box(@Nullable Object content) {

	}

	private record Entity(int status, Object headers, @Nullable Object body) {

	}

}
