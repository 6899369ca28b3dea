package io.github.vicinal.stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.cloud.stream.config.ConsumerEndpointCustomizer;
import org.springframework.cloud.stream.config.ProducerMessageHandlerCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.core.MessageProducer;
import org.springframework.messaging.MessageHandler;

/** The binder's own context, which Spring Cloud Stream makes for each binder. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(VicinalExtendedBindingProperties.class)
class VicinalBinderConfiguration {

	@Bean
	VicinalMessageChannelBinder vicinalMessageChannelBinder(VicinalExtendedBindingProperties properties,
			ObjectProvider<ProducerMessageHandlerCustomizer<? extends MessageHandler>> producers,
			ObjectProvider<ConsumerEndpointCustomizer<? extends MessageProducer>> consumers) {
		VicinalMessageChannelBinder binder = new VicinalMessageChannelBinder(new TopicProvisioner(), properties);
		binder.setProducerMessageHandlerCustomizer(unique(producers));
		binder.setConsumerEndpointCustomizer(unique(consumers));
		return binder;
	}

	private static <T> @Nullable T unique(ObjectProvider<T> provider) {
		return provider.getIfUnique();
	}

}
