package io.github.vicinal.chronicle;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class AliveTests {

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
