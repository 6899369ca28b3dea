/**
 * Checks plans independently of the solvers: shares no code with them, and works on names
 * instead of numbers.
 */
@NullMarked
package io.github.vicinal.placement.verify;

import org.jspecify.annotations.NullMarked;
