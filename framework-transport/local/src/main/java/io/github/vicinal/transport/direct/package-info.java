/**
 * The path {@code direct}: a call inside one JVM.
 * <p>
 * Services that share a JVM find each other in the
 * {@link io.github.vicinal.jvm.Neighbours}, the one static state of the framework. A call
 * runs on the caller's thread, because a hand-off costs as much as leaving the process;
 * {@link io.github.vicinal.server.Service#invoke} keeps the two applications'
 * thread-bound contexts apart. Only a call whose deadline must be enforceable is handed
 * to the callee's executor, until its method is known to be short.
 * <p>
 * Neither side ever sees the other mutate a value: what is not deeply immutable, or has
 * another class on the other side, is copied through the codec that would have carried it
 * between processes.
 * <p>
 * Applications that have class loaders of their own have classes of Vicinal of their own,
 * too. They exchange the frames that {@code uds} would have carried, as bytes.
 */
@NullMarked
package io.github.vicinal.transport.direct;

import org.jspecify.annotations.NullMarked;
