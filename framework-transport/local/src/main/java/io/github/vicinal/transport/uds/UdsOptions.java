package io.github.vicinal.transport.uds;

import java.time.Duration;

import io.github.vicinal.transport.wire.HeapBudget;
import io.github.vicinal.transport.wire.WireLimits;

import static io.github.vicinal.transport.wire.InvalidOptionException.check;
import static io.github.vicinal.transport.wire.InvalidOptionException.checkPositive;

/**
 * The limits of the path {@code uds}. Immutable; {@link #builder()} starts with
 * {@link #defaults()}.
 *
 * @since 0.1.0
 */
public final class UdsOptions {

	private final int maxFrameBytes;

	private final int maxConnectionsPerPeer;

	private final int maxConnections;

	private final long maxHeapBytes;

	private final Duration acquireTimeout;

	private final Duration idleTimeout;

	private final Duration handshakeTimeout;

	private final Duration drainTimeout;

	private UdsOptions(Builder builder) {
		this.maxFrameBytes = builder.maxFrameBytes;
		this.maxConnectionsPerPeer = builder.maxConnectionsPerPeer;
		this.maxConnections = builder.maxConnections;
		this.maxHeapBytes = builder.maxHeapBytes;
		this.acquireTimeout = builder.acquireTimeout;
		this.idleTimeout = builder.idleTimeout;
		this.handshakeTimeout = builder.handshakeTimeout;
		this.drainTimeout = builder.drainTimeout;
		validate();
	}

	private void validate() {
		WireLimits.checkMaxFrameBytes(this.maxFrameBytes);
		check(this.maxConnectionsPerPeer >= 1, "maxConnectionsPerPeer", "at least 1", this.maxConnectionsPerPeer);
		check(this.maxConnections >= 1, "maxConnections", "at least 1", this.maxConnections);
		check(this.maxHeapBytes >= 0, "maxHeapBytes", "0 or more", this.maxHeapBytes);
		checkPositive("acquireTimeout", this.acquireTimeout);
		checkPositive("idleTimeout", this.idleTimeout);
		checkPositive("handshakeTimeout", this.handshakeTimeout);
		check(!this.drainTimeout.isNegative(), "drainTimeout", "0 or more", this.drainTimeout);
	}

	/**
	 * Returns the options that suit most applications.
	 * @return 64 MiB frames, 256 connections per peer, 1024 per server, a sixteenth of
	 * the heap but at most 64 MiB, 100 ms to wait for a connection, and times of 10 s
	 */
	public static UdsOptions defaults() {
		return builder().build();
	}

	/**
	 * Returns a builder of options.
	 * @return one that holds the defaults
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Returns a builder of similar options.
	 * @return one that holds these
	 */
	public Builder toBuilder() {
		Builder builder = new Builder();
		builder.maxFrameBytes = this.maxFrameBytes;
		builder.maxConnectionsPerPeer = this.maxConnectionsPerPeer;
		builder.maxConnections = this.maxConnections;
		builder.maxHeapBytes = this.maxHeapBytes;
		builder.acquireTimeout = this.acquireTimeout;
		builder.idleTimeout = this.idleTimeout;
		builder.handshakeTimeout = this.handshakeTimeout;
		builder.drainTimeout = this.drainTimeout;
		return builder;
	}

	/**
	 * Returns the longest frame that is accepted, in bytes without its fixed part of 40.
	 * @return bytes
	 */
	public int maxFrameBytes() {
		return this.maxFrameBytes;
	}

	/**
	 * Returns the number of calls that a client has in flight to one peer.
	 * @return a number
	 */
	public int maxConnectionsPerPeer() {
		return this.maxConnectionsPerPeer;
	}

	/**
	 * Returns the number of connections that a server has at a time; each has a thread.
	 * @return a number
	 */
	public int maxConnections() {
		return this.maxConnections;
	}

	/**
	 * Returns the most heap for larger calls or replies that are being encoded, sent,
	 * received or decoded, per peer: half of it for each direction; one that needs more
	 * than that gets it alone.
	 * @return bytes
	 */
	public long maxHeapBytes() {
		return this.maxHeapBytes;
	}

	/**
	 * Returns how long a call waits for a connection that others use, even if its
	 * deadline is later; then it goes another way.
	 * @return a positive duration
	 */
	public Duration acquireTimeout() {
		return this.acquireTimeout;
	}

	/**
	 * Returns the time after which an unused connection is closed.
	 * @return a positive duration
	 */
	public Duration idleTimeout() {
		return this.idleTimeout;
	}

	/**
	 * Returns how long connecting, and the arrival of the rest of a begun frame at a
	 * server, may take.
	 * @return a positive duration
	 */
	public Duration handshakeTimeout() {
		return this.handshakeTimeout;
	}

	/**
	 * Returns how long a server that stops waits for the calls in flight.
	 * @return a duration, or 0
	 */
	public Duration drainTimeout() {
		return this.drainTimeout;
	}

	WireLimits limits() {
		return WireLimits.ofCalls(this.maxFrameBytes);
	}

	/**
	 * Builds options. Limits are checked by {@link #build()}. Not thread-safe.
	 *
	 * @since 0.1.0
	 */
	public static final class Builder {

		private int maxFrameBytes = 64 << 20;

		private int maxConnectionsPerPeer = 256;

		private int maxConnections = 1024;

		private long maxHeapBytes = HeapBudget.defaultBytes();

		private Duration acquireTimeout = Duration.ofMillis(100);

		private Duration idleTimeout = Duration.ofSeconds(10);

		private Duration handshakeTimeout = Duration.ofSeconds(10);

		private Duration drainTimeout = Duration.ofSeconds(10);

		private Builder() {
		}

		public Builder maxFrameBytes(int value) {
			this.maxFrameBytes = value;
			return this;
		}

		public Builder maxConnectionsPerPeer(int value) {
			this.maxConnectionsPerPeer = value;
			return this;
		}

		public Builder maxConnections(int value) {
			this.maxConnections = value;
			return this;
		}

		public Builder maxHeapBytes(long value) {
			this.maxHeapBytes = value;
			return this;
		}

		public Builder acquireTimeout(Duration value) {
			this.acquireTimeout = value;
			return this;
		}

		public Builder idleTimeout(Duration value) {
			this.idleTimeout = value;
			return this;
		}

		public Builder handshakeTimeout(Duration value) {
			this.handshakeTimeout = value;
			return this;
		}

		public Builder drainTimeout(Duration value) {
			this.drainTimeout = value;
			return this;
		}

		/**
		 * Builds the options.
		 * @return the options
		 * @throws io.github.vicinal.transport.wire.InvalidOptionException if a value
		 * breaks its limit
		 */
		public UdsOptions build() {
			return new UdsOptions(this);
		}

	}

}
