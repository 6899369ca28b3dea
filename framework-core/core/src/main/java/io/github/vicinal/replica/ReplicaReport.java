package io.github.vicinal.replica;

/**
 * One replica, for people.
 *
 * @param address where it is
 * @param locality how near it is
 * @param why the reason for that
 * @param inFlight calls in flight
 * @param peakEwmaMicros the peak EWMA of its latency in microseconds
 * @param meanMicros the mean latency in microseconds
 * @param expectedMicros what latency the next call must expect: mean and two mean
 * deviations at so many calls in flight, in microseconds; 0 if that is not known
 * @param calls calls that it got
 * @param share its part of all calls, 0 to 1
 * @param refusals calls that it refused
 * @param failures calls without an answer, or with an error of the replica
 * @param state {@code open}, or {@code paused} after calls without an answer
 * @since 0.1.0
 */
public record ReplicaReport(String address, Locality locality, String why, int inFlight, double peakEwmaMicros,
		double meanMicros, double expectedMicros, long calls, double share, long refusals, long failures,
		String state) {
}
