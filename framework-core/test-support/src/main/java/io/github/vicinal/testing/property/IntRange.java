package io.github.vicinal.testing.property;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The range of a generated {@code int}. */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface IntRange {

	/**
	 * Smallest value.
	 * @return the value, inclusive
	 */
	int min() default 0;

	/**
	 * Largest value.
	 * @return the value, inclusive
	 */
	int max() default Integer.MAX_VALUE;

}
