/**
 * Channels, calls and paths.
 * <p>
 * A {@linkplain io.github.vicinal.channel.Channel channel} is one client's use of one
 * contract of one service. A {@linkplain io.github.vicinal.channel.Path path} is one way
 * to reach a peer for one contract. A call travels as a
 * {@linkplain io.github.vicinal.channel.CallFrame frame} and comes back as a
 * {@linkplain io.github.vicinal.channel.Reply reply}; what prevented that is a
 * {@linkplain io.github.vicinal.channel.PathException path exception}, which says whether
 * the call may have been executed.
 */
@NullMarked
package io.github.vicinal.channel;

import org.jspecify.annotations.NullMarked;
