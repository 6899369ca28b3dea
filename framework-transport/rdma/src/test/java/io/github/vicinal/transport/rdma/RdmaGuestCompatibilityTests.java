package io.github.vicinal.transport.rdma;

import java.time.Duration;
import java.util.Map;

import io.github.vicinal.boot.kit.VicinalKitEnvironment;
import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The compatibility kit over a real device, which may be emulated by the kernel. */
@Tag("guest")
class RdmaGuestCompatibilityTests {

	private static KitEnvironment environment(boolean exchanges) {
		return VicinalKitEnvironment.of("rdma", exchanges,
				Map.of("vicinal.rdma.ring-size", "64KB", "vicinal.rdma.handshake-timeout", Duration.ofMinutes(1),
						"vicinal.rdma.ping-interval", Duration.ofMinutes(1), "vicinal.rdma.ping-timeout",
						Duration.ofMinutes(1)),
				(context) -> {
				});
	}

	@Nested
	class TypedCalls extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return environment(false);
		}

	}

	@Nested
	class Exchanges extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return environment(true);
		}

	}

}
