package io.github.vicinal.transport.wire;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.attribute.UserPrincipal;

import io.github.vicinal.peer.Rendezvous;
import jdk.net.ExtendedSocketOptions;

/** Decides whether the process at the other end of a socket may be talked to. */
@FunctionalInterface
public interface PeerCheck {

	/**
	 * Checks the other end.
	 * @throws WireException if it is a stranger
	 */
	void check(SocketChannel channel) throws IOException, WireException;

	/**
	 * Accepts only processes of the user who owned the rendezvous directory when it was
	 * opened, even if a directory of that name has another owner now. The kernel vouches
	 * for the other end's user.
	 */
	static PeerCheck sameUser(Rendezvous rendezvous) {
		UserPrincipal self = rendezvous.owner()
			.orElseThrow(() -> new IllegalArgumentException("there is no rendezvous directory"));
		return (channel) -> {
			UserPrincipal other = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
			if (!self.equals(other)) {
				throw new WireException(Refusal.STRANGER,
						"the other process runs as user %s, this one as %s".formatted(other.getName(), self.getName()));
			}
		};
	}

}
