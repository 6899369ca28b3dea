package io.github.vicinal.samples.clinic.visits;

import io.github.vicinal.samples.clinic.common.Tokens;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.client.RestClient;

/** The service of visits, which passes its caller's token on. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(VisitsController.class)
public class VisitsApplication {

	@Bean
	SecurityFilterChain visitsChain(HttpSecurity http) throws Exception {
		return http.csrf((csrf) -> csrf.disable())
			.sessionManagement((sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
			.authorizeHttpRequests(
					(requests) -> requests.requestMatchers("/actuator/**").permitAll().anyRequest().authenticated())
			.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()))
			.build();
	}

	@Bean
	JwtDecoder jwtDecoder() {
		return Tokens.decoder();
	}

	@Bean
	RestClient owners(RestClient.Builder builder, @Value("${clinic.owners}") String url) {
		return builder.baseUrl(url).requestInterceptor((request, body, execution) -> {
			if (SecurityContextHolder.getContext().getAuthentication() instanceof JwtAuthenticationToken known) {
				request.getHeaders().setBearerAuth(known.getToken().getTokenValue());
			}
			return execution.execute(request, body);
		}).build();
	}

}
