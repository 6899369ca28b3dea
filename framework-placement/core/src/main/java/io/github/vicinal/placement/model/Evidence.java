package io.github.vicinal.placement.model;

import java.time.Duration;

/**
 * Origin of an edge's figures.
 *
 * @param source the source that delivered them, for instance {@code micrometer} or
 * {@code given}
 * @param samples number of calls or packets that they rest on, 0 if that is unknown
 * @param window the time that was looked at, zero if that is unknown
 * @param partial whether something that belongs to the edge is known to be missing
 * @param note what is missing or was assumed; empty if nothing
 * @since 0.1.0
 */
public record Evidence(String source, long samples, Duration window, boolean partial, String note) {

	/** The source of figures that stand in a file or were written by hand. */
	public static final String GIVEN = "given";

	public Evidence {
		if (samples < 0 || window.isNegative()) {
			throw new InvalidModelException("Evidence of '%s' has %d samples in %s; neither can be negative"
				.formatted(source, samples, window));
		}
	}

	/**
	 * Returns the evidence of figures that were given and not measured here.
	 * @return complete, of unknown origin
	 */
	public static Evidence given() {
		return new Evidence(GIVEN, 0, Duration.ZERO, false, "");
	}

}
