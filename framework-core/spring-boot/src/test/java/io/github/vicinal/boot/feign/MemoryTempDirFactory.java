package io.github.vicinal.boot.feign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** Makes directories in memory where there is a tmpfs, which shared memory needs. */
final class MemoryTempDirFactory implements TempDirFactory {

	@Override
	public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext extension) throws IOException {
		Path memory = Path.of("/dev/shm");
		return Files.isDirectory(memory) ? Files.createTempDirectory(memory, "vicinal-feign")
				: Files.createTempDirectory("vicinal-feign");
	}

}
