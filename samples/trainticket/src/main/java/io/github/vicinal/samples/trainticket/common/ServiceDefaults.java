package io.github.vicinal.samples.trainticket.common;

import java.time.Clock;
import java.time.ZoneId;

import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Beans that every service has.
 */
@Configuration(proxyBeanMethods = false)
@Import(RemoteProblemAdvice.class)
class ServiceDefaults {

	/**
	 * Connections to one callee. HttpClient's own default of 5 would let callers wait for
	 * each other; plain HTTP shall be measured at its best.
	 */
	private static final int CONNECTIONS_PER_CALLEE = 64;

	@Bean
	Clock clock() {
		return Clock.system(ZoneId.systemDefault());
	}

	@Bean
	ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder> connectionPool() {
		return (builder) -> builder
			.withConnectionManagerCustomizer((manager) -> manager.setMaxConnPerRoute(CONNECTIONS_PER_CALLEE)
				.setMaxConnTotal(CONNECTIONS_PER_CALLEE));
	}

}
