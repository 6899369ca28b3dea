/**
 * Checks plans without trusting whoever made them: shares no code with the solvers, and
 * works on names instead of numbers.
 */
@NullMarked
package io.github.vicinal.placement.verify;

import org.jspecify.annotations.NullMarked;
