/**
 * Common parts of rules that choose between alternatives: a
 * {@linkplain io.github.vicinal.choice.Decision decision} with the numbers behind it, and
 * a {@linkplain io.github.vicinal.choice.PeakEwma peak-sensitive moving average}.
 * <p>
 * The rules themselves differ, because they know different things of the alternatives:
 * paths are compared by {@code io.github.vicinal.selection}, replicas by
 * {@code io.github.vicinal.replica}.
 */
@NullMarked
package io.github.vicinal.choice;

import org.jspecify.annotations.NullMarked;
