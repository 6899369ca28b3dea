package io.github.vicinal.boot.kit;

import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;
import io.github.vicinal.testkit.RequestCompatibilityKit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The compatibility kit with requests that go into Jetty over each path as they are. */
class JettyExchangeCompatibilityTests {

	/** The part about requests and responses, in each build. */
	@Nested
	class RequestsOverDirect extends RequestCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return VicinalKitEnvironment.ofExchanges("direct");
		}

	}

	@Nested
	@Tag("deep")
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
