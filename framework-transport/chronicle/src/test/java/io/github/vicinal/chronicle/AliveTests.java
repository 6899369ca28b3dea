package io.github.vicinal.chronicle;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class AliveTests {

	/** One that is young may belong to a process that is about to listen. */
	@Test
	void whatKilledProcessesHaveLeftIsDeleted(@TempDir Path directory) throws Exception {
		Path killed = left(directory, 0x11);
		Path young = left(directory, 0x22);
		age(killed);
		try (Alive living = Alive.open(directory)) {
			Path file = directory.resolve(HexFormat.of().toHexDigits(living.id()));
			age(file);
			try (Alive next = Alive.open(directory)) {
				assertThat(killed).doesNotExist();
				assertThat(young).exists();
				assertThat(file).exists();
				assertThat(next.isDead(living.id())).isFalse();
			}
		}
	}

	private static Path left(Path directory, long id) throws IOException {
		Path file = directory.resolve(HexFormat.of().toHexDigits(id));
		try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
			socket.bind(UnixDomainSocketAddress.of(file));
		}
		return file;
	}

	private static void age(Path file) throws IOException {
		Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
	}

	@Test
	@Timeout(60)
	void withoutFileDescriptorsTheAcceptingThreadTakesHardlyAnyProcessorTime(@TempDir Path directory) throws Exception {
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		Process process = new ProcessBuilder(java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classes,
				AliveChild.class.getName(), directory.toString())
			.redirectErrorStream(true)
			.start();
		try {
			String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			String[] lines = said.strip().split("\n");
			assertThat(lines[lines.length - 1]).as(said).containsOnlyDigits();
			assertThat(Integer.parseInt(lines[lines.length - 1])).as(said).isLessThan(5);
			assertThat(said).contains("raise the limit of open files");
		}
		finally {
			process.destroyForcibly().waitFor();
		}
	}

}
