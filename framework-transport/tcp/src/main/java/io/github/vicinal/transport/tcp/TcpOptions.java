package io.github.vicinal.transport.tcp;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.github.vicinal.transport.wire.InvalidOptionException;
import io.github.vicinal.transport.wire.WireLimits;

/**
 * Limits of the path {@code tcp}. Immutable.
 *
 * @param address the loopback address to listen on, such as {@code 127.0.0.1}
 * @param port the port to listen on, 0 for any that is free
 * @param maxFrameBytes the longest call or reply, 1 KB to 1 GB
 * @param maxOutstandingBytes how much of calls without an answer one connection holds, at
 * least {@code maxFrameBytes}: a client refuses further calls, a server stops to read
 * @param maxConnections how many connections a server accepts, at least 1
 * @param maxThreads how many calls a server executes at a time, at least 1
 * @param handshakeTimeout how long to connect and to say hello may take
 * @param drainTimeout how long calls in flight may take to end when the server closes
 * @since 0.1.0
 */
public record TcpOptions(String address, int port, int maxFrameBytes, long maxOutstandingBytes, int maxConnections,
		int maxThreads, Duration handshakeTimeout, Duration drainTimeout) {

	/** Four numbers, or anything with colons. */
	private static final Pattern LITERAL = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9a-f.]*:[0-9a-f.:]*");

	private static final int MAX_PORT = 65_535;

	private static final int MAX_HEADERS = 256;

	private static final int MAX_HEADER_BYTES = 64 * 1024;

	private static final int MAX_FRAME_BYTES = 64 * 1024 * 1024;

	private static final int MAX_CONNECTIONS = 1024;

	private static final int MAX_THREADS = 256;

	/**
	 * Checks the options.
	 * @throws InvalidOptionException if one breaks its rule
	 */
	public TcpOptions {
		InvalidOptionException.check(loopback(address) != null, "address",
				"a loopback address such as 127.0.0.1 or ::1, because tcp is not encrypted", address);
		InvalidOptionException.check(port >= 0 && port <= MAX_PORT, "port", "from 0 to 65535", port);
		WireLimits.checkMaxFrameBytes(maxFrameBytes);
		InvalidOptionException.check(maxOutstandingBytes >= maxFrameBytes, "maxOutstandingBytes",
				"at least maxFrameBytes", maxOutstandingBytes);
		InvalidOptionException.check(maxConnections >= 1, "maxConnections", "at least 1", maxConnections);
		InvalidOptionException.check(maxThreads >= 1, "maxThreads", "at least 1", maxThreads);
		InvalidOptionException.checkPositive("handshakeTimeout", handshakeTimeout);
		InvalidOptionException.check(!drainTimeout.isNegative(), "drainTimeout", "at least 0", drainTimeout);
	}

	/**
	 * Returns the options of an application that configures nothing.
	 * @return any port of {@code 127.0.0.1}
	 */
	public static TcpOptions defaults() {
		return new TcpOptions("127.0.0.1", 0, MAX_FRAME_BYTES, 2L * MAX_FRAME_BYTES, MAX_CONNECTIONS, MAX_THREADS,
				Duration.ofSeconds(5), Duration.ofSeconds(10));
	}

	/**
	 * Returns these options for another address.
	 * @param newAddress a loopback address
	 * @param newPort a port, 0 for any that is free
	 * @return the options
	 */
	public TcpOptions listeningOn(String newAddress, int newPort) {
		return new TcpOptions(newAddress, newPort, this.maxFrameBytes, this.maxOutstandingBytes, this.maxConnections,
				this.maxThreads, this.handshakeTimeout, this.drainTimeout);
	}

	WireLimits limits() {
		return new WireLimits(this.maxFrameBytes, MAX_HEADERS, MAX_HEADER_BYTES);
	}

	/**
	 * Returns the loopback address that a text is. A name is none: it would be looked up,
	 * and could lead elsewhere later.
	 */
	static @Nullable InetAddress loopback(String address) {
		if (!LITERAL.matcher(address).matches()) {
			return null;
		}
		try {
			InetAddress literal = InetAddress.getByName(address);
			return literal.isLoopbackAddress() ? literal : null;
		}
		catch (UnknownHostException ex) {
			return null;
		}
	}

}
