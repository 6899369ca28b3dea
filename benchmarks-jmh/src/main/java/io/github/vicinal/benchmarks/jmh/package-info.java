/**
 * Single operations, measured by JMH: {@code bench jmh}, with JMH's own options after it,
 * for instance {@code bench jmh RawCall -prof gc}. Measurements with several processes
 * and a load are in the other packages.
 */
@NullMarked
package io.github.vicinal.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
