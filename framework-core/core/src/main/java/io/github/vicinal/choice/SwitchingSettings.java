package io.github.vicinal.choice;

import java.time.Duration;

/**
 * How eagerly a {@link SwitchingRule} switches.
 *
 * @param hysteresis by which part the gain must exceed the loss; also by which part a
 * cost must differ to count as different
 * @param dwell the least time between two switches that no failure forces
 * @param maxBackOff the longest that doubling after flip-flops makes the dwell time
 * @param horizon for how long a switch is expected to pay, which bounds the calls that
 * can pay for it
 * @param probeInterval how many calls may go by per probe of another candidate, at least
 * 256
 * @param cleanProbes how many successful probes in a row bring back a candidate that
 * failed, and how many samples a candidate needs before it is compared
 * @since 0.1.0
 */
public record SwitchingSettings(double hysteresis, Duration dwell, Duration maxBackOff, Duration horizon,
		int probeInterval, int cleanProbes) {

	/** The most frequent that probes may be. */
	public static final int MIN_PROBE_INTERVAL = 256;

	public SwitchingSettings {
		require(hysteresis >= 0 && hysteresis <= 10, "hysteresis must be between 0 and 10");
		require(!dwell.isNegative(), "dwell must not be negative");
		require(maxBackOff.compareTo(dwell) >= 0, "maxBackOff must be at least dwell");
		require(!horizon.isNegative() && !horizon.isZero(), "horizon must be positive");
		require(probeInterval >= MIN_PROBE_INTERVAL, "probeInterval must be at least " + MIN_PROBE_INTERVAL);
		require(cleanProbes >= 1, "cleanProbes must be at least 1");
	}

	private static void require(boolean condition, String otherwise) {
		if (!condition) {
			throw new IllegalArgumentException(otherwise);
		}
	}

	/**
	 * Returns the settings that paths to a peer start with.
	 * @return 25 % hysteresis, 50 ms dwell, at most 60 s of back-off, 30 s horizon, a
	 * probe every 256 calls, 8 clean probes
	 */
	public static SwitchingSettings defaults() {
		return new SwitchingSettings(0.25, Duration.ofMillis(50), Duration.ofSeconds(60), Duration.ofSeconds(30),
				MIN_PROBE_INTERVAL, 8);
	}

}
