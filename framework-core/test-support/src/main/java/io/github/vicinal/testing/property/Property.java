package io.github.vicinal.testing.property;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that is called with many generated arguments. All tries share one test instance,
 * with one call of {@code @BeforeEach} and {@code @AfterEach} methods around them.
 */
@Test
@ExtendWith(PropertyExtension.class)
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Property {

	/**
	 * Number of tries.
	 * @return at least one
	 */
	int tries() default 1000;

	/**
	 * Number of tries in the profile {@code deep}, of which the first ones are those of
	 * the build.
	 * @return at least {@link #tries()}, or 0 for the same number
	 */
	int deepTries() default 0;

}
