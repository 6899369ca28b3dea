package io.github.vicinal.boot.client;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * The answer to one call as its path saw it, for the cache that may keep it. Of several
 * attempts, the last one counts. Thread-safe.
 *
 * @since 0.1.0
 */
public final class CallAnswer {

	private volatile long sentNanos = System.nanoTime();

	private volatile @Nullable Received received;

	/**
	 * Status, headers and time of an answer.
	 *
	 * @param status the HTTP status code
	 * @param headers the headers; not changed any more
	 * @param delayNanos time since the request was sent
	 * @param at when it came
	 * @since 0.1.0
	 */
	public record Received(int status, HttpHeaders headers, long delayNanos, Instant at) {
	}

	/**
	 * Creates an answer that has not come.
	 */
	public CallAnswer() {
	}

	/** Notes that an attempt begins; the outcome of earlier ones does not count. */
	void sending() {
		this.received = null;
		this.sentNanos = System.nanoTime();
	}

	/** Takes what came over a typed path, or over HTTP. */
	void received(int status, Map<String, List<String>> headers) {
		HttpHeaders copy = new HttpHeaders();
		headers.forEach(copy::addAll);
		received(status, copy);
	}

	/** Takes what came over HTTP. */
	void received(int status, HttpHeaders headers) {
		HttpHeaders copy = new HttpHeaders();
		copy.putAll(headers);
		this.received = new Received(status, copy, Math.max(0, System.nanoTime() - this.sentNanos), Instant.now());
	}

	/** Says that it is not known what came. */
	void unknown() {
		this.received = null;
	}

	/**
	 * Returns the outcome of the last attempt.
	 * @return the answer, or {@code null} if it is not known
	 */
	public @Nullable Received received() {
		return this.received;
	}

}
