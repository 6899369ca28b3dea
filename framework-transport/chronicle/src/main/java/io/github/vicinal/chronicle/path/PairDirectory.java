package io.github.vicinal.chronicle.path;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of a pair, within the rendezvous directory. Its name begins with the
 * instance id of the server, whose socket says whether the pair can be alive.
 */
final class PairDirectory {

	private static final Logger logger = LoggerFactory.getLogger(PairDirectory.class);

	private static final String SUFFIX = ".queues";

	private static final Pattern NAME = Pattern.compile("([0-9a-f]{32})-[0-9a-f]{16}\\.queues");

	private static final SecureRandom RANDOM = new SecureRandom();

	private final Path path;

	private PairDirectory(Path path) {
		this.path = path;
	}

	/**
	 * Makes the directory of a new pair, with those of its queues.
	 * @param rendezvous where it is
	 * @param server instance id of the server
	 */
	static PairDirectory create(Path rendezvous, String server) throws IOException {
		String name = server + "-" + HexFormat.of().toHexDigits(RANDOM.nextLong()) + SUFFIX;
		PairDirectory directory = new PairDirectory(rendezvous.resolve(name));
		var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
		Files.createDirectory(directory.path, owner);
		try {
			for (PairQueue queue : PairQueue.values()) {
				Files.createDirectory(directory.path.resolve(queue.directory()), owner);
			}
			return directory;
		}
		catch (IOException ex) {
			directory.delete();
			throw ex;
		}
	}

	/**
	 * Finds the directory that a server has made.
	 * @param rendezvous where it is
	 * @param server instance id of the server
	 * @param name what the server calls it
	 * @throws WireException if that is no name of a directory of that server, or there is
	 * no such directory
	 */
	static PairDirectory find(Path rendezvous, String server, String name) throws WireException {
		Matcher matcher = NAME.matcher(name);
		if (!matcher.matches() || !matcher.group(1).equals(server)) {
			throw new WireException(Refusal.MALFORMED,
					"'%s' is no directory of the peer".formatted(WireException.printable(name)));
		}
		Path path = rendezvous.resolve(name);
		if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
			throw new WireException(Refusal.MALFORMED, "there is no directory %s".formatted(path));
		}
		return new PairDirectory(path);
	}

	Path path() {
		return this.path;
	}

	String name() {
		return String.valueOf(this.path.getFileName());
	}

	/** Deletes the directory. Both sides do so at their end, so it may be gone. */
	void delete() {
		try {
			delete(this.path);
		}
		catch (IOException ex) {
			// The other side may have been about to delete, too; a sweep finds the rest.
			logger.debug("{} could not be deleted: {}", this.path, ex.toString());
		}
	}

	private static void delete(Path directory) throws IOException {
		Files.walkFileTree(directory, new SimpleFileVisitor<>() {

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
				Files.deleteIfExists(file);
				return FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult visitFileFailed(Path file, IOException ex) throws IOException {
				if (ex instanceof NoSuchFileException) {
					return FileVisitResult.CONTINUE;
				}
				throw ex;
			}

			@Override
			public FileVisitResult postVisitDirectory(Path visited, IOException ex) throws IOException {
				Files.deleteIfExists(visited);
				return FileVisitResult.CONTINUE;
			}

		});
	}

	/**
	 * Deletes the directories of pairs both of whose processes have been killed.
	 * @param rendezvous where they are
	 * @return the number of directories that were deleted
	 */
	static int deleteStale(Path rendezvous) throws IOException {
		return deleteStale(rendezvous, SocketFile::isDead);
	}

	static int deleteStale(Path rendezvous, BiPredicate<Path, Set<String>> isDead) throws IOException {
		int deleted = 0;
		Set<String> listening = SocketFile.listening();
		try (DirectoryStream<Path> directories = Files.newDirectoryStream(rendezvous, "*" + SUFFIX)) {
			for (Path directory : directories) {
				Matcher matcher = NAME.matcher(String.valueOf(directory.getFileName()));
				if (matcher.matches()
						&& isDead.test(SocketFile.of(rendezvous, matcher.group(1), SocketFile.QUEUES), listening)) {
					delete(directory);
					deleted++;
				}
			}
		}
		return deleted;
	}

}
