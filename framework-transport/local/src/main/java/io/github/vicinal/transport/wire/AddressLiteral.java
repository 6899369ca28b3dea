package io.github.vicinal.transport.wire;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.function.Function;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * IP addresses as text. A name is no such address, because anybody can announce one: it
 * would be looked up, and could lead elsewhere later.
 *
 * @since 0.1.0
 */
public final class AddressLiteral {

	/** Longest text that is looked at. */
	private static final int MAX_CHARS = 64;

	private static final String BYTE = "(25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])";

	private static final Pattern IPV4 = Pattern.compile(BYTE + "(\\." + BYTE + "){3}");

	/** The JDK looks up nothing that begins like this and has a colon. */
	private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:][0-9a-fA-F.:]*");

	private AddressLiteral() {
	}

	/**
	 * Returns the address that a text is.
	 * @param text such as {@code 127.0.0.1} or {@code ::1}
	 * @return the address, or {@code null} if the text is none
	 */
	public static @Nullable InetAddress parse(String text) {
		if (text.length() > MAX_CHARS) {
			return null;
		}
		boolean literal = IPV4.matcher(text).matches() || (text.indexOf(':') >= 0 && IPV6.matcher(text).matches());
		try {
			return literal ? InetAddress.getByName(text) : null;
		}
		catch (UnknownHostException ex) {
			return null;
		}
	}

	/**
	 * Returns the address and port that a peer announces.
	 * @param text such as {@code 10.0.0.7:4711}; a colon of an IPv6 address is no
	 * separator
	 * @param suitable returns the address that a text is, or {@code null} if nobody can
	 * connect to it
	 * @return address and port, or {@code null} if the text is none
	 */
	public static @Nullable InetSocketAddress announced(String text, Function<String, @Nullable InetAddress> suitable) {
		int colon = text.lastIndexOf(':');
		InetAddress host = (colon >= 0) ? suitable.apply(text.substring(0, colon)) : null;
		try {
			int port = Integer.parseInt(text.substring(colon + 1));
			return (host != null && port != 0) ? new InetSocketAddress(host, port) : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

}
