package io.github.vicinal.testkit;

import org.junit.jupiter.api.Tag;

/**
 * The kit with plain HTTP as the path under test: what the oracle cannot do, no path has
 * to do. In each build, the module {@code spring-boot} runs the kit over HTTP.
 */
@Tag("deep")
class HttpCompatibilityTests extends ChannelCompatibilityKit {

	@Override
	protected KitEnvironment createEnvironment() {
		return new HttpKitEnvironment();
	}

}
