package io.github.vicinal.requestserver;

import java.util.Arrays;

/**
 * Expected waits by priority. Requests that come later and go first make a request wait
 * for longer than those ahead of it do, so estimates are multiplied by what requests of
 * the same priority have waited, in parts of what was expected. Guarded by the queue's
 * lock.
 */
final class ExpectedWaits {

	/** Each wait changes the factor by this part of the difference. */
	private static final int WEIGHT = 32;

	/**
	 * Largest part of a wait in what was expected that counts: that of a single request
	 * which waited for something rare.
	 */
	private static final double MOST = 32;

	private final double[] factors = new double[Priority.values().length];

	/**
	 * Returns how long a request is expected to wait.
	 * @param priority its priority
	 * @param ahead number of requests that are taken before it
	 * @param paceNanos the time in which one request can be served
	 */
	long nanos(Priority priority, int ahead, long paceNanos) {
		return (long) (ahead * paceNanos * Math.max(1, this.factors[priority.ordinal()]));
	}

	/**
	 * Learns from a request that no longer waits.
	 * @param ticket the request, with what was ahead of it when it came
	 * @param nanos how long it waited
	 */
	void waited(Ticket ticket, long nanos) {
		if (ticket.aheadNanos > 0) {
			int index = ticket.priority().ordinal();
			double part = Math.min(MOST, Math.max(0, (double) nanos / ticket.aheadNanos));
			this.factors[index] += (part - this.factors[index]) / WEIGHT;
		}
	}

	/** Forgets the waits, as requests are taken at another pace. */
	void forget() {
		Arrays.fill(this.factors, 0);
	}

}
