package io.github.vicinal.transport.wire;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proof that both sides of a handshake know the server's instance id, without revealing
 * it.
 * <p>
 * The id is random, and announced to clients whose request the server has let pass. Any
 * process of the host can connect to a port, or listen at one that a server has left, so
 * a process that does not know the id must not learn it there. Each side sends a code of
 * a random number of the client's and of the server's address, with the id as its key.
 * The address keeps one server's handshake from being passed on to another.
 */
public final class InstanceProof {

	private static final String ALGORITHM = "HmacSHA256";

	private static final int NONCE_BYTES = 16;

	private static final SecureRandom RANDOM = new SecureRandom();

	private InstanceProof() {
	}

	/** Returns a random number that no other connection has. */
	public static String nonce() {
		byte[] bytes = new byte[NONCE_BYTES];
		RANDOM.nextBytes(bytes);
		return HexFormat.of().formatHex(bytes);
	}

	/** Returns what the client sends. */
	public static String ofClient(String instanceId, String nonce, InetSocketAddress server) {
		return code(instanceId, "client", nonce, server);
	}

	/** Returns what the server answers. */
	public static String ofServer(String instanceId, String nonce, InetSocketAddress server) {
		return code(instanceId, "server", nonce, server);
	}

	/** Compares in a time that does not depend on where they differ. */
	public static boolean matches(String expected, String said) {
		return MessageDigest.isEqual(bytes(expected), bytes(said));
	}

	private static String code(String instanceId, String side, String nonce, InetSocketAddress server) {
		try {
			Mac mac = Mac.getInstance(ALGORITHM);
			mac.init(new SecretKeySpec(bytes(instanceId), ALGORITHM));
			return HexFormat.of()
				.formatHex(mac.doFinal(bytes("%s %s %s %d".formatted(side, nonce,
						HexFormat.of().formatHex(server.getAddress().getAddress()), server.getPort()))));
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("Every Java platform has " + ALGORITHM, ex);
		}
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
