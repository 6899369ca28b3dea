package io.github.vicinal.boot.kit;

import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The compatibility kit with requests that go into Jetty over each path as they are. */
class JettyExchangeCompatibilityTests {

	@Nested
	class Direct extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return VicinalKitEnvironment.ofExchanges("direct");
		}

	}

	@Nested
	@Tag("deep")
	class Shm extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return VicinalKitEnvironment.ofExchanges("shm");
		}

	}

	@Nested
	@Tag("deep")
	class Uds extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return VicinalKitEnvironment.ofExchanges("uds");
		}

	}

}
