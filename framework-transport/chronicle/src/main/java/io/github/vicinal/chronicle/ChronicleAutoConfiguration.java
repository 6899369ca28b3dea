package io.github.vicinal.chronicle;

import java.nio.file.Path;
import java.util.Objects;

import io.github.vicinal.boot.topic.TopicAutoConfiguration;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.topic.DurableTopics;
import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicWatcher;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.observation.TopicObservations;
import io.github.vicinal.topic.observation.TopicProcessObservationConvention;
import io.github.vicinal.topic.observation.TopicPublishObservationConvention;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of durable topics, for applications that name a directory for them.
 * Missing JVM flags are reported at start.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = TopicAutoConfiguration.class)
@ConditionalOnProperty("vicinal.topics.durable.directory")
@ConditionalOnBean(Topics.class)
@EnableConfigurationProperties(DurableTopicProperties.class)
public final class ChronicleAutoConfiguration {

	@Bean
	@Fallback
	@ConditionalOnMissingBean(DurableTopics.class)
	ChronicleTopics vicinalDurableTopics(PeerIdentity identity, Codecs codecs, Environment environment, Topics bells,
			DurableTopicProperties properties, ObjectProvider<ObservationRegistry> registry,
			ObjectProvider<TopicPublishObservationConvention> publish,
			ObjectProvider<TopicProcessObservationConvention> process, ObjectProvider<TopicWatcher> watchers,
			TopicGrants grants) {
		Path directory = Objects.requireNonNull(properties.directory());
		TopicObservations observations = new TopicObservations(registry.getIfAvailable(() -> ObservationRegistry.NOOP),
				publish.getIfAvailable(), process.getIfAvailable());
		return new ChronicleTopics(identity, environment.getProperty("spring.application.name", "application"),
				directory, codecs.mapper(), bells, properties.options(), observations,
				watchers.orderedStream().toList(), grants);
	}

}
