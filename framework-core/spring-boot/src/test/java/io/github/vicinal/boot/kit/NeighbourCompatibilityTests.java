package io.github.vicinal.boot.kit;

import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;
import io.github.vicinal.testkit.RequestCompatibilityKit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The compatibility kit on the path {@code direct} between applications with class
 * loaders of their own.
 */
class NeighbourCompatibilityTests {

	@Nested
	class TypedCalls extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return VicinalKitEnvironment.ofNeighbours(false);
		}

	}

	/** The part about requests and responses, in each build. */
	@Nested
	class RequestsOfExchanges extends RequestCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return VicinalKitEnvironment.ofNeighbours(true);
		}

	}

	@Nested
	@Tag("deep")
	class Exchanges extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return VicinalKitEnvironment.ofNeighbours(true);
		}

	}

}
