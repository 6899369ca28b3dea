/**
 * Parts shared by paths whose connection to a peer carries many calls at once: internal
 * to Vicinal, used by {@code tcp} and {@code rdma}. Nothing here knows what carries the
 * frames.
 * <p>
 * A <em>correlation</em> is the number by which a connection finds the call that a frame
 * answers. On the client, {@link io.github.vicinal.transport.multiplex.PendingCalls}
 * keeps which caller waits for which answer,
 * {@link io.github.vicinal.transport.multiplex.MultiplexedPath} is the path of one
 * contract, and {@link io.github.vicinal.transport.multiplex.SharedConnections} lets all
 * paths to a peer use one connection. On the server,
 * {@link io.github.vicinal.transport.multiplex.ServerConversation} answers the frames of
 * one connection, and {@link io.github.vicinal.transport.multiplex.CallThreads} executes
 * the calls of all. {@link io.github.vicinal.transport.multiplex.Introduction} is the
 * first exchange of frames. {@link io.github.vicinal.transport.multiplex.TopicPieces} is
 * what a connection keeps of a topic, and
 * {@link io.github.vicinal.transport.multiplex.OwnKeys} checks what connections are
 * encrypted with.
 */
@NullMarked
package io.github.vicinal.transport.multiplex;

import org.jspecify.annotations.NullMarked;
