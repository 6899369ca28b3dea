package io.github.vicinal.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * Rows of arguments of a parameterised test that differ in what carries a call, such as
 * its path. The build takes one of them or a few: which ones follows from the names of
 * class and method, so that tests take turns. With {@code -Dvicinal.test.deep=true},
 * which the profile {@code deep} sets, each row is taken.
 */
@ArgumentsSource(InTurnProvider.class)
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface InTurn {

	/**
	 * All rows.
	 * @return at least two, with commas between arguments
	 */
	String[] value();

	/**
	 * Number of rows that the build takes. They are as far from each other as they can be
	 * in the list, whose last row comes before the first.
	 * @return at least one, and fewer than there are
	 */
	int rows() default 1;

}
