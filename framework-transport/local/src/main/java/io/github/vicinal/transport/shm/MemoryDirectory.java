package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** Whether a directory is in memory: on a disk, changed pages would be written out. */
final class MemoryDirectory {

	private static final Set<String> MEMORY = Set.of("tmpfs", "ramfs", "hugetlbfs");

	private MemoryDirectory() {
	}

	/**
	 * Says why segments should not be in a directory.
	 * @return the reason, or empty if they may be
	 */
	static Optional<String> unsuitable(Path directory) {
		try {
			String type = Files.getFileStore(directory).type();
			return MEMORY.contains(type) ? Optional.empty() : Optional
				.of("the rendezvous directory %s is on %s, not in memory: set vicinal.rendezvous.directory to one on a tmpfs, such as below /dev/shm"
					.formatted(directory, type));
		}
		catch (IOException ex) {
			return Optional
				.of("the rendezvous directory %s cannot be examined: %s".formatted(directory, ex.getMessage()));
		}
	}

}
