package io.github.vicinal.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names the observation of a call over a typed path; a bean of this type replaces
 * {@link DefaultChannelObservationConvention}.
 *
 * @since 0.1.0
 */
public interface ChannelObservationConvention extends ObservationConvention<ChannelObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof ChannelObservationContext;
	}

}
