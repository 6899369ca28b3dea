package io.github.vicinal.transport.shm;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * By which path two containers reach each other, for each way in which they are run. A
 * container is a process in namespaces of its own, as engines make them: other mounts,
 * process ids, network, IPC and host name, its own {@code /dev/shm}, no privileges. Needs
 * root on Linux.
 */
@Tag("deep")
@Timeout(120)
class ContainerTests {

	private static final String NEEDS_ROOT = "only root can make containers of namespaces, with unshare and setpriv";

	private static final int USER = 1000;

	private static final int OTHER_USER = 1002;

	/** Where the shared volume is mounted. */
	private static final String VOLUME = "/srv";

	/** In memory, as a pod's {@code emptyDir} with {@code medium: Memory}. */
	private Path volume;

	private static final List<Path> image = new ArrayList<>();

	private final List<Process> processes = new ArrayList<>();

	/**
	 * Copies all that is on the class path: a local repository below {@code /root} is out
	 * of reach for the users that containers run as.
	 */
	@BeforeAll
	static void makeImage() throws Exception {
		Assumptions.assumeTrue(canContain(), NEEDS_ROOT);
		String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		Path target = readable(Files.createTempDirectory("vicinal-image"));
		image.add(target);
		int number = 0;
		for (String entry : classPath.split(File.pathSeparator)) {
			Path from = Path.of(entry);
			if (Files.exists(from)) {
				Path to = target.resolve(number++ + "-" + from.getFileName());
				image.add(to);
				copy(from, to);
			}
		}
	}

	private static void copy(Path from, Path to) throws IOException {
		try (var files = Files.walk(from)) {
			for (Path file : files.toList()) {
				readable(Files.copy(file, to.resolve(from.relativize(file).toString())));
			}
		}
	}

	private static Path readable(Path file) throws IOException {
		return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
	}

	@AfterAll
	static void deleteImage() throws IOException {
		if (!image.isEmpty()) {
			delete(image.get(0));
		}
		image.clear();
	}

	@BeforeEach
	void makeVolume() throws Exception {
		this.volume = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
		volume(0, 0, 01777);
	}

	@AfterEach
	void end() throws Exception {
		for (Process process : this.processes) {
			process.getOutputStream().close();
			process.waitFor();
		}
		if (this.volume != null) {
			delete(this.volume);
		}
	}

	private static void delete(Path directory) throws IOException {
		try (var files = Files.walk(directory)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
	}

	private static boolean canContain() throws InterruptedException {
		try {
			return new ProcessBuilder("unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork",
					"--mount-proc", "--propagation", "private", "--", "setpriv", "--reuid", "1000", "--clear-groups",
					"true")
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start()
				.waitFor() == 0;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private void volume(int uid, int gid, int mode) throws IOException {
		Files.setAttribute(this.volume, "unix:uid", uid);
		Files.setAttribute(this.volume, "unix:gid", gid);
		Files.setAttribute(this.volume, "unix:mode", mode);
	}

	/** Ways to run a container. */
	private final class Container {

		private final List<String> mounts = new ArrayList<>(List.of("mount -t tmpfs -o size=64m,mode=1777 tmpfs /mnt"));

		private final List<String> privileges = new ArrayList<>(List.of("--no-new-privs"));

		private String groups = "--clear-groups";

		private int user = USER;

		private String path = System.getenv("PATH");

		private String directory = ContainerChild.FOUND;

		private String namespace = "";

		Container ownMemory() {
			this.mounts.add("mount -t tmpfs -o size=64m,mode=1777 tmpfs /dev/shm");
			return this;
		}

		/** As containers of one pod have, or those with one IPC namespace in Docker. */
		Container sharedMemory() {
			this.mounts.add("mount --bind " + ContainerTests.this.volume + " /dev/shm");
			return this;
		}

		Container volume(String named) {
			this.mounts.add("mount --bind " + ContainerTests.this.volume + " " + VOLUME);
			this.directory = named;
			return ownMemory();
		}

		Container user(int uid) {
			this.user = uid;
			return this;
		}

		Container group(int gid) {
			this.groups = "--groups " + gid;
			return this;
		}

		/** With {@code --read-only --cap-drop ALL}. */
		Container locked() {
			this.mounts.add("mount -o remount,bind,ro /");
			this.privileges.addAll(List.of("--bounding-set=-all", "--inh-caps=-all"));
			return this;
		}

		/** In a user namespace that shows all users as 65534, this one, too. */
		Container withoutUsers() {
			this.namespace = "/usr/bin/unshare --user --";
			return user(0);
		}

		/** An image in which there is nothing but Java. */
		Container withoutCommands() {
			this.path = "/nothing";
			return this;
		}

		private List<String> run(String lastLine, String... arguments) throws IOException {
			String java = String.join(" ", Path.of(System.getProperty("java.home"), "bin", "java").toString(),
					"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m", "-Djava.io.tmpdir=/mnt", "-cp",
					image.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
					ContainerChild.class.getName(), this.directory, String.join(" ", arguments));
			String script = "%s && unset XDG_RUNTIME_DIR && exec setpriv --reuid %d --regid %d %s %s env PATH=%s %s %s"
				.formatted(String.join(" && ", this.mounts), this.user, this.user, this.groups,
						String.join(" ", this.privileges), this.path, this.namespace, java);
			Process process = new ProcessBuilder("unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork",
					"--kill-child", "--mount-proc", "--propagation", "private", "--", "sh", "-c", script)
				.redirectError(ProcessBuilder.Redirect.INHERIT)
				.start();
			ContainerTests.this.processes.add(process);
			List<String> lines = new ArrayList<>();
			BufferedReader said = process.inputReader();
			String line = said.readLine();
			while (line != null) {
				lines.add(line);
				line = line.equals(lastLine) ? null : said.readLine();
			}
			assertThat(lines).endsWith(lastLine);
			return lines;
		}

	}

	private Container container() {
		return new Container();
	}

	/** Returns all that both have said; the last path is the one of calls. */
	private List<String> meet(Container server, Container client) throws IOException {
		List<String> lines = server.run("ready");
		String identity = lines.stream().filter((line) -> line.startsWith("identity ")).findFirst().orElseThrow();
		lines.addAll(client.run("ok", identity.substring("identity ".length()).split(" ")));
		return lines;
	}

	@Test
	void containersOfOnePodMeetWithNothingConfigured() throws Exception {
		assertThat(meet(container().sharedMemory(), container().sharedMemory())).contains("path shm fifo");
	}

	@Test
	void lockedContainersThatShareMemoryMeetWithNothingConfigured() throws Exception {
		assertThat(meet(container().sharedMemory().locked(), container().sharedMemory().locked()))
			.contains("path shm fifo");
	}

	@Test
	void rootInContainersThatShareMemoryMeets() throws Exception {
		assertThat(meet(container().sharedMemory().user(0), container().sharedMemory().user(0)))
			.contains("path shm fifo");
	}

	@Test
	void containersThatShareNothingUseHttp() throws Exception {
		assertThat(meet(container().ownMemory(), container().ownMemory())).contains("path http")
			.anyMatch((line) -> line.startsWith("no shm: ") && line.contains("another rendezvous directory"));
	}

	@Test
	void rootOfAVolumeInMemoryMayBeNamed() throws Exception {
		assertThat(meet(container().volume(VOLUME), container().volume(VOLUME))).contains("path shm fifo");
	}

	@Test
	void directoryBelowTheRootOfAVolumeMayBeNamed() throws Exception {
		assertThat(meet(container().volume(VOLUME + "/v"), container().volume(VOLUME + "/v")))
			.contains("path shm fifo");
	}

	@Test
	void rootOfAVolumeWithFsGroupMayBeNamed() throws Exception {
		volume(0, 2000, 03777);
		assertThat(meet(container().volume(VOLUME).group(2000), container().volume(VOLUME).group(2000)))
			.contains("path shm fifo");
	}

	@Test
	void differentUsersUseHttp() throws Exception {
		assertThat(meet(container().volume(VOLUME), container().volume(VOLUME).user(OTHER_USER))).contains("path http")
			.anyMatch((line) -> line.startsWith("no shm: ") && line.contains("another rendezvous directory"));
	}

	@Test
	void volumeOfTheUserMayBeNamed() throws Exception {
		volume(USER, USER, 0700);
		assertThat(meet(container().volume(VOLUME), container().volume(VOLUME))).contains("path shm fifo");
	}

	@Test
	void directoryOfTheHostThatOnlyRootMayWriteToSaysWhatToDo() throws Exception {
		volume(0, 0, 0755);
		assertThat(meet(container().volume(VOLUME), container().volume(VOLUME))).contains("path http")
			.anyMatch((line) -> line.startsWith("server shm the directory /srv/vicinal-1000 cannot be used or created")
					&& line.contains("let this user create files in it"));
	}

	@Test
	void volumeInWhichOthersMayRenameSaysWhatToDo() throws Exception {
		volume(0, 0, 0777);
		assertThat(meet(container().volume(VOLUME), container().volume(VOLUME))).contains("path http")
			.anyMatch((line) -> line.startsWith("server shm others may rename what is in /srv")
					&& line.contains("chmod +t /srv"));
	}

	@Test
	void volumeOnADiskCarriesSockets() throws Exception {
		Files.delete(this.volume);
		this.volume = Files.createTempDirectory("vicinal-test");
		volume(0, 0, 01777);
		Assumptions.assumeTrue(!Files.getFileStore(this.volume).type().equals("tmpfs"),
				"the temporary directory is in memory");
		assertThat(meet(container().volume(VOLUME), container().volume(VOLUME))).contains("path uds")
			.anyMatch((line) -> line.startsWith("server shm ") && line.contains("not on a tmpfs"));
	}

	@Test
	void imagesWithoutCommandsMeet() throws Exception {
		assertThat(meet(container().sharedMemory().withoutCommands(), container().sharedMemory().withoutCommands()))
			.contains("path shm socket");
	}

	@Test
	void imageWithoutCommandsMeetsOneThatHasThem() throws Exception {
		assertThat(meet(container().sharedMemory(), container().sharedMemory().withoutCommands()))
			.contains("path shm fifo");
	}

	@Test
	void userThatStandsForAllOthersIsRefused() throws Exception {
		assertThat(container().sharedMemory().withoutUsers().run("ready"))
			.anyMatch((line) -> line.startsWith("server shm ") && line.contains("this process runs as user 65534")
					&& line.contains("run it as another user"));
	}

}
