package io.github.vicinal.boot.actuate;

import io.github.vicinal.boot.client.ChannelClientAutoConfiguration;
import io.github.vicinal.boot.client.ClientChannels;
import io.github.vicinal.boot.server.RequestServerAutoConfiguration;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.requestserver.RequestServer;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the health indicator.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { ChannelClientAutoConfiguration.class, RequestServerAutoConfiguration.class })
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(Codecs.class)
@ConditionalOnEnabledHealthIndicator("vicinal")
public final class VicinalHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = "vicinalHealthIndicator")
	VicinalHealthIndicator vicinalHealthIndicator(ObjectProvider<RequestServer> server,
			ObjectProvider<ClientChannels> channels) {
		return new VicinalHealthIndicator(server::getIfAvailable, channels::getIfAvailable);
	}

}
