package io.github.vicinal.chronicle;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.WhenFull;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import tools.jackson.databind.json.JsonMapper;

/** Applications with durable topics in one directory, in this process and in others. */
final class DurableFixture implements AutoCloseable {

	/** A file per second, small blocks. */
	static final ChronicleOptions SMALL = new ChronicleOptions(RollInterval.SECOND, 64 << 20, Duration.ofDays(1), 0,
			1 << 20, Duration.ofSeconds(1), false);

	private final Path rendezvous;

	private final Path directory;

	private final List<AutoCloseable> open = new ArrayList<>();

	DurableFixture(Path directory) throws IOException {
		this.rendezvous = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
		this.directory = directory;
	}

	Path rendezvous() {
		return this.rendezvous;
	}

	ChronicleTopics application(String name) {
		return application(name, SMALL);
	}

	ChronicleTopics application(String name, ChronicleOptions options) {
		ShmTopics bells = bells(this.rendezvous, name);
		ChronicleTopics made = new ChronicleTopics(
				PeerIdentity.create(Rendezvous.open(this.rendezvous.toString()).hostId()), name, this.directory,
				JsonMapper.builder().build(), bells, options);
		this.open.add(bells);
		this.open.add(made);
		return made;
	}

	static ShmTopics bells(Path rendezvous, String name) {
		Rendezvous opened = Rendezvous.open(rendezvous.toString());
		return new ShmTopics(PeerIdentity.create(opened.hostId()), name, opened, JsonMapper.builder().build());
	}

	static TopicSettings<byte[]> numbers(TopicModel model) {
		return TopicSettings.of("numbers", model, byte[].class).whenFull(WhenFull.BLOCK, Duration.ofSeconds(20));
	}

	/**
	 * Opens the queue of a topic.
	 * @param topic directory of the topic
	 */
	static DurableLog log(Path topic, Alive alive) throws IOException {
		return DurableLog.open(topic.resolve("queue"), SMALL,
				ProcessLock.open(topic.resolve("publishing"), topic, alive));
	}

	/** Waits for a state that nobody announces; a test's timeout ends it. */
	static void await(BooleanSupplier condition) {
		while (!condition.getAsBoolean()) {
			if (Thread.interrupted()) {
				throw new IllegalStateException("the test has taken too long");
			}
			Thread.yield();
		}
	}

	Child child(String... arguments) throws IOException {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		ManagementFactory.getRuntimeMXBean()
			.getInputArguments()
			.stream()
			.filter((argument) -> argument.startsWith("--"))
			.forEach(command::add);
		command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				DurableChild.class.getName(), this.rendezvous.toString(), this.directory.toString()));
		command.addAll(Arrays.asList(arguments));
		return new Child(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
	}

	@Override
	public void close() throws Exception {
		for (int i = this.open.size() - 1; i >= 0; i--) {
			this.open.get(i).close();
		}
		try (var files = Files.walk(this.rendezvous)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.deleteIfExists(file);
			}
		}
	}

	/** Another process; ends when this one does. */
	static final class Child implements AutoCloseable {

		private final Process process;

		private final BufferedReader output;

		private final PrintStream input;

		private Child(Process process) {
			this.process = process;
			this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
			this.input = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
		}

		/** Returns the next line that is one of ours: libraries print, too. */
		String line() throws IOException {
			String line = this.output.readLine();
			while (line != null && !line.startsWith(">")) {
				line = this.output.readLine();
			}
			return (line == null) ? "end" : line.substring(1);
		}

		void say(String line) {
			this.input.println(line);
		}

		/** Kills the process, and leaves what it has said to be read. */
		void kill() throws IOException, InterruptedException {
			new ProcessBuilder("kill", "-KILL", Long.toString(this.process.pid())).start().waitFor();
		}

		@Override
		public void close() throws InterruptedException {
			this.process.destroyForcibly().waitFor();
		}

	}

}
