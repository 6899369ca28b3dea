package io.github.vicinal.transport.tcp;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.github.vicinal.boot.topic.SpringForm;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.ServiceRegistry;
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

/** The compatibility kit of topics between two hosts over tcp, with certificates. */
@Tag("deep")
class TcpTopicCompatibilityTests extends TopicCompatibilityKit {

	@TempDir
	private static Path keys;

	private static Certificates certificates;

	@BeforeAll
	static void makeKeys() throws Exception {
		certificates = new Certificates(keys).authority("ca").signed("host", "ca", "-ext", "san=ip:127.0.0.1");
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

		private final TlsMaterial material = certificates.material("host", new String[] { "ca" });

		private final List<TcpPathServer> servers = new CopyOnWriteArrayList<>();

		private final List<TcpTopicCarrier> carriers = new CopyOnWriteArrayList<>();

		Environment() throws Exception {
			super(2);
		}

		@Override
		protected RemoteTopics remote(boolean publisher) {
			TcpPathServer server = new TcpPathServer(PeerIdentity.create(TcpTestSupport.HOST), new ServiceRegistry(),
					TcpOptions.defaults(), Tls.server(this.material, TcpProperties.ClientAuth.NEED));
			TcpTopicCarrier carrier = new TcpTopicCarrier(() -> server, TcpOptions.defaults(),
					Tls.client(this.material, true));
			this.carriers.add(carrier);
			if (publisher) {
				this.servers.add(server);
			}
			return new OneNameTopics(carrier, publisher,
					() -> this.servers.stream().flatMap((each) -> each.address().stream()).toList());
		}

		@Override
		protected void closeCarriers() {
			this.carriers.forEach(TcpTopicCarrier::close);
			this.servers.forEach(TcpPathServer::close);
		}

	}

}
