package io.github.vicinal.stream;

import org.jspecify.annotations.Nullable;

import org.springframework.cloud.stream.binder.ExtendedConsumerProperties;
import org.springframework.cloud.stream.binder.ExtendedProducerProperties;
import org.springframework.cloud.stream.provisioning.ConsumerDestination;
import org.springframework.cloud.stream.provisioning.ProducerDestination;
import org.springframework.cloud.stream.provisioning.ProvisioningException;
import org.springframework.cloud.stream.provisioning.ProvisioningProvider;
import org.springframework.util.StringUtils;

/** Names the topics of destinations, and refuses bindings that topics cannot serve. */
final class TopicProvisioner implements
		ProvisioningProvider<ExtendedConsumerProperties<VicinalConsumerProperties>, ExtendedProducerProperties<VicinalProducerProperties>> {

	@Override
	public ProducerDestination provisionProducerDestination(String name,
			ExtendedProducerProperties<VicinalProducerProperties> properties) {
		if (properties.isPartitioned() && properties.getExtension().isSingleStream()) {
			throw unsupported(name, "has no partitions in a single stream",
					"remove producer.partition-key-expression and -extractor-name, or producer.single-stream");
		}
		if (properties.isUseNativeEncoding()) {
			throw unsupported(name, "has no encoding of its own", "remove producer.use-native-encoding");
		}
		String topic = TopicNames.topic(name);
		for (String group : properties.getRequiredGroups()) {
			if (properties.isPartitioned()) {
				TopicNames.stream(topic, group, properties.getPartitionCount() - 1);
			}
			else {
				TopicNames.stream(topic, group);
			}
		}
		return new TopicDestination(topic);
	}

	@Override
	public ConsumerDestination provisionConsumerDestination(String name, @Nullable String group,
			ExtendedConsumerProperties<VicinalConsumerProperties> properties) {
		if (properties.isPartitioned() && properties.getExtension().isSingleStream()) {
			throw unsupported(name, "has no partitions in a single stream",
					"remove consumer.partitioned or consumer.single-stream");
		}
		if (properties.getInstanceIndexList() != null && !properties.getInstanceIndexList().isEmpty()) {
			throw unsupported(name, "gives each instance one partition",
					"set instance-index instead of consumer.instance-index-list");
		}
		if (properties.isMultiplex()) {
			throw unsupported(name, "binds each destination by itself", "remove consumer.multiplex");
		}
		if (properties.isUseNativeDecoding()) {
			throw unsupported(name, "has no encoding of its own", "remove consumer.use-native-decoding");
		}
		String topic = TopicNames.topic(name);
		if (StringUtils.hasText(group)) {
			if (properties.isPartitioned()) {
				TopicNames.stream(topic, group, Math.max(0, properties.getInstanceIndex()));
			}
			else {
				TopicNames.stream(topic, group);
			}
		}
		return new TopicDestination(topic);
	}

	private static ProvisioningException unsupported(String name, String rule, String remedy) {
		return new ProvisioningException(
				"The Vicinal binder cannot bind destination '%s' as it is configured: it %s, so %s".formatted(name,
						rule, remedy));
	}

}
