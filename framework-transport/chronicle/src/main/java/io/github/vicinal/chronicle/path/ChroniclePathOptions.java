package io.github.vicinal.chronicle.path;

import java.time.Duration;

import io.github.vicinal.transport.wire.InvalidOptionException;
import io.github.vicinal.transport.wire.WireLimits;

/**
 * The limits of the path {@code chronicle}. Immutable; {@link #builder()} starts with
 * {@link #defaults()}.
 *
 * @since 0.1.0
 */
public final class ChroniclePathOptions {

	/** The index of a file has to fit into it several times. */
	private static final int MIN_FILE_BYTES = 1 << 20;

	static final int MAX_FILE_BYTES = 256 << 20;

	private static final int FILE_UNIT = 64 << 10;

	private static final int FILES_PER_QUEUE = 4;

	private static final int FRAMES_PER_QUEUE = 2;

	private static final Duration MIN_TIME = Duration.ofMillis(10);

	private static final Duration MAX_TIME = Duration.ofDays(1);

	private final int maxFrameBytes;

	private final long maxQueueBytes;

	private final int fileBytes;

	private final long minFreeBytes;

	private final int maxConnections;

	private final int maxThreads;

	private final Duration handshakeTimeout;

	private final Duration frameTimeout;

	private final Duration drainTimeout;

	private ChroniclePathOptions(Builder builder) {
		this.maxFrameBytes = builder.maxFrameBytes;
		this.maxQueueBytes = builder.maxQueueBytes;
		this.fileBytes = builder.fileBytes;
		this.minFreeBytes = builder.minFreeBytes;
		this.maxConnections = builder.maxConnections;
		this.maxThreads = builder.maxThreads;
		this.handshakeTimeout = builder.handshakeTimeout;
		this.frameTimeout = builder.frameTimeout;
		this.drainTimeout = builder.drainTimeout;
		validate();
	}

	private void validate() {
		WireLimits.checkMaxFrameBytes(this.maxFrameBytes);
		InvalidOptionException.check(
				this.fileBytes >= MIN_FILE_BYTES && this.fileBytes <= MAX_FILE_BYTES && this.fileBytes % FILE_UNIT == 0,
				"fileBytes", "a multiple of 64KB from 1MB to 256MB", this.fileBytes);
		long least = Math.max((long) FILES_PER_QUEUE * this.fileBytes, (long) FRAMES_PER_QUEUE * this.maxFrameBytes);
		InvalidOptionException.check(this.maxQueueBytes >= least, "maxQueueBytes",
				"at least four times file-size and twice max-frame-size, here %d".formatted(least), this.maxQueueBytes);
		InvalidOptionException.check(this.minFreeBytes >= 0, "minFree", "at least 0", this.minFreeBytes);
		InvalidOptionException.check(this.maxConnections >= 1, "maxConnections", "at least 1", this.maxConnections);
		InvalidOptionException.check(this.maxThreads >= 1, "maxThreads", "at least 1", this.maxThreads);
		checkTime("handshakeTimeout", this.handshakeTimeout);
		checkTime("frameTimeout", this.frameTimeout);
		InvalidOptionException.check(!this.drainTimeout.isNegative(), "drainTimeout", "at least 0", this.drainTimeout);
	}

	private static void checkTime(String option, Duration value) {
		InvalidOptionException.check(value.compareTo(MIN_TIME) >= 0 && value.compareTo(MAX_TIME) <= 0, option,
				"from 10 ms to 1 day", value);
	}

	/**
	 * Returns the options of an application that configures no limits.
	 * @return frames of 64 MB, queues of 128 MB in files of 4 MB
	 */
	public static ChroniclePathOptions defaults() {
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
	 * Returns the size of the longest call or reply.
	 * @return 1 KB to 1 GB
	 */
	public int maxFrameBytes() {
		return this.maxFrameBytes;
	}

	/**
	 * Returns the maximum number of bytes of a queue that its reader has not read.
	 * @return at least four times {@link #fileBytes()} and twice {@link #maxFrameBytes()}
	 */
	public long maxQueueBytes() {
		return this.maxQueueBytes;
	}

	/**
	 * Returns the number of bytes after which a queue begins a new file. A file is
	 * deleted when it is read.
	 * @return a multiple of 64 KB from 1 MB to 256 MB
	 */
	public int fileBytes() {
		return this.fileBytes;
	}

	/**
	 * Returns what the volume of the rendezvous directory keeps free.
	 * @return bytes, at least 0
	 */
	public long minFreeBytes() {
		return this.minFreeBytes;
	}

	/**
	 * Returns the maximum number of clients that a server accepts.
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
	 * Returns the time in which a client must read some of the answers that wait for it.
	 * @return 10 ms to 1 day
	 */
	public Duration frameTimeout() {
		return this.frameTimeout;
	}

	/**
	 * Returns the time that calls in flight have to end.
	 * @return 0 or more
	 */
	public Duration drainTimeout() {
		return this.drainTimeout;
	}

	WireLimits limits() {
		return WireLimits.ofCalls(this.maxFrameBytes);
	}

	/** Returns the bytes of calls without an answer beyond which a server reads none. */
	long maxOutstandingBytes() {
		return 2L * this.maxFrameBytes;
	}

	/**
	 * Builds options. Limits are checked by {@link #build()}. Not thread-safe.
	 *
	 * @since 0.1.0
	 */
	public static final class Builder {

		private int maxFrameBytes = 64 << 20;

		private long maxQueueBytes = 128 << 20;

		private int fileBytes = 4 << 20;

		private long minFreeBytes = 64 << 20;

		private int maxConnections = 64;

		private int maxThreads = 256;

		private Duration handshakeTimeout = Duration.ofSeconds(5);

		private Duration frameTimeout = Duration.ofSeconds(30);

		private Duration drainTimeout = Duration.ofSeconds(10);

		private Builder() {
		}

		/**
		 * Sets the longest call or reply.
		 * @param bytes 1 KB to 1 GB
		 * @return this builder
		 */
		public Builder maxFrameBytes(int bytes) {
			this.maxFrameBytes = bytes;
			return this;
		}

		/**
		 * Sets the maximum number of bytes of a queue that its reader has not read.
		 * @param bytes at least four times that of a file and twice that of a frame
		 * @return this builder
		 */
		public Builder maxQueueBytes(long bytes) {
			this.maxQueueBytes = bytes;
			return this;
		}

		/**
		 * Sets the number of bytes after which a queue begins a new file.
		 * @param bytes a multiple of 64 KB from 1 MB to 256 MB
		 * @return this builder
		 */
		public Builder fileBytes(int bytes) {
			this.fileBytes = bytes;
			return this;
		}

		/**
		 * Sets what the volume keeps free.
		 * @param bytes at least 0
		 * @return this builder
		 */
		public Builder minFreeBytes(long bytes) {
			this.minFreeBytes = bytes;
			return this;
		}

		/**
		 * Sets the maximum number of clients that a server accepts.
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
		 * Sets the time in which a client must read some of the answers that wait.
		 * @param time 10 ms to 1 day
		 * @return this builder
		 */
		public Builder frameTimeout(Duration time) {
			this.frameTimeout = time;
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
		public ChroniclePathOptions build() {
			return new ChroniclePathOptions(this);
		}

	}

}
