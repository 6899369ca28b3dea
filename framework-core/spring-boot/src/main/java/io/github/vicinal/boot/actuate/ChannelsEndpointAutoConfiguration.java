package io.github.vicinal.boot.actuate;

import io.github.vicinal.boot.client.ChannelClientAutoConfiguration;
import io.github.vicinal.boot.client.ClientChannels;
import io.github.vicinal.boot.exchange.Exchanges;
import io.github.vicinal.boot.server.ServiceAutoConfiguration;
import io.github.vicinal.boot.server.ServiceCatalog;
import io.github.vicinal.codec.Codecs;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of {@link ChannelsEndpoint}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { ChannelClientAutoConfiguration.class, ServiceAutoConfiguration.class })
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(Codecs.class)
@ConditionalOnAvailableEndpoint(ChannelsEndpoint.class)
public final class ChannelsEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	ChannelsEndpoint vicinalChannelsEndpoint(ObjectProvider<ClientChannels> channels,
			ObjectProvider<ServiceCatalog> services, ObjectProvider<Exchanges> exchanges) {
		return new ChannelsEndpoint(channels::getIfAvailable, services::getIfAvailable, () -> {
			Exchanges known = exchanges.getIfAvailable();
			return (known != null) ? known.report() : null;
		});
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(ChannelsEndpoint.class)
	@ConditionalOnAvailableEndpoint(endpoint = ChannelsEndpoint.class, exposure = EndpointExposure.WEB)
	ChannelsPageEndpointExtension vicinalChannelsPageEndpointExtension(ChannelsEndpoint endpoint) {
		return new ChannelsPageEndpointExtension(endpoint);
	}

}
