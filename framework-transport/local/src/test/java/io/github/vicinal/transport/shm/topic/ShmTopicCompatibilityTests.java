package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.remote.RemoteTopics;
import io.github.vicinal.topic.remote.TopicCarrier;
import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.testing.topic.TopicCompatibilityKit;
import io.github.vicinal.transport.testing.topic.TopicDifference;
import io.github.vicinal.transport.testing.topic.TopicKitEnvironment;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import tools.jackson.databind.json.JsonMapper;

/**
 * The compatibility kit of topics in memory: within one application, between applications
 * of one host, and between hosts.
 */
class ShmTopicCompatibilityTests {

	@Nested
	@Tag("deep")
	class OneApplication extends TopicCompatibilityKit {

		@Override
		protected TopicKitEnvironment createEnvironment() throws Exception {
			return new Environment(false) {

				private @Nullable Topics only;

				@Override
				public synchronized Topics publisher(Application application) {
					Topics one = this.only;
					if (one == null) {
						one = super.publisher(application);
						this.only = one;
					}
					return one;
				}

				@Override
				public Topics subscriber(Application application) {
					return publisher(application);
				}

			};
		}

		@Override
		protected Set<TopicDifference> differences() {
			return EnumSet.of(TopicDifference.ONE_APPLICATION);
		}

	}

	@Nested
	class OneHost extends TopicCompatibilityKit {

		@Override
		protected TopicKitEnvironment createEnvironment() throws Exception {
			return new Environment(false);
		}

	}

	@Nested
	class TwoHosts extends TopicCompatibilityKit {

		@Override
		protected TopicKitEnvironment createEnvironment() throws Exception {
			return new Environment(true);
		}

		@Override
		protected Set<TopicDifference> differences() {
			return EnumSet.of(TopicDifference.SENT_AHEAD);
		}

	}

	/** Two directories are two hosts, and each publisher has a carrier of its own. */
	private static class Environment implements TopicKitEnvironment {

		private final boolean remote;

		private final Path first = TopicFixture.memoryDirectory();

		private final Path second = TopicFixture.memoryDirectory();

		private final List<SocketCarrier> carriers = new ArrayList<>();

		private final List<Topics> all = new ArrayList<>();

		Environment(boolean remote) throws Exception {
			this.remote = remote;
		}

		@Override
		public Topics publisher(Application application) {
			return topics(this.first, application, true);
		}

		@Override
		public Topics subscriber(Application application) {
			return topics(this.remote ? this.second : this.first, application, false);
		}

		private synchronized Topics topics(Path directory, Application application, boolean publisher) {
			Rendezvous rendezvous = Rendezvous.open(directory.toString());
			Topics topics = new ShmTopics(PeerIdentity.create(rendezvous.hostId()), application.name(), rendezvous,
					JsonMapper.builder().build(), application.observations(), List.of(), application.grants(),
					this.remote ? remote(publisher) : RemoteTopics.none());
			this.all.add(topics);
			return topics;
		}

		private RemoteTopics remote(boolean publisher) {
			TopicCarrier carrier = publisher ? serving() : new Connecting();
			return new RemoteTopics() {

				@Override
				public List<TopicCarrier> carriers() {
					return List.of(carrier);
				}

				@Override
				public boolean isOffered(String topic) {
					return publisher;
				}

				@Override
				public List<String> publishers(String topic) {
					return publisher ? List.of() : List.of("all");
				}

			};
		}

		private SocketCarrier serving() {
			try {
				SocketCarrier carrier = new SocketCarrier();
				this.carriers.add(carrier);
				return carrier;
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		private synchronized List<SocketCarrier> carriers() {
			return List.copyOf(this.carriers);
		}

		private List<String> addresses() {
			return carriers().stream().map(SocketCarrier::address).toList();
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
			for (SocketCarrier carrier : this.carriers) {
				carrier.close();
			}
			TopicFixture.assertEmptyAndDelete(this.first);
			TopicFixture.assertEmptyAndDelete(this.second);
		}

		/** One name stands for all publishers, as that of a headless service does. */
		private final class Connecting implements TopicCarrier {

			@Override
			public String kind() {
				return "socket";
			}

			@Override
			public void serve(Consumer<TopicConnection> acceptor) throws IOException {
				throw new IOException("this application publishes nothing");
			}

			@Override
			public List<String> resolve(String address) {
				return addresses();
			}

			@Override
			public TopicConnection connect(String address) throws IOException {
				SocketCarrier carrier = carriers().get(addresses().indexOf(address));
				return carrier.connect(address);
			}

		}

	}

}
