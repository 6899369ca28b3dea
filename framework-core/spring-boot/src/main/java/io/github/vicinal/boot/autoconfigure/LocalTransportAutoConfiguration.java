package io.github.vicinal.boot.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

import io.github.vicinal.boot.autoconfigure.VicinalProperties.Shm;
import io.github.vicinal.boot.autoconfigure.VicinalProperties.Uds;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.direct.DirectPathProvider;
import io.github.vicinal.transport.direct.DirectPathServer;
import io.github.vicinal.transport.shm.ShmOptions;
import io.github.vicinal.transport.shm.ShmPathProvider;
import io.github.vicinal.transport.shm.ShmPathServer;
import io.github.vicinal.transport.uds.UdsOptions;
import io.github.vicinal.transport.uds.UdsPathProvider;
import io.github.vicinal.transport.uds.UdsPathServer;

/**
 * Auto-configuration of the paths within one host.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = VicinalAutoConfiguration.class)
@ConditionalOnClass(UdsPathProvider.class)
@ConditionalOnBean(Codecs.class)
public final class LocalTransportAutoConfiguration {

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	UdsOptions vicinalUdsOptions(VicinalProperties properties, Environment environment) {
		Uds uds = properties.uds();
		UdsOptions defaults = UdsOptions.defaults();
		DataSize heap = properties.shm().maxHeapPerPeer();
		return defaults.withMaxHeapBytes((heap != null) ? heap.toBytes() : defaults.maxHeapBytes())
			.withMaxFrameBytes(Math.toIntExact(uds.maxFrameSize().toBytes()))
			.withMaxConnectionsPerPeer(uds.maxConnectionsPerPeer())
			.withMaxConnections(uds.maxConnections())
			.withDrainTimeout(DrainTimeouts.ofPath(environment));
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	ShmOptions vicinalShmOptions(VicinalProperties properties, Environment environment) {
		Shm shm = properties.shm();
		ShmOptions defaults = ShmOptions.defaults();
		DataSize heap = shm.maxHeapPerPeer();
		return new ShmOptions(shm.lanes(), shm.maxLanes(), Math.toIntExact(shm.inlineSize().toBytes()),
				Math.toIntExact(shm.maxFrameSize().toBytes()), shm.maxMemoryPerPeer().toBytes(),
				(heap != null) ? heap.toBytes() : defaults.maxHeapBytes(), shm.maxPeers(), shm.maxThreads(),
				defaults.acquireTimeout(), shm.idleTimeout(), defaults.handshakeTimeout(),
				DrainTimeouts.ofPath(environment), shm.waiting());
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	DirectPathProvider vicinalDirectPathProvider(Codecs codecs) {
		return new DirectPathProvider(codecs);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	ShmPathProvider vicinalShmPathProvider(PeerIdentity identity, Rendezvous rendezvous, Codecs codecs,
			ShmOptions options) {
		return new ShmPathProvider(identity, rendezvous, codecs, options);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	UdsPathProvider vicinalUdsPathProvider(PeerIdentity identity, Rendezvous rendezvous, Codecs codecs,
			UdsOptions options) {
		return new UdsPathProvider(identity, rendezvous, codecs, options);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	DirectPathServer vicinalDirectPathServer(PeerIdentity identity, ServiceRegistry services, Environment environment) {
		return new DirectPathServer(identity, services, null, DrainTimeouts.ofPath(environment));
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	ShmPathServer vicinalShmPathServer(PeerIdentity identity, Rendezvous rendezvous, ServiceRegistry services,
			ShmOptions options) {
		return new ShmPathServer(identity, rendezvous, services, options);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	UdsPathServer vicinalUdsPathServer(PeerIdentity identity, Rendezvous rendezvous, ServiceRegistry services,
			UdsOptions options) {
		return new UdsPathServer(identity, rendezvous, services, options);
	}

}
