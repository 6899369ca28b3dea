package io.github.vicinal.contract;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** The first 64 bits of SHA-256 over a canonical text of signatures and type shapes. */
final class ContractHash {

	private static final int HASH_BYTES = 8;

	private ContractHash() {
	}

	static String of(String name, List<ContractMethod> methods, TypeClosure closure) {
		StringBuilder text = new StringBuilder(name).append('\n');
		for (ContractMethod method : methods) {
			text.append(method.signature()).append('\n');
		}
		return of(text.append(closure).toString());
	}

	static String of(String text) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

}
