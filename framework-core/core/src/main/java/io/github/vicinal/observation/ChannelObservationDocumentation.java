package io.github.vicinal.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * The observations of channels.
 *
 * @since 0.1.0
 */
public enum ChannelObservationDocumentation implements ObservationDocumentation {

	/** One call over a typed path, on the client side. */
	CALL {
		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultChannelObservationConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return LowCardinalityKeyNames.values();
		}
	};

	/**
	 * Keys with few values, which become tags of metrics.
	 *
	 * @since 0.1.0
	 */
	public enum LowCardinalityKeyNames implements KeyName {

		/** Name of the channel. */
		CHANNEL {
			@Override
			public String asString() {
				return "channel";
			}
		},

		/**
		 * {@code ANSWERED}, or the reason why there was no answer; {@code UNKNOWN} while
		 * the call runs.
		 */
		OUTCOME {
			@Override
			public String asString() {
				return "outcome";
			}
		},

		/** Name of the path that carried the call. */
		PATH {
			@Override
			public String asString() {
				return "path";
			}
		}

	}

}
