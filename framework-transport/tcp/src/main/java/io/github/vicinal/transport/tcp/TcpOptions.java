package io.github.vicinal.transport.tcp;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;

import io.github.vicinal.transport.wire.AddressLiteral;
import io.github.vicinal.transport.wire.InvalidOptionException;
import io.github.vicinal.transport.wire.WireLimits;
import org.jspecify.annotations.Nullable;

/**
 * The limits of the path {@code tcp}. Immutable; {@link #builder()} starts with
 * {@link #defaults()}.
 *
 * @since 0.1.0
 */
public final class TcpOptions {

	/** Four numbers, or anything with colons. */
	private static final int MAX_PORT = 65_535;

	private static final int MIN_UNSENT_BYTES = 1024;

	private static final int MIN_COMPRESSED_BYTES = 1024;

	private static final int MAX_CONNECTIONS_PER_PEER = 16;

	private static final Duration MIN_TIME = Duration.ofMillis(10);

	private static final Duration MAX_TIME = Duration.ofDays(1);

	private static final String ADDRESS = "address";

	private static final String ANNOUNCED_ADDRESS = "announcedAddress";

	private final String address;

	private final int port;

	private final String announcedAddress;

	private final int maxFrameBytes;

	private final int maxUnsentBytes;

	private final int maxConnections;

	private final int maxThreads;

	private final int maxConnectionsPerPeer;

	private final Duration idleTimeout;

	private final Duration handshakeTimeout;

	private final Duration frameTimeout;

	private final Duration pingInterval;

	private final Duration pingTimeout;

	private final Duration drainTimeout;

	private final int compressedFromBytes;

	private final boolean connectsAhead;

	private final SocketIo io;

	private TcpOptions(Builder builder) {
		this.address = builder.address;
		this.port = builder.port;
		this.announcedAddress = builder.announcedAddress;
		this.maxFrameBytes = builder.maxFrameBytes;
		this.maxUnsentBytes = builder.maxUnsentBytes;
		this.maxConnections = builder.maxConnections;
		this.maxThreads = builder.maxThreads;
		this.maxConnectionsPerPeer = builder.maxConnectionsPerPeer;
		this.idleTimeout = builder.idleTimeout;
		this.handshakeTimeout = builder.handshakeTimeout;
		this.frameTimeout = builder.frameTimeout;
		this.pingInterval = builder.pingInterval;
		this.pingTimeout = builder.pingTimeout;
		this.drainTimeout = builder.drainTimeout;
		this.compressedFromBytes = builder.compressedFromBytes;
		this.connectsAhead = builder.connectsAhead;
		this.io = builder.io;
		validate();
	}

	private void validate() {
		InvalidOptionException.check(AddressLiteral.parse(this.address) != null, ADDRESS,
				"an IP address such as 127.0.0.1 or ::1, not a name", this.address);
		InvalidOptionException.check(this.port >= 0 && this.port <= MAX_PORT, "port", "from 0 to 65535", this.port);
		InvalidOptionException.check(this.announcedAddress.isEmpty() || dialled(this.announcedAddress) != null,
				ANNOUNCED_ADDRESS, "an IP address that clients can connect to", this.announcedAddress);
		InvalidOptionException.check(!this.announcedAddress.isEmpty() || dialled(this.address) != null,
				ANNOUNCED_ADDRESS,
				"an IP address of this host, because clients cannot connect to the address %s".formatted(this.address),
				"''");
		WireLimits.checkMaxFrameBytes(this.maxFrameBytes);
		InvalidOptionException.check(this.maxUnsentBytes >= MIN_UNSENT_BYTES, "maxUnsentBytes", "at least 1KB",
				this.maxUnsentBytes);
		InvalidOptionException.check(this.maxConnections >= 1, "maxConnections", "at least 1", this.maxConnections);
		InvalidOptionException.check(this.maxThreads >= 1, "maxThreads", "at least 1", this.maxThreads);
		InvalidOptionException.check(
				this.maxConnectionsPerPeer >= 1 && this.maxConnectionsPerPeer <= MAX_CONNECTIONS_PER_PEER,
				"maxConnectionsPerPeer", "from 1 to " + MAX_CONNECTIONS_PER_PEER, this.maxConnectionsPerPeer);
		checkTime("idleTimeout", this.idleTimeout);
		checkTime("handshakeTimeout", this.handshakeTimeout);
		checkTime("frameTimeout", this.frameTimeout);
		checkTime("pingInterval", this.pingInterval);
		checkTime("pingTimeout", this.pingTimeout);
		InvalidOptionException.check(!this.drainTimeout.isNegative(), "drainTimeout", "at least 0", this.drainTimeout);
		InvalidOptionException.check(this.compressedFromBytes >= MIN_COMPRESSED_BYTES, "compressedFromBytes",
				"at least 1KB, since shorter frames hardly get shorter", this.compressedFromBytes);
		this.io.resolve();
	}

	/** Shorter times than a few milliseconds would end connections that are in order. */
	private static void checkTime(String option, Duration value) {
		InvalidOptionException.check(value.compareTo(MIN_TIME) >= 0 && value.compareTo(MAX_TIME) <= 0, option,
				"from 10 ms to 1 day", value);
	}

	/**
	 * Returns the options of an application that configures nothing.
	 * @return any port of {@code 127.0.0.1}
	 */
	public static TcpOptions defaults() {
		return builder().build();
	}

	/**
	 * Returns a builder with the defaults.
	 * @return a new builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Returns the IP address to listen on.
	 * @return an address such as {@code 127.0.0.1}; without TLS a loopback address
	 */
	public String address() {
		return this.address;
	}

	/**
	 * Returns the port to listen on.
	 * @return a port, 0 for any that is free
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Returns the IP address at which clients reach this server.
	 * @return an address, empty if it is the {@link #address()}
	 */
	public String announcedAddress() {
		return this.announcedAddress;
	}

	/**
	 * Returns the size of the longest call or reply.
	 * @return 1 KB to 1 GB
	 */
	public int maxFrameBytes() {
		return this.maxFrameBytes;
	}

	/**
	 * Returns the maximum number of bytes of answers that a client has not taken. Beyond
	 * it, the server stops reading from that client.
	 * @return at least 1 KB
	 */
	public int maxUnsentBytes() {
		return this.maxUnsentBytes;
	}

	/**
	 * Returns the maximum number of connections that a server accepts.
	 * @return at least 1
	 */
	public int maxConnections() {
		return this.maxConnections;
	}

	/**
	 * Returns the maximum number of calls that a server executes at a time.
	 * @return at least 1
	 */
	public int maxThreads() {
		return this.maxThreads;
	}

	/**
	 * Returns the maximum number of connections of a client to one peer.
	 * @return 1 to 16
	 */
	public int maxConnectionsPerPeer() {
		return this.maxConnectionsPerPeer;
	}

	/**
	 * Returns the time without a call after which a further connection to a peer is
	 * closed.
	 * @return 10 ms to 1 day
	 */
	public Duration idleTimeout() {
		return this.idleTimeout;
	}

	/**
	 * Returns the time to connect, to agree on TLS and to identify each other.
	 * @return 10 ms to 1 day
	 */
	public Duration handshakeTimeout() {
		return this.handshakeTimeout;
	}

	/**
	 * Returns the time in which a frame must arrive as a whole, and in which a client
	 * must take some of the bytes that are sent to it.
	 * @return 10 ms to 1 day
	 */
	public Duration frameTimeout() {
		return this.frameTimeout;
	}

	/**
	 * Returns the time without a byte from the other side after which a ping is sent;
	 * four times as long while a connection carries neither calls nor topics.
	 * @return 10 ms to 1 day
	 */
	public Duration pingInterval() {
		return this.pingInterval;
	}

	/**
	 * Returns the time in which a byte must follow the ping.
	 * @return 10 ms to 1 day
	 */
	public Duration pingTimeout() {
		return this.pingTimeout;
	}

	/**
	 * Returns the time in which calls in flight may end when the server closes, or when a
	 * connection is replaced.
	 * @return 0 or more
	 */
	public Duration drainTimeout() {
		return this.drainTimeout;
	}

	/**
	 * Returns the length from which calls and replies are compressed.
	 * @return at least 1 KB, {@link Integer#MAX_VALUE} for never
	 */
	public int compressedFromBytes() {
		return this.compressedFromBytes;
	}

	/**
	 * Returns whether a client with TLS connects to where a service registry says that a
	 * peer listens, before the peer has announced it. No call goes there before that.
	 * @return {@code true} unless it was changed
	 */
	public boolean connectsAhead() {
		return this.connectsAhead;
	}

	/**
	 * Returns what reads and writes the sockets.
	 * @return an input and output that is usable on this machine
	 */
	public SocketIo io() {
		return this.io;
	}

	/**
	 * Returns the maximum bytes of calls without an answer per connection. Beyond it, a
	 * client refuses further calls, and a server stops reading.
	 */
	long maxOutstandingBytes() {
		return 2L * this.maxFrameBytes;
	}

	WireLimits limits() {
		return WireLimits.ofCalls(this.maxFrameBytes);
	}

	/**
	 * Checks the addresses of a server that does not encrypt.
	 * @throws InvalidOptionException if one is no loopback address
	 */
	static void requireLoopback(String address, String announcedAddress) {
		requireLoopbackAddress(ADDRESS, address);
		if (!announcedAddress.isEmpty()) {
			requireLoopbackAddress(ANNOUNCED_ADDRESS, announcedAddress);
		}
	}

	private static void requireLoopbackAddress(String option, String value) {
		InetAddress known = AddressLiteral.parse(value);
		InvalidOptionException.check(known != null && known.isLoopbackAddress(), option,
				"a loopback address such as 127.0.0.1 or ::1 unless vicinal.tcp.ssl.bundle is set, because tcp "
						+ "is not encrypted without it",
				value);
	}

	/**
	 * Returns the address that a text is, if another process can connect to it. A
	 * link-local address of IPv6 means nothing without the name of an interface.
	 */
	static @Nullable InetAddress dialled(String address) {
		InetAddress literal = AddressLiteral.parse(address);
		return (literal == null || literal.isAnyLocalAddress() || literal.isMulticastAddress()
				|| (literal instanceof Inet6Address && literal.isLinkLocalAddress())) ? null : literal;
	}

	/**
	 * Builds options. Limits are checked by {@link #build()}. Not thread-safe.
	 *
	 * @since 0.1.0
	 */
	public static final class Builder {

		private String address = "127.0.0.1";

		private int port;

		private String announcedAddress = "";

		private int maxFrameBytes = 64 << 20;

		private int maxUnsentBytes = 4 << 20;

		private int maxConnections = 1024;

		private int maxThreads = 256;

		private int maxConnectionsPerPeer = 4;

		private Duration idleTimeout = Duration.ofSeconds(10);

		private Duration handshakeTimeout = Duration.ofSeconds(5);

		private Duration frameTimeout = Duration.ofSeconds(30);

		private Duration pingInterval = Duration.ofSeconds(30);

		private Duration pingTimeout = Duration.ofSeconds(10);

		private Duration drainTimeout = Duration.ofSeconds(10);

		private int compressedFromBytes = Integer.MAX_VALUE;

		private boolean connectsAhead = true;

		private SocketIo io = SocketIo.AUTO;

		private Builder() {
		}

		/**
		 * Sets where a server listens.
		 * @param newAddress an IP address; without TLS a loopback address
		 * @param newPort a port, 0 for any that is free
		 * @return this builder
		 */
		public Builder listeningOn(String newAddress, int newPort) {
			this.address = newAddress;
			this.port = newPort;
			return this;
		}

		/**
		 * Sets the address at which clients reach the server.
		 * @param newAddress an IP address; empty if it is the one to listen on
		 * @return this builder
		 */
		public Builder announcedAddress(String newAddress) {
			this.announcedAddress = newAddress;
			return this;
		}

		/**
		 * Sets the longest call or reply. A connection holds twice as much.
		 * @param bytes 1 KB to 1 GB
		 * @return this builder
		 */
		public Builder maxFrameBytes(int bytes) {
			this.maxFrameBytes = bytes;
			return this;
		}

		/**
		 * Sets the maximum bytes of answers that a client has not taken. Beyond it, the
		 * server stops reading from that client.
		 * @param bytes at least 1 KB
		 * @return this builder
		 */
		public Builder maxUnsentBytes(int bytes) {
			this.maxUnsentBytes = bytes;
			return this;
		}

		/**
		 * Sets the maximum number of connections that a server accepts.
		 * @param number at least 1
		 * @return this builder
		 */
		public Builder maxConnections(int number) {
			this.maxConnections = number;
			return this;
		}

		/**
		 * Sets the maximum number of calls that a server executes at a time.
		 * @param number at least 1
		 * @return this builder
		 */
		public Builder maxThreads(int number) {
			this.maxThreads = number;
			return this;
		}

		/**
		 * Sets the maximum number of connections of a client to one peer. There is more
		 * than one only while that one keeps calls waiting.
		 * @param number 1 to 16
		 * @return this builder
		 */
		public Builder maxConnectionsPerPeer(int number) {
			this.maxConnectionsPerPeer = number;
			return this;
		}

		/**
		 * Sets the time without a call after which a further connection to a peer is
		 * closed.
		 * @param time 10 ms to 1 day
		 * @return this builder
		 */
		public Builder idleTimeout(Duration time) {
			this.idleTimeout = time;
			return this;
		}

		/**
		 * Sets the time to connect, to agree on TLS and to say hello.
		 * @param time 10 ms to 1 day
		 * @return this builder
		 */
		public Builder handshakeTimeout(Duration time) {
			this.handshakeTimeout = time;
			return this;
		}

		/**
		 * Sets the time in which a frame must arrive as a whole, and in which a client
		 * must take some of the bytes that are sent to it.
		 * @param time 10 ms to 1 day
		 * @return this builder
		 */
		public Builder frameTimeout(Duration time) {
			this.frameTimeout = time;
			return this;
		}

		/**
		 * Sets when this side asks whether the other side is still there, and how long
		 * the answer may take.
		 * @param interval time without a byte from the other side, 10 ms to 1 day; four
		 * times as long while a connection carries neither calls nor topics
		 * @param timeout 10 ms to 1 day
		 * @return this builder
		 */
		public Builder pings(Duration interval, Duration timeout) {
			this.pingInterval = interval;
			this.pingTimeout = timeout;
			return this;
		}

		/**
		 * Sets the time that calls in flight have to end.
		 * @param time 0 or more
		 * @return this builder
		 */
		public Builder drainTimeout(Duration time) {
			this.drainTimeout = time;
			return this;
		}

		/**
		 * Compresses calls and replies, if the other side does so, too.
		 * @param bytes length from which they are, at least 1 KB
		 * @return this builder
		 */
		public Builder compressedFromBytes(int bytes) {
			this.compressedFromBytes = bytes;
			return this;
		}

		/**
		 * Sets whether a client with TLS connects to where a service registry says that a
		 * peer listens, before the peer has announced it.
		 * @param ahead whether it does
		 * @return this builder
		 */
		public Builder connectsAhead(boolean ahead) {
			this.connectsAhead = ahead;
			return this;
		}

		/**
		 * Sets what reads and writes the sockets.
		 * @param newIo what can be used on this machine
		 * @return this builder
		 */
		public Builder io(SocketIo newIo) {
			this.io = newIo;
			return this;
		}

		/**
		 * Checks and returns the options.
		 * @return the options
		 * @throws InvalidOptionException if one breaks its rule
		 */
		public TcpOptions build() {
			return new TcpOptions(this);
		}

	}

}
