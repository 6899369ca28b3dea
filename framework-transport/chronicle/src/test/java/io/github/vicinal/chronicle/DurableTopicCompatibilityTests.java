package io.github.vicinal.chronicle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.github.vicinal.boot.topic.SpringForm;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.testing.DeepTests;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import io.github.vicinal.transport.testing.topic.CoreForm;
import io.github.vicinal.transport.testing.topic.SubscriberForm;
import io.github.vicinal.transport.testing.topic.TopicCompatibilityKit;
import io.github.vicinal.transport.testing.topic.TopicDifference;
import io.github.vicinal.transport.testing.topic.TopicKitEnvironment;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.FileSystemUtils;

/** The compatibility kit of topics, durable. */
class DurableTopicCompatibilityTests extends TopicCompatibilityKit {

	private static final int BLOCK = 1 << 20;

	private static final ChronicleOptions OPTIONS = new ChronicleOptions(RollInterval.FIVE_MINUTES, 8 * BLOCK,
			Duration.ofDays(1), 0, BLOCK, Duration.ofSeconds(1), false);

	@Override
	protected TopicKitEnvironment createEnvironment() throws Exception {
		return new Environment();
	}

	@Override
	protected List<? extends SubscriberForm> forms() {
		if (!DeepTests.areRun()) {
			return List.of(CoreForm.READER, SpringForm.LISTENER);
		}
		return Stream.concat(Stream.of(CoreForm.values()), Stream.of(SpringForm.values())).toList();
	}

	@Override
	protected Set<TopicDifference> differences() {
		return EnumSet.complementOf(EnumSet.of(TopicDifference.ONE_APPLICATION, TopicDifference.SENT_AHEAD));
	}

	private static final class Environment implements TopicKitEnvironment {

		private final Path rendezvous = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");

		private final Path directory = Files.createTempDirectory("vicinal-test");

		private final List<Topics> open = new ArrayList<>();

		Environment() throws IOException {
		}

		@Override
		public synchronized Topics publisher(Application application) {
			Rendezvous opened = Rendezvous.open(this.rendezvous.toString());
			PeerIdentity identity = PeerIdentity.create(opened.hostId());
			JsonMapper mapper = JsonMapper.builder().build();
			ShmTopics bells = new ShmTopics(identity, application.name(), opened, mapper);
			Topics made = new ChronicleTopics(identity, application.name(), this.directory, mapper, bells, OPTIONS,
					application.observations(), List.of(), application.grants());
			this.open.add(bells);
			this.open.add(made);
			return made;
		}

		@Override
		public Topics subscriber(Application application) {
			return publisher(application);
		}

		@Override
		public int roomBytes() {
			return (int) OPTIONS.maxBytes();
		}

		@Override
		public int oversizeBytes() {
			return BLOCK / 4;
		}

		@Override
		public void close() throws IOException {
			for (int i = this.open.size() - 1; i >= 0; i--) {
				this.open.get(i).close();
			}
			FileSystemUtils.deleteRecursively(this.rendezvous);
			FileSystemUtils.deleteRecursively(this.directory);
		}

	}

}
