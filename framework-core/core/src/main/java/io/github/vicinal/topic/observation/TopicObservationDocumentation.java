package io.github.vicinal.topic.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * The observations of topics.
 *
 * @since 0.1.0
 */
public enum TopicObservationDocumentation implements ObservationDocumentation {

	/** Publishing of one message, time in which the publisher waits for room included. */
	PUBLISH {
		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultTopicPublishObservationConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return new KeyName[] { LowCardinalityKeyNames.SYSTEM, LowCardinalityKeyNames.OPERATION,
					LowCardinalityKeyNames.DESTINATION };
		}
	},

	/** One attempt of a subscriber to handle a message, or a batch of messages. */
	PROCESS {
		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultTopicProcessObservationConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return LowCardinalityKeyNames.values();
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return HighCardinalityKeyNames.values();
		}
	};

	/**
	 * Keys with few values, which become tags of metrics.
	 *
	 * @since 0.1.0
	 */
	public enum LowCardinalityKeyNames implements KeyName {

		/** Always {@code vicinal}. */
		SYSTEM {
			@Override
			public String asString() {
				return "messaging.system";
			}
		},

		/** {@code publish} or {@code process}. */
		OPERATION {
			@Override
			public String asString() {
				return "messaging.operation";
			}
		},

		/** Name of the topic. */
		DESTINATION {
			@Override
			public String asString() {
				return "messaging.destination.name";
			}
		},

		/** Name of the subscriber. */
		SUBSCRIPTION {
			@Override
			public String asString() {
				return "messaging.destination.subscription.name";
			}
		}

	}

	/**
	 * Keys with many values, which only spans have.
	 *
	 * @since 0.1.0
	 */
	public enum HighCardinalityKeyNames implements KeyName {

		/**
		 * Instance id of the publisher, a hyphen, and the number of the message. Batches
		 * of several messages have none.
		 */
		MESSAGE_ID {
			@Override
			public String asString() {
				return "messaging.message.id";
			}
		},

		/**
		 * Number of messages of a batch. Only subscribers that take batches have it, also
		 * for a batch of one message.
		 */
		BATCH_MESSAGE_COUNT {
			@Override
			public String asString() {
				return "messaging.batch.message_count";
			}
		}

	}

}
