package io.github.vicinal.chronicle.path;

import java.util.Map;

import io.github.vicinal.boot.kit.VicinalKitEnvironment;
import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;
import io.github.vicinal.testkit.RequestCompatibilityKit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The compatibility kit on the path {@code chronicle}, with typed calls and with requests
 * as they are.
 */
class ChronicleCompatibilityTests {

	private static KitEnvironment environment(boolean exchanges) {
		return VicinalKitEnvironment.of("chronicle", exchanges,
				Map.of("vicinal.chronicle.enabled", "true", "vicinal.chronicle.min-free", "0B"), (context) -> {
				});
	}

	@Nested
	class TypedCalls extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return environment(false);
		}

	}

	/** The part about requests and responses, in each build. */
	@Nested
	class RequestsOfExchanges extends RequestCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return environment(true);
		}

	}

	@Nested
	@Tag("deep")
	class Exchanges extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return environment(true);
		}

	}

}
