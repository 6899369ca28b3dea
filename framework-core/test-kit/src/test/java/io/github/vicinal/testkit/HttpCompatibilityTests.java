package io.github.vicinal.testkit;

/**
 * The kit with plain HTTP as the path under test: what the oracle cannot do, no path has
 * to do.
 */
class HttpCompatibilityTests extends ChannelCompatibilityKit {

	@Override
	protected KitEnvironment createEnvironment() {
		return new HttpKitEnvironment();
	}

}
