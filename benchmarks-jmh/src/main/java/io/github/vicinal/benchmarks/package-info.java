/**
 * Measurements by name. Each runs all its opponents in one go, states the machine and its
 * load, and knows its bars: figures that must hold.
 */
@NullMarked
package io.github.vicinal.benchmarks;

import org.jspecify.annotations.NullMarked;
