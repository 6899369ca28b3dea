package io.github.vicinal.transport.shm;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * By which path two containers of a Docker engine reach each other. Images are made of
 * files of this machine, without a registry: the libraries that Java needs, with or
 * without the command {@code mkfifo}. Java and the classes are mounted. The engine has to
 * run on this machine and be reachable by the command {@code docker}.
 */
@Tag("deep")
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DockerTests {

	private static final String ROWS = "Docker's defaults, shared IPC, locked containers with shared IPC, the root of a "
			+ "volume in memory, a directory with mode 1777, an image without commands, published ports";

	private static final Pattern LIBRARY = Pattern.compile("(?:=> |^\\s+)(/\\S+) \\(0x");

	private static final String VOLUME = "/vicinal";

	private static final String USER = "1000:1000";

	/** Label of everything that the engine gets from this test. */
	private final String prefix = "vicinal-test-" + UUID.randomUUID().toString().substring(0, 8);

	private final List<Process> processes = new ArrayList<>();

	private final List<String> mounts = new ArrayList<>();

	private final List<Path> made = new ArrayList<>();

	private int containers;

	@BeforeAll
	void makeImages() throws Exception {
		Assumptions.assumeTrue(answers("docker", "info"),
				"no Docker engine answers 'docker info'; rows skipped: " + ROWS);
		Path tiny = directory(Files.createTempDirectory("vicinal-image"));
		Path java = Path.of(System.getProperty("java.home"));
		for (String name : List.of("proc", "sys", "dev", "etc", "usr/bin", "tmp")) {
			Files.createDirectories(tiny.resolve(name));
		}
		Files.setAttribute(tiny.resolve("tmp"), "unix:mode", 01777);
		Files.writeString(tiny.resolve("etc/passwd"), "root:x:0:0:root:/:/sbin/nologin\n");
		try (var files = Files.walk(java)) {
			copyLibraries(tiny,
					files.filter((file) -> file.endsWith("bin/java") || file.toString().endsWith(".so")).toList());
		}
		importImage(tiny, "tiny");
		Path command = Path.of("/usr/bin/mkfifo");
		Files.copy(command, tiny.resolve("usr/bin/mkfifo"));
		copyLibraries(tiny, List.of(command));
		importImage(tiny, "full");
		mount(java);
		outside(java).forEach(this::mount);
		for (String entry : classPath().split(":")) {
			mount(Path.of(entry));
		}
	}

	private static String classPath() {
		return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
	}

	private void mount(Path path) {
		if (Files.exists(path)) {
			this.mounts.addAll(List.of("-v", path + ":" + path + ":ro"));
		}
	}

	private void copyLibraries(Path root, Collection<Path> binaries) throws Exception {
		Path java = Path.of(System.getProperty("java.home"));
		List<String> command = new ArrayList<>(List.of("ldd"));
		binaries.forEach((binary) -> command.add(binary.toString()));
		Matcher library = LIBRARY.matcher("");
		for (String line : said(command)) {
			if (library.reset(line).find() && !library.group(1).startsWith(java.getParent().toString())) {
				Path copy = root.resolve(library.group(1).substring(1));
				Files.createDirectories(copy.getParent());
				if (!Files.exists(copy)) {
					Files.copy(Path.of(library.group(1)).toRealPath(), copy);
				}
			}
		}
	}

	/** Returns the directories that links in a JDK lead to, as those of Debian do. */
	private static Set<Path> outside(Path java) throws IOException {
		Set<Path> directories = new TreeSet<>();
		try (var files = Files.walk(java)) {
			for (Path link : files.filter(Files::isSymbolicLink).filter(Files::exists).toList()) {
				Path real = link.toRealPath();
				if (!real.startsWith(java)) {
					directories.add(Files.isDirectory(real) ? real : real.getParent());
				}
			}
		}
		directories.removeIf((one) -> directories.stream().anyMatch((other) -> one != other && one.startsWith(other)));
		return directories;
	}

	private void importImage(Path root, String name) throws Exception {
		run("sh", "-c", "tar -C \"$0\" --numeric-owner --owner=0 --group=0 -c . | docker import - \"$1\"",
				root.toString(), image(name));
	}

	private String image(String name) {
		return this.prefix + ":" + name;
	}

	@AfterEach
	void end() throws Exception {
		for (Process process : this.processes) {
			process.getOutputStream().close();
			process.waitFor();
		}
		this.processes.clear();
	}

	@AfterAll
	void clean() throws Exception {
		if (!this.mounts.isEmpty()) {
			run("docker", "rmi", "-f", image("tiny"), image("full"));
		}
		for (Path directory : this.made) {
			try (var files = Files.walk(directory)) {
				for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
					Files.delete(file);
				}
			}
		}
	}

	private Path directory(Path directory) {
		this.made.add(directory);
		return directory;
	}

	private static boolean answers(String... command) throws InterruptedException {
		try {
			return new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start()
				.waitFor() == 0;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static List<String> run(String... command) throws Exception {
		return said(List.of(command));
	}

	private static List<String> said(List<String> command) throws Exception {
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		List<String> lines = process.inputReader(StandardCharsets.UTF_8).lines().toList();
		assertThat(process.waitFor()).as("%s: %s", command, lines).isZero();
		return lines;
	}

	/** Runs a container until it has said its last line; it stays until the test ends. */
	private List<String> container(String image, List<String> options, String lastLine, String... arguments)
			throws IOException {
		List<String> command = new ArrayList<>(
				List.of("docker", "run", "-i", "--rm", "--name", name(this.containers++)));
		command.addAll(this.mounts);
		command.addAll(options);
		command.addAll(List.of("-e", "PATH=/usr/bin", image(image),
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m", "-XX:+UseSerialGC",
				"-XX:TieredStopAtLevel=1", "-cp", classPath(), ContainerChild.class.getName()));
		command.addAll(List.of(arguments));
		Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		this.processes.add(process);
		List<String> lines = new ArrayList<>();
		BufferedReader said = process.inputReader(StandardCharsets.UTF_8);
		String line = said.readLine();
		while (line != null) {
			lines.add(line);
			line = line.equals(lastLine) ? null : said.readLine();
		}
		assertThat(lines).endsWith(lastLine);
		return lines;
	}

	private String name(int number) {
		return this.prefix + "-" + number;
	}

	/** Returns all that both have said; the last path is the one of calls. */
	private List<String> meet(String image, String directory, List<String> server, List<String> client)
			throws IOException {
		List<String> lines = container(image, server, "ready", directory);
		String identity = lines.stream().filter((line) -> line.startsWith("identity ")).findFirst().orElseThrow();
		List<String> arguments = new ArrayList<>(List.of(directory));
		arguments.addAll(Arrays.asList(identity.substring("identity ".length()).split(" ")));
		lines.addAll(container(image, client, "ok", arguments.toArray(new String[0])));
		return lines;
	}

	/** The IPC namespace of the next container. */
	private String joined() {
		return "--ipc=container:" + name(this.containers);
	}

	@Test
	void containersWithDefaultsUseHttp() throws Exception {
		assertThat(meet("full", ContainerChild.FOUND, List.of(), List.of())).contains("path http");
	}

	@Test
	void containersThatShareIpcMeetWithNothingConfigured() throws Exception {
		assertThat(meet("full", ContainerChild.FOUND, List.of("--ipc=shareable"), List.of(joined())))
			.contains("path shm fifo");
	}

	@Test
	void lockedContainersThatShareIpcMeetWithNothingConfigured() throws Exception {
		List<String> locked = List.of("-u", USER, "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL",
				"--security-opt", "no-new-privileges");
		List<String> server = new ArrayList<>(locked);
		server.add("--ipc=shareable");
		List<String> client = new ArrayList<>(locked);
		client.add(joined());
		assertThat(meet("full", ContainerChild.FOUND, server, client)).contains("path shm fifo");
	}

	@Test
	void rootOfAVolumeInMemoryMayBeNamed() throws Exception {
		String volume = this.prefix + "-volume";
		run("docker", "volume", "create", "--driver", "local", "--opt", "type=tmpfs", "--opt", "device=tmpfs", "--opt",
				"o=size=64m", volume);
		try {
			List<String> options = List.of("-u", USER, "-v", volume + ":" + VOLUME);
			assertThat(meet("full", VOLUME, options, options)).contains("path shm fifo");
			end();
		}
		finally {
			run("docker", "volume", "rm", "-f", volume);
		}
	}

	@Test
	void directoryInMemoryThatAllMayWriteToMayBeNamed() throws Exception {
		Path shared = directory(Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test"));
		Files.setAttribute(shared, "unix:mode", 01777);
		List<String> options = List.of("-u", USER, "-v", shared + ":" + VOLUME);
		assertThat(meet("full", VOLUME, options, options)).contains("path shm fifo");
	}

	@Test
	void imagesWithoutCommandsMeet() throws Exception {
		assertThat(meet("tiny", ContainerChild.FOUND, List.of("-u", USER, "--ipc=shareable"),
				List.of("-u", USER, joined())))
			.contains("path shm socket");
	}

	/** The client knows no more than an address of the host. */
	@Test
	void containersMeetAlthoughCallsGoToAPublishedPort() throws Exception {
		String server = joined();
		String port = Integer.toString(ContainerChild.PORT);
		String published = name(this.containers);
		container("full", List.of("--ipc=shareable", "-p", port), "ready", ContainerChild.FOUND);
		String address = run("docker", "port", published, port).get(0);
		String host = run("docker", "network", "inspect", "bridge", "-f", "{{(index .IPAM.Config 0).Gateway}}").get(0);
		assertThat(container("full", List.of(server), "ok", ContainerChild.FOUND,
				host + address.substring(address.lastIndexOf(':'))))
			.contains("path shm fifo");
	}

}
