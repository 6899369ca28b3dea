package io.github.vicinal.boot.kit;

import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;
import org.junit.jupiter.api.Tag;

/** The compatibility kit on the path {@code direct}: the same JVM. */
@Tag("every-jdk")
class DirectCompatibilityTests extends ChannelCompatibilityKit {

	@Override
	protected KitEnvironment createEnvironment() {
		return new VicinalKitEnvironment("direct");
	}

}
