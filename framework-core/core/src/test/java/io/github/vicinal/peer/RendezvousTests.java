package io.github.vicinal.peer;

import java.io.IOException;
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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import io.github.vicinal.Skip;

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
	void directoryThatOthersMayEnterIsRefused() throws IOException {
		Path directory = Files.createDirectory(this.temp.resolve("open"));
		Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-x---"));
		Rendezvous rendezvous = Rendezvous.open(directory.toString());
		assertUnusable(rendezvous, "rwxr-x---");
		assertUnusable(rendezvous, "chmod 700 " + directory);
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
		Skip.unless(room > 0, "the temporary directory has too long a path");
		Path directory = this.temp.resolve("x".repeat(room));
		assertThat(Rendezvous.open(directory.toString()).unavailable()).isEmpty();
		assertThat(Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)).isTrue();
	}

	@Test
	void directoryOfAnotherUserIsRefused() throws IOException {
		Path directory = Files.createDirectory(this.temp.resolve("foreign"),
				PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
		Skip.unless(giveAway(directory), "only root can give a directory away");
		assertUnusable(Rendezvous.open(directory.toString()), "belongs to the user 4711");
		Files.setAttribute(directory, "unix:uid", 0);
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
		Skip.unless(!Files.isWritable(directory), "root may write everywhere");
		assertUnusable(Rendezvous.open(directory.toString()), "cannot be used");
		Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
	}

	@Test
	void unwritablePlaceIsRefused() {
		Skip.unless(Files.isDirectory(Path.of("/proc")), "there is no /proc");
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
	void usualDirectoryIsThereOrSaysWhyNot() {
		Rendezvous rendezvous = Rendezvous.open(null);
		assertThat(rendezvous.directory().isPresent()).isNotEqualTo(rendezvous.unavailable().isPresent());
	}

	@Test
	void switchedOff() {
		assertUnusable(Rendezvous.none("switched off by vicinal.uds.enabled"), "switched off");
	}

}
