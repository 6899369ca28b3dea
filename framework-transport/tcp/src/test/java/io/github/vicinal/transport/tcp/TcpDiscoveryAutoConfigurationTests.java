package io.github.vicinal.transport.tcp;

import java.util.HashMap;
import java.util.Map;

import io.github.vicinal.boot.server.ServiceCatalog;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.tcp.TcpDiscoveryTests.ShelfRegistration;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.client.discovery.event.InstancePreRegisteredEvent;

import static org.assertj.core.api.Assertions.assertThat;

/** The listener by condition. */
class TcpDiscoveryAutoConfigurationTests {

	private static final String LISTENER = "vicinalTcpRegistration";

	private final ApplicationContextRunner clientOnly = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(TcpDiscoveryAutoConfiguration.class, TcpAutoConfiguration.class))
		.withBean(Codecs.class, () -> new Codecs(new JsonMapper(), true))
		.withBean(PeerIdentity.class, () -> PeerIdentity.create(""))
		.withBean(ServiceRegistry.class)
		.withPropertyValues("vicinal.tcp.enabled=true");

	private final ApplicationContextRunner runner = this.clientOnly.withBean(ServiceCatalog.class,
			() -> Mockito.mock(ServiceCatalog.class));

	@Test
	void aServerRegistersWhereItListens() {
		this.runner.run((context) -> {
			assertThat(context).hasBean(LISTENER);
			assertThat(context.getBean(TcpOptions.class).connectsAhead()).isTrue();
		});
	}

	@Test
	void anApplicationThatOffersNothingRegistersNothing() {
		this.clientOnly.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LISTENER));
	}

	@Test
	void worksWithoutSpringCloud() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.cloud"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(TcpOptions.class)
				.doesNotHaveBean(LISTENER));
	}

	@Test
	void onePropertySwitchesBothSidesOff() {
		this.runner.withPropertyValues("vicinal.tcp.discovery-metadata=false").run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(LISTENER);
			assertThat(context.getBean(TcpOptions.class).connectsAhead()).isFalse();
		});
	}

	@Test
	void withoutThePathThereIsNothingToRegister() {
		this.runner.withPropertyValues("vicinal.tcp.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LISTENER));
	}

	@Test
	void anEventStartsNoServerThatDoesNotEncrypt() {
		this.runner.run((context) -> {
			Map<String, String> metadata = new HashMap<>();
			context.publishEvent(new InstancePreRegisteredEvent(this, new ShelfRegistration(metadata)));
			assertThat(metadata).isEmpty();
			assertThat(context.getBean(TcpPathServer.class).unavailable()).contains("it is not started");
		});
	}

}
