package io.github.vicinal.path;

import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * A meter of one kind of path, as its module defines it.
 *
 * @param type whether the value only grows
 * @param name the name, which begins with {@code vicinal.} and the id of the kind
 * @param tags values by their keys, the same keys in all meters of the name
 * @param description what is measured, for people
 * @param unit the base unit, empty for numbers of things
 * @param value reads the value; must not start anything
 * @since 0.1.0
 */
public record PathMeter(Type type, String name, Map<String, String> tags, String description, String unit,
		DoubleSupplier value) {

	public PathMeter {
		tags = Map.copyOf(tags);
	}

	/**
	 * Types of meters.
	 *
	 * @since 0.1.0
	 */
	public enum Type {

		/** A value that only grows. */
		COUNTER,

		/** A value that grows and shrinks. */
		GAUGE

	}

}
