/**
 * Frames and what both ends of a connection between processes do with them: internal to
 * Vicinal, shared by all paths that send frames.
 * <p>
 * A frame is drawn in {@link io.github.vicinal.transport.wire.FrameDescriptor}. The
 * client's half of a call is {@link io.github.vicinal.transport.wire.ClientBinding}, the
 * server's {@link io.github.vicinal.transport.wire.ServerCalls}; neither knows what
 * carries the bytes. {@link io.github.vicinal.transport.wire.Watchdog} ends waits that
 * have a deadline, {@link io.github.vicinal.transport.wire.PeerCheck} asks the kernel for
 * the other process's user, {@link io.github.vicinal.transport.wire.SocketFile} knows the
 * names of sockets.
 */
@NullMarked
package io.github.vicinal.transport.wire;

import org.jspecify.annotations.NullMarked;
