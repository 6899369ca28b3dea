package io.github.vicinal.boot.kit;

import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;

/**
 * The compatibility kit on the path {@code direct}, with a {@code WebClient} on Reactor
 * Netty, as Spring Boot has it.
 */
class NettyClientCompatibilityTests extends ChannelCompatibilityKit {

	@Override
	protected KitEnvironment createEnvironment() {
		return VicinalKitEnvironment.onNettyClient("direct");
	}

}
