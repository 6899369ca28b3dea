package io.github.vicinal.testing.property;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A generated argument of a {@link Property}. */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface ForAll {

	/**
	 * Name of the method of the test class that generates the argument from a
	 * {@link Gen}. Without a name the type of the parameter decides.
	 * @return the name of a method, or an empty text
	 */
	String value() default "";

}
