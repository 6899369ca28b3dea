package io.github.vicinal.transport.shm.topic;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.TopicWatcher;
import io.github.vicinal.topic.WhenFull;
import io.github.vicinal.topic.observation.TopicObservations;
import io.github.vicinal.topic.remote.RemoteTopics;
import io.github.vicinal.topic.remote.TopicCarrier;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.testing.Async;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Topics of applications that share a directory, in this process and in others. */
final class TopicFixture {

	private TopicFixture() {
	}

	static Path memoryDirectory() throws IOException {
		return Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
	}

	/** Deletes a directory, in which nothing may be left. */
	static void assertEmptyAndDelete(Path directory) throws IOException {
		List<Path> left;
		try (var files = Files.list(directory)) {
			left = files.filter((file) -> !file.endsWith("host-token")).toList();
		}
		delete(directory);
		assertThat(left).isEmpty();
	}

	/** Deletes a directory with all that is in it. */
	static void delete(Path directory) throws IOException {
		try (var files = Files.walk(directory)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
	}

	static void await(BooleanSupplier condition) {
		try {
			Async.await(condition);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	static ShmTopics topics(Path directory, String application) {
		return topics(directory, application, BellSupport.detect());
	}

	static ShmTopics topics(Path directory, String application, BellSupport bells, TopicWatcher... watchers) {
		Rendezvous rendezvous = Rendezvous.open(directory.toString());
		return new ShmTopics(PeerIdentity.create(rendezvous.hostId()), application, rendezvous,
				JsonMapper.builder().build(), TopicObservations.none(), List.of(watchers), TopicGrants.all(),
				RemoteTopics.none(), 0, bells);
	}

	static ShmTopics topics(Path directory, String application, TopicGrants grants) {
		Rendezvous rendezvous = Rendezvous.open(directory.toString());
		return new ShmTopics(PeerIdentity.create(rendezvous.hostId()), application, rendezvous,
				JsonMapper.builder().build(), TopicObservations.none(), List.of(), grants);
	}

	/** Topics whose name is not secret reach other hosts. */
	static ShmTopics remoteTopics(Path directory, String application, TopicGrants grants,
			@Nullable TopicCarrier carrier, boolean offered, List<String> publishers) {
		Rendezvous rendezvous = Rendezvous.open(directory.toString());
		return new ShmTopics(PeerIdentity.create(rendezvous.hostId()), application, rendezvous,
				JsonMapper.builder().build(), TopicObservations.none(), List.of(), grants, new RemoteTopics() {

					@Override
					public List<TopicCarrier> carriers() {
						return (carrier != null) ? List.of(carrier) : List.of();
					}

					@Override
					public boolean isOffered(String topic) {
						return offered && !topic.equals("secret");
					}

					@Override
					public List<String> publishers(String topic) {
						return publishers;
					}

				});
	}

	static TopicSettings<byte[]> bytes(TopicModel model, int capacity, WhenFull whenFull) {
		return TopicSettings.of("numbers", model, byte[].class)
			.withCapacity(capacity)
			.whenFull(whenFull, Duration.ofSeconds(20));
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

		static Child start(Path directory, Object... arguments) throws IOException {
			List<String> command = Stream.concat(
					Stream.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
							"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp",
							System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
							TopicChild.class.getName(), directory.toString()),
					Arrays.stream(arguments).map(String::valueOf))
				.toList();
			return new Child(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
		}

		String line() throws IOException {
			return String.valueOf(this.output.readLine());
		}

		void say(String line) {
			this.input.println(line);
		}

		void signal(String name) throws IOException, InterruptedException {
			new ProcessBuilder("kill", "-" + name, Long.toString(this.process.pid())).start().waitFor();
		}

		void kill() throws InterruptedException {
			this.process.destroyForcibly().waitFor();
		}

		@Override
		public void close() throws InterruptedException {
			kill();
		}

	}

}
