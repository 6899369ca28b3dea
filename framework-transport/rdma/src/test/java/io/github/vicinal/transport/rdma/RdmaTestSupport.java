package io.github.vicinal.transport.rdma;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.testing.EchoCalls;

import static org.assertj.core.api.Assertions.assertThat;

/** A server with one contract, and clients of it. */
abstract class RdmaTestSupport extends EchoCalls {

	/** Returns the devices that both sides use. */
	abstract RdmaDevices devices();

	RdmaPathServer server(RdmaOptions options) {
		return server(options, this.peer);
	}

	RdmaPathServer server(RdmaOptions options, PeerIdentity identity) {
		ServiceRegistry registry = new ServiceRegistry();
		registry.register(service(this::echo));
		RdmaPathServer server = new RdmaPathServer(identity, devices(), registry, options);
		this.closeables.push(server);
		server.start();
		return server;
	}

	RdmaPathProvider provider(RdmaOptions options) {
		RdmaPathProvider provider = new RdmaPathProvider(devices(), CODECS, options);
		this.closeables.push(provider);
		return provider;
	}

	PathProvider.Attempt attempt(RdmaPathProvider provider, PeerIdentity announced, String address) {
		return provider.connect(this.contract, new PeerAnnouncement(announced, Set.of("rdma"), this.contract.hash(), "")
			.withAddresses(Map.of("rdma", address)));
	}

	CallPath connect(RdmaPathServer server) {
		return connect(provider(options()), server);
	}

	CallPath connect(RdmaPathProvider provider, RdmaPathServer server) {
		PathProvider.Attempt attempt = attempt(provider, this.peer, server.address().orElseThrow());
		assertThat(attempt).isInstanceOf(PathProvider.Connected.class);
		return ((PathProvider.Connected) attempt).path();
	}

	/** Small limits, so that tests reach them. */
	static RdmaOptions.Builder small() {
		return RdmaOptions.builder()
			.ringBytes(64 << 10)
			.maxFrameBytes(8 << 20)
			.maxConnections(20)
			.maxThreads(16)
			.drainTimeout(Duration.ofSeconds(5));
	}

	static RdmaOptions options() {
		return small().build();
	}

}
