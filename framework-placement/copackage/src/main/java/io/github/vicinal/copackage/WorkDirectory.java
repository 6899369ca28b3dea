package io.github.vicinal.copackage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Directory beside a target, in which something is written before it takes the target's
 * place. Nothing of it is left when it is closed, also if the JVM is asked to end
 * meanwhile. What a process leaves that was killed, the next one with the same parent
 * directory deletes: a lock on a file, which the system gives back, says that it is gone.
 */
final class WorkDirectory implements AutoCloseable {

	private static final String PREFIX = ".copackage-";

	private static final String LOCK = ".lock";

	private static final String OLD = "-old";

	private static final int MAX_NAME_BYTES = 4096;

	/** Time that the writing thread has to clean up when the JVM ends. */
	private static final long PATIENCE_SECONDS = 10;

	private final Path path;

	private final Path lockFile;

	private final FileChannel lock;

	private final CountDownLatch closed = new CountDownLatch(1);

	private final Thread hook;

	private WorkDirectory(Path path, Path lockFile, FileChannel lock) {
		this.path = path;
		this.lockFile = lockFile;
		this.lock = lock;
		Thread writer = Thread.currentThread();
		this.hook = new Thread(() -> giveUp(writer), "copackage-clean-up");
	}

	/**
	 * Creates a directory.
	 * @param target absolute; directories above it are created
	 * @throws IOException if it cannot be created
	 */
	static WorkDirectory beside(Path target) throws IOException {
		Path parent = target.getParent();
		Path name = target.getFileName();
		if (parent == null || name == null) {
			throw new InvalidInputException("'%s' has no directory above it".formatted(target));
		}
		Files.createDirectories(parent);
		deleteAbandoned(parent);
		while (true) {
			Path path = parent.resolve(PREFIX + UUID.randomUUID());
			Path lockFile = beside(path, LOCK);
			FileChannel lock = FileChannel.open(lockFile, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
			try {
				// Another process may have taken the file for an abandoned one.
				if (lock(lock) && Files.exists(lockFile)) {
					lock.write(ByteBuffer.wrap(name.toString().getBytes(StandardCharsets.UTF_8)));
					// Not a temporary directory, which nobody else may read: images run
					// as other users.
					WorkDirectory directory = new WorkDirectory(Files.createDirectory(path), lockFile, lock);
					Runtime.getRuntime().addShutdownHook(directory.hook);
					return directory;
				}
				lock.close();
			}
			catch (IOException | RuntimeException ex) {
				Files.deleteIfExists(lockFile);
				lock.close();
				throw ex;
			}
		}
	}

	private static Path beside(Path path, String suffix) {
		return path.resolveSibling(path.getFileName() + suffix);
	}

	/** Returns whether nobody else has the lock. Without locks nobody is known to. */
	private static boolean lock(FileChannel channel) {
		try {
			return channel.tryLock() != null;
		}
		catch (OverlappingFileLockException ex) {
			return false;
		}
		catch (IOException ex) {
			return true;
		}
	}

	/** Deletes what processes have left that were killed. */
	private static void deleteAbandoned(Path parent) throws IOException {
		try (DirectoryStream<Path> files = Files.newDirectoryStream(parent, PREFIX + "*" + LOCK)) {
			for (Path each : files) {
				deleteAbandoned(parent, each);
			}
		}
	}

	private static void deleteAbandoned(Path parent, Path lockFile) {
		String file = lockFile.getFileName().toString();
		Path path = parent.resolve(file.substring(0, file.length() - LOCK.length()));
		try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			if (channel.tryLock() == null) {
				return;
			}
			Path old = beside(path, OLD);
			Path target = parent.resolve(name(channel));
			if (Files.exists(old) && !Files.exists(target) && parent.equals(target.getParent())) {
				// Killed between the two steps of replacing it.
				Files.move(old, target);
			}
			FileTree.delete(old);
			FileTree.delete(path);
			Files.deleteIfExists(lockFile);
		}
		catch (IOException | OverlappingFileLockException | InvalidPathException ex) {
			// Not ours; or somebody writes there, or somebody else deletes it.
		}
	}

	private static String name(FileChannel channel) throws IOException {
		ByteBuffer bytes = ByteBuffer.allocate(MAX_NAME_BYTES);
		channel.read(bytes, 0);
		return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
	}

	Path path() {
		return this.path;
	}

	/** Returns where what is replaced goes meanwhile. */
	Path old() {
		return beside(this.path, OLD);
	}

	/** Interrupts the thread that writes, so that it ends with {@link #close}. */
	private void giveUp(Thread writer) {
		writer.interrupt();
		try {
			this.closed.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void close() throws IOException {
		FileTree.delete(this.path);
		Files.deleteIfExists(this.lockFile);
		this.lock.close();
		this.closed.countDown();
		try {
			Runtime.getRuntime().removeShutdownHook(this.hook);
		}
		catch (IllegalStateException ex) {
			// The JVM ends.
		}
	}

	/**
	 * Returns an exception that says what could not be written, for people.
	 * @param target as the caller has given it
	 * @param cause why
	 */
	static IOException unwritten(Path target, IOException cause) {
		String reason = String.valueOf(cause.getMessage());
		if (cause instanceof AccessDeniedException) {
			reason = "permission denied";
		}
		else if (cause instanceof NoSuchFileException missing) {
			reason = "there is no '%s'".formatted(missing.getFile());
		}
		else if (cause instanceof ClosedByInterruptException) {
			reason = "it was interrupted";
		}
		else if (cause instanceof FileSystemException failure && failure.getReason() != null) {
			reason = failure.getReason();
		}
		return new IOException("'%s' cannot be written: %s".formatted(target, reason), cause);
	}

}
