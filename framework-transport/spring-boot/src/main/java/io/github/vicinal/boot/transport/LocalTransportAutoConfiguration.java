package io.github.vicinal.boot.transport;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.path.PathMeter;
import io.github.vicinal.path.PathMeters;
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
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the paths within one host.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = "io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration")
@ConditionalOnClass(UdsPathProvider.class)
@ConditionalOnBean(Codecs.class)
@EnableConfigurationProperties({ ShmProperties.class, UdsProperties.class })
public final class LocalTransportAutoConfiguration {

	/** Time-out of a path that is closed on its own, outside a graceful shutdown. */
	private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(10);

	private final UdsOptions uds;

	private final ShmOptions shm;

	private final Duration drainTimeout;

	/** Paths are opened when a client asks for one; mistakes are known at start. */
	LocalTransportAutoConfiguration(ShmProperties shm, UdsProperties uds, Environment environment) {
		LocalTransportOptions options = new LocalTransportOptions(environment);
		this.shm = options.shm(shm);
		this.uds = options.uds(uds, shm);
		this.drainTimeout = options.drainTimeout(DRAIN_TIMEOUT);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	UdsOptions vicinalUdsOptions() {
		return this.uds;
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	ShmOptions vicinalShmOptions() {
		return this.shm;
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
	DirectPathServer vicinalDirectPathServer(PeerIdentity identity, ServiceRegistry services) {
		return new DirectPathServer(identity, services, null, this.drainTimeout);
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

	@Bean
	PathMeters vicinalShmMeters(ConfigurableListableBeanFactory beanFactory) {
		List<PathMeter> meters = new ArrayList<>(ShmPathProvider.meters(existing(beanFactory, ShmPathProvider.class)));
		meters.addAll(ShmPathServer.meters(existing(beanFactory, ShmPathServer.class)));
		return () -> meters;
	}

	@Bean
	PathMeters vicinalUdsMeters(ConfigurableListableBeanFactory beanFactory) {
		List<PathMeter> meters = new ArrayList<>(UdsPathProvider.meters(existing(beanFactory, UdsPathProvider.class)));
		meters.addAll(UdsPathServer.meters(existing(beanFactory, UdsPathServer.class)));
		return () -> meters;
	}

	/** Returns a bean if it is there: to read a meter must not start a server. */
	private static <T> Supplier<@Nullable T> existing(ConfigurableListableBeanFactory beanFactory, Class<T> type) {
		return () -> {
			for (String name : beanFactory.getBeanNamesForType(type, false, false)) {
				if (beanFactory.containsSingleton(name)) {
					return beanFactory.getBean(name, type);
				}
			}
			return null;
		};
	}

}
