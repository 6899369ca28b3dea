package io.github.vicinal.requestserver;

import java.util.Map;

import io.github.vicinal.report.LatencyHistogram;

/**
 * Work that a {@link RequestServer} has done since its start, and its present state.
 *
 * @param name its name
 * @param threads the threads it may use now
 * @param running requests that run
 * @param waiting requests that wait
 * @param queueCapacity the most that may wait
 * @param overloaded whether the queue stands
 * @param overloads how often overload began
 * @param serviceMicros mean service time of the last requests, in microseconds
 * @param completed requests that were executed, failed ones among them; of requests that
 * take less than 20 microseconds one of 16 is counted, for 16
 * @param failed requests whose execution threw
 * @param refused rejected requests by the rule
 * @param postDelayMicros quantiles of the POST delay, in microseconds; of requests that
 * were handed over
 * @param waitMicros quantiles of the time that threads waited for their permit, in
 * microseconds; of those that had to wait
 * @param responseMicros quantiles of the response time, in microseconds
 * @param channels requests that wait or run, by channel, if bulkheads are configured
 * @since 0.1.0
 */
public record RequestServerReport(String name, int threads, int running, int waiting, int queueCapacity,
		boolean overloaded, long overloads, double serviceMicros, long completed, long failed,
		Map<Rejection.Reason, Long> refused, Quantiles postDelayMicros, Quantiles waitMicros, Quantiles responseMicros,
		Map<String, Integer> channels) {

	/**
	 * Quantiles of a duration.
	 *
	 * @param count how many durations there are
	 * @param total their sum, in microseconds, within a percent
	 * @param p50 the median
	 * @param p99 99 of 100 are at most this
	 * @param p999 999 of 1,000 are at most this
	 * @param max the largest
	 * @since 0.1.0
	 */
	public record Quantiles(long count, double total, double p50, double p99, double p999, double max) {

		static Quantiles of(LatencyHistogram durations) {
			return new Quantiles(durations.count(), durations.sumNanos() / 1e3, micros(durations, 0.5),
					micros(durations, 0.99), micros(durations, 0.999), micros(durations, 1));
		}

		private static double micros(LatencyHistogram durations, double quantile) {
			return durations.quantileNanos(quantile) / 1e3;
		}

	}

}
