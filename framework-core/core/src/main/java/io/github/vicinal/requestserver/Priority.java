package io.github.vicinal.requestserver;

/**
 * Importance of a request when not all can be served. Waiting requests are taken in the
 * order of these constants; under overload each waits for a part of the patience.
 *
 * @since 0.1.0
 */
public enum Priority {

	/** Rejected last, such as health checks and payments. */
	CRITICAL(1.5),

	/** The priority of requests for which none is set. */
	NORMAL(1),

	/** Rejected first, such as prefetches and retries. */
	SHEDDABLE(0.5);

	private final double patience;

	Priority(double patience) {
		this.patience = patience;
	}

	double patience() {
		return this.patience;
	}

}
