package io.github.vicinal.boot.exchange;

import feign.Capability;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration of exchanges of Feign clients.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = HttpExchangesAutoConfiguration.class)
@ConditionalOnClass(Capability.class)
@ConditionalOnBean(Exchanges.class)
public final class FeignAutoConfiguration {

	/**
	 * The first one, so that it gets the client itself and not what others put around.
	 */
	@Bean
	@ConditionalOnMissingBean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	FeignExchanges vicinalFeignExchanges(Exchanges exchanges) {
		return new FeignExchanges(exchanges);
	}

	/** Beans for Feign clients on Apache HttpClient 5. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = { "feign.hc5.ApacheHttp5Client",
			"org.springframework.cloud.openfeign.clientconfig.HttpClient5FeignConfiguration" })
	static final class ApacheConfiguration {

		@Bean
		@ConditionalOnMissingBean
		FeignApacheExchanges vicinalFeignApacheExchanges(Exchanges exchanges) {
			return new FeignApacheExchanges(exchanges);
		}

	}

}
