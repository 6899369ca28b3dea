package io.github.vicinal.boot.server;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Matches callers by their name, or by a block of addresses such as 10.0.0.0/8 or
 * fd00::/8. Never asks a name server. Thread-safe.
 */
final class CallerMatcher implements Predicate<String> {

	private static final String OCTET = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";

	private static final Pattern IPV4 = Pattern.compile(OCTET + "(\\." + OCTET + "){3}");

	private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(%[\\w.:@-]{1,32})?");

	private static final int BYTE_BITS = 8;

	private static final int LONGEST_ADDRESS = 80;

	private final String name;

	private final byte @Nullable [] block;

	private final int bits;

	private CallerMatcher(String name, byte @Nullable [] block, int bits) {
		this.name = name;
		this.block = block;
		this.bits = bits;
	}

	/**
	 * Reads what is configured.
	 * @param text a name, an address or a block of addresses
	 * @throws IllegalArgumentException if it is none of these; the message says the rule
	 */
	static CallerMatcher of(String text) {
		if (text.isBlank()) {
			throw new IllegalArgumentException("must not be empty");
		}
		int slash = text.indexOf('/');
		byte[] address = address((slash < 0) ? text : text.substring(0, slash));
		if (slash < 0) {
			return new CallerMatcher(text, address, (address != null) ? address.length * BYTE_BITS : 0);
		}
		String bits = text.substring(slash + 1);
		if (address == null || !bits.matches("\\d{1,3}") || Integer.parseInt(bits) > address.length * BYTE_BITS) {
			throw new IllegalArgumentException("must be a name, an address, or a block such as 10.0.0.0/8 or fd00::/8");
		}
		return new CallerMatcher(text, address, Integer.parseInt(bits));
	}

	/** Returns the bytes of an address, or {@code null} of anything else. */
	private static byte @Nullable [] address(String text) {
		if (text.length() > LONGEST_ADDRESS) {
			return null;
		}
		boolean old = IPV4.matcher(text).matches();
		if (!old && !IPV6.matcher(text).matches()) {
			return null;
		}
		try {
			int zone = text.indexOf('%');
			// Brackets say that it is an address, so nobody is asked for a name.
			return InetAddress.getByName(old ? text : "[" + ((zone < 0) ? text : text.substring(0, zone)) + "]")
				.getAddress();
		}
		catch (UnknownHostException ex) {
			return null;
		}
	}

	@Override
	public boolean test(String caller) {
		if (this.block == null) {
			return this.name.equals(caller);
		}
		byte[] address = address(caller);
		if (address == null || address.length != this.block.length) {
			return false;
		}
		for (int i = 0; i < this.bits; i++) {
			int mask = 1 << (BYTE_BITS - 1 - i % BYTE_BITS);
			if (((address[i / BYTE_BITS] ^ this.block[i / BYTE_BITS]) & mask) != 0) {
				return false;
			}
		}
		return true;
	}

	@Override
	public String toString() {
		return this.name;
	}

}
