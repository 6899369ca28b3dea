/**
 * The path {@code uds}: a Unix domain socket between two processes of one user on one
 * host.
 * <p>
 * A {@link io.github.vicinal.transport.uds.UdsPathServer} listens on
 * {@code <rendezvous directory>/<instance id>.sock}. A
 * {@link io.github.vicinal.transport.uds.UdsPathProvider} keeps a bounded pool of
 * connections per peer, shared by all contracts. A connection carries one call at a time,
 * on blocking channels: the caller writes a frame and reads the answer, the server's
 * thread for that connection reads, executes and writes. No other thread takes part,
 * because each hand-off would cost as much as the call itself. The frames are drawn in
 * {@link io.github.vicinal.transport.wire.FrameDescriptor}.
 * <p>
 * Both sides ask the kernel for the other's user id and talk only to their own user.
 * <p>
 * <strong>Was the call executed?</strong> Failures say so, and never guess:
 * <ul>
 * <li>A server executes only complete frames. A write that the kernel refused leaves the
 * frame incomplete, so such a call was not executed. In particular, a pooled connection
 * that the server closed while it was idle refuses the write; the call is then made on a
 * new connection.</li>
 * <li>A server that stops decides for each connection, in one atomic step, either to
 * execute the call that it has read or to execute nothing any more. Only in the latter
 * case it sends GOODBYE in place of an answer; such a call is made again elsewhere.</li>
 * <li>Everything else that ends a call after its last byte was offered to the kernel
 * leaves open whether it was executed.</li>
 * </ul>
 */
@NullMarked
package io.github.vicinal.transport.uds;

import org.jspecify.annotations.NullMarked;
