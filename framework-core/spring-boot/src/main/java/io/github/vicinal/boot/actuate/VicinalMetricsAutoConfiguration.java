package io.github.vicinal.boot.actuate;

import io.github.vicinal.boot.client.ChannelClientAutoConfiguration;
import io.github.vicinal.boot.client.ClientChannels;
import io.github.vicinal.boot.observation.MeterShortcut;
import io.github.vicinal.boot.observation.MeterShortcuts;
import io.github.vicinal.boot.server.ServiceAutoConfiguration;
import io.github.vicinal.boot.topic.TopicAutoConfiguration;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.path.PathMeters;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.topic.Topics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of meters.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
		after = { ChannelClientAutoConfiguration.class, ServiceAutoConfiguration.class, TopicAutoConfiguration.class })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(Codecs.class)
public final class VicinalMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	VicinalMetrics vicinalMetrics(ObjectProvider<PathMeters> meters, ObjectProvider<ClientChannels> channels) {
		return new VicinalMetrics(meters.orderedStream().flatMap((kind) -> kind.all().stream()).toList(),
				channels::getIfAvailable);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(RequestServer.class)
	RequestServerMetrics vicinalRequestServerMetrics(RequestServer server) {
		return new RequestServerMetrics(server);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(Topics.class)
	TopicMetrics vicinalTopicMetrics(ConfigurableListableBeanFactory beanFactory) {
		return new TopicMetrics(new DurableBells(beanFactory));
	}

	@Bean
	MeterShortcuts vicinalMeterShortcuts(ObjectProvider<ObservationRegistry> registry,
			ObjectProvider<MeterRegistry> meters) {
		return () -> {
			ObservationRegistry observations = registry.getIfAvailable();
			MeterRegistry registered = meters.getIfAvailable();
			return (observations != null && registered != null)
					? MeterShortcut.of(observations, registered).orElse(null) : null;
		};
	}

}
