package io.github.vicinal.placement.model;

import org.jspecify.annotations.Nullable;

/**
 * Traffic from one service to another. A quantity that nobody measured is {@code null}:
 * it is never guessed from the others.
 *
 * @param from name of the calling service
 * @param to name of the called service
 * @param callsPerSecond calls per second
 * @param applicationBytesPerSecond bytes of requests and responses, per second
 * @param wireBytesPerSecond bytes with the headers of all layers, per second
 * @param hopBytesPerSecond bytes times the network hops that they take now, per second
 * @param p90LatencyMicros 90th percentile of client span minus server span, in us,
 * measured while the services ran as the model's current plan says
 * @param evidence where the figures come from
 * @since 0.1.0
 */
public record Edge(String from, String to, @Nullable Double callsPerSecond, @Nullable Double applicationBytesPerSecond,
		@Nullable Double wireBytesPerSecond, @Nullable Double hopBytesPerSecond, @Nullable Double p90LatencyMicros,
		Evidence evidence) {

	/** Largest rate, time or cost: products and sums of some of them are finite. */
	static final double MAX_FIGURE = 1e30;

	public Edge {
		check(from, to, "callsPerSecond", callsPerSecond);
		check(from, to, "applicationBytesPerSecond", applicationBytesPerSecond);
		check(from, to, "wireBytesPerSecond", wireBytesPerSecond);
		check(from, to, "hopBytesPerSecond", hopBytesPerSecond);
		check(from, to, "p90LatencyMicros", p90LatencyMicros);
	}

	private static void check(String from, String to, String name, @Nullable Double value) {
		if (value != null && !(value >= 0 && value <= MAX_FIGURE)) {
			throw new InvalidModelException(
					"Edge '%s' -> '%s' has %s %s; it must be between 0 and 1e30. Leave out what was not measured"
						.formatted(from, to, name, value));
		}
	}

	/**
	 * Creates an edge of which only the calls are known.
	 * @param from name of the calling service
	 * @param to name of the called service
	 * @param callsPerSecond calls per second
	 * @return the edge
	 */
	public static Edge calls(String from, String to, double callsPerSecond) {
		return new Edge(from, to, callsPerSecond, null, null, null, null, Evidence.given());
	}

	/**
	 * Returns the bytes of one call.
	 * @return in bytes, {@code null} if calls or bytes are not known
	 */
	public @Nullable Double bytesPerCall() {
		if (this.callsPerSecond == null || this.applicationBytesPerSecond == null || this.callsPerSecond == 0) {
			return null;
		}
		return Math.min(MAX_FIGURE, this.applicationBytesPerSecond / this.callsPerSecond);
	}

}
