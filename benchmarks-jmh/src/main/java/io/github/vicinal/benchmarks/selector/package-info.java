/**
 * The path selector: in a simulation with a virtual clock, and over real paths between
 * two processes.
 */
@NullMarked
package io.github.vicinal.benchmarks.selector;

import org.jspecify.annotations.NullMarked;
