/**
 * Shared memory against everything else that carries bytes between two processes of one
 * host.
 * <p>
 * A {@link io.github.vicinal.benchmarks.shm.Transport} is one way to do so. A
 * {@link io.github.vicinal.benchmarks.shm.Pair} is a server and a client, each in a JVM
 * of its own, which open the transports that their arguments name; the client puts a
 * {@link io.github.vicinal.benchmarks.shm.Load} on one of them at a time and says what it
 * saw.
 */
@NullMarked
package io.github.vicinal.benchmarks.shm;

import org.jspecify.annotations.NullMarked;
