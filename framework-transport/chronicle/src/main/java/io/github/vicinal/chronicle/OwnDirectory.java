package io.github.vicinal.chronicle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.Set;

/** Directories that only this user may enter: what is in them is from nobody else. */
final class OwnDirectory {

	private static final Set<PosixFilePermission> OWNER_ONLY = EnumSet.of(PosixFilePermission.OWNER_READ,
			PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);

	private OwnDirectory() {
	}

	/**
	 * Makes a directory, unless it is there.
	 * @param directory the directory
	 * @throws IOException if it cannot be made, or is there and not for its owner alone
	 */
	static void make(Path directory) throws IOException {
		if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
			Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
		}
		PosixFileAttributes attributes = attributes(directory);
		if (!attributes.isDirectory()) {
			throw new IOException("%s is not a directory: remove it".formatted(directory));
		}
		if (!OWNER_ONLY.containsAll(attributes.permissions())) {
			throw new IOException("others may enter %s (mode %s): run 'chmod 700 %s', or name another directory"
				.formatted(directory, PosixFilePermissions.toString(attributes.permissions()), directory));
		}
	}

	/**
	 * Fails unless a directory belongs to a user.
	 * @param directory made by {@link #make}
	 * @param self the user of this process
	 */
	static void requireOwner(Path directory, UserPrincipal self) throws IOException {
		UserPrincipal owner = attributes(directory).owner();
		if (!owner.equals(self)) {
			throw new IOException("%s belongs to the user %s, and not to this one (%s): remove it, or name another"
				.formatted(directory, owner.getName(), self.getName()));
		}
	}

	private static PosixFileAttributes attributes(Path directory) throws IOException {
		return Files.readAttributes(directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
	}

}
