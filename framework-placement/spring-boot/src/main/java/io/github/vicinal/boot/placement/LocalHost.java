package io.github.vicinal.boot.placement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.vicinal.peer.PeerIdentity;

/**
 * Names the host of this process where nobody does. All processes of a kernel see one
 * boot id. The rendezvous directory is no such sign: each user has one, and often each
 * container.
 */
final class LocalHost {

	private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

	/** Number of digits that a name has of an id. */
	private static final int DIGITS = 8;

	private LocalHost() {
	}

	/**
	 * Names this host.
	 * @param identity what this instance calls itself
	 * @return a name that the instances of this host share
	 */
	static String name(PeerIdentity identity) {
		return name(bootId(), identity);
	}

	/**
	 * Names a host.
	 * @param bootId boot id of its kernel, empty if unknown
	 * @param identity what an instance on it calls itself
	 * @return the name
	 */
	static String name(String bootId, PeerIdentity identity) {
		String id = (bootId.length() >= DIGITS) ? bootId
				: identity.hostId().equals(PeerIdentity.NO_HOST) ? identity.instanceId() : identity.hostId();
		return "host-" + id.substring(0, DIGITS);
	}

	private static String bootId() {
		try {
			return Files.readString(BOOT_ID).strip();
		}
		catch (IOException | SecurityException ex) {
			// Another system, or hidden from this process.
			return "";
		}
	}

}
