/**
 * Waiting for the other process: the choice between staying awake, which is fast while
 * processors are free, and sleeping, which is right when they are not.
 * <p>
 * <em>Spinning</em> looks again and again; <em>yielding</em> lets other threads run in
 * between; <em>sleeping</em> costs a wake-up of 15 to 30 microseconds on each side. A
 * <em>ban</em> is a time in which no thread yields, because a yield came back late.
 * {@link io.github.vicinal.transport.shm.waiting.Waiter} holds the table of rules. It
 * never waits awake for longer than a bounded time. A server waits so for the next call
 * after each one, too, and then sleeps until that comes.
 * <p>
 * Internal to Vicinal: types are public for other packages of its modules, and may change
 * in any release.
 */
@NullMarked
package io.github.vicinal.transport.shm.waiting;

import org.jspecify.annotations.NullMarked;
