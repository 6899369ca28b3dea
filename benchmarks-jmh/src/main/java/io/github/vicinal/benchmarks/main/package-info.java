/** The command {@code bench}, which runs measurements by their names. */
@NullMarked
package io.github.vicinal.benchmarks.main;

import org.jspecify.annotations.NullMarked;
