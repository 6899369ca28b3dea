/**
 * Peers: running instances of services, and what they say of themselves.
 * <p>
 * A peer is named by a random {@linkplain io.github.vicinal.peer.PeerIdentity instance
 * id}, made anew at each start. A <em>host</em> is what shares a rendezvous directory and
 * a kernel. A peer {@linkplain io.github.vicinal.peer.PeerAnnouncement announces} its
 * paths in a header of its HTTP responses to clients that asked for them.
 */
@NullMarked
package io.github.vicinal.peer;

import org.jspecify.annotations.NullMarked;
