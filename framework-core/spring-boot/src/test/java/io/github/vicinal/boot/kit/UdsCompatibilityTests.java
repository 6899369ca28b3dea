package io.github.vicinal.boot.kit;

import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;

/** The compatibility kit on the path {@code uds}: a Unix domain socket. */
class UdsCompatibilityTests extends ChannelCompatibilityKit {

	@Override
	protected KitEnvironment createEnvironment() {
		return new VicinalKitEnvironment("uds");
	}

}
