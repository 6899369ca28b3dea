/**
 * Channels and their peers.
 * <p>
 * A {@linkplain io.github.vicinal.channel.Channel channel} is one client's use of one
 * contract of one service. A {@linkplain io.github.vicinal.channel.Peer peer} is one
 * address at which instances of the service answer: its connector opens the paths that an
 * instance announces, and each call takes one of them. Applications use the annotations
 * of this package only.
 */
@NullMarked
package io.github.vicinal.channel;

import org.jspecify.annotations.NullMarked;
