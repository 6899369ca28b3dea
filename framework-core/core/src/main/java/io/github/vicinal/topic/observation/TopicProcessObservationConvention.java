package io.github.vicinal.topic.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names the observation of handling a message; a bean of this type replaces
 * {@link DefaultTopicProcessObservationConvention}.
 *
 * @since 0.1.0
 */
public interface TopicProcessObservationConvention extends ObservationConvention<TopicProcessContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof TopicProcessContext;
	}

}
