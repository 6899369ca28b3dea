package io.github.vicinal.transport.tcp;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.ssl.jks.JksSslStoreBundle;
import org.springframework.boot.ssl.jks.JksSslStoreDetails;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Options from properties, and errors of those that break a rule. */
class TcpAutoConfigurationTests {

	private static TcpAutoConfiguration configuration(Map<String, String> properties) {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry("nothing", SslBundle.of(SslStoreBundle.NONE));
		bundles.registerBundle("missing", SslBundle
			.of(new JksSslStoreBundle(JksSslStoreDetails.forLocation("classpath:no-such-file.p12"), null)));
		beans.registerSingleton("bundles", bundles);
		TcpProperties bound = new Binder(new MapConfigurationPropertySource(properties)).bindOrCreate("vicinal.tcp",
				TcpProperties.class);
		return new TcpAutoConfiguration(bound, beans.getBeanProvider(SslBundles.class));
	}

	private static TcpOptions options(Map<String, String> properties) {
		return configuration(properties).vicinalTcpOptions();
	}

	@Test
	void thePropertiesHaveTheDefaultsOfTheOptions() {
		assertThat(options(Map.of())).usingRecursiveComparison().isEqualTo(TcpOptions.defaults());
	}

	@Test
	void allPropertiesBecomeOptions() {
		assertThat(options(Map.ofEntries(Map.entry("vicinal.tcp.address", "127.0.0.2"),
				Map.entry("vicinal.tcp.port", "4711"), Map.entry("vicinal.tcp.announced-address", "127.0.0.3"),
				Map.entry("vicinal.tcp.max-frame-size", "2MB"), Map.entry("vicinal.tcp.max-unsent-size", "8KB"),
				Map.entry("vicinal.tcp.max-connections", "7"), Map.entry("vicinal.tcp.max-threads", "8"),
				Map.entry("vicinal.tcp.handshake-timeout", "9s"), Map.entry("vicinal.tcp.frame-timeout", "10s"),
				Map.entry("vicinal.tcp.ping-interval", "11s"), Map.entry("vicinal.tcp.compressed-from-size", "9KB"),
				Map.entry("vicinal.tcp.max-connections-per-peer", "2"), Map.entry("vicinal.tcp.idle-timeout", "3s"),
				Map.entry("vicinal.tcp.discovery-metadata", "false"), Map.entry("vicinal.tcp.io", "nio"))))
			.usingRecursiveComparison()
			.isEqualTo(TcpOptions.builder()
				.listeningOn("127.0.0.2", 4711)
				.announcedAddress("127.0.0.3")
				.maxFrameBytes(2 << 20)
				.maxUnsentBytes(8 << 10)
				.maxConnections(7)
				.maxThreads(8)
				.handshakeTimeout(Duration.ofSeconds(9))
				.frameTimeout(Duration.ofSeconds(10))
				.pings(Duration.ofSeconds(11), Duration.ofSeconds(10))
				.compressedFromBytes(9 << 10)
				.maxConnectionsPerPeer(2)
				.idleTimeout(Duration.ofSeconds(3))
				.connectsAhead(false)
				.io(SocketIo.NIO)
				.build());
	}

	@Test
	void anErrorNamesPropertyValueAndRule() {
		refused("max-frame-size", "10B", "from 1KB to 1GB");
		refused("max-unsent-size", "0B", "at least 1KB");
		refused("max-connections", "0", "at least 1");
		refused("max-connections-per-peer", "0", "from 1 to 16");
		refused("max-connections-per-peer", "17", "from 1 to 16");
		refused("idle-timeout", "1ms", "from 10 ms to 1 day");
		refused("handshake-timeout", "1ms", "from 10 ms to 1 day");
		refused("ping-timeout", "2d", "from 10 ms to 1 day");
		refused("port", "-1", "from 0 to 65535");
		refused("address", "localhost", "vicinal.tcp.ssl.bundle");
		refused("announced-address", "192.0.2.1", "a loopback address");
		refused("ssl.bundle", "mesh", "There is no SSL bundle of that name, only [missing, nothing]");
		refused("ssl.bundle", "missing", "cannot be read");
		refused("ssl.client-bundle", "nothing", "Set vicinal.tcp.ssl.bundle");
	}

	private static void refused(String property, String value, String rule) {
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> options(Map.of("vicinal.tcp." + property, value)))
			.returns("vicinal.tcp." + property, InvalidConfigurationPropertyValueException::getName)
			.satisfies((failure) -> assertThat(failure.getReason()).contains(rule));
	}

	@Test
	void aBundleWithoutAKeyServesClientsOnly() {
		assertThat(options(Map.of("vicinal.tcp.ssl.bundle", "nothing", "vicinal.tcp.address", "192.0.2.1")).address())
			.isEqualTo("192.0.2.1");
	}

}
