package io.github.vicinal.transport.shm.topic;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.remote.RemoteTopics;
import io.github.vicinal.topic.remote.TopicCarrier;
import io.github.vicinal.topic.remote.TopicConnection;
import io.github.vicinal.transport.testing.topic.ShmKitEnvironment;
import io.github.vicinal.transport.testing.topic.TopicCompatibilityKit;
import io.github.vicinal.transport.testing.topic.TopicDifference;
import io.github.vicinal.transport.testing.topic.TopicKitEnvironment;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

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
			return new ShmKitEnvironment(1) {

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
			return new ShmKitEnvironment(1);
		}

	}

	@Nested
	class TwoHosts extends TopicCompatibilityKit {

		@Override
		protected TopicKitEnvironment createEnvironment() throws Exception {
			return new SocketEnvironment();
		}

		@Override
		protected Set<TopicDifference> differences() {
			return EnumSet.of(TopicDifference.SENT_AHEAD);
		}

	}

	/** Each publisher has a carrier of its own. */
	private static final class SocketEnvironment extends ShmKitEnvironment {

		private final List<SocketCarrier> carriers = new CopyOnWriteArrayList<>();

		SocketEnvironment() throws IOException {
			super(2);
		}

		@Override
		protected RemoteTopics remote(boolean publisher) {
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

		@Override
		protected void closeCarriers() throws IOException {
			for (SocketCarrier carrier : this.carriers) {
				carrier.close();
			}
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
				return SocketEnvironment.this.carriers.stream().map(SocketCarrier::address).toList();
			}

			@Override
			public TopicConnection connect(String address) throws IOException {
				return SocketEnvironment.this.carriers.get(resolve("all").indexOf(address)).connect(address);
			}

		}

	}

}
