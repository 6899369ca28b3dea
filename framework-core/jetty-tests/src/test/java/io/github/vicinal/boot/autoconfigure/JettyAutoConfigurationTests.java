package io.github.vicinal.boot.autoconfigure;

import io.github.vicinal.boot.server.RequestSockets;
import io.github.vicinal.boot.server.ServiceCatalog;
import io.github.vicinal.exchange.ExchangeService;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** Beans of exchanges by web server. */
class JettyAutoConfigurationTests {

	private final WebApplicationContextRunner server = new WebApplicationContextRunner()
		.withUserConfiguration(AutoConfigured.class);

	@Test
	void jettyHasItsOwn() {
		this.server.run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(JettyServletWebServerFactory.class);
			assertThat(context.getBeanNamesForType(ExchangeService.class, true, false))
				.containsExactly("vicinalJettyExchangeService");
			assertThat(context).hasSingleBean(RequestSockets.class);
		});
	}

	@Test
	void withoutAWebServerThereAreNone() {
		this.server.withClassLoader(new FilteredClassLoader(Server.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(ServiceCatalog.class)
				.doesNotHaveBean(ExchangeService.class)
				.doesNotHaveBean(RequestSockets.class));
	}

	@Test
	void theyAreOffByProperty() {
		this.server.withPropertyValues("vicinal.http-exchanges.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(ExchangeService.class)
				.doesNotHaveBean(RequestSockets.class));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class AutoConfigured {

	}

}
