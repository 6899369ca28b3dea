package io.github.vicinal.boot.exchange;

import reactor.netty.http.client.HttpClient;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.cloud.gateway.config.GatewayProperties;
import org.springframework.cloud.gateway.config.HttpClientProperties;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.filter.NettyRoutingFilter;
import org.springframework.cloud.gateway.filter.headers.HttpHeadersFilter;
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
	GatewayExchanges vicinalGatewayExchanges(Exchanges exchanges, ObjectProvider<NettyRoutingFilter> filter,
			ObjectProvider<HttpClient> client, ObjectProvider<HttpClientProperties> settings,
			GatewayProperties properties) {
		return new GatewayExchanges(exchanges, filter::getObject, client::getObject, settings::getObject, properties);
	}

	@Bean
	GlobalFilter vicinalGatewayRouting(GatewayExchanges exchanges) {
		return exchanges.routing();
	}

	@Bean
	GlobalFilter vicinalGatewayWriting(GatewayExchanges exchanges) {
		return exchanges.writing();
	}

	@Bean
	HttpHeadersFilter vicinalGatewayAsking(GatewayExchanges exchanges) {
		return exchanges.asking();
	}

	@Bean
	HttpHeadersFilter vicinalGatewayLearning(GatewayExchanges exchanges) {
		return exchanges.learning();
	}

}
