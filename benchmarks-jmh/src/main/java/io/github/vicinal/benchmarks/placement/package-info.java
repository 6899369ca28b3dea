/** Placement: solvers against each other, against proven optima, and against size. */
@NullMarked
package io.github.vicinal.benchmarks.placement;

import org.jspecify.annotations.NullMarked;
