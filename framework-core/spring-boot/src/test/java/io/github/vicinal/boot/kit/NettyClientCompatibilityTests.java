package io.github.vicinal.boot.kit;

import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;

/**
 * The compatibility kit on the path {@code direct}, with clients on Reactor Netty, as
 * Spring Boot has them.
 */
class NettyClientCompatibilityTests extends ChannelCompatibilityKit {

	@Override
	protected KitEnvironment createEnvironment() {
		return VicinalKitEnvironment.onNettyClient("direct");
	}

}
