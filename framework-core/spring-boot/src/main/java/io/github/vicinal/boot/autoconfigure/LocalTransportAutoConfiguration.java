package io.github.vicinal.boot.autoconfigure;

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
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the paths within one host.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = VicinalAutoConfiguration.class)
@ConditionalOnClass(UdsPathProvider.class)
@ConditionalOnBean(Codecs.class)
public final class LocalTransportAutoConfiguration {

	private final UdsOptions uds;

	private final ShmOptions shm;

	/** Paths are opened when a client asks for one; mistakes are known at start. */
	LocalTransportAutoConfiguration(VicinalProperties properties, Environment environment) {
		this.shm = LocalTransportOptions.shm(properties, environment);
		this.uds = LocalTransportOptions.uds(properties, environment);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	UdsOptions vicinalUdsOptions(Environment environment) {
		return this.uds.withDrainTimeout(DrainTimeouts.ofPath(environment));
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	ShmOptions vicinalShmOptions(Environment environment) {
		return this.shm.withDrainTimeout(DrainTimeouts.ofPath(environment));
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
