package io.github.vicinal.peer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The directory in which the processes of one user on one host find each other.
 * Thread-safe.
 * <p>
 * It is the configured directory or, if none is configured, the first usable of
 * {@code $XDG_RUNTIME_DIR/vicinal}, {@code /dev/shm/vicinal-<user>} and
 * {@code <java.io.tmpdir>/vicinal-<user>}. It is created with mode 0700 and used only if
 * it is a real directory that belongs to this user and that nobody else can enter. A
 * configured directory has no substitute: two processes that silently chose different
 * ones would never find each other.
 * <p>
 * A configured directory that others may enter, such as a volume that the containers of a
 * pod share, is not used itself but holds a directory {@code vicinal-<user>} for each
 * user, to which the same rules apply. Others must not be able to rename that directory:
 * the shared one belongs to root or this user, and it has the sticky bit if anybody else
 * may write to it.
 * <p>
 * The owner is pinned when the directory is opened. {@link #look()} notices a directory
 * that was deleted since, makes it anew for the same user, and refuses one that another
 * user has made in its place.
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

	private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

	/** {@code sizeof(sockaddr_un.sun_path)} less the final zero byte. */
	private static final int LINUX_SOCKET_PATH_BYTES = 107;

	/** The same on macOS and the BSDs. */
	private static final int BSD_SOCKET_PATH_BYTES = 103;

	private static final int MAX_TOKEN_FILE_BYTES = 256;

	private static final Set<PosixFilePermission> OWNER_ONLY = EnumSet.of(PosixFilePermission.OWNER_READ,
			PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);

	/** Users who may rename what is in a directory without the sticky bit. */
	private static final Set<PosixFilePermission> WRITTEN_BY_OTHERS = EnumSet.of(PosixFilePermission.GROUP_WRITE,
			PosixFilePermission.OTHERS_WRITE);

	private static final int STICKY = 01000;

	private static final int ROOT = 0;

	private static final Path STATUS = Path.of("/proc/self/status");

	private static final Path UID_MAP = Path.of("/proc/self/uid_map");

	private static final Path OVERFLOW_UID = Path.of("/proc/sys/kernel/overflowuid");

	private static final long ALL_UIDS = 0xFFFF_FFFFL;

	private final @Nullable Path directory;

	/** Owner of the directory when it was opened; {@code null} without a directory. */
	private final @Nullable UserPrincipal owner;

	private final String unavailable;

	private final List<String> passedOver;

	/** Guarded by this. */
	private String token;

	private volatile String hostId;

	private final String firstHostId;

	private Rendezvous(@Nullable Path directory, @Nullable UserPrincipal owner, String token, String unavailable,
			List<String> passedOver) {
		this.directory = directory;
		this.owner = owner;
		this.token = token;
		this.hostId = (directory != null) ? hostId(token) : PeerIdentity.NO_HOST;
		this.firstHostId = this.hostId;
		this.unavailable = unavailable;
		this.passedOver = passedOver;
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
			return none("paths between processes need a POSIX file system, which %s does not have"
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
			return none("'%s' is not a path: %s".formatted(configured, ex.getReason()));
		}
	}

	/**
	 * Returns a rendezvous without a directory, for applications that switch it off.
	 * @param reason why there is none, in words for people
	 * @return the rendezvous
	 */
	public static Rendezvous none(String reason) {
		return new Rendezvous(null, null, "", reason, List.of());
	}

	static Rendezvous firstUsable(List<Path> candidates) {
		List<String> reasons = new ArrayList<>();
		List<String> passedOver = new ArrayList<>();
		for (Path candidate : candidates) {
			Rendezvous rendezvous = open(candidate, false, "");
			if (rendezvous.directory != null) {
				return new Rendezvous(rendezvous.directory, rendezvous.owner, rendezvous.token, "",
						List.copyOf(passedOver));
			}
			reasons.add(rendezvous.unavailable);
			if (Files.exists(candidate, LinkOption.NOFOLLOW_LINKS)) {
				passedOver.add(rendezvous.unavailable);
			}
		}
		return none(String.join("; ", reasons));
	}

	private static Rendezvous open(Path named, boolean configured, String hint) {
		Path directory = named;
		try {
			requireNamedUser();
			if (configured && isShared(named)) {
				directory = named.resolve("vicinal-" + user());
			}
			create(directory, configured);
			UserPrincipal owner = verify(directory);
			return new Rendezvous(directory, owner, token(directory, PeerIdentity.randomId()), "", List.of());
		}
		catch (UnusableException ex) {
			return none(ex.getMessage() + hint);
		}
		catch (IOException | RuntimeException ex) {
			return none(unusable(directory, ex) + hint);
		}
	}

	static String unusable(Path directory, Exception cause) {
		String remedy = ResourceLimits.remedy(cause);
		return "the directory %s cannot be used or created (%s): %s".formatted(directory, describe(cause),
				remedy.isEmpty() ? "let this user create files in it, or configure another" : remedy);
	}

	/**
	 * Refuses the user that stands for all others: a user namespace shows each user that
	 * it does not map as this one.
	 */
	private static void requireNamedUser() throws UnusableException {
		try {
			String overflow = overflowUser();
			if (overflow.equals(user()) && !mapsAllUsers(Files.readAllLines(UID_MAP))) {
				throw new UnusableException(
						"this process runs as user %s, to which its user namespace also maps unknown users, so other users cannot be distinguished from this one: run it as another user"
							.formatted(overflow));
			}
		}
		catch (IOException ex) {
			// No Linux, hence no user namespaces.
		}
	}

	/** The kernel gives this file to the first read only, however short that is. */
	private static String overflowUser() throws IOException {
		try (InputStream in = Files.newInputStream(OVERFLOW_UID)) {
			return new String(in.readNBytes(MAX_TOKEN_FILE_BYTES), StandardCharsets.ISO_8859_1).strip();
		}
	}

	static boolean mapsAllUsers(List<String> uidMap) {
		return uidMap.stream().mapToLong((line) -> {
			String[] columns = line.strip().split("\\s+");
			return (columns.length == 3) ? Long.parseLong(columns[2]) : 0;
		}).sum() >= ALL_UIDS;
	}

	/**
	 * Returns whether a configured directory is there but is not this user's own, so that
	 * it can only hold the directories of users.
	 */
	private static boolean isShared(Path directory) throws IOException, UnusableException {
		if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
			return false;
		}
		Map<String, Object> attributes = Files.readAttributes(directory, "unix:uid,mode,permissions",
				LinkOption.NOFOLLOW_LINKS);
		String owner = String.valueOf(attributes.get("uid"));
		Set<?> permissions = (Set<?>) Objects.requireNonNull(attributes.get("permissions"));
		boolean own = owner.equals(user());
		if (OWNER_ONLY.containsAll(permissions)) {
			// Its owner is looked at next, together with all that makes it usable.
			return false;
		}
		if (!own && !owner.equals(String.valueOf(ROOT))) {
			throw new UnusableException(
					"%s belongs to the user %s, who could replace what this user (%s) makes in it: let it belong to root or to this user, or configure another"
						.formatted(directory, owner, user()));
		}
		boolean sticky = ((Integer) Objects.requireNonNull(attributes.get("mode")) & STICKY) != 0;
		if (!sticky && !Collections.disjoint(permissions, WRITTEN_BY_OTHERS)) {
			throw new UnusableException(
					"others may rename what is in %s (mode %s without the sticky bit): run 'chmod +t %s', name a directory below it that does not exist yet to get one of this user, or configure another"
						.formatted(directory, mode(permissions), directory));
		}
		return true;
	}

	@SuppressWarnings("unchecked")
	private static String mode(Set<?> permissions) {
		return PosixFilePermissions.toString((Set<PosixFilePermission>) permissions);
	}

	/**
	 * Returns why usual directories that are there were not used. Processes of this user
	 * that found them usable do not meet this one.
	 * @return sentences, in the order of preference; empty if a directory is configured
	 */
	public List<String> passedOver() {
		return this.passedOver;
	}

	/**
	 * Checks whether the directory still is this user's. One that is gone is made anew,
	 * with the token that it had unless another process of this user was faster, whose
	 * token counts from then on. Takes a few system calls.
	 * @return why the directory cannot be used at this moment, or empty if it can
	 */
	public synchronized Optional<String> look() {
		if (this.directory == null) {
			return Optional.of(this.unavailable);
		}
		try {
			create(this.directory, true);
			verifyOwner(this.directory, this.owner);
			String current = token(this.directory, this.token);
			if (!current.equals(this.token)) {
				this.token = current;
				this.hostId = hostId(current);
			}
			return Optional.empty();
		}
		catch (UnusableException ex) {
			return Optional.of(String.valueOf(ex.getMessage()));
		}
		catch (IOException | RuntimeException ex) {
			return Optional.of(unusable(this.directory, ex));
		}
	}

	/**
	 * Returns an identity as others know it now.
	 * @param identity an identity that was made with the host id of this directory
	 * @return the identity with the present {@linkplain #hostId() host id}; one that was
	 * made with another host id is returned as it is
	 */
	public PeerIdentity current(PeerIdentity identity) {
		return identity.hostId().equals(this.firstHostId) ? identity.on(this.hostId) : identity;
	}

	/**
	 * Returns whether a peer runs on this host. The answer of a peer that does not is
	 * sought in the directory: the peer may have been started after the directory was
	 * made anew.
	 * @param peer another instance
	 * @return {@code true} if it has the host id of this directory
	 */
	public boolean isHere(PeerIdentity peer) {
		if (this.directory == null || peer.hostId().equals(PeerIdentity.NO_HOST)) {
			return false;
		}
		return peer.hostId().equals(this.hostId) || (look().isEmpty() && peer.hostId().equals(this.hostId));
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
		try (Stream<String> lines = Files.lines(STATUS)) {
			// Not the owner of /proc/self: that is root for a process with privileges.
			return lines.filter((line) -> line.startsWith("Uid:"))
				.map((line) -> line.split("\\s+")[2])
				.findFirst()
				.orElseThrow();
		}
		catch (IOException | RuntimeException ex) {
			return userByFile();
		}
	}

	private static String userByFile() {
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

	private static void requireShortPath(Path directory) throws UnusableException {
		int limit = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("linux")
				? LINUX_SOCKET_PATH_BYTES : BSD_SOCKET_PATH_BYTES;
		int bytes = directory.toString().getBytes(StandardCharsets.UTF_8).length + 1 + MAX_SOCKET_NAME_BYTES;
		if (bytes > limit) {
			throw new UnusableException(
					"the path %s is too long: with a socket's name it has %d bytes, a Unix domain socket allows %d: configure a shorter one"
						.formatted(directory, bytes, limit));
		}
	}

	/**
	 * Returns the owner of a directory that nobody else can enter.
	 * @param pinned the owner that it must have, or {@code null} if that is not known yet
	 */
	private static UserPrincipal verifyOwner(Path directory, @Nullable UserPrincipal pinned)
			throws IOException, UnusableException {
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
		if (pinned != null && !pinned.equals(attributes.owner())) {
			throw new UnusableException(
					"%s was created again by the user %s and no longer belongs to this one (%s): remove it, and find out why that user made it"
						.formatted(directory, attributes.owner().getName(), pinned.getName()));
		}
		if (!OWNER_ONLY.containsAll(attributes.permissions())) {
			requireOwn(directory);
			throw new UnusableException("others may enter %s (mode %s): run 'chmod 700 %s' or configure another"
				.formatted(directory, PosixFilePermissions.toString(attributes.permissions()), directory));
		}
		return attributes.owner();
	}

	private static UserPrincipal verify(Path directory) throws IOException, UnusableException {
		requireShortPath(directory);
		UserPrincipal verified = verifyOwner(directory, null);
		// A file that this process creates belongs to it: the portable way to learn one's
		// own uid.
		Path probe = probe(directory);
		try {
			requireOwn(directory, Files.getAttribute(probe, "unix:uid", LinkOption.NOFOLLOW_LINKS));
		}
		finally {
			Files.deleteIfExists(probe);
		}
		return verified;
	}

	private static Path probe(Path directory) throws IOException, UnusableException {
		try {
			return Files.createTempFile(directory, ".", ".probe");
		}
		catch (AccessDeniedException ex) {
			requireOwn(directory);
			throw ex;
		}
	}

	/**
	 * Fails with the name of the other user if a directory that cannot be used belongs to
	 * one.
	 */
	private static void requireOwn(Path directory) throws IOException, UnusableException {
		String self = user();
		if (!self.isEmpty() && self.chars().allMatch(Character::isDigit)) {
			requireOwn(directory, Integer.valueOf(self));
		}
	}

	private static void requireOwn(Path directory, Object self) throws IOException, UnusableException {
		Object owner = Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS);
		if (!self.equals(owner)) {
			throw new UnusableException(
					"%s belongs to the user %s and not to this one (%s): remove it or configure another"
						.formatted(directory, owner, self));
		}
	}

	/**
	 * Reads the token, or creates it. A link appears with its whole content, and only the
	 * first one does: processes that start together agree on the same token.
	 * @param preferred what to write if there is none
	 */
	private static String token(Path directory, String preferred) throws IOException, UnusableException {
		Path file = directory.resolve(TOKEN_FILE);
		if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
			Path draft = Files.createTempFile(directory, ".", ".token",
					PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
			try {
				Files.writeString(draft, preferred);
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
	 * Returns the user to whom the directory belonged when it was opened: the one of this
	 * process. No other user's process is a peer of this host, even if the directory's
	 * owner changes later.
	 * @return the user, or empty if there is no directory
	 */
	public Optional<UserPrincipal> owner() {
		return Optional.ofNullable(this.owner);
	}

	/**
	 * Returns the id of the host. It changes if the directory is deleted and another
	 * process makes it anew before this one does.
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
