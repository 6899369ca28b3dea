package io.github.vicinal.boot.actuate;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.vicinal.boot.topic.TopicAutoConfiguration;
import io.github.vicinal.topic.DurableTopics;
import io.github.vicinal.topic.DurableTopics.StoredPosition;
import io.github.vicinal.topic.SubscriptionReport;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicReport;
import io.github.vicinal.topic.Topics;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
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
@ConditionalOnBean(Topics.class)
@ConditionalOnAvailableEndpoint(TopicsEndpoint.class)
public final class TopicsEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	TopicsEndpoint vicinalTopicsEndpoint(ConfigurableListableBeanFactory beanFactory) {
		return new TopicsEndpoint(() -> all(beanFactory, Topics::topics, TopicReport::topic),
				() -> all(beanFactory, Topics::subscriptions, SubscriptionReport::topic), () -> {
					Map<String, List<StoredPosition>> positions = new TreeMap<>();
					existing(beanFactory, DurableTopics.class)
						.forEach((topics) -> positions.putAll(topics.positions()));
					return positions;
				}, (topic, consumer) -> forget(existing(beanFactory, DurableTopics.class).toList(), topic, consumer));
	}

	private static void forget(List<DurableTopics> places, String topic, String consumer) {
		if (places.isEmpty()) {
			throw new TopicException("This application uses no durable topic");
		}
		places.stream()
			.filter((place) -> place.positions().containsKey(topic))
			.findFirst()
			.orElse(places.get(0))
			.forget(topic, consumer);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(TopicsEndpoint.class)
	@ConditionalOnAvailableEndpoint(endpoint = TopicsEndpoint.class, exposure = EndpointExposure.WEB)
	TopicsPageEndpointExtension vicinalTopicsPageEndpointExtension(TopicsEndpoint endpoint) {
		return new TopicsPageEndpointExtension(endpoint);
	}

	private static <T> List<T> all(ConfigurableListableBeanFactory beanFactory, Function<Topics, List<T>> part,
			Function<T, String> topic) {
		DurableBells bells = new DurableBells(beanFactory);
		return existing(beanFactory, Topics.class).flatMap((topics) -> part.apply(topics).stream())
			.filter((report) -> !bells.test(topic.apply(report)))
			.toList();
	}

	private static <T> Stream<T> existing(ConfigurableListableBeanFactory beanFactory, Class<T> type) {
		return DurableBells.existing(beanFactory, type);
	}

}
