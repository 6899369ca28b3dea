package io.github.vicinal.topic.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names the observation of publishing a message; a bean of this type replaces
 * {@link DefaultTopicPublishObservationConvention}.
 *
 * @since 0.1.0
 */
public interface TopicPublishObservationConvention extends ObservationConvention<TopicPublishContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof TopicPublishContext;
	}

}
