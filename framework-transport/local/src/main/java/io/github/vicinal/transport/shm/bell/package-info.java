/**
 * Bells: what wakes a thread that sleeps in another process.
 * <p>
 * A {@linkplain io.github.vicinal.transport.shm.bell.Bell bell} is rung only for a thread
 * that has said it sleeps. {@link io.github.vicinal.transport.shm.bell.FifoBells} work
 * everywhere; futexes are used by JVMs from 22 on that were granted native access, in
 * {@code META-INF/versions/22}.
 */
@NullMarked
package io.github.vicinal.transport.shm.bell;

import org.jspecify.annotations.NullMarked;
