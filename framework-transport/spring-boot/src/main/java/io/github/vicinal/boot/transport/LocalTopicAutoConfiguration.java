package io.github.vicinal.boot.transport;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.topic.DurableTopicNames;
import io.github.vicinal.topic.TopicGrants;
import io.github.vicinal.topic.TopicWatcher;
import io.github.vicinal.topic.Topics;
import io.github.vicinal.topic.observation.TopicObservations;
import io.github.vicinal.topic.observation.TopicProcessObservationConvention;
import io.github.vicinal.topic.observation.TopicPublishObservationConvention;
import io.github.vicinal.topic.remote.RemoteTopics;
import io.github.vicinal.transport.shm.topic.ShmTopics;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of topics over shared memory. Nothing is opened before the first
 * topic or listener.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = "io.github.vicinal.boot.autoconfigure.VicinalAutoConfiguration",
		beforeName = "io.github.vicinal.boot.topic.TopicAutoConfiguration")
@ConditionalOnClass(ShmTopics.class)
@ConditionalOnBean(Codecs.class)
@ConditionalOnBooleanProperty(name = "vicinal.topics.enabled", matchIfMissing = true)
public final class LocalTopicAutoConfiguration {

	@Bean
	@Lazy
	@ConditionalOnMissingBean(Topics.class)
	ShmTopics vicinalTopics(PeerIdentity identity, Rendezvous rendezvous, Codecs codecs, Environment environment,
			ObjectProvider<ObservationRegistry> registry, ObjectProvider<TopicPublishObservationConvention> publish,
			ObjectProvider<TopicProcessObservationConvention> process, ObjectProvider<TopicWatcher> watchers,
			TopicGrants grants, DurableTopicNames durable, RemoteTopics remote) {
		TopicObservations observations = new TopicObservations(registry.getIfAvailable(() -> ObservationRegistry.NOOP),
				publish.getIfAvailable(), process.getIfAvailable());
		return new ShmTopics(identity, environment.getProperty("spring.application.name", "application"), rendezvous,
				codecs.mapper(), observations, watchers.orderedStream().toList(),
				new MemoryTopicGrants(grants, durable), remote);
	}

}
