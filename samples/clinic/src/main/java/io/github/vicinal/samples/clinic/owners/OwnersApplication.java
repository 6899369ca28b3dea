package io.github.vicinal.samples.clinic.owners;

import io.github.vicinal.samples.clinic.common.Tokens;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.web.SecurityFilterChain;

/** The service of owners: a token reads, and one with the scope {@code desk} writes. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(OwnersController.class)
public class OwnersApplication {

	@Bean
	SecurityFilterChain ownersChain(HttpSecurity http) throws Exception {
		return http.csrf((csrf) -> csrf.disable())
			.sessionManagement((sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
			.authorizeHttpRequests((requests) -> requests.requestMatchers("/actuator/**")
				.permitAll()
				.requestMatchers(HttpMethod.GET, "/owners/**")
				.authenticated()
				.anyRequest()
				.hasAuthority("SCOPE_desk"))
			.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()))
			.build();
	}

	@Bean
	JwtDecoder jwtDecoder() {
		return Tokens.decoder();
	}

}
