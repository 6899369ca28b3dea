/**
 * Property tests on plain JUnit Jupiter. A <em>property</em> is a test method that holds
 * for all arguments of a kind. A <em>try</em> is one call of it with generated arguments.
 * The <em>seed</em> of a property decides all its arguments. It is fixed unless the
 * system property {@code vicinal.test.seed} is {@code random} or a number.
 */
@NullMarked
package io.github.vicinal.testing.property;

import org.jspecify.annotations.NullMarked;
