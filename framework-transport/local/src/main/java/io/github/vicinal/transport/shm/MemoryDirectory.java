package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Path;
import java.util.Optional;

import io.github.vicinal.transport.wire.FileStores;

/**
 * Whether a directory is in memory: on a disk, changed pages would be written out. Of the
 * file systems in memory only a tmpfs will do: a ramfs does not say how much room it has,
 * and files of a hugetlbfs cannot be written to.
 *
 * @since 0.1.0
 */
public final class MemoryDirectory {

	private static final String MEMORY = "tmpfs";

	private MemoryDirectory() {
	}

	/**
	 * Returns why segments should not be in a directory.
	 * @return the reason, or empty if they may be
	 */
	public static Optional<String> unsuitable(Path directory) {
		try {
			FileStore store = FileStores.of(directory);
			return unsuitable(directory, store.type(), store.getTotalSpace());
		}
		catch (IOException ex) {
			return Optional
				.of("the rendezvous directory %s cannot be examined: %s".formatted(directory, ex.getMessage()));
		}
	}

	static Optional<String> unsuitable(Path directory, String type, long totalBytes) {
		if (!type.equals(MEMORY)) {
			return Optional
				.of("the rendezvous directory %s is on %s, not on a tmpfs: set vicinal.rendezvous.directory to one on a tmpfs, such as below /dev/shm"
					.formatted(directory, type));
		}
		if (totalBytes <= 0) {
			return Optional
				.of("the rendezvous directory %s is on a tmpfs without a size limit, so its free space is unknown: mount it with a size, or set vicinal.rendezvous.directory to one on another tmpfs"
					.formatted(directory));
		}
		return Optional.empty();
	}

}
