package io.github.vicinal.transport.tcp;

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

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.Order;
import org.springframework.util.unit.DataSize;

/**
 * Auto-configuration of the path {@code tcp}, which has to be asked for.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = { "io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration",
		"org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration" })
@ConditionalOnProperty("vicinal.tcp.enabled")
@ConditionalOnBean(Codecs.class)
@EnableConfigurationProperties(TcpProperties.class)
public final class TcpAutoConfiguration {

	private final TcpOptions options;

	private final TcpTls tls;

	/** Paths are opened when a client asks for one; mistakes are known at start. */
	TcpAutoConfiguration(TcpProperties properties, ObjectProvider<SslBundles> bundles) {
		this.tls = tls(properties.ssl(), bundles);
		this.options = options(properties);
	}

	private TcpOptions options(TcpProperties properties) {
		return named(() -> {
			if (this.tls.server() == null) {
				TcpOptions.requireLoopback(properties.address(), properties.announcedAddress());
			}
			return TcpOptions.builder()
				.listeningOn(properties.address(), properties.port())
				.announcedAddress(properties.announcedAddress())
				.maxFrameBytes(bytes(properties.maxFrameSize()))
				.maxUnsentBytes(bytes(properties.maxUnsentSize()))
				.maxConnections(properties.maxConnections())
				.maxThreads(properties.maxThreads())
				.maxConnectionsPerPeer(properties.maxConnectionsPerPeer())
				.idleTimeout(properties.idleTimeout())
				.handshakeTimeout(properties.handshakeTimeout())
				.frameTimeout(properties.frameTimeout())
				.pings(properties.pingInterval(), properties.pingTimeout())
				.compressedFromBytes((properties.compressedFromSize() != null) ? bytes(properties.compressedFromSize())
						: Integer.MAX_VALUE)
				.connectsAhead(properties.discoveryMetadata())
				.io(properties.io())
				.build();
		});
	}

	/** Converts a size; one above the largest number stands for that number. */
	private static int bytes(DataSize size) {
		return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, size.toBytes()));
	}

	/** The options know their limits; here a value that breaks one gets its property. */
	private static TcpOptions named(Supplier<TcpOptions> options) {
		try {
			return options.get();
		}
		catch (InvalidOptionException ex) {
			String property = ex.option()
				.replace("Bytes", "Size")
				.replaceAll("(\\p{Upper})", "-$1")
				.toLowerCase(Locale.ROOT);
			throw invalid(property, ex.value(), "It must be " + ex.rule());
		}
	}

	private static InvalidConfigurationPropertyValueException invalid(String property, String value, String reason) {
		return new InvalidConfigurationPropertyValueException(TcpProperties.PREFIX + "." + property, value, reason);
	}

	private static TcpTls tls(TcpProperties.Ssl ssl, ObjectProvider<SslBundles> bundles) {
		String server = ssl.bundle();
		String client = ssl.clientBundle();
		if (server == null || server.isEmpty()) {
			if (client != null && !client.isEmpty()) {
				throw invalid("ssl.client-bundle", client,
						"It replaces vicinal.tcp.ssl.bundle for clients, which is not set. Set vicinal.tcp.ssl.bundle");
			}
			return TcpTls.plaintext();
		}
		Tls accepting = Tls.server(material("ssl.bundle", server, bundles), ssl.clientAuth());
		update(accepting, bundles);
		boolean own = client != null && !client.isEmpty();
		Tls connecting = Tls.client(
				own ? material("ssl.client-bundle", client, bundles) : material("ssl.bundle", server, bundles),
				ssl.verifyHostname());
		update(connecting, bundles);
		connecting.unusable().ifPresent((why) -> {
			throw invalid(own ? "ssl.client-bundle" : "ssl.bundle", connecting.bundle(), why);
		});
		return new TcpTls(accepting, connecting);
	}

	private static TlsMaterial material(String property, @Nullable String name, ObjectProvider<SslBundles> bundles) {
		SslBundles known = bundles.getIfAvailable();
		String bundle = String.valueOf(name);
		if (known == null) {
			throw invalid(property, bundle, "There is no bean of type SslBundles that knows it");
		}
		try {
			return SslBundleMaterial.of(bundle, known.getBundle(bundle));
		}
		catch (NoSuchSslBundleException ex) {
			throw invalid(property, bundle,
					"There is no SSL bundle of that name, only %s. Define spring.ssl.bundle.pem.%s or spring.ssl.bundle.jks.%s"
						.formatted(known.getBundleNames(), bundle, bundle));
		}
		catch (IllegalStateException ex) {
			throw invalid(property, bundle, "Its key store or trust store cannot be read: " + ex.getMessage());
		}
	}

	private static void update(Tls tls, ObjectProvider<SslBundles> bundles) {
		bundles.ifAvailable((known) -> known.addBundleUpdateHandler(tls.bundle(),
				(reloaded) -> tls.replace(() -> SslBundleMaterial.of(tls.bundle(), reloaded))));
	}

	@Bean
	@ConditionalOnMissingBean
	TcpOptions vicinalTcpOptions() {
		return this.options;
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	TcpPathProvider vicinalTcpPathProvider(PeerIdentity identity, Codecs codecs, TcpOptions options) {
		return new TcpPathProvider(identity, codecs, options, this.tls.client());
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	TcpPathServer vicinalTcpPathServer(PeerIdentity identity, ServiceRegistry services, TcpOptions options) {
		return new TcpPathServer(identity, services, options, this.tls.server());
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	@Order(0) // An address without a kind is one of tcp.
	TcpTopicCarrier vicinalTcpTopicCarrier(ObjectProvider<TcpPathServer> server, TcpOptions options) {
		return new TcpTopicCarrier(server::getObject, options, this.tls.client());
	}

	@Bean
	PathMeters vicinalTcpMeters(ConfigurableListableBeanFactory beanFactory) {
		List<PathMeter> meters = TcpMeters.of(existing(beanFactory, TcpPathServer.class),
				existing(beanFactory, TcpPathProvider.class));
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
