package io.github.vicinal.transport.rdma;

import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.path.PathMeter;
import io.github.vicinal.path.PathMeters;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.wire.InvalidOptionException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.util.unit.DataSize;

/**
 * Auto-configuration of the path {@code rdma}. On a host without an RDMA device the path
 * has a reason instead of a server.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = "io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration")
@ConditionalOnProperty(name = "vicinal.rdma.enabled", matchIfMissing = true)
@ConditionalOnBean(Codecs.class)
@EnableConfigurationProperties(RdmaProperties.class)
public final class RdmaAutoConfiguration {

	private final RdmaOptions options;

	/** Paths are opened when a client asks for one; mistakes are known at start. */
	RdmaAutoConfiguration(RdmaProperties properties) {
		this.options = options(properties);
	}

	private static RdmaOptions options(RdmaProperties properties) {
		try {
			return RdmaOptions.builder()
				.listeningOn(properties.address(), properties.port())
				.announcedAddress(properties.announcedAddress())
				.ringBytes(bytes(properties.ringSize()))
				.rendezvousBytes(bytes(properties.rendezvousSize()))
				.completionMode(properties.completionMode())
				.maxFrameBytes(bytes(properties.maxFrameSize()))
				.maxConnections(properties.maxConnections())
				.maxThreads(properties.maxThreads())
				.handshakeTimeout(properties.handshakeTimeout())
				.frameTimeout(properties.frameTimeout())
				.pings(properties.pingInterval(), properties.pingTimeout())
				.build();
		}
		catch (InvalidOptionException ex) {
			// The options know their limits; here a value that breaks one gets its
			// property.
			String property = ex.option()
				.replace("Bytes", "Size")
				.replaceAll("(\\p{Upper})", "-$1")
				.toLowerCase(Locale.ROOT);
			throw new InvalidConfigurationPropertyValueException(RdmaProperties.PREFIX + "." + property, ex.value(),
					"It must be " + ex.rule());
		}
	}

	/** Converts a size; one above the largest number stands for that number. */
	private static int bytes(DataSize size) {
		return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, size.toBytes()));
	}

	@Bean
	@ConditionalOnMissingBean
	RdmaOptions vicinalRdmaOptions() {
		return this.options;
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	RdmaDevices vicinalRdmaDevices(RdmaOptions options) {
		return new RdmaDevices(options);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	RdmaPathProvider vicinalRdmaPathProvider(RdmaDevices devices, Codecs codecs, RdmaOptions options) {
		return new RdmaPathProvider(devices, codecs, options);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	RdmaPathServer vicinalRdmaPathServer(PeerIdentity identity, RdmaDevices devices, ServiceRegistry services,
			RdmaOptions options) {
		return new RdmaPathServer(identity, devices, services, options);
	}

	@Bean
	PathMeters vicinalRdmaMeters(ConfigurableListableBeanFactory beanFactory) {
		List<PathMeter> meters = RdmaMeters.of(existing(beanFactory, RdmaPathServer.class),
				existing(beanFactory, RdmaPathProvider.class));
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
