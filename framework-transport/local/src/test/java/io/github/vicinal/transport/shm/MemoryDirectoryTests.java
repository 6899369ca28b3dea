package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Where segments can be. */
class MemoryDirectoryTests {

	private final Path directory = Path.of("/dev/shm");

	@Test
	void tmpfsOfAnySizeWillDo() throws IOException {
		assertThat(MemoryDirectory.unsuitable(this.directory)).isEmpty();
		assertThat(MemoryDirectory.unsuitable(this.directory, "tmpfs", 1)).isEmpty();
	}

	/** To a ramfs the size is not known, and a hugetlbfs has no write. */
	@ParameterizedTest
	@ValueSource(strings = { "ext4", "overlay", "ramfs", "hugetlbfs" })
	void otherFileSystemsAreRefusedByName(String type) {
		assertThat(MemoryDirectory.unsuitable(this.directory, type, 1 << 30)).hasValueSatisfying(
				(reason) -> assertThat(reason).contains("/dev/shm", type, "vicinal.rendezvous.directory"));
	}

	@Test
	void tmpfsOfUnknownSizeIsRefused() {
		assertThat(MemoryDirectory.unsuitable(this.directory, "tmpfs", 0))
			.hasValueSatisfying((reason) -> assertThat(reason).contains("/dev/shm", "without a size"));
	}

	@Test
	void directoryThatIsNotThereIsAReason() throws IOException {
		Path gone = Files.createTempDirectory(this.directory, "vicinal-gone");
		Files.delete(gone);
		assertThat(MemoryDirectory.unsuitable(gone))
			.hasValueSatisfying((reason) -> assertThat(reason).contains("cannot be examined"));
	}

}
