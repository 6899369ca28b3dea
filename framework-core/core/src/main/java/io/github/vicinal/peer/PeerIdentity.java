package io.github.vicinal.peer;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * Names one running instance of an application.
 *
 * @param instanceId 32 lower-case hexadecimal digits, random, made anew at each start
 * @param hostId 32 lower-case hexadecimal digits, the same for all that share a kernel
 * and a rendezvous directory, or {@link #NO_HOST}
 * @since 0.1.0
 */
public record PeerIdentity(String instanceId, String hostId) {

	/** The host id of a process that has no rendezvous directory. */
	public static final String NO_HOST = "";

	private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");

	private static final int ID_BYTES = 16;

	public PeerIdentity {
		if (!isId(instanceId)) {
			throw new IllegalArgumentException("An instance id has 32 hexadecimal digits: '%s'".formatted(instanceId));
		}
		if (!hostId.equals(NO_HOST) && !isId(hostId)) {
			throw new IllegalArgumentException("A host id has 32 hexadecimal digits: '%s'".formatted(hostId));
		}
	}

	/**
	 * Makes an identity with a new random instance id.
	 * @param hostId the id of the host
	 * @return the identity
	 */
	public static PeerIdentity create(String hostId) {
		return new PeerIdentity(randomId(), hostId);
	}

	static String randomId() {
		byte[] bytes = new byte[ID_BYTES];
		new SecureRandom().nextBytes(bytes);
		return HexFormat.of().formatHex(bytes);
	}

	static boolean isId(String text) {
		return ID.matcher(text).matches();
	}

	/**
	 * Returns this instance as it is known on a host.
	 * @param host the host's id, which may have changed since this was made
	 * @return an identity with the same instance id
	 */
	public PeerIdentity on(String host) {
		return host.equals(this.hostId) ? this : new PeerIdentity(this.instanceId, host);
	}

	/**
	 * Returns whether both run on one host.
	 * @param other another instance
	 * @return {@code true} if both have the same host id
	 */
	public boolean sameHost(PeerIdentity other) {
		return !this.hostId.equals(NO_HOST) && this.hostId.equals(other.hostId);
	}

}
