package io.github.vicinal.boot.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

import io.github.vicinal.boot.actuate.TopicsEndpoint;
import io.github.vicinal.transport.shm.topic.ShmTopics;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
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
	TopicsEndpoint vicinalTopicsEndpoint(ConfigurableListableBeanFactory beanFactory) {
		return new TopicsEndpoint(() -> existing(beanFactory, ShmTopics::topics),
				() -> existing(beanFactory, ShmTopics::subscriptions));
	}

	/** A request to the endpoint must not open the resources of topics. */
	private static <T> List<T> existing(ConfigurableListableBeanFactory beanFactory,
			Function<ShmTopics, List<T>> part) {
		return Arrays.stream(beanFactory.getBeanNamesForType(ShmTopics.class, false, false))
			.filter(beanFactory::containsSingleton)
			.flatMap((name) -> part.apply(beanFactory.getBean(name, ShmTopics.class)).stream())
			.toList();
	}

}
