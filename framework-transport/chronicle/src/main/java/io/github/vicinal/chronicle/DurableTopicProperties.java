package io.github.vicinal.chronicle;

import java.nio.file.Path;
import java.time.Duration;

import io.github.vicinal.topic.TopicException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of durable topics.
 *
 * @param directory Directory of durable topics, on a local volume that only this user may
 * read. Without it there are none.
 * @param roll Interval at which a topic begins a new file. Retention deletes whole files.
 * @param maxSize Maximum size of one topic. Beyond it the oldest files are deleted, but
 * none that a consumer has yet to handle.
 * @param maxAge Age after which files are deleted that all consumers have handled.
 * @param minFree Minimum free space of the volume. A message that would leave less is not
 * published.
 * @param blockSize Size of the blocks by which files are mapped. A message may take a
 * quarter of it.
 * @param patience Maximum time that a publisher waits for others that append.
 * @param preTouch Whether pages are touched in the background before they are written to.
 * Needs Chronicle Queue Enterprise.
 * @since 0.1.0
 */
@ConfigurationProperties("vicinal.topics.durable")
record DurableTopicProperties(@Nullable Path directory, @DefaultValue("hour") RollInterval roll,
		@DefaultValue("1GB") DataSize maxSize, @DefaultValue("7d") Duration maxAge,
		@DefaultValue("256MB") DataSize minFree, @DefaultValue("64MB") DataSize blockSize,
		@DefaultValue("1s") Duration patience, @DefaultValue("false") boolean preTouch) {

	private static final int MOST_BLOCK_BYTES = 1 << 30;

	ChronicleOptions options() {
		try {
			return new ChronicleOptions(this.roll, this.maxSize.toBytes(), this.maxAge, this.minFree.toBytes(),
					blockBytes(), this.patience, this.preTouch);
		}
		catch (IllegalArgumentException ex) {
			throw new TopicException("vicinal.topics.durable.* has a value that cannot be used. " + ex.getMessage(),
					ex);
		}
	}

	private int blockBytes() {
		long bytes = this.blockSize.toBytes();
		if (bytes > MOST_BLOCK_BYTES) {
			throw new IllegalArgumentException(
					"Blocks of durable topics may have %d bytes, not %d".formatted(MOST_BLOCK_BYTES, bytes));
		}
		return (int) bytes;
	}

}
