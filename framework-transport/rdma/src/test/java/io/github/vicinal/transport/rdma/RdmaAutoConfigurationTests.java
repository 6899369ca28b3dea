package io.github.vicinal.transport.rdma;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.testing.TestCertificates;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Options from properties, and errors of those that break a rule. */
class RdmaAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, RdmaAutoConfiguration.class))
		.withBean(Codecs.class, () -> new Codecs(JsonMapper.builder().build(), true))
		.withBean(PeerIdentity.class, () -> PeerIdentity.create(PeerIdentity.NO_HOST))
		.withBean(ServiceRegistry.class);

	private static RdmaOptions options(Map<String, String> properties) {
		RdmaProperties bound = new Binder(new MapConfigurationPropertySource(properties)).bindOrCreate("vicinal.rdma",
				RdmaProperties.class);
		return new RdmaAutoConfiguration(bound, new StaticListableBeanFactory().getBeanProvider(SslBundles.class))
			.vicinalRdmaOptions();
	}

	@Test
	void thePropertiesHaveTheDefaultsOfTheOptions() {
		assertThat(options(Map.of())).usingRecursiveComparison().isEqualTo(RdmaOptions.defaults());
	}

	@Test
	void allPropertiesBecomeOptions() {
		assertThat(options(Map.of("vicinal.rdma.address", "10.0.0.2", "vicinal.rdma.port", "4711",
				"vicinal.rdma.announced-address", "10.0.0.3", "vicinal.rdma.ring-size", "4MB",
				"vicinal.rdma.completion-mode", "event", "vicinal.rdma.max-frame-size", "2MB",
				"vicinal.rdma.max-connections", "7", "vicinal.rdma.handshake-timeout", "9s",
				"vicinal.rdma.frame-timeout", "10s", "vicinal.rdma.ping-interval", "11s")))
			.usingRecursiveComparison()
			.isEqualTo(RdmaOptions.builder()
				.listeningOn("10.0.0.2", 4711)
				.announcedAddress("10.0.0.3")
				.ringBytes(4 << 20)
				.completionMode(CompletionMode.EVENT)
				.maxFrameBytes(2 << 20)
				.maxConnections(7)
				.handshakeTimeout(Duration.ofSeconds(9))
				.frameTimeout(Duration.ofSeconds(10))
				.pings(Duration.ofSeconds(11), Duration.ofSeconds(5))
				.build());
	}

	@Test
	void largeCallsCanBeKeptInTheRings() {
		assertThat(options(Map.of()).rendezvousBytes()).isEqualTo(1 << 20);
		assertThat(options(Map.of("vicinal.rdma.rendezvous-size", "0")).rendezvousBytes()).isZero();
		assertThat(options(Map.of("vicinal.rdma.rendezvous-size", "16MB")).rendezvousBytes()).isEqualTo(16 << 20);
	}

	@Test
	void anErrorNamesPropertyValueAndRule() {
		refused("ring-size", "1000KB", "a power of two from 64KB to 256MB");
		refused("ring-size", "32KB", "a power of two from 64KB to 256MB");
		refused("rendezvous-size", "300KB", "a multiple of 256KB up to 16MB, or 0");
		refused("rendezvous-size", "17MB", "a multiple of 256KB up to 16MB, or 0");
		refused("max-frame-size", "10B", "from 1KB to 1GB");
		refused("max-connections", "0", "at least 1");
		refused("max-threads", "0", "at least 1");
		refused("handshake-timeout", "1ms", "from 10 ms to 1 day");
		refused("ping-timeout", "2d", "from 10 ms to 1 day");
		refused("port", "-1", "from 0 to 65535");
		refused("address", "fabric.example.org", "an IPv4 address");
		refused("address", "0.0.0.0", "an IPv4 address");
		refused("announced-address", "::1", "an IPv4 address");
	}

	private static void refused(String property, String value, String rule) {
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> options(Map.of("vicinal.rdma." + property, value)))
			.returns("vicinal.rdma." + property, InvalidConfigurationPropertyValueException::getName)
			.satisfies((failure) -> assertThat(failure.getReason()).contains(rule));
	}

	@Test
	void topicsNeedABundle(@TempDir Path directory) throws Exception {
		TestCertificates certificates = new TestCertificates(directory).authority("ca")
			.signed("host", "ca")
			.signed("other", "ca");
		String bundle = "spring.ssl.bundle.jks.mesh.";
		String keys = certificates.write("keys.p12", certificates.keys("host"));
		String swapped = certificates.write("swapped.p12", certificates.keys("host", "other"));
		String trust = certificates.write("trust.p12", certificates.trust("ca"));
		this.runner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RdmaTopicCarrier.class));
		ApplicationContextRunner named = this.runner.withPropertyValues("vicinal.rdma.topic-ssl-bundle=mesh");
		named.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(InvalidConfigurationPropertyValueException.class)
			.hasMessageContaining("vicinal.rdma.topic-ssl-bundle")
			.hasMessageContaining("spring.ssl.bundle.pem.mesh"));
		ApplicationContextRunner withTrust = named.withPropertyValues(bundle + "truststore.location=" + trust,
				bundle + "truststore.password=" + TestCertificates.PASSWORD);
		withTrust.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("it has no key"));
		ApplicationContextRunner withKeys = withTrust
			.withPropertyValues(bundle + "keystore.password=" + TestCertificates.PASSWORD);
		withKeys.withPropertyValues(bundle + "keystore.location=" + swapped)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("a key does not belong to its certificate")
				.hasMessageContaining("CN=other"));
		withKeys.withPropertyValues(bundle + "keystore.location=" + keys)
			.run((context) -> assertThat(context.getBean(RdmaTopicCarrier.class).kind()).isEqualTo("rdma"));
	}

}
