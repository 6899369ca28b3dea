package io.github.vicinal.boot.autoconfigure;

import feign.Capability;
import io.github.vicinal.boot.exchange.Exchanges;
import io.github.vicinal.boot.exchange.FeignExchanges;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration of exchanges of Feign clients.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = ChannelClientAutoConfiguration.class)
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

}
