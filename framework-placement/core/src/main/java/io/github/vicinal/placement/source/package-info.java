/**
 * Sources of traffic. A source observes, and reports what it did not see; it never
 * guesses.
 */
@NullMarked
package io.github.vicinal.placement.source;

import org.jspecify.annotations.NullMarked;
