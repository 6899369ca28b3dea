package io.github.vicinal.peer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The directory in which the processes of one user on one host find each other. Immutable
 * and thread-safe.
 * <p>
 * It is the configured directory or, if none is configured, the first usable of
 * {@code $XDG_RUNTIME_DIR/vicinal}, {@code /dev/shm/vicinal-<user>} and
 * {@code <java.io.tmpdir>/vicinal-<user>}. It is created with mode 0700 and used only if
 * it is a real directory that belongs to this user and that nobody else can enter. A
 * configured directory has no substitute: two processes that silently chose different
 * ones would never find each other.
 * <p>
 * The <em>host id</em> is derived from the kernel's boot id and from a random token in
 * the directory. Processes with the same host id share both, so a socket in the directory
 * connects them. Two machines that mount one network directory have different boot ids,
 * and two containers with a directory each have different tokens.
 *
 * @since 0.1.0
 */
public final class Rendezvous {

	/**
	 * The longest file name that is used for a socket: an instance id and a suffix, in
	 * bytes.
	 */
	static final int MAX_SOCKET_NAME_BYTES = 37;

	static final String TOKEN_FILE = "host-token";

	private static final String HTTP_SOCKET_SUFFIX = ".http";

	private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

	/** {@code sizeof(sockaddr_un.sun_path)} less the final zero byte. */
	private static final int LINUX_SOCKET_PATH_BYTES = 107;

	/** The same on macOS and the BSDs. */
	private static final int BSD_SOCKET_PATH_BYTES = 103;

	private static final int MAX_TOKEN_FILE_BYTES = 256;

	private static final Set<PosixFilePermission> OWNER_ONLY = EnumSet.of(PosixFilePermission.OWNER_READ,
			PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);

	private final @Nullable Path directory;

	private final String hostId;

	private final String unavailable;

	private Rendezvous(@Nullable Path directory, String hostId, String unavailable) {
		this.directory = directory;
		this.hostId = hostId;
		this.unavailable = unavailable;
	}

	/**
	 * Opens the rendezvous directory and creates it if need be. Never throws: a directory
	 * that cannot be used leaves a reason in {@link #unavailable()}.
	 * @param configured the directory that the user wants, or {@code null} for the first
	 * usable of the usual ones
	 * @return the rendezvous
	 */
	public static Rendezvous open(@Nullable String configured) {
		if (!FileSystems.getDefault().supportedFileAttributeViews().contains("unix")) {
			return new Rendezvous(null, PeerIdentity.NO_HOST,
					"paths between processes need a POSIX file system, which %s does not have"
						.formatted(System.getProperty("os.name")));
		}
		if (configured == null || configured.isBlank()) {
			return firstUsable(usualDirectories());
		}
		try {
			Path directory = Path.of(configured).toAbsolutePath().normalize();
			return open(directory, true, "; the directory is configured, so no other is tried");
		}
		catch (InvalidPathException ex) {
			return new Rendezvous(null, PeerIdentity.NO_HOST,
					"'%s' is not a path: %s".formatted(configured, ex.getReason()));
		}
	}

	/**
	 * Returns a rendezvous without a directory, for applications that switch it off.
	 * @param reason why there is none, in words for people
	 * @return the rendezvous
	 */
	public static Rendezvous none(String reason) {
		return new Rendezvous(null, PeerIdentity.NO_HOST, reason);
	}

	static Rendezvous firstUsable(List<Path> candidates) {
		List<String> reasons = new ArrayList<>();
		for (Path candidate : candidates) {
			Rendezvous rendezvous = open(candidate, false, "");
			if (rendezvous.directory != null) {
				return rendezvous;
			}
			reasons.add(rendezvous.unavailable);
		}
		return new Rendezvous(null, PeerIdentity.NO_HOST, String.join("; ", reasons));
	}

	private static Rendezvous open(Path directory, boolean createParents, String hint) {
		try {
			create(directory, createParents);
			verify(directory);
			return new Rendezvous(directory, hostId(token(directory)), "");
		}
		catch (UnusableException ex) {
			return new Rendezvous(null, PeerIdentity.NO_HOST, ex.getMessage() + hint);
		}
		catch (IOException | RuntimeException ex) {
			return new Rendezvous(null, PeerIdentity.NO_HOST,
					"the directory %s cannot be used or created (%s): let this user create files in it, or configure another%s"
						.formatted(directory, describe(ex), hint));
		}
	}

	private static List<Path> usualDirectories() {
		List<Path> directories = new ArrayList<>();
		String runtime = System.getenv("XDG_RUNTIME_DIR");
		if (runtime != null && runtime.startsWith("/")) {
			directories.add(Path.of(runtime, "vicinal"));
		}
		String name = "vicinal-" + user();
		directories.add(Path.of("/dev/shm", name));
		directories.add(Path.of(System.getProperty("java.io.tmpdir", "/tmp"), name).toAbsolutePath());
		return directories;
	}

	/** A container's user often has no name, but always a number. */
	private static String user() {
		try {
			return String.valueOf(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
		}
		catch (IOException | RuntimeException ex) {
			return System.getProperty("user.name", "").replaceAll("[^A-Za-z0-9._-]", "_");
		}
	}

	private static void create(Path directory, boolean parents) throws IOException, UnusableException {
		if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
			return;
		}
		Path parent = directory.getParent();
		if (!parents && (parent == null || !Files.isDirectory(parent))) {
			throw new UnusableException("%s does not exist".formatted(parent));
		}
		try {
			Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
		}
		catch (FileAlreadyExistsException ex) {
			// Another process was faster, or it is no directory: verified next.
		}
	}

	private static void verify(Path directory) throws IOException, UnusableException {
		int limit = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("linux")
				? LINUX_SOCKET_PATH_BYTES : BSD_SOCKET_PATH_BYTES;
		int bytes = directory.toString().getBytes(StandardCharsets.UTF_8).length + 1 + MAX_SOCKET_NAME_BYTES;
		if (bytes > limit) {
			throw new UnusableException(
					"the path %s is too long: with a socket's name it has %d bytes, a Unix domain socket allows %d: configure a shorter one"
						.formatted(directory, bytes, limit));
		}
		PosixFileAttributes attributes = Files.readAttributes(directory, PosixFileAttributes.class,
				LinkOption.NOFOLLOW_LINKS);
		if (attributes.isSymbolicLink()) {
			throw new UnusableException(
					"%s is a symbolic link, which others could redirect: configure the directory itself"
						.formatted(directory));
		}
		if (!attributes.isDirectory()) {
			throw new UnusableException("%s is not a directory: remove it or configure another".formatted(directory));
		}
		if (!OWNER_ONLY.containsAll(attributes.permissions())) {
			throw new UnusableException("others may enter %s (mode %s): run 'chmod 700 %s' or configure another"
				.formatted(directory, PosixFilePermissions.toString(attributes.permissions()), directory));
		}
		// What this process creates belongs to it: the portable way to learn one's own
		// uid.
		Path probe = Files.createTempFile(directory, ".", ".probe");
		try {
			Object self = Files.getAttribute(probe, "unix:uid", LinkOption.NOFOLLOW_LINKS);
			Object owner = Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS);
			if (!self.equals(owner)) {
				throw new UnusableException(
						"%s belongs to the user %s and not to this one (%s): remove it or configure another"
							.formatted(directory, owner, self));
			}
		}
		finally {
			Files.deleteIfExists(probe);
		}
	}

	/**
	 * Reads the token, or creates it. A link appears with its whole content, and only the
	 * first one does: processes that start together agree on the same token.
	 */
	private static String token(Path directory) throws IOException, UnusableException {
		Path file = directory.resolve(TOKEN_FILE);
		if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
			Path draft = Files.createTempFile(directory, ".", ".token",
					PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
			try {
				Files.writeString(draft, PeerIdentity.randomId());
				Files.createLink(file, draft);
			}
			catch (FileAlreadyExistsException ex) {
				// Another process was faster: its token counts.
			}
			finally {
				Files.deleteIfExists(draft);
			}
		}
		if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) > MAX_TOKEN_FILE_BYTES) {
			throw new UnusableException("%s is not a token file: remove it".formatted(file));
		}
		String token = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).strip();
		if (!PeerIdentity.isId(token)) {
			throw new UnusableException("%s does not hold 32 hexadecimal digits: remove it".formatted(file));
		}
		return token;
	}

	private static String hostId(String token) {
		try {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			digest.update(bootId().getBytes(StandardCharsets.UTF_8));
			digest.update((byte) 0);
			digest.update(token.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest.digest(), 0, 16);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

	private static String bootId() {
		try {
			return Files.readString(BOOT_ID).strip();
		}
		catch (IOException | RuntimeException ex) {
			return "";
		}
	}

	private static String describe(Exception ex) {
		return ex.getClass().getSimpleName() + ": " + ex.getMessage();
	}

	/**
	 * Returns the directory.
	 * @return an absolute path, or empty if there is none
	 */
	public Optional<Path> directory() {
		return Optional.ofNullable(this.directory);
	}

	/**
	 * Returns where an instance takes HTTP requests, if it has a socket for them.
	 * @param instanceId the id of the instance
	 * @return the socket's file, which need not exist, or empty if there is no directory
	 */
	public Optional<Path> httpSocket(String instanceId) {
		return directory().map((where) -> where.resolve(instanceId + HTTP_SOCKET_SUFFIX));
	}

	/**
	 * Returns the id of the host.
	 * @return 32 hexadecimal digits, or {@link PeerIdentity#NO_HOST} if there is no
	 * directory
	 */
	public String hostId() {
		return this.hostId;
	}

	/**
	 * Returns why there is no directory.
	 * @return what is wrong, which rule that breaks and what to do, or empty if there is
	 * a directory
	 */
	public Optional<String> unavailable() {
		return (this.directory != null) ? Optional.empty() : Optional.of(this.unavailable);
	}

	/** The directory breaks a rule; the message says what to do. */
	@SuppressWarnings("serial")
	private static final class UnusableException extends Exception {

		UnusableException(String message) {
			super(message);
		}

	}

}
