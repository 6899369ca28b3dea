package io.github.vicinal.transport.shm.lane;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;

import io.github.vicinal.transport.wire.WireException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Files that two processes map. */
@Tag("every-jdk")
class MemoryTests {

	private Path directory;

	@BeforeEach
	void create() throws Exception {
		this.directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-memory");
	}

	@AfterEach
	void delete() throws Exception {
		Segment.deleteOrphans(this.directory, Duration.ofSeconds(-10));
		Files.delete(this.directory);
	}

	@Test
	void isAllocatedAndPrivateAndLosesItsName() throws Exception {
		Path file = this.directory.resolve(Segment.newName());
		Memory made = Memory.create(file, 1 << 20);
		long blocks = 0;
		try (var store = Files.newInputStream(file)) {
			blocks = store.readAllBytes().length;
		}
		assertThat(blocks).isEqualTo(1 << 20);
		assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
		Memory adopted = Memory.adopt(this.directory, String.valueOf(file.getFileName()), 1 << 20);
		assertThat(file).doesNotExist();
		made.setLongRelease(512, 42);
		assertThat(adopted.getLongAcquire(512)).isEqualTo(42);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 63, 64, 65, 20_000 })
	void claimsEachLineOfItsBytesAndNoneBeyond(int length) throws Exception {
		int offset = 4096;
		Memory memory = Memory.create(this.directory.resolve(Segment.newName()), 1 << 16);
		byte[] ones = new byte[1 << 16];
		Arrays.fill(ones, (byte) 1);
		memory.put(0, ones, 0, ones.length);
		memory.claim(offset, length);
		memory.get(0, ones, 0, ones.length);
		for (int i = 0; i < ones.length; i++) {
			boolean claimed = i >= offset && i < offset + length && i % 64 == 0;
			assertThat(ones[i]).as("byte %d", i).isEqualTo((byte) (claimed ? 0 : 1));
		}
	}

	@Test
	void fileThatIsTooShortOrNoFileIsRefused() throws Exception {
		Path file = this.directory.resolve(Segment.newName());
		Files.write(file, new byte[100]);
		assertThatExceptionOfType(WireException.class)
			.isThrownBy(() -> Memory.adopt(this.directory, String.valueOf(file.getFileName()), 4096))
			.withMessageContaining("100 bytes");
		Path link = this.directory.resolve(Segment.newName());
		Files.createSymbolicLink(link, Path.of("/etc/passwd"));
		assertThatExceptionOfType(WireException.class)
			.isThrownBy(() -> Memory.adopt(this.directory, String.valueOf(link.getFileName()), 10));
		Files.delete(link);
		assertThatExceptionOfType(WireException.class)
			.isThrownBy(() -> Memory.adopt(this.directory, "../../etc/passwd", 10));
		// Its creator may have done nothing wrong.
		assertThatExceptionOfType(NoSuchFileException.class)
			.isThrownBy(() -> Memory.adopt(this.directory, Segment.newName(), 10));
	}

	@Test
	void noSpaceIsSaidAndLeavesNothing() {
		Path file = this.directory.resolve(Segment.newName());
		long usable = this.directory.toFile().getUsableSpace();
		if (usable > Integer.MAX_VALUE) {
			System.err.println("a full file system is not tested: /dev/shm has " + (usable >> 20) + " MiB left");
			return;
		}
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> Memory.create(file, (int) usable))
			.withMessageContaining("KiB left");
		assertThat(file).doesNotExist();
	}

	/**
	 * A peer may keep the file open and cut it off: that must be an error, not a crash.
	 */
	@Test
	void fileThatIsCutOffFailsWithAnErrorThatIsCaught() throws Exception {
		Path file = this.directory.resolve(Segment.newName());
		Memory memory = Memory.create(file, 1 << 20);
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
			channel.truncate(0);
		}
		assertThatExceptionOfType(InternalError.class).isThrownBy(() -> {
			for (int i = 0; i < 1 << 20; i += 4096) {
				memory.setLongVolatile(i, 1);
				memory.put(i, new byte[100], 0, 100);
			}
		});
	}

}
