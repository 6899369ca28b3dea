package io.github.vicinal.transport.shm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.shm.lane.ClientLane;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Full and small file systems, PID namespaces, volumes that containers share, and what
 * dead processes leave. Namespaces and mounts need root on Linux.
 */
@Timeout(90)
class ShmLifeCycleTests {

	private static final String NAMESPACES = "it needs root and the commands unshare and mount, to have a file system of its own";

	private Path directory;

	@BeforeEach
	void makeDirectory() throws IOException {
		this.directory = ShmFixture.memoryDirectory();
	}

	@AfterEach
	void deleteDirectory() throws IOException {
		ShmFixture.assertEmptyAndDelete(this.directory);
	}

	@Test
	void fullFileSystemIsAReasonAndNotTheEnd() throws Exception {
		Assumptions.assumeTrue(canUnshare(), NAMESPACES);
		List<String> lines = inTmpfs("2m", "full");
		assertThat(lines).anyMatch((line) -> line.startsWith("refused: ")).endsWith("ok");
	}

	@Test
	void sixtyFourMebibytesAreEnoughForSmallCallsWhateverLargeOnesWant() throws Exception {
		Assumptions.assumeTrue(canUnshare(), NAMESPACES);
		assertThat(inTmpfs("64m", "small")).endsWith("ok");
	}

	@Test
	void memoryOfClientsThatDieIsFreedBeforeTheFileSystemIsFull() throws Exception {
		Assumptions.assumeTrue(canUnshare(), NAMESPACES);
		assertThat(inTmpfs("64m", "respawn")).endsWith("ok");
	}

	@Test
	void processesInOtherPidNamespacesMeet() throws Exception {
		Assumptions.assumeTrue(canUnshare(), NAMESPACES);
		String id = PeerIdentity.create(PeerIdentity.NO_HOST).instanceId();
		List<String> isolated = List.of("unshare", "--pid", "--fork", "--kill-child");
		Child server = new Child(isolated, java("serve", this.directory, id));
		try {
			List<String> said = server.readUntil("ready");
			Child client = new Child(isolated, java("call", this.directory, id));
			List<String> answer = client.readUntil("ok");
			assertThat(said).contains("pid 1");
			assertThat(answer).contains("pid 1").endsWith("ok");
			assertThat(host(answer)).isEqualTo(host(said));
		}
		finally {
			server.stop();
		}
	}

	/** As two containers mount one volume, each at a path of its own. */
	@Test
	void processesInOtherMountNamespacesMeetInASharedVolume() throws Exception {
		Assumptions.assumeTrue(canUnshare(), NAMESPACES);
		Path volume = Files.createDirectory(this.directory.resolve("volume"));
		Path one = Files.createDirectory(this.directory.resolve("one"));
		Path two = Files.createDirectory(this.directory.resolve("two"));
		String id = PeerIdentity.create(PeerIdentity.NO_HOST).instanceId();
		// The server ends when the shell does, by the end of its input.
		String script = """
				mount -t tmpfs -o size=16m,mode=700 tmpfs %1$s
				mkfifo %1$s/said; exec 3<>%1$s/said; exec 4<>%1$s/said; exec 5<&0
				mkdir -m 700 %1$s/vicinal
				( exec unshare -m sh -c 'mount --bind %1$s/vicinal %2$s && umount -l %1$s && exec %4$s' ) <&5 >&3 &
				while read line <&4; do echo "server $line"; [ "$line" = ready ] && break; done
				unshare -m sh -c 'mount --bind %1$s/vicinal %3$s && umount -l %1$s && exec %5$s' </dev/null
				result=$?
				kill $!
				exit $result
				""".formatted(volume, one, two, String.join(" ", java("serve", one, id)),
				String.join(" ", java("call", two, id)));
		Child child = new Child(List.of("unshare", "-m", "--propagation", "private"), List.of("sh", "-c", script));
		List<String> lines = child.readUntil("ok");
		child.stop();
		for (Path path : List.of(volume, one, two)) {
			Files.delete(path);
		}
		assertThat(lines).contains("server ready").endsWith("ok");
		List<String> hosts = lines.stream()
			.filter((line) -> line.contains("host "))
			.map((line) -> line.replaceAll(".*host ", ""))
			.toList();
		assertThat(hosts).hasSize(2);
		assertThat(hosts.get(0)).isNotEmpty().isEqualTo(hosts.get(1));
	}

	@Test
	void topicsSayThatTheFileSystemIsFullAndGoOnWhenThereIsRoom() throws Exception {
		Assumptions.assumeTrue(canUnshare(), NAMESPACES);
		assertThat(inTmpfs("3m", "topics")).endsWith("ok");
	}

	@Test
	void onlyWhatTheDeadLeftIsRemoved() throws Exception {
		PeerIdentity living = PeerIdentity.create(PeerIdentity.NO_HOST);
		Path target = Files.createFile(this.directory.resolve("target"));
		try (ShmPathServer server = serve(living);
				RawLanes.Client client = RawLanes.connect(this.directory, living.instanceId(), ShmOptions.defaults(),
						true)) {
			List<Path> ofTheLiving = list();
			Path old = Files.createFile(this.directory.resolve("0".repeat(32) + ".seg"));
			Path young = Files.createFile(this.directory.resolve("1".repeat(32) + ".seg"));
			Path strange = Files.createFile(this.directory.resolve("mine.seg"));
			Path link = Files.createSymbolicLink(this.directory.resolve("2".repeat(32) + ".seg"), target);
			FileTime hourAgo = FileTime.from(Instant.now().minus(Duration.ofHours(1)));
			Files.setLastModifiedTime(old, hourAgo);
			Files.setLastModifiedTime(strange, hourAgo);
			Files.setLastModifiedTime(target, hourAgo);
			String dead;
			try (ShmChild child = ShmChild.start(this.directory)) {
				dead = child.instanceId();
			}
			assertThat(list()).anyMatch((file) -> file.toString().contains(dead));
			serve(PeerIdentity.create(PeerIdentity.NO_HOST)).close();
			assertThat(list()).containsAll(ofTheLiving)
				.contains(young, strange, target, link)
				.doesNotContain(old)
				.noneMatch((file) -> file.toString().contains(dead));
			byte[] request = { 1, 2, 3 };
			ClientLane lane = client.lanes().acquire(ClientLane.NO_DEADLINE);
			lane.exchange(request, request.length, ClientLane.NO_DEADLINE);
			assertThat(Arrays.copyOf(lane.response(), lane.responseLength())).isEqualTo(request);
			client.lanes().release(lane);
			for (Path file : List.of(young, strange, link)) {
				assertThat(Files.exists(file, LinkOption.NOFOLLOW_LINKS)).isTrue();
				Files.delete(file);
			}
		}
		Files.delete(target);
	}

	private ShmPathServer serve(PeerIdentity identity) {
		return RawLanes.serve(this.directory, identity, ShmOptions.defaults(), true, RawLanes.echo());
	}

	private List<Path> list() throws IOException {
		try (var files = Files.list(this.directory)) {
			return files.toList();
		}
	}

	private static String host(List<String> lines) {
		return lines.stream().filter((line) -> line.startsWith("host ")).findFirst().orElseThrow();
	}

	private static boolean canUnshare() throws InterruptedException {
		try {
			Process process = new ProcessBuilder("unshare", "-m", "-p", "--fork", "sh", "-c",
					"mount -t tmpfs tmpfs /mnt")
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start();
			return process.waitFor() == 0;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static List<String> java(String scenario, Path where, String instanceId) {
		return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
				"-XX:+UseSerialGC", "-Xmx256m", "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				NamespaceChild.class.getName(), scenario, where.toString(), instanceId);
	}

	/** Runs a scenario in a file system of its own, which ends with the process. */
	private List<String> inTmpfs(String size, String scenario) throws Exception {
		Path where = Files.createDirectory(this.directory.resolve("small"));
		try {
			String script = "mount -t tmpfs -o size=%s,mode=700 tmpfs %s && exec %s".formatted(size, where,
					String.join(" ", java(scenario, where, "-")));
			Child child = new Child(List.of("unshare", "-m", "--propagation", "private"), List.of("sh", "-c", script));
			List<String> lines = child.readUntil("ok");
			child.stop();
			return lines;
		}
		finally {
			Files.delete(where);
		}
	}

	/** A process whose lines are read. */
	private static final class Child {

		private final Process process;

		private final BufferedReader output;

		Child(List<String> prefix, List<String> command) throws IOException {
			List<String> all = new ArrayList<>(prefix);
			all.addAll(command);
			this.process = new ProcessBuilder(all).redirectError(ProcessBuilder.Redirect.INHERIT).start();
			this.output = new BufferedReader(
					new InputStreamReader(this.process.getInputStream(), StandardCharsets.UTF_8));
		}

		List<String> readUntil(String last) throws IOException {
			List<String> lines = new ArrayList<>();
			String line = this.output.readLine();
			while (line != null) {
				lines.add(line);
				if (line.equals(last)) {
					return lines;
				}
				line = this.output.readLine();
			}
			return lines;
		}

		/** Ends by itself at the end of its input, which removes what it has made. */
		void stop() throws IOException, InterruptedException {
			this.process.getOutputStream().close();
			if (!this.process.waitFor(10, TimeUnit.SECONDS)) {
				this.process.destroyForcibly().waitFor();
			}
		}

	}

}
