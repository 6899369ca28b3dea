/**
 * Processes that share memory are killed while they call each other.
 * <p>
 * The <em>victim</em> is a child process, a server or a client; the <em>survivor</em>,
 * the other side, lives in this process. Messages are numbered and have a checksum.
 */
@NullMarked
package io.github.vicinal.benchmarks.crash;

import org.jspecify.annotations.NullMarked;
