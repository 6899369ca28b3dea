package io.github.vicinal.boot.kit.security;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientResponseException;

/** Outcome of a call, as text in which everything random has been replaced. */
final class Ending {

	static final Set<String> IGNORED = Set.of("connection", "content-length", "date", "keep-alive", "transfer-encoding",
			"vicinal-peer");

	private Ending() {
	}

	static String of(Callable<? extends @Nullable Object> call) {
		try {
			return neutral(text(called(call)));
		}
		catch (RestClientResponseException ex) {
			HttpHeaders headers = ex.getResponseHeaders();
			return neutral(ex.getClass().getSimpleName() + " " + ex.getStatusCode().value() + " '" + ex.getStatusText()
					+ "' " + ((headers != null) ? headers(headers) : "") + " "
					+ ex.getResponseBodyAsString(StandardCharsets.UTF_8) + " " + ex.getMessage());
		}
		catch (ResourceAccessException ex) {
			return ex.getClass().getSimpleName();
		}
		catch (Exception ex) {
			return neutral(ex.toString());
		}
	}

	/**
	 * A server that fails closes the connection a moment after the client has the whole
	 * answer. The JDK's client may use the connection again meanwhile, and does not
	 * repeat a POST. The server's ledger shows if one was executed twice.
	 */
	private static @Nullable Object called(Callable<? extends @Nullable Object> call) throws Exception {
		try {
			return call.call();
		}
		catch (ResourceAccessException ex) {
			if (isClosedBefore(ex)) {
				return call.call();
			}
			throw ex;
		}
	}

	private static boolean isClosedBefore(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (String.valueOf(cause.getMessage()).contains("parser received no bytes")) {
				return true;
			}
		}
		return false;
	}

	private static String text(@Nullable Object value) {
		if (value instanceof ResponseEntity<?> entity) {
			return entity.getStatusCode().value() + " " + headers(entity.getHeaders()) + " " + entity.getBody();
		}
		return String.valueOf(value);
	}

	private static Map<String, List<String>> headers(HttpHeaders headers) {
		Map<String, List<String>> result = new TreeMap<>();
		headers.forEach((name, values) -> {
			String key = name.toLowerCase(Locale.ROOT);
			if (!IGNORED.contains(key)) {
				result.put(key, values);
			}
		});
		return result;
	}

	private static String neutral(String text) {
		return text.replaceAll("\"timestamp\":\"[^\"]*\"", "\"timestamp\":\"-\"")
			.replaceAll("id='created'>[^<]*<", "id='created'>-<")
			.replaceAll("(JSESSIONID|XSRF-TOKEN|remember-me|REMEMBER)=[^;\\]]+", "$1=-")
			.replaceAll("(?i)expires=[^;\\]]+", "expires=-")
			.replaceAll("localhost:[0-9]+", "localhost:port");
	}

}
