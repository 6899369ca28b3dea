package io.github.vicinal.transport.rdma;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.time.Duration;

import io.github.vicinal.transport.wire.AddressLiteral;
import io.github.vicinal.transport.wire.InvalidOptionException;
import io.github.vicinal.transport.wire.WireLimits;
import org.jspecify.annotations.Nullable;

/**
 * The limits of the path {@code rdma}. Immutable; {@link #builder()} starts with
 * {@link #defaults()}.
 *
 * @since 0.1.0
 */
public final class RdmaOptions {

	private static final int MAX_PORT = 65_535;

	private static final int MAX_RENDEZVOUS_BYTES = RendezvousSender.MAX_PIECES * RendezvousSender.PIECE_BYTES;

	private static final Duration MIN_TIME = Duration.ofMillis(10);

	private static final Duration MAX_TIME = Duration.ofDays(1);

	private static final String ADDRESS_RULE = "an IPv4 address such as 10.0.0.7, not a name";

	private final String address;

	private final int port;

	private final String announcedAddress;

	private final int ringBytes;

	private final int rendezvousBytes;

	private final CompletionMode completionMode;

	private final int maxFrameBytes;

	private final int maxConnections;

	private final int maxThreads;

	private final Duration handshakeTimeout;

	private final Duration frameTimeout;

	private final Duration pingInterval;

	private final Duration pingTimeout;

	private final Duration drainTimeout;

	private RdmaOptions(Builder builder) {
		this.address = builder.address;
		this.port = builder.port;
		this.announcedAddress = builder.announcedAddress;
		this.ringBytes = builder.ringBytes;
		this.rendezvousBytes = builder.rendezvousBytes;
		this.completionMode = builder.completionMode;
		this.maxFrameBytes = builder.maxFrameBytes;
		this.maxConnections = builder.maxConnections;
		this.maxThreads = builder.maxThreads;
		this.handshakeTimeout = builder.handshakeTimeout;
		this.frameTimeout = builder.frameTimeout;
		this.pingInterval = builder.pingInterval;
		this.pingTimeout = builder.pingTimeout;
		this.drainTimeout = builder.drainTimeout;
		validate();
	}

	private void validate() {
		InvalidOptionException.check(this.address.isEmpty() || dialled(this.address) != null, "address", ADDRESS_RULE,
				this.address);
		InvalidOptionException.check(this.port >= 0 && this.port <= MAX_PORT, "port", "from 0 to 65535", this.port);
		InvalidOptionException.check(this.announcedAddress.isEmpty() || dialled(this.announcedAddress) != null,
				"announcedAddress", ADDRESS_RULE, this.announcedAddress);
		InvalidOptionException.check(
				this.ringBytes >= Setup.MIN_RING_BYTES && this.ringBytes <= Setup.MAX_RING_BYTES
						&& Integer.bitCount(this.ringBytes) == 1,
				"ringBytes", "a power of two from 64KB to 256MB", this.ringBytes);
		InvalidOptionException.check(
				this.rendezvousBytes >= 0 && this.rendezvousBytes <= MAX_RENDEZVOUS_BYTES
						&& this.rendezvousBytes % RendezvousSender.PIECE_BYTES == 0,
				"rendezvousBytes", "a multiple of 256KB up to 16MB, or 0", this.rendezvousBytes);
		WireLimits.checkMaxFrameBytes(this.maxFrameBytes);
		InvalidOptionException.check(this.maxConnections >= 1, "maxConnections", "at least 1", this.maxConnections);
		InvalidOptionException.check(this.maxThreads >= 1, "maxThreads", "at least 1", this.maxThreads);
		checkTime("handshakeTimeout", this.handshakeTimeout);
		checkTime("frameTimeout", this.frameTimeout);
		checkTime("pingInterval", this.pingInterval);
		checkTime("pingTimeout", this.pingTimeout);
		InvalidOptionException.check(!this.drainTimeout.isNegative(), "drainTimeout", "at least 0", this.drainTimeout);
	}

	private static void checkTime(String option, Duration value) {
		InvalidOptionException.check(value.compareTo(MIN_TIME) >= 0 && value.compareTo(MAX_TIME) <= 0, option,
				"from 10 ms to 1 day", value);
	}

	/**
	 * Returns the options of an application that configures nothing.
	 * @return any port of the only address of an RDMA interface
	 */
	public static RdmaOptions defaults() {
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
	 * Returns the IPv4 address to listen on, which must belong to an RDMA interface.
	 * @return an address, empty for the only such address of this host
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
	 * Returns the IPv4 address at which clients reach this server.
	 * @return an address, empty if it is the {@link #address()}
	 */
	public String announcedAddress() {
		return this.announcedAddress;
	}

	/**
	 * Returns the size of the ring of each direction of a connection. Each side locks
	 * twice as much memory per connection.
	 * @return a power of two from 64 KB to 256 MB
	 */
	public int ringBytes() {
		return this.ringBytes;
	}

	/**
	 * Returns the size of the memory of each side of a connection from which the peer
	 * reads calls and replies of 256 KB and more, and of the memory for what this side
	 * reads of the peer. Each side locks both.
	 * @return a multiple of 256 KB up to 16 MB, 0 to send all calls through the rings
	 */
	public int rendezvousBytes() {
		return this.rendezvousBytes;
	}

	/**
	 * Returns how connections wait for completions.
	 * @return a mode
	 */
	public CompletionMode completionMode() {
		return this.completionMode;
	}

	/**
	 * Returns the size of the longest call or reply.
	 * @return 1 KB to 1 GB
	 */
	public int maxFrameBytes() {
		return this.maxFrameBytes;
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
	 * Returns the time to connect and to identify each other.
	 * @return 10 ms to 1 day
	 */
	public Duration handshakeTimeout() {
		return this.handshakeTimeout;
	}

	/**
	 * Returns the time in which a large frame must arrive as a whole, and in which a
	 * client must take some of the answers that wait for it.
	 * @return 10 ms to 1 day
	 */
	public Duration frameTimeout() {
		return this.frameTimeout;
	}

	/**
	 * Returns the time without a sign of the other side after which it is asked whether
	 * it is still there.
	 * @return 10 ms to 1 day
	 */
	public Duration pingInterval() {
		return this.pingInterval;
	}

	/**
	 * Returns the time in which the other side must answer a ping.
	 * @return 10 ms to 1 day
	 */
	public Duration pingTimeout() {
		return this.pingTimeout;
	}

	/**
	 * Returns the time in which calls in flight may end when the server closes.
	 * @return 0 or more
	 */
	public Duration drainTimeout() {
		return this.drainTimeout;
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
	 * Returns the memory that a connection must lock on each side. Memory for rendezvous
	 * is not part of it: a connection that cannot lock it does without.
	 */
	long lockedBytes() {
		return RdmaConnection.HEAD_BYTES + 2L * this.ringBytes;
	}

	/**
	 * Returns the address that a text is, if another host can connect to it. The
	 * connection manager's interface takes IPv4 addresses with every provider.
	 */
	static @Nullable InetAddress dialled(String address) {
		InetAddress literal = AddressLiteral.parse(address);
		return (literal instanceof Inet4Address && !literal.isAnyLocalAddress() && !literal.isMulticastAddress())
				? literal : null;
	}

	/**
	 * Builds options. Limits are checked by {@link #build()}. Not thread-safe.
	 *
	 * @since 0.1.0
	 */
	public static final class Builder {

		private String address = "";

		private int port;

		private String announcedAddress = "";

		private int ringBytes = 1 << 20;

		private int rendezvousBytes = 1 << 20;

		private CompletionMode completionMode = CompletionMode.ADAPTIVE;

		private int maxFrameBytes = 64 << 20;

		private int maxConnections = 64;

		private int maxThreads = 256;

		private Duration handshakeTimeout = Duration.ofSeconds(5);

		private Duration frameTimeout = Duration.ofSeconds(30);

		private Duration pingInterval = Duration.ofSeconds(10);

		private Duration pingTimeout = Duration.ofSeconds(5);

		private Duration drainTimeout = Duration.ofSeconds(10);

		private Builder() {
		}

		/**
		 * Sets where a server listens.
		 * @param newAddress an IPv4 address of an RDMA interface; empty for the only one
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
		 * @param newAddress an IPv4 address; empty if it is the one to listen on
		 * @return this builder
		 */
		public Builder announcedAddress(String newAddress) {
			this.announcedAddress = newAddress;
			return this;
		}

		/**
		 * Sets the size of the ring of each direction. Each side of a connection locks
		 * twice as much memory.
		 * @param bytes a power of two from 64 KB to 256 MB
		 * @return this builder
		 */
		public Builder ringBytes(int bytes) {
			this.ringBytes = bytes;
			return this;
		}

		/**
		 * Sets the size of the memory of each side of a connection from which the peer
		 * reads calls and replies of 256 KB and more. Each side locks twice as much.
		 * @param bytes a multiple of 256 KB up to 16 MB, 0 to send all calls through the
		 * rings
		 * @return this builder
		 */
		public Builder rendezvousBytes(int bytes) {
			this.rendezvousBytes = bytes;
			return this;
		}

		/**
		 * Sets how connections wait for completions.
		 * @param mode the mode
		 * @return this builder
		 */
		public Builder completionMode(CompletionMode mode) {
			this.completionMode = mode;
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
		 * Sets the time to connect and to identify each other.
		 * @param time 10 ms to 1 day
		 * @return this builder
		 */
		public Builder handshakeTimeout(Duration time) {
			this.handshakeTimeout = time;
			return this;
		}

		/**
		 * Sets the time in which a large frame must arrive as a whole, and in which a
		 * client must take some of the answers that wait for it.
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
		 * @param interval time without a sign of the other side, 10 ms to 1 day
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
		 * Checks and returns the options.
		 * @return the options
		 * @throws InvalidOptionException if one breaks its rule
		 */
		public RdmaOptions build() {
			return new RdmaOptions(this);
		}

	}

}
