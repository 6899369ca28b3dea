package io.github.vicinal.boot.exchange;

import java.security.Principal;
import java.util.concurrent.CompletableFuture;

import io.github.vicinal.boot.PlainPasswords;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.env.Profiles;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The shop behind Spring Security. */
@SpringBootConfiguration
@EnableAutoConfiguration
@EnableWebSecurity
@EnableMethodSecurity
@Import({ ShopApplication.Shop.class, SecuredShopApplication.Users.class })
class SecuredShopApplication {

	@Bean
	SecurityFilterChain chain(HttpSecurity http, Environment environment) {
		if (!environment.acceptsProfiles(Profiles.of("csrf"))) {
			http.csrf((csrf) -> csrf.disable())
				.sessionManagement((sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS));
		}
		return http
			.authorizeHttpRequests((requests) -> requests.requestMatchers("/etag")
				.hasRole("ADMIN")
				.requestMatchers((HttpServletRequest request) -> "red".equals(request.getParameter("colour")))
				.denyAll()
				.anyRequest()
				.authenticated())
			.httpBasic(Customizer.withDefaults())
			.build();
	}

	@Bean
	UserDetailsService users() {
		return new InMemoryUserDetailsManager(User.withUsername("user").password("secret").roles("USER").build(),
				User.withUsername("boss").password("secret").roles("USER", "ADMIN").build());
	}

	@Bean
	PasswordEncoder passwords() {
		return new PlainPasswords();
	}

	/** Handlers that ask who calls. */
	@RestController
	static class Users {

		@GetMapping("/me")
		String me(Principal principal) {
			return principal.getName() + " "
					+ SecurityContextHolder.getContext()
						.getAuthentication()
						.getAuthorities()
						.stream()
						.map(GrantedAuthority::getAuthority)
						.sorted()
						.toList();
		}

		@GetMapping("/bosses")
		@PreAuthorize("hasRole('ADMIN')")
		String bosses() {
			return "bosses only";
		}

		@GetMapping("/later")
		CompletableFuture<String> later() {
			String now = SecurityContextHolder.getContext().getAuthentication().getName();
			return CompletableFuture.supplyAsync(() -> "later " + now);
		}

	}

}
