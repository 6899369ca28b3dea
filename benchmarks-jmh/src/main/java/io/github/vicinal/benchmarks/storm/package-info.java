/** Calls to many instances that are restarted one after the other. */
@NullMarked
package io.github.vicinal.benchmarks.storm;

import org.jspecify.annotations.NullMarked;
