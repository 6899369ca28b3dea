/**
 * Raw calls through shared memory with each way to wait, beside each kind of load.
 * <p>
 * A <em>regime</em> is how many callers there are, how they call, and what else runs on
 * the machine. A <em>hog</em> is a process that always wants a processor.
 */
@NullMarked
package io.github.vicinal.benchmarks.wait;

import org.jspecify.annotations.NullMarked;
