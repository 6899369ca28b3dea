package io.github.vicinal.transport.wire;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;

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
	 * Accepts only processes of the user that owns a directory; the rendezvous has
	 * verified that this is the user of this process. The kernel vouches for the other
	 * end's user.
	 */
	static PeerCheck sameUser(Path directory) throws IOException {
		UserPrincipal self = Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS);
		return (channel) -> {
			UserPrincipal other = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
			if (!self.equals(other)) {
				throw new WireException(Refusal.STRANGER,
						"the other process runs as user %s, this one as %s".formatted(other.getName(), self.getName()));
			}
		};
	}

}
