package io.github.vicinal.boot.kit;

import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;
import io.github.vicinal.testkit.RequestCompatibilityKit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The compatibility kit for clients with interfaces of their own. Calls of methods
 * without a structure go over HTTP, and end as all others do.
 */
class StructuralCompatibilityTests {

	@Nested
	class Direct extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return VicinalKitEnvironment.byStructure("direct");
		}

	}

	/** The part about requests and responses, in each build. */
	@Nested
	class RequestsOverShm extends RequestCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return VicinalKitEnvironment.byStructure("shm");
		}

	}

	@Nested
	@Tag("deep")
	class Shm extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return VicinalKitEnvironment.byStructure("shm");
		}

	}

}
