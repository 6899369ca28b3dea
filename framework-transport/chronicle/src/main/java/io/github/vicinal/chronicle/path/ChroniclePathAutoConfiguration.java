package io.github.vicinal.chronicle.path;

import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

import io.github.vicinal.chronicle.JvmFlags;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.path.PathMeter;
import io.github.vicinal.path.PathMeters;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
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
 * Auto-configuration of the path {@code chronicle}, which has to be asked for.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = "io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration")
@ConditionalOnProperty("vicinal.chronicle.enabled")
@ConditionalOnBean(Codecs.class)
@EnableConfigurationProperties(ChroniclePathProperties.class)
public final class ChroniclePathAutoConfiguration {

	private final ChroniclePathOptions options;

	/** Paths are opened when a client asks for one; mistakes are known at start. */
	ChroniclePathAutoConfiguration(ChroniclePathProperties properties) {
		JvmFlags.require(JvmFlags.Use.PATH);
		this.options = options(properties);
	}

	private static ChroniclePathOptions options(ChroniclePathProperties properties) {
		try {
			return ChroniclePathOptions.builder()
				.maxFrameBytes(bytes(properties.maxFrameSize()))
				.maxQueueBytes(properties.maxQueueSize().toBytes())
				.fileBytes(bytes(properties.fileSize()))
				.minFreeBytes(properties.minFree().toBytes())
				.maxConnections(properties.maxConnections())
				.maxThreads(properties.maxThreads())
				.handshakeTimeout(properties.handshakeTimeout())
				.frameTimeout(properties.frameTimeout())
				.build();
		}
		catch (InvalidOptionException ex) {
			// The options know their limits; here a value that breaks one gets its
			// property.
			String property = ex.option()
				.replace("Bytes", "Size")
				.replaceAll("(\\p{Upper})", "-$1")
				.toLowerCase(Locale.ROOT);
			throw new InvalidConfigurationPropertyValueException(ChroniclePathProperties.PREFIX + "." + property,
					ex.value(), "It must be " + ex.rule());
		}
	}

	/** No limit is as high as the largest number. */
	private static int bytes(DataSize size) {
		return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, size.toBytes()));
	}

	@Bean
	@ConditionalOnMissingBean
	ChroniclePathOptions vicinalChroniclePathOptions() {
		return this.options;
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	ChroniclePathProvider vicinalChroniclePathProvider(PeerIdentity identity, Rendezvous rendezvous, Codecs codecs,
			ChroniclePathOptions options) {
		return new ChroniclePathProvider(identity, rendezvous, codecs, options);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	ChroniclePathServer vicinalChroniclePathServer(PeerIdentity identity, Rendezvous rendezvous,
			ServiceRegistry services, ChroniclePathOptions options) {
		return new ChroniclePathServer(identity, rendezvous, services, options);
	}

	@Bean
	PathMeters vicinalChroniclePathMeters(ConfigurableListableBeanFactory beanFactory) {
		List<PathMeter> meters = ChroniclePathMeters.of(existing(beanFactory, ChroniclePathServer.class),
				existing(beanFactory, ChroniclePathProvider.class));
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
