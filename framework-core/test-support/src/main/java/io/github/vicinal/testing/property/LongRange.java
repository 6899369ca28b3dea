package io.github.vicinal.testing.property;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The range of a generated {@code long}. */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface LongRange {

	/**
	 * Smallest value.
	 * @return the value, inclusive
	 */
	long min() default 0;

	/**
	 * Largest value.
	 * @return the value, inclusive
	 */
	long max() default Long.MAX_VALUE;

}
