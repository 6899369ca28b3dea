/**
 * Measurements of caches: hit ratios of the paper's experiment and of real traces, CPU
 * time, and memory.
 */
@NullMarked
package io.github.vicinal.benchmarks.cache;

import org.jspecify.annotations.NullMarked;
