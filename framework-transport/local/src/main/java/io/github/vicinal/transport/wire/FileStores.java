package io.github.vicinal.transport.wire;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import io.github.vicinal.peer.ResourceLimits;

/** File systems of directories. */
public final class FileStores {

	private FileStores() {
	}

	/**
	 * Returns the file system of a directory. The JDK searches the list of mounts for it,
	 * which seems empty to a process without file descriptors.
	 * @param directory an existing directory
	 * @return its file system
	 * @throws IOException if it cannot be determined, with the reason
	 */
	public static FileStore of(Path directory) throws IOException {
		try {
			return Files.getFileStore(directory);
		}
		catch (IOException ex) {
			requireOpenable(directory);
			throw ex;
		}
	}

	private static void requireOpenable(Path directory) throws IOException {
		try {
			FileChannel.open(directory, StandardOpenOption.READ).close();
		}
		catch (FileSystemException ex) {
			String remedy = ResourceLimits.remedy(ex);
			throw remedy.isEmpty() ? ex : new IOException("%s: %s".formatted(ex.getMessage(), remedy), ex);
		}
	}

}
