package io.github.vicinal.stream;

import org.springframework.cloud.stream.binder.BinderSpecificPropertiesProvider;

/** Properties of a binding that other binders do not have. */
final class VicinalBindingProperties implements BinderSpecificPropertiesProvider {

	/** Properties of a consumer. */
	private VicinalConsumerProperties consumer = new VicinalConsumerProperties();

	/** Properties of a producer. */
	private VicinalProducerProperties producer = new VicinalProducerProperties();

	@Override
	public VicinalConsumerProperties getConsumer() {
		return this.consumer;
	}

	public void setConsumer(VicinalConsumerProperties consumer) {
		this.consumer = consumer;
	}

	@Override
	public VicinalProducerProperties getProducer() {
		return this.producer;
	}

	public void setProducer(VicinalProducerProperties producer) {
		this.producer = producer;
	}

}
