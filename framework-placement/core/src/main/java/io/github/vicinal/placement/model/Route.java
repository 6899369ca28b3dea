package io.github.vicinal.placement.model;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A kind of request, and the calls that its answer waits for one after the other. Calls
 * that run beside longer ones are not among them: making them faster makes no answer
 * faster.
 *
 * @param name what the request is, such as {@code shop POST /orders}; unique among routes
 * @param callsPerSecond requests per second, {@code null} if nobody measured them
 * @param criticalPath calls that the answer waits for, at least one
 * @param p99Micros 99th percentile of the time of a request, in us, measured while the
 * services ran as the model's current plan says; {@code null} if nobody measured it
 * @param sloMicros the most that this percentile may be, in us, {@code null} for no limit
 * @param evidence where the figures come from
 * @since 0.1.0
 */
public record Route(String name, @Nullable Double callsPerSecond, List<Hop> criticalPath, @Nullable Double p99Micros,
		@Nullable Double sloMicros, Evidence evidence) {

	public Route {
		criticalPath = List.copyOf(criticalPath);
		if (name.isBlank()) {
			throw new InvalidModelException("A route has no name; give each one a name of its own");
		}
		PrintableText.require("route", name);
		if (criticalPath.isEmpty()) {
			throw new InvalidModelException(
					"Route '%s' waits for no call; name the calls of its criticalPath, or leave the route out"
						.formatted(name));
		}
		Set<String> ends = new HashSet<>();
		for (Hop hop : criticalPath) {
			if (!ends.add(hop.from() + '\n' + hop.to())) {
				throw new InvalidModelException("Route '%s' names the calls '%s' -> '%s' twice; add them up"
					.formatted(name, hop.from(), hop.to()));
			}
		}
		check(name, "callsPerSecond", callsPerSecond);
		check(name, "p99Micros", p99Micros);
		check(name, "sloMicros", sloMicros);
	}

	private static void check(String route, String name, @Nullable Double value) {
		if (value != null && !(value >= 0 && value <= Edge.MAX_FIGURE)) {
			throw new InvalidModelException(
					"Route '%s' has %s %s; it must be between 0 and 1e30".formatted(route, name, value));
		}
	}

	/**
	 * Returns this route with another limit.
	 * @param micros the most that the 99th percentile may be, in us
	 * @return the route
	 */
	public Route withSlo(double micros) {
		return new Route(this.name, this.callsPerSecond, this.criticalPath, this.p99Micros, micros, this.evidence);
	}

	/**
	 * Calls from one service to another that a request waits for.
	 *
	 * @param from name of the calling service
	 * @param to name of the called service
	 * @param calls mean number of them in a request
	 * @since 0.1.0
	 */
	public record Hop(String from, String to, double calls) {

		public Hop {
			if (!(calls > 0 && calls <= Edge.MAX_FIGURE)) {
				throw new InvalidModelException(
						"A critical path has %s calls '%s' -> '%s'; the number must be above 0 and at most 1e30"
							.formatted(calls, from, to));
			}
		}

	}

}
