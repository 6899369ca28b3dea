package io.github.vicinal.transport.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files that sockets have in the rendezvous directory. */
public final class SocketFile {

	/** The suffix of sockets that carry calls. */
	public static final String CALLS = ".sock";

	/** The suffix of sockets that control shared memory. */
	public static final String LANES = ".shm";

	/** The suffix of sockets at which subscribers ask for topics. */
	public static final String TOPICS = ".pub";

	/** The suffix of sockets between processes that exchange calls by queues. */
	public static final String QUEUES = ".cq";

	private static final Pattern SOCKET = Pattern.compile("[0-9a-f]{32}\\.(sock|shm|http|pub|cq)");

	private static final Pattern BELL = Pattern.compile("[0-9a-f]{32}\\.bell");

	private static final Pattern DRAFT = Pattern.compile("\\.[0-9a-f]{16}(\\.sock|\\.shm|\\.pub|\\.cq)?\\.tmp");

	private static final int DRAFT_ID_CHARS = 16;

	private static final int BACKLOG = 1024;

	private static final Path UNIX_SOCKETS = Path.of("/proc/net/unix");

	private static final int UNIX_SOCKET_COLUMNS = 8;

	/** The kernel's flag of listening sockets. */
	private static final String ACCEPTS_CONNECTIONS = "00010000";

	/** Between bind and listen a living socket refuses connections, too. */
	private static final Duration DRAFT_AGE = Duration.ofMinutes(1);

	private SocketFile() {
	}

	public static Path of(Path directory, String instanceId, String suffix) {
		return directory.resolve(instanceId + suffix);
	}

	/**
	 * Opens a server socket. Its file appears under its name only when it accepts
	 * connections, so a process that sees the file can connect.
	 */
	public static ServerSocketChannel open(Path directory, String instanceId, String suffix) throws IOException {
		Path draft = directory.resolve(draft(instanceId, suffix));
		Files.deleteIfExists(draft);
		ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
		try {
			channel.bind(UnixDomainSocketAddress.of(draft), BACKLOG);
			Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rw-------"));
			Files.move(draft, of(directory, instanceId, suffix), StandardCopyOption.ATOMIC_MOVE);
			return channel;
		}
		catch (IOException | RuntimeException ex) {
			channel.close();
			Files.deleteIfExists(draft);
			throw ex;
		}
	}

	private static String draft(String instanceId, String suffix) {
		return "." + instanceId.substring(0, DRAFT_ID_CHARS) + suffix + ".tmp";
	}

	/**
	 * Deletes the sockets of dead processes: those that refuse a connection.
	 * @return the number of files that were deleted
	 */
	public static int deleteStale(Path directory) throws IOException {
		int deleted = 0;
		Set<String> listening = listening();
		try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
			for (Path file : files) {
				String name = String.valueOf(file.getFileName());
				boolean candidate = SOCKET.matcher(name).matches() || (DRAFT.matcher(name).matches() && old(file));
				// A socket of bells has its name for the time of a handshake only, and
				// takes
				// the first connection for the client's.
				boolean bell = BELL.matcher(name).matches() && old(file);
				if ((bell || (candidate && isDead(file, listening))) && Files.deleteIfExists(file)) {
					deleted++;
				}
			}
		}
		return deleted;
	}

	private static boolean old(Path file) {
		try {
			Instant modified = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant();
			return modified.isBefore(Instant.now().minus(DRAFT_AGE));
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * Returns whether nobody listens on a socket any more.
	 * @param file the socket
	 * @param listening what {@link #listening()} has returned, for many files
	 * @return {@code true} if there is no such file or it refuses connections
	 */
	public static boolean isDead(Path file, Set<String> listening) {
		return !Files.exists(file, LinkOption.NOFOLLOW_LINKS) || (!listening.contains(boundTo(file)) && refuses(file));
	}

	/** Returns the name under which {@link #open} has bound a socket. */
	private static String boundTo(Path file) {
		Matcher matcher = SOCKET.matcher(String.valueOf(file.getFileName()));
		return matcher.matches() ? file.resolveSibling(draft(matcher.group(), "." + matcher.group(1))).toString()
				: file.toString();
	}

	/**
	 * Returns the paths that the listening sockets of this network namespace were bound
	 * to. Connecting to a live socket would wake its server, so the start of many servers
	 * would cost the square of their number.
	 * @return the paths, none if the kernel does not list them
	 */
	public static Set<String> listening() {
		try (Stream<String> lines = Files.lines(UNIX_SOCKETS, StandardCharsets.ISO_8859_1)) {
			return lines.map((line) -> line.split(" +", UNIX_SOCKET_COLUMNS))
				.filter((columns) -> columns.length == UNIX_SOCKET_COLUMNS && columns[3].equals(ACCEPTS_CONNECTIONS))
				.map((columns) -> columns[UNIX_SOCKET_COLUMNS - 1])
				.collect(Collectors.toUnmodifiableSet());
		}
		catch (IOException | UncheckedIOException ex) {
			return Set.of();
		}
	}

	private static boolean refuses(Path file) {
		try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
			// A living server with a full backlog must not hold up this one.
			channel.configureBlocking(false);
			channel.connect(UnixDomainSocketAddress.of(file));
			return false;
		}
		catch (ConnectException ex) {
			return true;
		}
		catch (IOException | RuntimeException ex) {
			return false;
		}
	}

}
