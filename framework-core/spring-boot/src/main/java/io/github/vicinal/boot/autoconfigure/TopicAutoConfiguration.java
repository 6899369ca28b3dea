package io.github.vicinal.boot.autoconfigure;

import java.lang.reflect.Type;

import io.github.vicinal.boot.topic.TopicFactory;
import io.github.vicinal.boot.topic.TopicListeners;
import io.github.vicinal.boot.topic.TopicRooms;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.TopicWatcher;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.observation.TopicObservations;
import io.github.vicinal.topic.observation.TopicProcessObservationConvention;
import io.github.vicinal.topic.observation.TopicPublishObservationConvention;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of topics. Nothing is opened before the first topic or listener.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = VicinalAutoConfiguration.class)
@ConditionalOnClass(ShmTopics.class)
@ConditionalOnBean(Codecs.class)
@ConditionalOnBooleanProperty(name = "vicinal.topics.enabled", matchIfMissing = true)
@EnableConfigurationProperties(TopicProperties.class)
public final class TopicAutoConfiguration {

	@Bean
	@Lazy
	@ConditionalOnMissingBean(Topics.class)
	ShmTopics vicinalTopics(PeerIdentity identity, Rendezvous rendezvous, Codecs codecs, Environment environment,
			ObjectProvider<ObservationRegistry> registry, ObjectProvider<TopicPublishObservationConvention> publish,
			ObjectProvider<TopicProcessObservationConvention> process, ObjectProvider<TopicWatcher> watchers) {
		TopicObservations observations = new TopicObservations(registry.getIfAvailable(() -> ObservationRegistry.NOOP),
				publish.getIfAvailable(), process.getIfAvailable());
		return new ShmTopics(identity, environment.getProperty("spring.application.name", "application"), rendezvous,
				codecs.mapper(), observations, watchers.orderedStream().toList());
	}

	@Bean
	@ConditionalOnMissingBean
	TopicRooms vicinalTopicRooms(TopicProperties properties) {
		return new TopicRooms() {

			@Override
			public <T> TopicSettings<T> settings(String name, TopicModel model, Type type) {
				TopicProperties.Room room = properties.named().getOrDefault(name, TopicProperties.DEFAULT);
				return new TopicSettings<>(name, model, type, Math.toIntExact(room.capacity().toBytes()),
						room.whenFull(), room.patience());
			}

		};
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	TopicFactory vicinalTopicFactory(Topics topics, TopicRooms rooms) {
		return new TopicFactory(topics, rooms);
	}

	@Bean
	@ConditionalOnMissingBean
	TopicListeners vicinalTopicListeners(ConfigurableListableBeanFactory beanFactory, ObjectProvider<Topics> topics,
			TopicRooms rooms) {
		return new TopicListeners(beanFactory, topics::getObject, rooms);
	}

}
