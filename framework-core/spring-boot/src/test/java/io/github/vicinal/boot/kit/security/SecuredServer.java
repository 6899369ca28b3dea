package io.github.vicinal.boot.kit.security;

import java.util.EnumSet;

import io.github.vicinal.boot.PlainPasswords;
import jakarta.servlet.DispatcherType;

import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

/**
 * Spring Security as Boot's starter sets it up. The starter itself is not in the test's
 * class path, because it would secure the servers of all other tests, too.
 */
@Configuration(proxyBeanMethods = false)
@EnableWebSecurity
class SecuredServer {

	@Bean
	DelegatingFilterProxyRegistrationBean securityFilterChainRegistration() {
		DelegatingFilterProxyRegistrationBean registration = new DelegatingFilterProxyRegistrationBean(
				"springSecurityFilterChain");
		registration.setOrder(-100);
		registration.setDispatcherTypes(EnumSet.allOf(DispatcherType.class));
		return registration;
	}

	@Bean
	UserDetailsService users() {
		return new InMemoryUserDetailsManager(User.withUsername("alice").password("a").roles("USER").build(),
				User.withUsername("bob").password("b").roles("USER", "ADMIN").build());
	}

	@Bean
	PasswordEncoder passwords() {
		return new PlainPasswords();
	}

}
