package io.github.vicinal.transport.testing.topic;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.remote.RemoteTopics;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications with topics in memory, in directories that stand for one host or two.
 * Nothing may be left in them.
 */
public class ShmKitEnvironment implements TopicKitEnvironment {

	private final Path publishers;

	private final Path subscribers;

	private final List<Topics> all = new ArrayList<>();

	/**
	 * Creates an environment.
	 * @param hosts number of hosts; with two, publishers are on one and subscribers on
	 * the other
	 * @throws IOException if there is no directory
	 */
	public ShmKitEnvironment(int hosts) throws IOException {
		this.publishers = directory();
		this.subscribers = (hosts > 1) ? directory() : this.publishers;
	}

	private static Path directory() throws IOException {
		return Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
	}

	/**
	 * Returns how an application reaches other hosts.
	 * @param publisher whether it publishes
	 * @return what it offers and where publishers are, nothing unless overridden
	 */
	protected RemoteTopics remote(boolean publisher) {
		return RemoteTopics.none();
	}

	/** Called when all applications are closed. */
	protected void closeCarriers() throws Exception {
		// There are none.
	}

	@Override
	public Topics publisher(Application application) {
		return topics(this.publishers, application, remote(true));
	}

	@Override
	public Topics subscriber(Application application) {
		return topics(this.subscribers, application, remote(false));
	}

	private synchronized Topics topics(Path directory, Application application, RemoteTopics remote) {
		Rendezvous rendezvous = Rendezvous.open(directory.toString());
		Topics topics = new ShmTopics(PeerIdentity.create(rendezvous.hostId()), application.name(), rendezvous,
				JsonMapper.builder().build(), application.observations(), List.of(), application.grants(), remote);
		this.all.add(topics);
		return topics;
	}

	@Override
	public int roomBytes() {
		return 64 << 10;
	}

	@Override
	public int oversizeBytes() {
		return TopicSettings.DEFAULT_CAPACITY_BYTES / 2;
	}

	@Override
	public void close() throws Exception {
		for (int i = this.all.size() - 1; i >= 0; i--) {
			this.all.get(i).close();
		}
		closeCarriers();
		assertEmptyAndDelete(this.publishers);
		if (!this.subscribers.equals(this.publishers)) {
			assertEmptyAndDelete(this.subscribers);
		}
	}

	private static void assertEmptyAndDelete(Path directory) throws IOException {
		List<Path> left;
		try (var files = Files.list(directory)) {
			left = files.filter((file) -> !file.endsWith("host-token")).toList();
		}
		try (var files = Files.walk(directory)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
		assertThat(left).isEmpty();
	}

}
