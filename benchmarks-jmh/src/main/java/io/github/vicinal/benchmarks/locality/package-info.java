/** The choice among replicas, one of which is near, against round-robin. */
@NullMarked
package io.github.vicinal.benchmarks.locality;

import org.jspecify.annotations.NullMarked;
