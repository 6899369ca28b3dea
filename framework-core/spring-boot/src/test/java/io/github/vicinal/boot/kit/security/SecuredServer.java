package io.github.vicinal.boot.kit.security;

import java.util.EnumSet;

import jakarta.servlet.DispatcherType;

import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
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
		// A manager would replace the passwords by hashes that take long to compare.
		InMemoryUserDetailsManager known = new InMemoryUserDetailsManager(
				User.withUsername("alice").password("{noop}a").roles("USER").build(),
				User.withUsername("bob").password("{noop}b").roles("USER", "ADMIN").build());
		return known::loadUserByUsername;
	}

}
