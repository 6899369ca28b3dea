package io.github.vicinal.topic.observation;

import io.github.vicinal.topic.Message;
import io.github.vicinal.topic.observation.TopicObservationDocumentation.HighCardinalityKeyNames;
import io.github.vicinal.topic.observation.TopicObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

/**
 * The default names: observation {@code vicinal.topic.process}, span
 * {@code <topic> process}.
 *
 * @since 0.1.0
 */
public class DefaultTopicProcessObservationConvention implements TopicProcessObservationConvention {

	private static final KeyValues ALWAYS = KeyValues.of(KeyValue.of(LowCardinalityKeyNames.SYSTEM, "vicinal"),
			KeyValue.of(LowCardinalityKeyNames.OPERATION, "process"));

	@Override
	public String getName() {
		return "vicinal.topic.process";
	}

	@Override
	public String getContextualName(TopicProcessContext context) {
		return context.message().topic() + " process";
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(TopicProcessContext context) {
		return ALWAYS.and(KeyValue.of(LowCardinalityKeyNames.DESTINATION, context.message().topic()),
				KeyValue.of(LowCardinalityKeyNames.SUBSCRIPTION, context.subscriber()));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(TopicProcessContext context) {
		KeyValues values = context.isBatch() ? KeyValues
			.of(KeyValue.of(HighCardinalityKeyNames.BATCH_MESSAGE_COUNT, Integer.toString(context.messages().size())))
				: KeyValues.empty();
		if (context.messages().size() > 1) {
			return values;
		}
		Message<?> message = context.message();
		return values
			.and(KeyValue.of(HighCardinalityKeyNames.MESSAGE_ID, message.publisher() + "-" + message.sequence()));
	}

}
