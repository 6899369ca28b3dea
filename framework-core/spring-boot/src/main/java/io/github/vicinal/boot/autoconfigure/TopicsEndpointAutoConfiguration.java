package io.github.vicinal.boot.autoconfigure;

import io.github.vicinal.boot.actuate.TopicsEndpoint;
import io.github.vicinal.transport.shm.topic.ShmTopics;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the endpoint that shows topics.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = TopicAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(ShmTopics.class)
@ConditionalOnAvailableEndpoint(TopicsEndpoint.class)
public final class TopicsEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	TopicsEndpoint vicinalTopicsEndpoint(ShmTopics topics) {
		return new TopicsEndpoint(topics::topics, topics::subscriptions);
	}

}
