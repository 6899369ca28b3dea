package io.github.vicinal.transport.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Operating-system resources of this process. */
public final class Descriptors {

	private Descriptors() {
	}

	/**
	 * Counts file descriptors, without those of jars, which come with classes.
	 * @param directory files in it count, beside sockets, pipes and selectors
	 */
	public static long count(Path directory) {
		try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
			return descriptors.filter((descriptor) -> counts(descriptor, directory)).count();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean counts(Path descriptor, Path directory) {
		try {
			String target = Files.readSymbolicLink(descriptor).toString();
			return target.startsWith(directory.toString()) || target.startsWith("socket:") || target.startsWith("pipe:")
					|| target.startsWith("anon_inode:");
		}
		catch (IOException ex) {
			// Closed meanwhile.
			return false;
		}
	}

	/** Counts the threads whose names begin so. */
	public static long threads(String prefix) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith(prefix))
			.count();
	}

	/** Counts the mappings of files that were made in a directory. */
	public static long mappings(Path directory) {
		try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
			return lines.filter((line) -> line.contains(directory + "/")).count();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
