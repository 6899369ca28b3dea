package io.github.vicinal.transport.rdma;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.path.PathMeter;
import io.github.vicinal.path.PathMeters;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.multiplex.OwnKeys;
import io.github.vicinal.transport.wire.InvalidOptionException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ApplicationListener;
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

	private final TopicTls tls;

	/** Paths are opened when a client asks for one; mistakes are known at start. */
	RdmaAutoConfiguration(RdmaProperties properties, ObjectProvider<SslBundles> bundles) {
		this.options = options(properties);
		String bundle = properties.topicSslBundle();
		this.tls = bundle.isEmpty() ? new TopicTls(bundle, "vicinal.rdma.topic-ssl-bundle names none")
				: tls(bundle, bundles);
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

	/**
	 * Says why there is no RDMA before a peer asks. A host that has it is looked at when
	 * a peer connects, since that loads native libraries.
	 */
	@Bean
	ApplicationListener<ApplicationReadyEvent> vicinalRdmaNotice(ObjectProvider<RdmaDevices> devices) {
		return (event) -> {
			if (new RdmaHost(Path.of("/")).missing(this.options.lockedBytes()) != null) {
				devices.getObject().support();
			}
		};
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
	@Lazy
	@ConditionalOnMissingBean
	@ConditionalOnProperty("vicinal.rdma.topic-ssl-bundle")
	RdmaTopicCarrier vicinalRdmaTopicCarrier(ObjectProvider<RdmaPathServer> server, RdmaDevices devices,
			RdmaOptions options) {
		return new RdmaTopicCarrier(server::getObject, devices, options, this.tls);
	}

	private static TopicTls tls(String name, ObjectProvider<SslBundles> bundles) {
		SslBundles known = bundles.getIfAvailable();
		if (known == null) {
			throw invalid(name, "There is no bean of type SslBundles that knows it");
		}
		SslBundle bundle;
		try {
			bundle = known.getBundle(name);
		}
		catch (NoSuchSslBundleException ex) {
			throw invalid(name,
					"There is no SSL bundle of that name, only %s. Define spring.ssl.bundle.pem.%s or spring.ssl.bundle.jks.%s"
						.formatted(known.getBundleNames(), name, name));
		}
		TopicTls made;
		try {
			made = new TopicTls(name, material(bundle));
		}
		catch (IllegalStateException ex) {
			throw invalid(name, "It cannot be used: " + ex.getMessage());
		}
		known.addBundleUpdateHandler(name, (reloaded) -> {
			try {
				made.replace(material(reloaded));
			}
			catch (IllegalStateException ex) {
				made.keep(String.valueOf(ex.getMessage()));
			}
		});
		return made;
	}

	private static InvalidConfigurationPropertyValueException invalid(String bundle, String reason) {
		return new InvalidConfigurationPropertyValueException(RdmaProperties.PREFIX + ".topic-ssl-bundle", bundle,
				reason);
	}

	private static TopicTls.Material material(SslBundle bundle) {
		if (bundle.getStores().getKeyStore() == null) {
			throw new IllegalStateException(
					"it has no key, which both sides of a topic need. Add a key store or a private key");
		}
		if (bundle.getStores().getTrustStore() == null) {
			throw new IllegalStateException(
					"it has no trust store, so certificates of public authorities would be accepted. Add a trust store");
		}
		String mismatch = OwnKeys.mismatch(bundle.getManagers().getKeyManagers());
		if (mismatch != null) {
			throw new IllegalStateException(mismatch);
		}
		return new TopicTls.Material(bundle.createSslContext(), list(bundle.getOptions().getCiphers()),
				list(bundle.getOptions().getEnabledProtocols()));
	}

	private static List<String> list(String @Nullable [] names) {
		return (names != null) ? List.of(names) : List.of();
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
