package io.github.vicinal.boot.topic;

import java.util.List;

import io.github.vicinal.transport.testing.topic.ShmKitEnvironment;
import io.github.vicinal.transport.testing.topic.SubscriberForm;
import io.github.vicinal.transport.testing.topic.TopicCompatibilityKit;
import io.github.vicinal.transport.testing.topic.TopicKitEnvironment;

/** The compatibility kit of topics for those who subscribe with Spring. */
class SpringTopicCompatibilityTests extends TopicCompatibilityKit {

	@Override
	protected TopicKitEnvironment createEnvironment() throws Exception {
		return new ShmKitEnvironment(1);
	}

	@Override
	protected List<? extends SubscriberForm> forms() {
		return List.of(SpringForm.values());
	}

}
