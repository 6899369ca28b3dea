package io.github.vicinal.boot.autoconfigure;

import java.time.Duration;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

import io.github.vicinal.boot.autoconfigure.VicinalProperties.Uds;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.direct.DirectPathProvider;
import io.github.vicinal.transport.direct.DirectPathServer;
import io.github.vicinal.transport.uds.UdsOptions;
import io.github.vicinal.transport.uds.UdsPathProvider;
import io.github.vicinal.transport.uds.UdsPathServer;

/**
 * Auto-configuration of the paths within one host.
 *
 * @since 0.1
 */
@AutoConfiguration(after = VicinalAutoConfiguration.class)
@ConditionalOnClass(UdsPathProvider.class)
@ConditionalOnBean(Codecs.class)
public final class LocalTransportAutoConfiguration {

	/** Below Boot's own 30 s for a phase of the shutdown. */
	private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(10);

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	UdsOptions vicinalUdsOptions(VicinalProperties properties) {
		Uds uds = properties.uds();
		return UdsOptions.defaults()
			.withMaxFrameBytes(Math.toIntExact(uds.maxFrameSize().toBytes()))
			.withMaxConnectionsPerPeer(uds.maxConnectionsPerPeer())
			.withMaxConnections(uds.maxConnections())
			.withDrainTimeout(DRAIN_TIMEOUT);
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
	UdsPathProvider vicinalUdsPathProvider(PeerIdentity identity, Rendezvous rendezvous, Codecs codecs,
			UdsOptions options) {
		return new UdsPathProvider(identity, rendezvous, codecs, options);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	DirectPathServer vicinalDirectPathServer(PeerIdentity identity, ServiceRegistry services) {
		return new DirectPathServer(identity, services, null, DRAIN_TIMEOUT);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	UdsPathServer vicinalUdsPathServer(PeerIdentity identity, Rendezvous rendezvous, ServiceRegistry services,
			UdsOptions options) {
		return new UdsPathServer(identity, rendezvous, services, options);
	}

}
