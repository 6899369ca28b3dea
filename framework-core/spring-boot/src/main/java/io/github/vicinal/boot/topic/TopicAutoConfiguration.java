package io.github.vicinal.boot.topic;

import java.lang.reflect.Type;

import io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration;
import io.github.vicinal.topic.DurableTopicNames;
import io.github.vicinal.topic.DurableTopics;
import io.github.vicinal.topic.TopicException;
import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.remote.RemoteTopics;
import io.github.vicinal.topic.remote.TopicCarrier;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of what uses topics, where there are some: listeners, grants and
 * settings. Nothing is opened before the first topic or listener.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = VicinalAutoConfiguration.class)
@ConditionalOnBean(Topics.class)
@ConditionalOnBooleanProperty(name = "vicinal.topics.enabled", matchIfMissing = true)
@EnableConfigurationProperties(TopicProperties.class)
public final class TopicAutoConfiguration {

	@Bean
	NamedTopics vicinalNamedTopics(TopicProperties properties, Environment environment) {
		return NamedTopics.of(properties, environment);
	}

	@Bean
	@ConditionalOnMissingBean
	TopicGrants vicinalTopicGrants(NamedTopics topics) {
		return new PropertyGrants(topics);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	RemoteTopics vicinalRemoteTopics(NamedTopics topics, ObjectProvider<TopicCarrier> carriers) {
		return new PropertyRemoteTopics(topics, carriers.orderedStream().toList());
	}

	@Bean
	@ConditionalOnMissingBean
	TopicRooms vicinalTopicRooms(NamedTopics topics) {
		return new TopicRooms() {

			@Override
			public <T> TopicSettings<T> settings(String name, TopicModel model, Type type) {
				TopicProperties.Room room = topics.room(name);
				try {
					return new TopicSettings<>(name, model, type, capacity(name, room.capacity().toBytes()),
							room.whenFull(), room.patience());
				}
				catch (IllegalArgumentException ex) {
					throw new TopicException(String.valueOf(ex.getMessage()), ex);
				}
			}

		};
	}

	private static int capacity(String topic, long bytes) {
		if (bytes > Integer.MAX_VALUE) {
			throw new IllegalArgumentException(
					"The capacity of topic '%s' is %d bytes, and may be 1 GB: set a smaller vicinal.topics.named.%s.capacity"
						.formatted(topic, bytes, topic));
		}
		return (int) bytes;
	}

	@Bean
	@ConditionalOnMissingBean
	DurableTopicNames vicinalDurableTopicNames(NamedTopics topics) {
		return (name) -> topics.room(name).durable();
	}

	@Bean
	@ConditionalOnMissingBean
	TopicPlaces vicinalTopicPlaces(ObjectProvider<Topics> topics, ObjectProvider<DurableTopics> durable,
			DurableTopicNames names) {
		return (name) -> names.isDurable(name) ? durable.getIfAvailable(() -> {
			throw new TopicException(
					"Topic '%s' is durable by its properties, but there are no durable topics: add vicinal-chronicle, and set vicinal.topics.durable.directory"
						.formatted(name));
		}) : topics.getObject();
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	TopicFactory vicinalTopicFactory(TopicPlaces places, TopicRooms rooms) {
		return new TopicFactory(places, rooms);
	}

	@Bean
	@ConditionalOnMissingBean
	AffinityListenerRegistry vicinalListenerRegistry() {
		return new AffinityListenerRegistry();
	}

	@Bean
	@ConditionalOnMissingBean
	TopicListeners vicinalTopicListeners(ConfigurableListableBeanFactory beanFactory, TopicPlaces places,
			TopicRooms rooms, AffinityListenerRegistry registry) {
		return new TopicListeners(beanFactory, places, rooms, registry);
	}

}
