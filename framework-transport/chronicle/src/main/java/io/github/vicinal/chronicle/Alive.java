package io.github.vicinal.chronicle;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.regex.Pattern;

import io.github.vicinal.topic.TopicException;
import io.github.vicinal.transport.wire.AcceptorBackOff;
import io.github.vicinal.transport.wire.DaemonThread;
import org.slf4j.LoggerFactory;

/**
 * Sign of life of a process for others: a socket that the kernel closes with the process.
 * Unlike file locks it works within one JVM, and unlike process ids, between containers.
 */
final class Alive implements AutoCloseable {

	private static final SecureRandom RANDOM = new SecureRandom();

	private static final Pattern NAME = Pattern.compile("[0-9a-f]{16}");

	private static final int MOST_PATH_BYTES = 100;

	/**
	 * Between bind and listen the socket of a living process refuses connections, too.
	 */
	private static final Duration YOUNG = Duration.ofMinutes(1);

	private final Path directory;

	private final ServerSocketChannel socket;

	private final long id;

	private final UserPrincipal user;

	private Alive(Path directory, ServerSocketChannel socket, long id, UserPrincipal user) {
		this.directory = directory;
		this.socket = socket;
		this.id = id;
		this.user = user;
	}

	/**
	 * Creates the sign of life of this process.
	 * @param directory where the sockets of all are
	 */
	static Alive open(Path directory) throws IOException {
		long id = RANDOM.nextLong() | 1;
		Path path = path(directory, id);
		if (path.toString().length() > MOST_PATH_BYTES) {
			throw new TopicException(
					"The path of the directory of durable topics may have %d characters, because the kernel limits the paths of sockets in it: %s"
						.formatted(MOST_PATH_BYTES - path.getFileName().toString().length() - 1, directory));
		}
		ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
		UserPrincipal user;
		try {
			socket.bind(UnixDomainSocketAddress.of(path));
			// What a process makes belongs to its user.
			user = Files.getOwner(path, LinkOption.NOFOLLOW_LINKS);
			OwnDirectory.requireOwner(directory, user);
		}
		catch (IOException ex) {
			socket.close();
			delete(path);
			throw ex;
		}
		Alive alive = new Alive(directory, socket, id, user);
		DaemonThread.create("vicinal-topic-alive", alive::accept).start();
		alive.sweep();
		return alive;
	}

	/** Deletes what processes have left that were killed. */
	private void sweep() {
		Instant young = Instant.now().minus(YOUNG);
		try (DirectoryStream<Path> all = Files.newDirectoryStream(this.directory)) {
			for (Path file : all) {
				String name = String.valueOf(file.getFileName());
				if (NAME.matcher(name).matches()
						&& Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant().isBefore(young)) {
					isDead(HexFormat.fromHexDigitsToLong(name));
				}
			}
		}
		catch (IOException | DirectoryIteratorException ex) {
			LoggerFactory.getLogger(Alive.class).debug("Sockets in {} are left: {}", this.directory, ex.toString());
		}
	}

	private static Path path(Path directory, long id) {
		return directory.resolve(HexFormat.of().toHexDigits(id));
	}

	private void accept() {
		AcceptorBackOff backOff = new AcceptorBackOff(LoggerFactory.getLogger(Alive.class));
		while (this.socket.isOpen()) {
			try (SocketChannel asking = this.socket.accept()) {
				// The other side only needs to know that a connection is accepted.
				backOff.accepted();
			}
			catch (IOException ex) {
				if (!this.socket.isOpen()) {
					return;
				}
				backOff.pauseAfter(ex);
			}
		}
	}

	/** Returns the id of this process, which is not 0. */
	long id() {
		return this.id;
	}

	/** Returns the user of this process. */
	UserPrincipal user() {
		return this.user;
	}

	/** Returns whether a process has ended, and deletes what it has left. */
	boolean isDead(long other) {
		if (other == this.id) {
			return false;
		}
		Path path = path(this.directory, other);
		try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
			channel.configureBlocking(false);
			channel.connect(UnixDomainSocketAddress.of(path));
			return false;
		}
		catch (ConnectException ex) {
			delete(path);
			return true;
		}
		catch (IOException ex) {
			// A process that is stopped answers nobody, and lives.
			return !Files.exists(path, LinkOption.NOFOLLOW_LINKS);
		}
	}

	private static void delete(Path path) {
		try {
			Files.deleteIfExists(path);
		}
		catch (IOException ex) {
			// The next process that asks tries again.
		}
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			// Closed all the same.
		}
		delete(path(this.directory, this.id));
	}

}
