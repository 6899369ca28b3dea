package io.github.vicinal.benchmarks.call;

import java.util.List;
import java.util.Map;

import jakarta.servlet.DispatcherType;

import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpHeaders;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.server.resource.InvalidBearerTokenException;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Security in front of the handler. Tokens are looked up in memory, so that the security
 * filter chain is measured and not cryptography, which would add the same to each path.
 */
enum EchoSecurity {

	/** Nothing: as an application without Spring Security. */
	NONE,

	/** A stateless resource server, observed as Spring Boot does by default. */
	OBSERVED,

	/** The same without the observations of the filter chain. */
	UNOBSERVED;

	private static final String TOKEN = "f2c1a97e-5d0b-4c38-9b7e-7a31c5b0d9e4";

	/** Header that a client of the secured servers sends with each request. */
	static RestClientCustomizer client() {
		return (builder) -> builder.defaultHeader(HttpHeaders.AUTHORIZATION, "Bearer " + TOKEN);
	}

	/** Server side. */
	@Configuration(proxyBeanMethods = false)
	@EnableWebSecurity
	static class Secured {

		@Bean
		SecurityFilterChain chain(HttpSecurity http, OpaqueTokenIntrospector tokens) {
			return http.csrf((csrf) -> csrf.disable())
				.sessionManagement((sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
				.authorizeHttpRequests((requests) -> requests.requestMatchers("/echo/**")
					.hasAuthority("SCOPE_echo")
					.anyRequest()
					.authenticated())
				.oauth2ResourceServer((server) -> server.opaqueToken((opaque) -> opaque.introspector(tokens)))
				.build();
		}

		@Bean
		OpaqueTokenIntrospector tokens() {
			OAuth2AuthenticatedPrincipal principal = new DefaultOAuth2AuthenticatedPrincipal("ann",
					Map.of("sub", "ann"), List.copyOf(AuthorityUtils.createAuthorityList("SCOPE_echo")));
			return (token) -> {
				if (!token.equals(TOKEN)) {
					throw new InvalidBearerTokenException("The token is unknown");
				}
				return principal;
			};
		}

		/** Registered as Spring Boot does it. */
		@Bean
		DelegatingFilterProxyRegistrationBean securityFilterChainRegistration() {
			DelegatingFilterProxyRegistrationBean registration = new DelegatingFilterProxyRegistrationBean(
					"springSecurityFilterChain");
			registration.setOrder(-100);
			registration.setDispatcherTypes(DispatcherType.ASYNC, DispatcherType.ERROR, DispatcherType.FORWARD,
					DispatcherType.INCLUDE, DispatcherType.REQUEST);
			return registration;
		}

		@Bean
		@Profile("unobserved")
		SecurityObservationSettings noSecurityObservations() {
			return SecurityObservationSettings.noObservations();
		}

	}

}
