package io.github.vicinal.peer;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(20)
@DisabledOnOs(OS.WINDOWS)
class RendezvousTests {

	@TempDir
	Path temp;

	private static void assertUnusable(Rendezvous rendezvous, String reason) {
		assertThat(rendezvous.directory()).isEmpty();
		assertThat(rendezvous.hostId()).isEqualTo(PeerIdentity.NO_HOST);
		assertThat(rendezvous.unavailable()).hasValueSatisfying((text) -> assertThat(text).contains(reason));
	}

	@Test
	void aLimitOfOpenFilesIsNamedAsSuch() {
		Path file = Path.of("/run/vicinal");
		assertThat(Rendezvous.unusable(file, new FileSystemException("token", null, "Too many open files")))
			.contains("raise the limit of open files of this process")
			.doesNotContain("let this user");
		assertThat(Rendezvous.unusable(file, new FileSystemException("token", null, "Too many open files in system")))
			.contains("raise the limit of open files of this host");
		assertThat(Rendezvous.unusable(file, new FileSystemException("token", null, "Permission denied")))
			.contains("let this user create files in it");
	}

	@Test
	void createsTheConfiguredDirectoryForItsUserOnly() throws IOException {
		Path directory = this.temp.resolve("a/b");
		Rendezvous rendezvous = Rendezvous.open(directory.toString());
		assertThat(rendezvous.unavailable()).isEmpty();
		assertThat(rendezvous.directory()).contains(directory);
		assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory))).isEqualTo("rwx------");
		assertThat(PeerIdentity.isId(rendezvous.hostId())).isTrue();
		try (var files = Files.list(directory)) {
			assertThat(files.map((file) -> file.getFileName().toString())).containsExactly(Rendezvous.TOKEN_FILE);
		}
	}

	@Test
	void sameDirectoryIsTheSameHostAndAnotherIsNot() {
		String directory = this.temp.resolve("a").toString();
		String first = Rendezvous.open(directory).hostId();
		assertThat(Rendezvous.open(directory).hostId()).isEqualTo(first);
		assertThat(Rendezvous.open(this.temp.resolve("b").toString()).hostId()).isNotEqualTo(first);
	}

	@Test
	void processesThatStartTogetherAgree() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(8);
		for (int round = 0; round < 50; round++) {
			String directory = this.temp.resolve("round" + round).toString();
			List<Callable<String>> tasks = new ArrayList<>();
			for (int i = 0; i < 8; i++) {
				tasks.add(() -> Rendezvous.open(directory).hostId());
			}
			Set<String> ids = new HashSet<>();
			for (Future<String> id : threads.invokeAll(tasks)) {
				ids.add(id.get());
			}
			assertThat(ids).hasSize(1).doesNotContain(PeerIdentity.NO_HOST);
		}
		threads.shutdown();
	}

	@Test
	void usualDirectoryThatOthersMayEnterIsRefused() throws IOException {
		Path directory = Files.createDirectory(this.temp.resolve("open"));
		Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-x---"));
		Rendezvous rendezvous = Rendezvous.firstUsable(List.of(directory));
		assertUnusable(rendezvous, "rwxr-x---");
		assertUnusable(rendezvous, "chmod 700 " + directory);
	}

	private Path shared(int mode) throws IOException {
		Path directory = Files.createDirectory(this.temp.resolve("shared"));
		Files.setAttribute(directory, "unix:mode", mode);
		return directory;
	}

	private static Path own(Path shared) throws IOException {
		return shared.resolve("vicinal-" + Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
	}

	/** As the root of a volume in memory that Kubernetes or Docker makes. */
	@ParameterizedTest
	@ValueSource(ints = { 01777, 03777, 0755, 0750, 02750 })
	void sharedDirectoryHoldsOneForEachUser(int mode) throws IOException {
		Path shared = shared(mode);
		Rendezvous rendezvous = Rendezvous.open(shared.toString());
		assertThat(rendezvous.unavailable()).isEmpty();
		assertThat(rendezvous.directory()).contains(own(shared));
		assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own(shared)))).isEqualTo("rwx------");
		assertThat(Rendezvous.open(shared.toString()).hostId()).isEqualTo(rendezvous.hostId());
		assertThat(rendezvous.look()).isEmpty();
		try (var files = Files.list(shared)) {
			assertThat(files).containsExactly(own(shared));
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0777, 0775, 02775, 0772 })
	void sharedDirectoryInWhichOthersMayRenameIsRefused(int mode) throws IOException {
		Path shared = shared(mode);
		Rendezvous rendezvous = Rendezvous.open(shared.toString());
		assertUnusable(rendezvous, "without the sticky bit");
		assertUnusable(rendezvous, "chmod +t " + shared);
		assertThat(own(shared)).doesNotExist();
	}

	@Test
	void sharedDirectoryOfAThirdUserIsRefused() throws IOException {
		Path shared = shared(01777);
		Assumptions.assumeTrue(giveAway(shared), "only root can give a directory away");
		assertUnusable(Rendezvous.open(shared.toString()), "belongs to the user 4711, who could replace");
		assertThat(own(shared)).doesNotExist();
	}

	@Test
	void filesOfAnotherUserInASharedDirectoryAreRefused() throws IOException {
		Path shared = shared(01777);
		Path own = own(shared);
		Path elsewhere = Files.createDirectory(this.temp.resolve("elsewhere"));
		Files.createSymbolicLink(own, elsewhere);
		assertUnusable(Rendezvous.open(shared.toString()), own + " is a symbolic link");
		assertThat(elsewhere).isEmptyDirectory();
		Files.delete(own);
		Files.createFile(own);
		assertUnusable(Rendezvous.open(shared.toString()), own + " is not a directory");
		Files.delete(own);
		Files.createDirectory(own);
		Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxrwxrwx"));
		assertUnusable(Rendezvous.open(shared.toString()), "chmod 700 " + own);
		Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwx------"));
		Assumptions.assumeTrue(giveAway(own), "only root can give a directory away");
		assertUnusable(Rendezvous.open(shared.toString()), own + " belongs to the user 4711");
	}

	@Test
	void directoryThatIsGoneIsMadeAnewWithItsToken() throws IOException {
		Path directory = this.temp.resolve("a");
		Rendezvous rendezvous = Rendezvous.open(directory.toString());
		String before = rendezvous.hostId();
		delete(directory);
		assertThat(rendezvous.look()).isEmpty();
		assertThat(rendezvous.hostId()).isEqualTo(before);
		assertThat(Rendezvous.open(directory.toString()).hostId()).isEqualTo(before);
	}

	@Test
	void peersOfADirectoryThatAnotherProcessMadeAnewAreHere() throws IOException {
		Path directory = this.temp.resolve("a");
		Rendezvous rendezvous = Rendezvous.open(directory.toString());
		PeerIdentity self = PeerIdentity.create(rendezvous.hostId());
		delete(directory);
		Rendezvous restarted = Rendezvous.open(directory.toString());
		assertThat(restarted.hostId()).isNotEqualTo(rendezvous.hostId());
		assertThat(rendezvous.isHere(PeerIdentity.create(PeerIdentity.randomId()))).isFalse();
		assertThat(rendezvous.isHere(PeerIdentity.create(PeerIdentity.NO_HOST))).isFalse();
		assertThat(rendezvous.isHere(PeerIdentity.create(restarted.hostId()))).isTrue();
		assertThat(rendezvous.hostId()).isEqualTo(restarted.hostId());
		assertThat(rendezvous.current(self)).isEqualTo(new PeerIdentity(self.instanceId(), restarted.hostId()));
		PeerIdentity foreign = PeerIdentity.create(PeerIdentity.randomId());
		assertThat(rendezvous.current(foreign)).isEqualTo(foreign);
	}

	@Test
	void directoryThatAnotherUserMadeAnewIsNoticed() throws IOException {
		Path directory = this.temp.resolve("a");
		Rendezvous rendezvous = Rendezvous.open(directory.toString());
		String before = rendezvous.hostId();
		delete(directory);
		Files.createDirectory(directory);
		Files.writeString(directory.resolve(Rendezvous.TOKEN_FILE), PeerIdentity.randomId());
		Assumptions.assumeTrue(giveAway(directory), "only root can give a directory away");
		assertThat(rendezvous.look())
			.hasValueSatisfying((why) -> assertThat(why).contains("was created again by the user 4711"));
		assertThat(rendezvous.hostId()).isEqualTo(before);
		delete(directory);
		assertThat(rendezvous.look()).isEmpty();
	}

	@Test
	void userNamespaceThatMapsAllUsersIsRecognized() {
		assertThat(Rendezvous.mapsAllUsers(List.of("         0          0 4294967295"))).isTrue();
		assertThat(Rendezvous.mapsAllUsers(List.of("         0     100000      65536"))).isFalse();
		assertThat(Rendezvous.mapsAllUsers(List.of("0 0 1000", "1000 1000 1", "1001 1001 64535"))).isFalse();
		assertThat(Rendezvous.mapsAllUsers(List.of("0 0 65536", "65536 65536 4294901759"))).isTrue();
	}

	private static void delete(Path directory) throws IOException {
		try (var files = Files.walk(directory)) {
			for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
	}

	@Test
	void symbolicLinkIsRefused() throws IOException {
		Path real = this.temp.resolve("real");
		Rendezvous.open(real.toString());
		Path link = Files.createSymbolicLink(this.temp.resolve("link"), real);
		assertUnusable(Rendezvous.open(link.toString()), "symbolic link");
	}

	@Test
	void danglingSymbolicLinkIsRefused() throws IOException {
		Path link = Files.createSymbolicLink(this.temp.resolve("link"), this.temp.resolve("nothing"));
		assertUnusable(Rendezvous.open(link.toString()), "symbolic link");
		assertThat(this.temp.resolve("nothing")).doesNotExist();
	}

	@Test
	void fileIsRefused() throws IOException {
		Path file = Files.createFile(this.temp.resolve("file"));
		assertUnusable(Rendezvous.open(file.toString()), "not a directory");
		assertUnusable(Rendezvous.open(file.resolve("below").toString()), "cannot be used");
	}

	@Test
	void longPathIsRefused() {
		assertUnusable(Rendezvous.open(this.temp.resolve("x".repeat(80)).toString()), "too long");
		assertUnusable(Rendezvous.open("nul\0"), "not a path");
	}

	@Test
	void longestPathIsAccepted() throws IOException {
		int room = 103 - Rendezvous.MAX_SOCKET_NAME_BYTES - 1 - this.temp.toString().length() - 1;
		Assumptions.assumeTrue(room > 0, "the temporary directory has too long a path");
		Path directory = this.temp.resolve("x".repeat(room));
		assertThat(Rendezvous.open(directory.toString()).unavailable()).isEmpty();
		assertThat(Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)).isTrue();
	}

	@Test
	void directoryOfAnotherUserIsRefused() throws IOException {
		Path directory = Files.createDirectory(this.temp.resolve("foreign"),
				PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
		Assumptions.assumeTrue(giveAway(directory), "only root can give a directory away");
		assertUnusable(Rendezvous.open(directory.toString()), "belongs to the user 4711");
		Files.setAttribute(directory, "unix:uid", 0);
	}

	/** That user may let everybody enter, and a mode of 700 would not help. */
	@Test
	void openDirectoryOfAnotherUserInASharedOneIsRefusedForItsOwner() throws IOException {
		Path shared = Files.createDirectory(this.temp.resolve("shared"));
		Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxr-xr-x"));
		Path own = Rendezvous.open(shared.toString()).directory().orElseThrow();
		Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxrwxrwx"));
		Assumptions.assumeTrue(giveAway(own), "only root can give a directory away");
		assertUnusable(Rendezvous.open(shared.toString()), own + " belongs to the user 4711 and not to this one");
		Files.setAttribute(own, "unix:uid", 0);
	}

	@Test
	void unreadableDirectoryOfAnotherUserIsRefusedForItsOwner() throws IOException {
		Path foreign = Path.of("/root");
		Assumptions.assumeTrue(isClosed(foreign), "needs a directory of another user that this one may not enter");
		assertUnusable(Rendezvous.open(foreign.toString()), foreign + " belongs to the user 0 and not to this one");
	}

	private static boolean isClosed(Path directory) throws IOException {
		return Files.isDirectory(directory) && !Files.isWritable(directory)
				&& Files.getPosixFilePermissions(directory).equals(PosixFilePermissions.fromString("rwx------"));
	}

	private static boolean giveAway(Path directory) {
		try {
			Files.setAttribute(directory, "unix:uid", 4711);
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	@Test
	void unwritableDirectoryIsRefused() throws IOException {
		Path directory = Files.createDirectory(this.temp.resolve("readonly"),
				PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("r-x------")));
		Assumptions.assumeTrue(!Files.isWritable(directory), "root may write everywhere");
		assertUnusable(Rendezvous.open(directory.toString()), "cannot be used");
		Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
	}

	@Test
	void unwritablePlaceIsRefused() {
		Assumptions.assumeTrue(Files.isDirectory(Path.of("/proc")), "there is no /proc");
		assertUnusable(Rendezvous.open("/proc/vicinal"), "no other is tried");
	}

	@Test
	void damagedTokenIsRefused() throws IOException {
		Path directory = this.temp.resolve("damaged");
		Rendezvous.open(directory.toString());
		Files.writeString(directory.resolve(Rendezvous.TOKEN_FILE), "no token");
		assertUnusable(Rendezvous.open(directory.toString()), "32 hexadecimal digits");
		Files.writeString(directory.resolve(Rendezvous.TOKEN_FILE), "0".repeat(1000));
		assertUnusable(Rendezvous.open(directory.toString()), "not a token file");
	}

	@Test
	void firstUsableOfTheUsualOnesIsTaken() throws IOException {
		Path file = Files.createFile(this.temp.resolve("file"));
		Path missingParent = this.temp.resolve("missing/vicinal");
		Path good = this.temp.resolve("good");
		Rendezvous rendezvous = Rendezvous
			.firstUsable(List.of(missingParent, file, good, this.temp.resolve("not-needed")));
		assertThat(rendezvous.directory()).contains(good);
		assertThat(missingParent.getParent()).doesNotExist();
		assertThat(this.temp.resolve("not-needed")).doesNotExist();
		assertUnusable(Rendezvous.firstUsable(List.of(missingParent, file)), "does not exist; ");
	}

	@Test
	void usualDirectoriesThatAreThereAndCannotBeUsedAreNamed() throws IOException {
		Path missingParent = this.temp.resolve("missing/vicinal");
		Path open = Files.createDirectory(this.temp.resolve("open"));
		Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
		Path good = this.temp.resolve("good");
		assertThat(Rendezvous.firstUsable(List.of(missingParent, open, good)).passedOver()).singleElement()
			.asString()
			.contains("others may enter " + open);
		assertThat(Rendezvous.firstUsable(List.of(good, open)).passedOver()).isEmpty();
		assertThat(Rendezvous.open(open.toString()).passedOver()).isEmpty();
	}

	@Test
	void usualDirectoryIsThereOrSaysWhyNot() {
		Rendezvous rendezvous = Rendezvous.open(null);
		assertThat(rendezvous.directory().isPresent()).isNotEqualTo(rendezvous.unavailable().isPresent());
	}

	@Test
	void switchedOff() {
		assertUnusable(Rendezvous.none("switched off by vicinal.uds.enabled"), "switched off");
	}

}
