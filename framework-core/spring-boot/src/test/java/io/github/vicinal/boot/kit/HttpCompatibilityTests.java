package io.github.vicinal.boot.kit;

import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;

/**
 * The compatibility kit on the path {@code http}: the HTTP client of an annotated client
 * that is restricted to it.
 */
class HttpCompatibilityTests extends ChannelCompatibilityKit {

	@Override
	protected KitEnvironment createEnvironment() {
		return new VicinalKitEnvironment("http");
	}

}
