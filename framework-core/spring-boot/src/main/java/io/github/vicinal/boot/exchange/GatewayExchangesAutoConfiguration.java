package io.github.vicinal.boot.exchange;

import java.util.function.Supplier;

import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.cloud.gateway.config.GatewayProperties;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.filter.NettyRoutingFilter;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of exchanges for a Spring Cloud Gateway on WebFlux.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = HttpExchangesAutoConfiguration.class,
		afterName = "org.springframework.cloud.gateway.config.GatewayAutoConfiguration")
@ConditionalOnClass(NettyRoutingFilter.class)
@ConditionalOnBean({ Exchanges.class, NettyRoutingFilter.class })
public final class GatewayExchangesAutoConfiguration {

	@Bean
	static BeanPostProcessor vicinalGatewayPostProcessor(ObjectProvider<Exchanges> exchanges) {
		return new RoutingFilterPostProcessor(exchanges::getIfAvailable);
	}

	@Bean
	GlobalFilter vicinalGatewayWriting(GatewayProperties properties) {
		return new GatewayResponse.Writing(properties.getStreamingMediaTypes());
	}

	/** Puts a filter that makes exchanges in the place of the gateway's own. */
	private record RoutingFilterPostProcessor(Supplier<@Nullable Exchanges> exchanges) implements BeanPostProcessor {

		private static final Logger logger = LoggerFactory.getLogger(GatewayExchangesAutoConfiguration.class);

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (!(bean instanceof NettyRoutingFilter filter)) {
				return bean;
			}
			if (filter.getClass() != NettyRoutingFilter.class) {
				logger.info("Requests of the gateway go over HTTP: {} sends them, where Vicinal knows {}",
						filter.getClass().getName(), NettyRoutingFilter.class.getName());
				return bean;
			}
			try {
				return GatewayRoutingFilter.of(filter, this.exchanges);
			}
			catch (UnknownLayoutException ex) {
				logger.warn("Requests of the gateway go over HTTP: its routing filter cannot be inspected ({})",
						ex.getMessage());
				return bean;
			}
		}

	}

}
