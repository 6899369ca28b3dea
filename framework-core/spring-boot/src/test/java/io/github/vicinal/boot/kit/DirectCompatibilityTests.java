package io.github.vicinal.boot.kit;

import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;

/** The compatibility kit on the path {@code direct}: the same JVM. */
class DirectCompatibilityTests extends ChannelCompatibilityKit {

	@Override
	protected KitEnvironment createEnvironment() {
		return new VicinalKitEnvironment("direct");
	}

}
