package io.github.vicinal.boot.kit;

import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;
import org.junit.jupiter.api.Tag;

/** The compatibility kit on the path {@code shm}: memory shared by two processes. */
@Tag("every-jdk")
class ShmCompatibilityTests extends ChannelCompatibilityKit {

	@Override
	protected KitEnvironment createEnvironment() {
		return new VicinalKitEnvironment("shm");
	}

}
