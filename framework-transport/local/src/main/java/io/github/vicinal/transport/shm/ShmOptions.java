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
 * The limits of the path {@code shm}. Immutable; {@link #builder()} starts with
 * {@link #defaults()}.
 *
 * @since 0.1.0
 */
public final class ShmOptions {

	/** A refusal must always fit. */
	private static final int SMALLEST_INLINE_BYTES = 2048;

	/** Divisor of the first segment's memory that gives the maximum of a further one. */
	private static final int FURTHER_MEMORY_SHARE = 16;

	private final int lanes;

	private final int maxLanes;

	private final int inlineBytes;

	private final int maxFrameBytes;

	private final long maxMemoryBytes;

	private final long maxHeapBytes;

	private final int maxPeers;

	private final int maxThreads;

	private final Duration acquireTimeout;

	private final Duration idleTimeout;

	private final Duration handshakeTimeout;

	private final Duration drainTimeout;

	private final String waiting;

	private ShmOptions(Builder builder) {
		this.lanes = builder.lanes;
		this.maxLanes = builder.maxLanes;
		this.inlineBytes = builder.inlineBytes;
		this.maxFrameBytes = builder.maxFrameBytes;
		this.maxMemoryBytes = builder.maxMemoryBytes;
		this.maxHeapBytes = builder.maxHeapBytes;
		this.maxPeers = builder.maxPeers;
		this.maxThreads = builder.maxThreads;
		this.acquireTimeout = builder.acquireTimeout;
		this.idleTimeout = builder.idleTimeout;
		this.handshakeTimeout = builder.handshakeTimeout;
		this.drainTimeout = builder.drainTimeout;
		this.waiting = builder.waiting;
		validate();
	}

	private void validate() {
		check(this.lanes >= 1 && this.lanes <= SegmentLayout.MAX_LANES && Integer.bitCount(this.lanes) == 1, "lanes",
				"a power of two from 1 to " + SegmentLayout.MAX_LANES, this.lanes);
		check(this.maxLanes >= this.lanes, "maxLanes", "at least the number of lanes of a segment, " + this.lanes,
				this.maxLanes);
		check(this.inlineBytes >= SMALLEST_INLINE_BYTES && this.inlineBytes <= SegmentLayout.MAX_INLINE_BYTES
				&& this.inlineBytes % SegmentLayout.LINE == 0, "inlineBytes", "a multiple of 128B from 2KB to 1MB",
				this.inlineBytes);
		WireLimits.checkMaxFrameBytes(this.maxFrameBytes);
		check(this.maxMemoryBytes >= 0, "maxMemoryBytes", "0 or more", this.maxMemoryBytes);
		check(this.maxHeapBytes >= 0, "maxHeapBytes", "0 or more", this.maxHeapBytes);
		check(this.maxPeers >= 1, "maxPeers", "at least 1", this.maxPeers);
		check(this.maxThreads >= 1, "maxThreads", "at least 1", this.maxThreads);
		checkPositive("acquireTimeout", this.acquireTimeout);
		checkPositive("idleTimeout", this.idleTimeout);
		checkPositive("handshakeTimeout", this.handshakeTimeout);
		check(!this.drainTimeout.isNegative(), "drainTimeout", "0 or more", this.drainTimeout);
		check(WaitMode.isName(this.waiting), "waiting", WaitMode.NAMES, this.waiting);
	}

	/**
	 * Returns the options that suit most applications.
	 * @return 64 lanes of 2 KiB in each of up to 16 segments, frames of 64 MiB, 64 MiB of
	 * memory per peer and direction, a sixteenth of the heap but at most 64 MiB, 1024
	 * peers, 256 threads, 100 ms to wait for a lane, times of 10 s, learned waiting
	 */
	public static ShmOptions defaults() {
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
		builder.lanes = this.lanes;
		builder.maxLanes = this.maxLanes;
		builder.inlineBytes = this.inlineBytes;
		builder.maxFrameBytes = this.maxFrameBytes;
		builder.maxMemoryBytes = this.maxMemoryBytes;
		builder.maxHeapBytes = this.maxHeapBytes;
		builder.maxPeers = this.maxPeers;
		builder.maxThreads = this.maxThreads;
		builder.acquireTimeout = this.acquireTimeout;
		builder.idleTimeout = this.idleTimeout;
		builder.handshakeTimeout = this.handshakeTimeout;
		builder.drainTimeout = this.drainTimeout;
		builder.waiting = this.waiting;
		return builder;
	}

	/**
	 * Returns the number of calls in flight to one peer before a further segment is made,
	 * and how many each has; a power of two, 1 to 256.
	 * @return a number
	 */
	public int lanes() {
		return this.lanes;
	}

	/**
	 * Returns the maximum number of calls that a client has in flight to one peer.
	 * @return a number
	 */
	public int maxLanes() {
		return this.maxLanes;
	}

	/**
	 * Returns the number of bytes of a call or reply that lie in its lane, a multiple of
	 * 128.
	 * @return bytes
	 */
	public int inlineBytes() {
		return this.inlineBytes;
	}

	/**
	 * Returns the longest call or reply, in bytes.
	 * @return bytes
	 */
	public int maxFrameBytes() {
		return this.maxFrameBytes;
	}

	/**
	 * Returns the most memory for larger calls or replies, per peer and direction; of two
	 * peers the smaller limit counts for both directions.
	 * @return bytes
	 */
	public long maxMemoryBytes() {
		return this.maxMemoryBytes;
	}

	/**
	 * Returns the most heap for larger calls or replies that are being encoded or
	 * decoded, per peer; one that needs more than that gets it alone.
	 * @return bytes
	 */
	public long maxHeapBytes() {
		return this.maxHeapBytes;
	}

	/**
	 * Returns the number of clients that a server shares memory with.
	 * @return a number
	 */
	public int maxPeers() {
		return this.maxPeers;
	}

	/**
	 * Returns the number of calls not known to be short that are executed at a time.
	 * @return a number
	 */
	public int maxThreads() {
		return this.maxThreads;
	}

	/**
	 * Returns how long a call waits for a lane or memory that others use, even if its
	 * deadline is later; then it goes another way.
	 * @return a positive duration
	 */
	public Duration acquireTimeout() {
		return this.acquireTimeout;
	}

	/**
	 * Returns the time after which what only calls need is closed: file descriptors,
	 * threads, and segments beyond the first.
	 * @return a positive duration
	 */
	public Duration idleTimeout() {
		return this.idleTimeout;
	}

	/**
	 * Returns how long connecting may take.
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

	/**
	 * Returns how to wait: {@code learned}, {@code park}, or a fixed way such as {@code
	 * spin-200+yield-50}.
	 * @return the name of a way to wait
	 */
	public String waiting() {
		return this.waiting;
	}

	/**
	 * Returns how much heap larger calls and replies may take by default, per peer.
	 * @return bytes: a sixteenth of the heap, but at most 64 MiB
	 */
	public static long defaultHeapBytes() {
		return HeapBudget.defaultBytes();
	}

	/**
	 * Returns options of a further segment of the same pair. Further segments serve many
	 * calls, not large ones. Together they have no more memory than the first.
	 */
	ShmOptions ofFurtherSegment() {
		int share = Math.max(FURTHER_MEMORY_SHARE, this.maxLanes / this.lanes);
		return toBuilder().maxLanes(this.lanes).maxMemoryBytes(this.maxMemoryBytes / share).build();
	}

	WireLimits limits() {
		return WireLimits.ofCalls(this.maxFrameBytes);
	}

	/**
	 * Returns the options for a pair whose other side maps at most this much memory; more
	 * must not be announced to it.
	 */
	LaneLimits laneLimits(long maxMemoryOfPeer, HeapBudget heap) {
		return new LaneLimits(this.maxFrameBytes + ControlChannel.FIXED_BYTES,
				Math.min(this.maxMemoryBytes, maxMemoryOfPeer), this.acquireTimeout, this.idleTimeout, heap);
	}

	/**
	 * Builds options. Limits are checked by {@link #build()}. Not thread-safe.
	 *
	 * @since 0.1.0
	 */
	public static final class Builder {

		private int lanes = 64;

		private int maxLanes = 1024;

		private int inlineBytes = 2048;

		private int maxFrameBytes = 64 << 20;

		private long maxMemoryBytes = 64L << 20;

		private long maxHeapBytes = defaultHeapBytes();

		private int maxPeers = 1024;

		private int maxThreads = 256;

		private Duration acquireTimeout = Duration.ofMillis(100);

		private Duration idleTimeout = Duration.ofSeconds(10);

		private Duration handshakeTimeout = Duration.ofSeconds(10);

		private Duration drainTimeout = Duration.ofSeconds(10);

		private String waiting = WaitMode.LEARNED;

		private Builder() {
		}

		public Builder lanes(int value) {
			this.lanes = value;
			return this;
		}

		public Builder maxLanes(int value) {
			this.maxLanes = value;
			return this;
		}

		public Builder inlineBytes(int value) {
			this.inlineBytes = value;
			return this;
		}

		public Builder maxFrameBytes(int value) {
			this.maxFrameBytes = value;
			return this;
		}

		public Builder maxMemoryBytes(long value) {
			this.maxMemoryBytes = value;
			return this;
		}

		public Builder maxHeapBytes(long value) {
			this.maxHeapBytes = value;
			return this;
		}

		public Builder maxPeers(int value) {
			this.maxPeers = value;
			return this;
		}

		public Builder maxThreads(int value) {
			this.maxThreads = value;
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

		public Builder waiting(String value) {
			this.waiting = value;
			return this;
		}

		/**
		 * Builds the options.
		 * @return the options
		 * @throws io.github.vicinal.transport.wire.InvalidOptionException if a value
		 * breaks its limit
		 */
		public ShmOptions build() {
			return new ShmOptions(this);
		}

	}

}
