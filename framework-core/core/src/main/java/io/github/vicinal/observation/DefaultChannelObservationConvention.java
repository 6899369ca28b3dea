package io.github.vicinal.observation;

import io.github.vicinal.observation.ChannelObservationDocumentation.LowCardinalityKeyNames;
import io.github.vicinal.path.PathException;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

/**
 * The default names: observation {@code vicinal.channel.calls} with the keys of
 * {@link LowCardinalityKeyNames}.
 *
 * @since 0.1.0
 */
public class DefaultChannelObservationConvention implements ChannelObservationConvention {

	private static final KeyValue ANSWERED = KeyValue.of(LowCardinalityKeyNames.OUTCOME, "ANSWERED");

	private static final KeyValue UNKNOWN = KeyValue.of(LowCardinalityKeyNames.OUTCOME, "UNKNOWN");

	@Override
	public String getName() {
		return "vicinal.channel.calls";
	}

	@Override
	public String getContextualName(ChannelObservationContext context) {
		return "channel " + context.channel();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(ChannelObservationContext context) {
		return KeyValues.of(KeyValue.of(LowCardinalityKeyNames.CHANNEL, context.channel()), outcome(context),
				KeyValue.of(LowCardinalityKeyNames.PATH, context.path().id()));
	}

	private static KeyValue outcome(ChannelObservationContext context) {
		if (context.getError() instanceof PathException failure) {
			return KeyValue.of(LowCardinalityKeyNames.OUTCOME, failure.reason().name());
		}
		return (context.getError() == null && context.isAnswered()) ? ANSWERED : UNKNOWN;
	}

}
