package io.github.vicinal.testing.property;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The range of a generated {@code double}. */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface DoubleRange {

	/**
	 * Smallest value.
	 * @return the value, inclusive
	 */
	double min();

	/**
	 * Largest value.
	 * @return the value, inclusive
	 */
	double max();

}
