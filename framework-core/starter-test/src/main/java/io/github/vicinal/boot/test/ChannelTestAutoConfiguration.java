package io.github.vicinal.boot.test;

import io.github.vicinal.boot.client.ChannelClientAutoConfiguration;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of {@link AutoConfigureChannels}. */
@AutoConfiguration(before = ChannelClientAutoConfiguration.class)
class ChannelTestAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	ChannelCalls vicinalChannelCalls() {
		return new ChannelCalls();
	}

}
