package io.github.vicinal.topic.observation;

import io.github.vicinal.topic.observation.TopicObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

/**
 * The default names: observation {@code vicinal.topic.publish}, span
 * {@code <topic> publish}.
 *
 * @since 0.1.0
 */
public class DefaultTopicPublishObservationConvention implements TopicPublishObservationConvention {

	private static final KeyValues ALWAYS = KeyValues.of(KeyValue.of(LowCardinalityKeyNames.SYSTEM, "vicinal"),
			KeyValue.of(LowCardinalityKeyNames.OPERATION, "publish"));

	@Override
	public String getName() {
		return "vicinal.topic.publish";
	}

	@Override
	public String getContextualName(TopicPublishContext context) {
		return context.topic() + " publish";
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(TopicPublishContext context) {
		return ALWAYS.and(KeyValue.of(LowCardinalityKeyNames.DESTINATION, context.topic()));
	}

}
