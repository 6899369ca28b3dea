package io.github.vicinal.boot.exchange;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.ClassUtils;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/** A request over the direct path into Jetty. */
@Timeout(120)
class JettyFirstTests {

	@RegisterExtension
	private final ExchangeBehaviourTests.Applications applications = new ExchangeBehaviourTests.Applications();

	@Test
	void tomcatIsNotThere() {
		assertThat(ClassUtils.isPresent("org.apache.catalina.startup.Tomcat", getClass().getClassLoader())).isFalse();
	}

	@Test
	void aRequestIsServed() {
		ConfigurableApplicationContext server = this.applications.start(ShopApplication.class,
				Map.of("server.port", "0", "vicinal.server.paths", "direct"));
		ConfigurableApplicationContext client = this.applications.client("direct", "http-components");
		RestClient requests = client.getBean(RestClient.Builder.class)
			.baseUrl("http://localhost:" + server.getEnvironment().getProperty("local.server.port"))
			.build();
		Exchanges sent = client.getBean(Exchanges.class);
		ExchangeBehaviourTests.connect(requests, sent, "direct");
		assertThat(requests.get().uri("/text").retrieve().body(String.class)).isEqualTo("héllo");
		assertThat(ExchangeBehaviourTests.calls(sent, "direct")).isPositive();
	}

}
