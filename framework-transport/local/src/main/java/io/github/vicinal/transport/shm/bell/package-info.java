/**
 * Bells: what wakes a thread that sleeps in another process.
 * <p>
 * A {@linkplain io.github.vicinal.transport.shm.bell.Bell bell} is rung only for a thread
 * that has said it sleeps. JVMs from 22 on that were granted native access use futexes,
 * in {@code META-INF/versions/22}. Others use
 * {@link io.github.vicinal.transport.shm.bell.FifoBells}, or
 * {@link io.github.vicinal.transport.shm.bell.SocketBells} where the server has no
 * command that makes FIFOs.
 * <p>
 * Internal to Vicinal: types are public for other packages of its modules, and may change
 * in any release.
 */
@NullMarked
package io.github.vicinal.transport.shm.bell;

import org.jspecify.annotations.NullMarked;
