package io.github.vicinal.transport.rdma;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.github.vicinal.boot.topic.SpringForm;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.testing.TestCertificates;
import io.github.vicinal.topic.remote.RemoteTopics;
import io.github.vicinal.transport.testing.topic.CoreForm;
import io.github.vicinal.transport.testing.topic.OneNameTopics;
import io.github.vicinal.transport.testing.topic.ShmKitEnvironment;
import io.github.vicinal.transport.testing.topic.SubscriberForm;
import io.github.vicinal.transport.testing.topic.TopicCompatibilityKit;
import io.github.vicinal.transport.testing.topic.TopicDifference;
import io.github.vicinal.transport.testing.topic.TopicKitEnvironment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * The compatibility kit of topics between two hosts over devices that are emulated in
 * memory, with certificates.
 */
@Tag("deep")
class RdmaTopicCompatibilityTests extends TopicCompatibilityKit {

	@TempDir
	private static Path keys;

	private static TopicTls.Material material;

	@BeforeAll
	static void makeKeys() throws Exception {
		TestCertificates certificates = new TestCertificates(keys).authority("ca")
			.signed("host", "ca", "-ext", "san=ip:127.0.0.1");
		material = new TopicTls.Material(certificates.context("host", "ca"), List.of(), List.of());
	}

	@Override
	protected TopicKitEnvironment createEnvironment() throws Exception {
		return new Environment();
	}

	@Override
	protected List<? extends SubscriberForm> forms() {
		return Stream.concat(Stream.of(CoreForm.values()), Stream.of(SpringForm.values())).toList();
	}

	@Override
	protected Set<TopicDifference> differences() {
		return EnumSet.of(TopicDifference.SENT_AHEAD);
	}

	/** Each application has a server and a carrier of its own. */
	private static final class Environment extends ShmKitEnvironment {

		private final MemoryFabric fabric = new MemoryFabric();

		private final List<RdmaPathServer> servers = new CopyOnWriteArrayList<>();

		private final List<RdmaTopicCarrier> carriers = new CopyOnWriteArrayList<>();

		Environment() throws Exception {
			super(2);
		}

		@Override
		protected RemoteTopics remote(boolean publisher) {
			RdmaOptions options = RdmaTestSupport.options();
			RdmaPathServer server = new RdmaPathServer(PeerIdentity.create(PeerIdentity.NO_HOST), this.fabric.devices(),
					new ServiceRegistry(), options);
			RdmaTopicCarrier carrier = new RdmaTopicCarrier(() -> server, this.fabric.devices(), options,
					new TopicTls("mesh", material));
			this.carriers.add(carrier);
			if (publisher) {
				this.servers.add(server);
			}
			return new OneNameTopics(carrier, publisher,
					() -> this.servers.stream().flatMap((each) -> each.address().stream()).toList());
		}

		@Override
		protected void closeCarriers() {
			this.carriers.forEach(RdmaTopicCarrier::close);
			this.servers.forEach(RdmaPathServer::close);
		}

	}

}
