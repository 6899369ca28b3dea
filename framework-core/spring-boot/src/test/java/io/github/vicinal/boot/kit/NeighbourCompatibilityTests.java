package io.github.vicinal.boot.kit;

import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;
import org.junit.jupiter.api.Nested;

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

	@Nested
	class Exchanges extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return VicinalKitEnvironment.ofNeighbours(true);
		}

	}

}
