package io.github.vicinal.boot.client;

import java.net.URI;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;

class RedirectRulesTests {

	private static final URI FROM = URI.create("http://orders:8080/a");

	private static HttpHeaders headers(String... names) {
		HttpHeaders headers = new HttpHeaders();
		for (String name : names) {
			headers.set(name, "secret");
		}
		return headers;
	}

	@ParameterizedTest
	@EnumSource(RedirectRules.class)
	void credentialsStayWithTheirOrigin(RedirectRules rules) {
		for (String to : new String[] { "http://other:8080/b", "http://orders:8081/b", "https://orders:8080/b" }) {
			HttpHeaders headers = headers("Authorization", "Cookie", "X-Tenant");
			assertThat(rules.mayLeave(FROM, URI.create(to), headers)).isEqualTo(rules != RedirectRules.APACHE);
			assertThat(headers.headerNames()).containsExactly("X-Tenant");
			assertThat(rules.mayLeave(FROM, URI.create(to), headers("X-Tenant"))).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource(RedirectRules.class)
	void credentialsGoWithinTheirOrigin(RedirectRules rules) {
		HttpHeaders headers = headers("Authorization", "Cookie");
		assertThat(rules.mayLeave(FROM, URI.create("http://Orders:8080/b"), headers)).isTrue();
		assertThat(headers.headerNames()).containsExactlyInAnyOrder("Authorization", "Cookie");
	}

}
