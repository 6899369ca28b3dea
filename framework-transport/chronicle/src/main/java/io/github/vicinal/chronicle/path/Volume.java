package io.github.vicinal.chronicle.path;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.transport.wire.FileStores;
import org.jspecify.annotations.Nullable;

/**
 * Guards the room of the volume on which queues are. Files of queues are sparse, and
 * writing to a page for which a full volume has no room ends the JVM. Thread-safe.
 */
final class Volume {

	/** Bytes after which the volume is looked at again. */
	private static final long LOOK_BYTES = 1 << 20;

	/** Interval after which the volume is looked at again. */
	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final Path directory;

	private final FileStore store;

	private final long minFreeBytes;

	/** Bytes that may be written before the next look. Guarded by this. */
	private long budget;

	/** Guarded by this. */
	private long looked = System.nanoTime();

	private Volume(Path directory, FileStore store, long minFreeBytes) {
		this.directory = directory;
		this.store = store;
		this.minFreeBytes = minFreeBytes;
	}

	static Volume of(Path directory, long minFreeBytes) throws IOException {
		return new Volume(directory, FileStores.of(directory), minFreeBytes);
	}

	/**
	 * Takes room for bytes that are about to be written.
	 * @return why there is none, or {@code null} if there is
	 */
	synchronized @Nullable String noRoom(long wanted) {
		long now = System.nanoTime();
		if (this.budget >= wanted && now - this.looked < LOOK_NANOS) {
			this.budget -= wanted;
			return null;
		}
		try {
			long usable = this.store.getUsableSpace();
			long left = usable - this.minFreeBytes - wanted;
			if (left < 0) {
				this.budget = 0;
				return "the volume of %s has %d bytes left, and %d are kept free (vicinal.chronicle.min-free)"
					.formatted(this.directory, usable, this.minFreeBytes);
			}
			this.looked = now;
			this.budget = Math.min(LOOK_BYTES, left);
			return null;
		}
		catch (IOException ex) {
			return "the volume of %s cannot be looked at: %s".formatted(this.directory, ex);
		}
	}

}
