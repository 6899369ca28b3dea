package io.github.vicinal.boot.kit;

import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;
import io.github.vicinal.testkit.RequestCompatibilityKit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The compatibility kit on the path {@code http}: the HTTP client of an annotated client
 * that is restricted to it.
 */
class HttpCompatibilityTests {

	/** The part about requests and responses, in each build. */
	@Nested
	class Requests extends RequestCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return new VicinalKitEnvironment("http");
		}

	}

	@Nested
	@Tag("deep")
	class All extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return new VicinalKitEnvironment("http");
		}

	}

}
