package io.github.vicinal.boot.actuate;

import io.github.vicinal.boot.server.RequestServerAutoConfiguration;
import io.github.vicinal.requestserver.RequestServer;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the endpoint that shows the request server.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RequestServerAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(RequestServer.class)
@ConditionalOnAvailableEndpoint(RequestServerEndpoint.class)
public final class RequestServerEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RequestServerEndpoint requestServerEndpoint(RequestServer server) {
		return new RequestServerEndpoint(server);
	}

}
