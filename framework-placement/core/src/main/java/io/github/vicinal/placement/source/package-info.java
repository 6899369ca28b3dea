/**
 * Where traffic comes from. A source observes, and says what it did not see; it never
 * guesses.
 */
@NullMarked
package io.github.vicinal.placement.source;

import org.jspecify.annotations.NullMarked;
