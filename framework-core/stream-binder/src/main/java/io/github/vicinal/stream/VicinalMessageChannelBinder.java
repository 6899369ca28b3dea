package io.github.vicinal.stream;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.github.vicinal.boot.topic.TopicPlaces;
import io.github.vicinal.boot.topic.TopicRooms;
import io.github.vicinal.topic.DurableTopics;
import io.github.vicinal.topic.MessageHandler;
import io.github.vicinal.topic.ReplayFrom;
import io.github.vicinal.topic.SubscriberSettings;
import io.github.vicinal.topic.Subscription;
import io.github.vicinal.topic.TopicModel;
import io.github.vicinal.topic.TopicSettings;
import io.github.vicinal.topic.Topics;
import org.jspecify.annotations.Nullable;

import org.springframework.cloud.stream.binder.AbstractMessageChannelBinder;
import org.springframework.cloud.stream.binder.BinderHeaders;
import org.springframework.cloud.stream.binder.BinderSpecificPropertiesProvider;
import org.springframework.cloud.stream.binder.ExtendedConsumerProperties;
import org.springframework.cloud.stream.binder.ExtendedProducerProperties;
import org.springframework.cloud.stream.binder.ExtendedPropertiesBinder;
import org.springframework.cloud.stream.binder.HeaderMode;
import org.springframework.cloud.stream.provisioning.ConsumerDestination;
import org.springframework.cloud.stream.provisioning.ProducerDestination;
import org.springframework.cloud.stream.provisioning.ProvisioningException;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.integration.core.MessageProducer;
import org.springframework.integration.core.RecoveryCallback;
import org.springframework.messaging.MessageChannel;
import org.springframework.util.StringUtils;

/**
 * Binds functions of Spring Cloud Stream to topics. A consumer without a group subscribes
 * to the topic of its destination, and the consumers of a group compete for the messages
 * of a stream that is theirs. In a durable topic a group is a named consumer, of which
 * one works at a time.
 */
final class VicinalMessageChannelBinder extends
		AbstractMessageChannelBinder<ExtendedConsumerProperties<VicinalConsumerProperties>, ExtendedProducerProperties<VicinalProducerProperties>, TopicProvisioner>
		implements ExtendedPropertiesBinder<MessageChannel, VicinalConsumerProperties, VicinalProducerProperties> {

	private static final String ANONYMOUS = "anonymous";

	private final VicinalExtendedBindingProperties properties;

	/** Made with the first producer. Guarded by this. */
	private @Nullable Destinations destinations;

	VicinalMessageChannelBinder(TopicProvisioner provisioner, VicinalExtendedBindingProperties properties) {
		super(BinderHeaders.STANDARD_HEADERS, provisioner);
		this.properties = properties;
	}

	@Override
	public VicinalConsumerProperties getExtendedConsumerProperties(String binding) {
		return this.properties.getExtendedConsumerProperties(binding);
	}

	@Override
	public VicinalProducerProperties getExtendedProducerProperties(String binding) {
		return this.properties.getExtendedProducerProperties(binding);
	}

	@Override
	public String getDefaultsPrefix() {
		return this.properties.getDefaultsPrefix();
	}

	@Override
	public Class<? extends BinderSpecificPropertiesProvider> getExtendedPropertiesEntryClass() {
		return this.properties.getExtendedPropertiesEntryClass();
	}

	@Override
	protected org.springframework.messaging.MessageHandler createProducerMessageHandler(ProducerDestination destination,
			ExtendedProducerProperties<VicinalProducerProperties> producer, @Nullable MessageChannel errorChannel) {
		TopicMessageHandler handler = new TopicMessageHandler(destinations(), destination.getName(),
				producer.getExtension().isSingleStream(), List.of(producer.getRequiredGroups()),
				producer.getHeaderMode() != HeaderMode.none,
				producer.isPartitioned() ? producer.getPartitionCount() : 0, errorChannel);
		handler.setBeanFactory(getBeanFactory());
		return handler;
	}

	@Override
	protected MessageProducer createConsumerEndpoint(ConsumerDestination destination, @Nullable String group,
			ExtendedConsumerProperties<VicinalConsumerProperties> consumer) {
		ErrorInfrastructure errors = registerErrorInfrastructure(destination, group, consumer);
		boolean retried = consumer.getMaxAttempts() > 1;
		// Messages of a batch are recovered one by one, also after a single attempt.
		RetryTemplate retries = retried ? buildRetryTemplate(consumer)
				: consumer.isBatchMode() ? new RetryTemplate(RetryPolicy.withMaxRetries(0)) : null;
		RecoveryCallback<?> recovery = (retries != null) ? errors.getRecoverer() : null;
		TopicMessageProducer endpoint = new TopicMessageProducer(subscribing(destination.getName(), group, consumer),
				consumer.getHeaderMode() != HeaderMode.none, retries, recovery,
				StringUtils.hasText(group) || consumer.getExtension().isSingleStream(), consumer.isBatchMode());
		if (retries == null) {
			endpoint.setErrorChannel(errors.getErrorChannel());
		}
		endpoint.setBeanFactory(getBeanFactory());
		return endpoint;
	}

	private Function<MessageHandler<byte[]>, Subscription> subscribing(String topic, @Nullable String group,
			ExtendedConsumerProperties<VicinalConsumerProperties> consumer) {
		Topics place = bean(TopicPlaces.class).of(topic);
		boolean durable = place instanceof DurableTopics;
		int partition = consumer.isPartitioned() ? Math.max(0, consumer.getInstanceIndex()) : TopicNames.NO_PARTITION;
		String name = StringUtils.hasText(group) ? TopicNames.consumer(group, partition) : ANONYMOUS;
		boolean single = consumer.getExtension().isSingleStream();
		boolean stream = single || (StringUtils.hasText(group) && !durable);
		SubscriberSettings subscriber = new SubscriberSettings(name, stream ? consumer.getConcurrency() : 1, 1,
				Duration.ZERO, consumer.isBatchMode() ? maxBatch(topic, consumer) : 1);
		TopicSettings<byte[]> settings = bean(TopicRooms.class).settings(
				(stream && !single) ? stream(topic, String.valueOf(group), partition) : topic,
				stream ? TopicModel.STREAM : TopicModel.PUB_SUB, byte[].class);
		if (place instanceof DurableTopics lasting && !StringUtils.hasText(group) && !single) {
			return (handler) -> lasting.replay(settings, subscriber, ReplayFrom.end(), handler);
		}
		if (durable && partition != TopicNames.NO_PARTITION) {
			return (handler) -> place.subscribe(settings, subscriber, new PartitionHandler(handler, partition));
		}
		return (handler) -> place.subscribe(settings, subscriber, handler);
	}

	private static int maxBatch(String topic, ExtendedConsumerProperties<VicinalConsumerProperties> consumer) {
		int max = consumer.getExtension().getMaxBatch();
		if (max < 1 || max > SubscriberSettings.MAX_BATCH) {
			throw new ProvisioningException(
					"The consumer of topic '%s' has max-batch=%d, which must be from 1 to %d: change spring.cloud.stream.vicinal.bindings.<name>.consumer.max-batch"
						.formatted(topic, max, SubscriberSettings.MAX_BATCH));
		}
		return max;
	}

	private static String stream(String topic, String group, int partition) {
		return (partition == TopicNames.NO_PARTITION) ? TopicNames.stream(topic, group)
				: TopicNames.stream(topic, group, partition);
	}

	@Override
	protected org.springframework.messaging.@Nullable MessageHandler getErrorMessageHandler(
			ConsumerDestination destination, @Nullable String group,
			ExtendedConsumerProperties<VicinalConsumerProperties> consumer) {
		String deadLetter = consumer.getExtension().getDeadLetter();
		if (!StringUtils.hasText(deadLetter)) {
			return null;
		}
		String letters = TopicNames.topic(deadLetter);
		if (letters.equals(destination.getName())) {
			throw new ProvisioningException(
					"The dead letters of destination '%s' would go to itself, which would go round in circles"
						.formatted(deadLetter));
		}
		TopicSettings<byte[]> settings = bean(TopicRooms.class).settings(letters, TopicModel.STREAM, byte[].class);
		Topics place = bean(TopicPlaces.class).of(letters);
		place.topic(settings);
		return new DeadLetterHandler(() -> place.topic(settings), StringUtils.hasText(group) ? group : ANONYMOUS);
	}

	@Override
	protected Map<String, Object> doGetAdditionalConfigurationProperties(String name) {
		return Map.of();
	}

	private synchronized Destinations destinations() {
		Destinations known = this.destinations;
		if (known == null) {
			known = new Destinations(bean(TopicPlaces.class), bean(TopicRooms.class));
			this.destinations = known;
		}
		return known;
	}

	/** The application's own context, which is set when the binder is used first. */
	private <T> T bean(Class<T> type) {
		return getApplicationContext().getBeanProvider(type).getIfAvailable(() -> {
			throw new ProvisioningException(
					"The Vicinal binder needs topics, which are switched off: set vicinal.enabled and vicinal.topics.enabled to true");
		});
	}

}
