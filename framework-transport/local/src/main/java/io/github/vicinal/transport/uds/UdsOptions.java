package io.github.vicinal.transport.uds;

import java.time.Duration;

import io.github.vicinal.transport.wire.HeapBudget;
import io.github.vicinal.transport.wire.WireLimits;

import static io.github.vicinal.transport.wire.InvalidOptionException.check;
import static io.github.vicinal.transport.wire.InvalidOptionException.checkPositive;

/**
 * The limits of the path {@code uds}. Immutable.
 *
 * @param maxFrameBytes the longest frame that is accepted, in bytes without its fixed
 * part of 40
 * @param maxHeaders the largest number of headers in a frame
 * @param maxHeaderBytes the largest size of all headers in a frame, in bytes
 * @param maxConnectionsPerPeer how many calls a client has in flight to one peer
 * @param maxConnections how many connections a server has at a time; each has a thread
 * @param maxHeapBytes the most heap for larger calls or replies that are being encoded,
 * sent, received or decoded, per peer: half of it for each direction; one that needs more
 * than that gets it alone
 * @param acquireTimeout how long a call waits for a connection that others use, even if
 * its deadline is later; then it goes another way
 * @param idleTimeout after which an unused connection is closed
 * @param handshakeTimeout how long connecting, and the arrival of the rest of a begun
 * frame at a server, may take
 * @param drainTimeout how long a server that stops waits for the calls in flight
 * @since 0.1.0
 */
public record UdsOptions(int maxFrameBytes, int maxHeaders, int maxHeaderBytes, int maxConnectionsPerPeer,
		int maxConnections, long maxHeapBytes, Duration acquireTimeout, Duration idleTimeout, Duration handshakeTimeout,
		Duration drainTimeout) {

	public UdsOptions {
		WireLimits.checkMaxFrameBytes(maxFrameBytes);
		check(maxHeaders >= 0 && maxHeaders <= 0xffff, "maxHeaders", "from 0 to 65535", maxHeaders);
		check(maxHeaderBytes >= 0 && maxHeaderBytes <= maxFrameBytes, "maxHeaderBytes",
				"at most the size of a whole frame", maxHeaderBytes);
		check(maxConnectionsPerPeer >= 1, "maxConnectionsPerPeer", "at least 1", maxConnectionsPerPeer);
		check(maxConnections >= 1, "maxConnections", "at least 1", maxConnections);
		check(maxHeapBytes >= 0, "maxHeapBytes", "0 or more", maxHeapBytes);
		checkPositive("acquireTimeout", acquireTimeout);
		checkPositive("idleTimeout", idleTimeout);
		checkPositive("handshakeTimeout", handshakeTimeout);
		check(!drainTimeout.isNegative(), "drainTimeout", "0 or more", drainTimeout);
	}

	/**
	 * Returns the options that suit most applications.
	 * @return 64 MiB frames, 1,024 headers of 64 KiB, 256 connections per peer, 1024 per
	 * server, a sixteenth of the heap but at most 64 MiB, 100 ms to wait for a
	 * connection, and times of 10 s
	 */
	public static UdsOptions defaults() {
		return new UdsOptions(64 << 20, 1024, 64 << 10, 256, 1024, HeapBudget.defaultBytes(), Duration.ofMillis(100),
				Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofSeconds(10));
	}

	public UdsOptions withMaxFrameBytes(int bytes) {
		return new UdsOptions(bytes, this.maxHeaders, Math.min(this.maxHeaderBytes, bytes), this.maxConnectionsPerPeer,
				this.maxConnections, this.maxHeapBytes, this.acquireTimeout, this.idleTimeout, this.handshakeTimeout,
				this.drainTimeout);
	}

	public UdsOptions withMaxConnectionsPerPeer(int connections) {
		return new UdsOptions(this.maxFrameBytes, this.maxHeaders, this.maxHeaderBytes, connections,
				this.maxConnections, this.maxHeapBytes, this.acquireTimeout, this.idleTimeout, this.handshakeTimeout,
				this.drainTimeout);
	}

	public UdsOptions withMaxConnections(int connections) {
		return new UdsOptions(this.maxFrameBytes, this.maxHeaders, this.maxHeaderBytes, this.maxConnectionsPerPeer,
				connections, this.maxHeapBytes, this.acquireTimeout, this.idleTimeout, this.handshakeTimeout,
				this.drainTimeout);
	}

	public UdsOptions withMaxHeapBytes(long bytes) {
		return new UdsOptions(this.maxFrameBytes, this.maxHeaders, this.maxHeaderBytes, this.maxConnectionsPerPeer,
				this.maxConnections, bytes, this.acquireTimeout, this.idleTimeout, this.handshakeTimeout,
				this.drainTimeout);
	}

	public UdsOptions withAcquireTimeout(Duration timeout) {
		return new UdsOptions(this.maxFrameBytes, this.maxHeaders, this.maxHeaderBytes, this.maxConnectionsPerPeer,
				this.maxConnections, this.maxHeapBytes, timeout, this.idleTimeout, this.handshakeTimeout,
				this.drainTimeout);
	}

	public UdsOptions withIdleTimeout(Duration timeout) {
		return new UdsOptions(this.maxFrameBytes, this.maxHeaders, this.maxHeaderBytes, this.maxConnectionsPerPeer,
				this.maxConnections, this.maxHeapBytes, this.acquireTimeout, timeout, this.handshakeTimeout,
				this.drainTimeout);
	}

	public UdsOptions withHandshakeTimeout(Duration timeout) {
		return new UdsOptions(this.maxFrameBytes, this.maxHeaders, this.maxHeaderBytes, this.maxConnectionsPerPeer,
				this.maxConnections, this.maxHeapBytes, this.acquireTimeout, this.idleTimeout, timeout,
				this.drainTimeout);
	}

	public UdsOptions withDrainTimeout(Duration timeout) {
		return new UdsOptions(this.maxFrameBytes, this.maxHeaders, this.maxHeaderBytes, this.maxConnectionsPerPeer,
				this.maxConnections, this.maxHeapBytes, this.acquireTimeout, this.idleTimeout, this.handshakeTimeout,
				timeout);
	}

	WireLimits limits() {
		return new WireLimits(this.maxFrameBytes, this.maxHeaders, this.maxHeaderBytes);
	}

}
