package io.github.vicinal.transport.testing.topic;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * The compatibility kit of topics: extend it, say what {@linkplain TopicKitEnvironment
 * environment} to run in, and all behaviours run, one nested class for each theme.
 */
public abstract class TopicCompatibilityKit {

	/**
	 * Creates the environment of one test.
	 * @return an environment without applications
	 */
	protected abstract TopicKitEnvironment createEnvironment() throws Exception;

	/**
	 * Returns the ways to subscribe. Kinds that take their time have a few in each build
	 * and all of them in deep tests.
	 * @return the forms, those without Spring unless overridden
	 */
	protected List<? extends SubscriberForm> forms() {
		return List.of(CoreForm.values());
	}

	/**
	 * Returns what is different on purpose.
	 * @return the differences, none unless overridden
	 */
	protected Set<TopicDifference> differences() {
		return Set.of();
	}

	@Nested
	@DisplayName("Delivery")
	class Delivery extends DeliveryBehaviours {

		@Override
		TopicCompatibilityKit kit() {
			return TopicCompatibilityKit.this;
		}

	}

	@Nested
	@DisplayName("Failures")
	class Failures extends FailureBehaviours {

		@Override
		TopicCompatibilityKit kit() {
			return TopicCompatibilityKit.this;
		}

	}

	@Nested
	@DisplayName("Room")
	class Room extends RoomBehaviours {

		@Override
		TopicCompatibilityKit kit() {
			return TopicCompatibilityKit.this;
		}

	}

	@Nested
	@DisplayName("Coming and going")
	class Lifecycle extends LifecycleBehaviours {

		@Override
		TopicCompatibilityKit kit() {
			return TopicCompatibilityKit.this;
		}

	}

	@Nested
	@DisplayName("Agreement and grants")
	class Agreement extends AgreementBehaviours {

		@Override
		TopicCompatibilityKit kit() {
			return TopicCompatibilityKit.this;
		}

	}

}
