package io.github.vicinal.starter;

import io.github.vicinal.server.AffinityService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Security filters keep a contract on HTTP, unless its controller says otherwise. */
@Timeout(60)
class SecurityTests {

	@Test
	void aSecurityFilterChainIsPassedByTypedCalls() {
		try (ConfigurableApplicationContext server = Applications.start(FilteredService.class);
				ConfigurableApplicationContext client = client(server)) {
			Quotes quotes = client.getBean(Quotes.class);
			String overHttp = quotes.quote("A").servedBy();
			Applications.awaitPath(client, 1, "direct");
			assertThat(quotes.quote("A").servedBy()).isEqualTo(overHttp);
		}
	}

	@Test
	void methodSecurityApplies() {
		try (ConfigurableApplicationContext server = Applications.start(MarkedService.class);
				ConfigurableApplicationContext client = client(server)) {
			Quotes quotes = client.getBean(Quotes.class);
			Applications.awaitPath(client, 1, "direct");
			assertThat(quotes.quote("A").servedBy()).contains("anonymousUser");
			assertThatExceptionOfType(HttpClientErrorException.class).isThrownBy(() -> quotes.quote("secret"))
				.satisfies((ex) -> assertThat(ex.getStatusCode().value()).isIn(401, 403));
			assertThat(SecurityContextHolder.getContext().getAuthentication()).isNull();
		}
	}

	private static ConfigurableApplicationContext client(ConfigurableApplicationContext server) {
		return Applications.start(Client.class,
				"spring.http.serviceclient.quotes.base-url=" + Applications.url(server));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@ImportHttpServices(group = "quotes", types = Quotes.class)
	static class Client {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableMethodSecurity
	static class Secured {

		@Bean
		SecurityFilterChain chain(HttpSecurity http) throws Exception {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll()).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Secured.class, FilteredController.class })
	static class FilteredService {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Secured.class, MarkedController.class, Vault.class })
	static class MarkedService {

	}

	@RestController
	static class FilteredController implements Quotes {

		@Override
		public Quote quote(String symbol) {
			return new Quote(symbol, 1, "");
		}

	}

	@RestController
	@AffinityService
	static class MarkedController implements Quotes {

		private final Vault vault;

		MarkedController(Vault vault) {
			this.vault = vault;
		}

		@Override
		public Quote quote(String symbol) {
			long cents = symbol.equals("secret") ? this.vault.open() : 1;
			return new Quote(symbol, cents, String.valueOf(SecurityContextHolder.getContext().getAuthentication()));
		}

	}

	static class Vault {

		@PreAuthorize("hasRole('KEEPER')")
		public long open() {
			return 42;
		}

	}

}
