package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

import org.jspecify.annotations.Nullable;

/** Deletes directories that this program has made. */
final class FileTree {

	private FileTree() {
	}

	/** Deletes a directory with all that is in it, as far as that is possible. */
	static void delete(Path directory) {
		if (!Files.exists(directory)) {
			return;
		}
		try {
			Files.walkFileTree(directory, new SimpleFileVisitor<>() {

				@Override
				public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
					Files.deleteIfExists(file);
					return FileVisitResult.CONTINUE;
				}

				@Override
				public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
						throws IOException {
					Files.deleteIfExists(visited);
					return FileVisitResult.CONTINUE;
				}

			});
		}
		catch (IOException ex) {
			// What is left is of no use, and in nobody's way.
		}
	}

}
