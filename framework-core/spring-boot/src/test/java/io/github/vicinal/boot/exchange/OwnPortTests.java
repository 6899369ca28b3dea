package io.github.vicinal.boot.exchange;

import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

class OwnPortTests {

	@Test
	void serverOfTheApplicationHasAPort() {
		try (ConfigurableApplicationContext context = run(WebApplicationType.SERVLET)) {
			assertThat(new OwnPort(context.getEnvironment()).get()).isPositive()
				.isEqualTo(context.getEnvironment().getProperty("local.server.port", Integer.class));
		}
	}

	@Test
	void applicationWithoutAServerHasNone() {
		try (ConfigurableApplicationContext context = run(WebApplicationType.NONE)) {
			assertThat(new OwnPort(context.getEnvironment()).get()).isNull();
		}
	}

	@Test
	void propertyOfTheSameNameIsNoPort() {
		assertThat(new OwnPort(new MockEnvironment().withProperty("local.server.port", "8080")).get()).isNull();
	}

	private static ConfigurableApplicationContext run(WebApplicationType type) {
		SpringApplication application = new SpringApplication(Application.class);
		application.setWebApplicationType(type);
		return application.run("--server.port=0", "--spring.main.banner-mode=off");
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		TomcatServletWebServerFactory webServer() {
			return new TomcatServletWebServerFactory();
		}

	}

}
