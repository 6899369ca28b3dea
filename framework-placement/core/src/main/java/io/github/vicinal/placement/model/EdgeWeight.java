package io.github.vicinal.placement.model;

import java.util.Arrays;
import java.util.Locale;

/**
 * The quantity of an edge that an objective counts. There is exactly one per objective.
 *
 * @since 0.1.0
 */
public enum EdgeWeight {

	/** Calls per second. */
	CALLS("calls", "calls/s"),

	/** Bytes of requests and responses as the applications see them, per second. */
	APPLICATION_BYTES("application-bytes", "B/s"),

	/** Bytes with the headers of all layers, per second. */
	WIRE_BYTES("wire-bytes", "B/s"),

	/** Bytes times the network hops that they take now, per second. */
	HOP_BYTES("hop-bytes", "B/s"),

	/**
	 * Calls per second times the 90th percentile of client span minus server span,
	 * converted by the path costs to what it would be between hosts.
	 */
	LATENCY("latency", "us/s"),

	/** Time that callers wait for the path, by the path costs of the model. */
	PATH_LATENCY("path-latency", "us/s"),

	/** CPU time of both ends, by the path costs of the model. */
	PATH_CPU("path-cpu", "us/s"),

	/**
	 * Time that the answers of routes wait for the path, by the path costs of the model:
	 * calls that run beside longer ones count nothing.
	 */
	CRITICAL_PATH("critical-path", "us/s");

	private final String id;

	private final String unit;

	EdgeWeight(String id, String unit) {
		this.id = id;
		this.unit = unit;
	}

	/**
	 * Returns the name in files and on the command line.
	 * @return the lower-case name
	 */
	public String id() {
		return this.id;
	}

	/**
	 * Returns the unit of the quantity.
	 * @return for instance {@code B/s}
	 */
	public String unit() {
		return this.unit;
	}

	/**
	 * Finds a weight by its {@link #id()}.
	 * @param id the name, in any case
	 * @return the weight
	 * @throws InvalidModelException if there is none of that name
	 */
	public static EdgeWeight of(String id) {
		for (EdgeWeight weight : values()) {
			if (weight.id.equals(id.toLowerCase(Locale.ROOT))) {
				return weight;
			}
		}
		throw new InvalidModelException("There is no weight '%s'; the weights are %s".formatted(id,
				Arrays.stream(values()).map(EdgeWeight::id).toList()));
	}

}
