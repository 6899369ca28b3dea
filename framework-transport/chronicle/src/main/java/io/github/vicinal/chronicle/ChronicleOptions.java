package io.github.vicinal.chronicle;

import java.time.Duration;

/**
 * Settings of durable topics.
 *
 * @param roll how often a topic begins a new file
 * @param maxBytes room of one topic on the volume. Beyond it the oldest files are
 * deleted, but none that a consumer has yet to handle. Messages in the newest file that
 * all have handled do not count
 * @param maxAge age after which files are deleted that all consumers have handled
 * @param minFreeBytes what the volume keeps free: nothing is published that would leave
 * less
 * @param blockBytes bytes by which files are mapped, a multiple of 64 KiB and at least 1
 * MiB. A message may take a quarter of it
 * @param patience how long a publisher waits for others that append
 * @param preTouch whether pages are touched in the background before they are written to
 * @since 0.1.0
 */
public record ChronicleOptions(RollInterval roll, long maxBytes, Duration maxAge, long minFreeBytes, int blockBytes,
		Duration patience, boolean preTouch) {

	private static final int BLOCK_UNIT = 64 << 10;

	/** The index of a file has to fit into a block. */
	private static final int LEAST_BLOCK_BYTES = 1 << 20;

	private static final Duration LONGEST_PATIENCE = Duration.ofDays(365);

	/** As good as for ever. */
	private static final Duration LONGEST_AGE = Duration.ofDays(365_000);

	/** Checks the options. */
	public ChronicleOptions {
		if (blockBytes < LEAST_BLOCK_BYTES || blockBytes % BLOCK_UNIT != 0) {
			throw new IllegalArgumentException(
					"Blocks of durable topics must be a multiple of %d bytes and at least %d, not %d"
						.formatted(BLOCK_UNIT, LEAST_BLOCK_BYTES, blockBytes));
		}
		if (maxBytes < blockBytes) {
			throw new IllegalArgumentException("A durable topic needs room for at least one block of %d bytes, not %d"
				.formatted(blockBytes, maxBytes));
		}
		if (minFreeBytes < 0) {
			throw new IllegalArgumentException(
					"The free bytes of durable topics must not be negative, but are %d".formatted(minFreeBytes));
		}
		requireWithin("patience", patience, LONGEST_PATIENCE);
		requireWithin("age", maxAge, LONGEST_AGE);
	}

	private static void requireWithin(String what, Duration value, Duration longest) {
		if (value.isNegative() || value.compareTo(longest) > 0) {
			throw new IllegalArgumentException("The %s of durable topics must be from 0 to %d days, not %s"
				.formatted(what, longest.toDays(), value));
		}
	}

	/**
	 * Returns the size at which a file is full, so that a new one begins before its time:
	 * a quarter of the room of a topic, but at least one block.
	 * @return bytes
	 */
	long fileBytes() {
		return Math.max(this.blockBytes, this.maxBytes / 4);
	}

	/**
	 * Returns the usual options: hourly files, 1 GiB and 7 days per topic, 256 MiB free.
	 * @return the options
	 */
	public static ChronicleOptions defaults() {
		return new ChronicleOptions(RollInterval.HOUR, 1L << 30, Duration.ofDays(7), 256L << 20, 64 << 20,
				Duration.ofSeconds(1), true);
	}

}
