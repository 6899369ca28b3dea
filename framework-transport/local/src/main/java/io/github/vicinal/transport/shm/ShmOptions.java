package io.github.vicinal.transport.shm;

import java.time.Duration;

import io.github.vicinal.transport.shm.lane.LaneLimits;
import io.github.vicinal.transport.shm.lane.SegmentLayout;
import io.github.vicinal.transport.shm.waiting.WaitMode;
import io.github.vicinal.transport.wire.HeapBudget;
import io.github.vicinal.transport.wire.WireLimits;

import static io.github.vicinal.transport.wire.InvalidOptionException.check;
import static io.github.vicinal.transport.wire.InvalidOptionException.checkPositive;

/**
 * The limits of the path {@code shm}. Immutable.
 *
 * @param lanes calls in flight to one peer before a further segment is made, and how many
 * each has; a power of two, 1 to 256
 * @param maxLanes maximum number of calls that a client has in flight to one peer
 * @param inlineBytes how many bytes of a call or reply lie in its lane, a multiple of 128
 * @param maxFrameBytes the longest call or reply, in bytes
 * @param maxMemoryBytes the most memory for larger calls or replies, per peer and
 * direction; of two peers the smaller limit counts for both directions
 * @param maxHeapBytes the most heap for larger calls or replies that are being encoded or
 * decoded, per peer; one that needs more than that gets it alone
 * @param maxPeers how many clients a server shares memory with
 * @param maxThreads how many calls that are not known to be short are executed at a time
 * @param acquireTimeout how long a call waits for a lane or memory that others use, even
 * if its deadline is later; then it goes another way
 * @param idleTimeout time after which what only calls need is closed: file descriptors,
 * threads, and segments beyond the first
 * @param handshakeTimeout how long connecting may take
 * @param drainTimeout how long a server that stops waits for the calls in flight
 * @param waiting how to wait: {@code learned}, {@code park}, or a fixed way such as
 * {@code spin-200+yield-50}
 * @since 0.1.0
 */
public record ShmOptions(int lanes, int maxLanes, int inlineBytes, int maxFrameBytes, long maxMemoryBytes,
		long maxHeapBytes, int maxPeers, int maxThreads, Duration acquireTimeout, Duration idleTimeout,
		Duration handshakeTimeout, Duration drainTimeout, String waiting) {

	/** A refusal must always fit. */
	private static final int SMALLEST_INLINE_BYTES = 2048;

	/** A further segment has at most one part in so many of the memory of the first. */
	private static final int FURTHER_MEMORY_SHARE = 16;

	private static final int MAX_HEADERS = 1024;

	private static final int MAX_HEADER_BYTES = 64 << 10;

	public ShmOptions {
		check(lanes >= 1 && lanes <= SegmentLayout.MAX_LANES && Integer.bitCount(lanes) == 1, "lanes",
				"a power of two from 1 to " + SegmentLayout.MAX_LANES, lanes);
		check(maxLanes >= lanes, "maxLanes", "at least the number of lanes of a segment, " + lanes, maxLanes);
		check(inlineBytes >= SMALLEST_INLINE_BYTES && inlineBytes <= SegmentLayout.MAX_INLINE_BYTES
				&& inlineBytes % SegmentLayout.LINE == 0, "inlineBytes", "a multiple of 128B from 2KB to 1MB",
				inlineBytes);
		WireLimits.checkMaxFrameBytes(maxFrameBytes);
		check(maxMemoryBytes >= 0, "maxMemoryBytes", "0 or more", maxMemoryBytes);
		check(maxHeapBytes >= 0, "maxHeapBytes", "0 or more", maxHeapBytes);
		check(maxPeers >= 1, "maxPeers", "at least 1", maxPeers);
		check(maxThreads >= 1, "maxThreads", "at least 1", maxThreads);
		checkPositive("acquireTimeout", acquireTimeout);
		checkPositive("idleTimeout", idleTimeout);
		checkPositive("handshakeTimeout", handshakeTimeout);
		check(!drainTimeout.isNegative(), "drainTimeout", "0 or more", drainTimeout);
		check(WaitMode.isName(waiting), "waiting", WaitMode.NAMES, waiting);
	}

	/**
	 * Returns the options that suit most applications.
	 * @return 64 lanes of 2 KiB in each of up to 16 segments, frames of 64 MiB, 64 MiB of
	 * memory per peer and direction, a sixteenth of the heap but at most 64 MiB, 1024
	 * peers, 256 threads, 100 ms to wait for a lane, times of 10 s, learned waiting
	 */
	public static ShmOptions defaults() {
		return new ShmOptions(64, 1024, 2048, 64 << 20, 64L << 20, defaultHeapBytes(), 1024, 256,
				Duration.ofMillis(100), Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofSeconds(10),
				WaitMode.LEARNED);
	}

	/**
	 * Returns how much heap larger calls and replies may take by default, per peer.
	 * @return bytes: a sixteenth of the heap, but at most 64 MiB
	 */
	public static long defaultHeapBytes() {
		return HeapBudget.defaultBytes();
	}

	/**
	 * Returns options with one segment.
	 * @param count how many lanes it has, which is also how many calls are in flight at
	 * most
	 * @return other options
	 */
	public ShmOptions withLanes(int count) {
		return new ShmOptions(count, count, this.inlineBytes, this.maxFrameBytes, this.maxMemoryBytes,
				this.maxHeapBytes, this.maxPeers, this.maxThreads, this.acquireTimeout, this.idleTimeout,
				this.handshakeTimeout, this.drainTimeout, this.waiting);
	}

	public ShmOptions withMaxLanes(int count) {
		return new ShmOptions(this.lanes, count, this.inlineBytes, this.maxFrameBytes, this.maxMemoryBytes,
				this.maxHeapBytes, this.maxPeers, this.maxThreads, this.acquireTimeout, this.idleTimeout,
				this.handshakeTimeout, this.drainTimeout, this.waiting);
	}

	public ShmOptions withMaxFrameBytes(int bytes) {
		return new ShmOptions(this.lanes, this.maxLanes, this.inlineBytes, bytes, this.maxMemoryBytes,
				this.maxHeapBytes, this.maxPeers, this.maxThreads, this.acquireTimeout, this.idleTimeout,
				this.handshakeTimeout, this.drainTimeout, this.waiting);
	}

	public ShmOptions withMaxMemoryBytes(long bytes) {
		return new ShmOptions(this.lanes, this.maxLanes, this.inlineBytes, this.maxFrameBytes, bytes, this.maxHeapBytes,
				this.maxPeers, this.maxThreads, this.acquireTimeout, this.idleTimeout, this.handshakeTimeout,
				this.drainTimeout, this.waiting);
	}

	public ShmOptions withMaxHeapBytes(long bytes) {
		return new ShmOptions(this.lanes, this.maxLanes, this.inlineBytes, this.maxFrameBytes, this.maxMemoryBytes,
				bytes, this.maxPeers, this.maxThreads, this.acquireTimeout, this.idleTimeout, this.handshakeTimeout,
				this.drainTimeout, this.waiting);
	}

	public ShmOptions withMaxPeers(int peers) {
		return new ShmOptions(this.lanes, this.maxLanes, this.inlineBytes, this.maxFrameBytes, this.maxMemoryBytes,
				this.maxHeapBytes, peers, this.maxThreads, this.acquireTimeout, this.idleTimeout, this.handshakeTimeout,
				this.drainTimeout, this.waiting);
	}

	public ShmOptions withAcquireTimeout(Duration timeout) {
		return new ShmOptions(this.lanes, this.maxLanes, this.inlineBytes, this.maxFrameBytes, this.maxMemoryBytes,
				this.maxHeapBytes, this.maxPeers, this.maxThreads, timeout, this.idleTimeout, this.handshakeTimeout,
				this.drainTimeout, this.waiting);
	}

	public ShmOptions withIdleTimeout(Duration timeout) {
		return new ShmOptions(this.lanes, this.maxLanes, this.inlineBytes, this.maxFrameBytes, this.maxMemoryBytes,
				this.maxHeapBytes, this.maxPeers, this.maxThreads, this.acquireTimeout, timeout, this.handshakeTimeout,
				this.drainTimeout, this.waiting);
	}

	public ShmOptions withHandshakeTimeout(Duration timeout) {
		return new ShmOptions(this.lanes, this.maxLanes, this.inlineBytes, this.maxFrameBytes, this.maxMemoryBytes,
				this.maxHeapBytes, this.maxPeers, this.maxThreads, this.acquireTimeout, this.idleTimeout, timeout,
				this.drainTimeout, this.waiting);
	}

	public ShmOptions withDrainTimeout(Duration timeout) {
		return new ShmOptions(this.lanes, this.maxLanes, this.inlineBytes, this.maxFrameBytes, this.maxMemoryBytes,
				this.maxHeapBytes, this.maxPeers, this.maxThreads, this.acquireTimeout, this.idleTimeout,
				this.handshakeTimeout, timeout, this.waiting);
	}

	public ShmOptions withWaiting(String way) {
		return new ShmOptions(this.lanes, this.maxLanes, this.inlineBytes, this.maxFrameBytes, this.maxMemoryBytes,
				this.maxHeapBytes, this.maxPeers, this.maxThreads, this.acquireTimeout, this.idleTimeout,
				this.handshakeTimeout, this.drainTimeout, way);
	}

	/**
	 * Returns options of a further segment of the same pair. It is for the sake of many
	 * calls, not of large ones. All further segments have no more memory than the first.
	 */
	ShmOptions ofFurtherSegment() {
		int share = Math.max(FURTHER_MEMORY_SHARE, this.maxLanes / this.lanes);
		return withLanes(this.lanes).withMaxMemoryBytes(this.maxMemoryBytes / share);
	}

	WireLimits limits() {
		return new WireLimits(this.maxFrameBytes, MAX_HEADERS, Math.min(MAX_HEADER_BYTES, this.maxFrameBytes));
	}

	/**
	 * Returns what holds for a pair whose other side maps at most so much memory: more
	 * than that must not be announced to it.
	 */
	LaneLimits laneLimits(long maxMemoryOfPeer, HeapBudget heap) {
		return new LaneLimits(this.maxFrameBytes + ControlChannel.FIXED_BYTES,
				Math.min(this.maxMemoryBytes, maxMemoryOfPeer), this.acquireTimeout, this.idleTimeout, heap);
	}

}
