package io.github.vicinal.testing.property;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The length of a generated array of bytes or text. */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Size {

	/**
	 * Exact length. It overrides the range.
	 * @return the length, or -1
	 */
	int value() default -1;

	/**
	 * Smallest length.
	 * @return the length, inclusive
	 */
	int min() default 0;

	/**
	 * Largest length.
	 * @return the length, inclusive
	 */
	int max() default 255;

}
