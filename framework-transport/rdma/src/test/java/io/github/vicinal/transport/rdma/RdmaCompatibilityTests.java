package io.github.vicinal.transport.rdma;

import java.util.Map;

import io.github.vicinal.boot.kit.VicinalKitEnvironment;
import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;
import io.github.vicinal.testkit.RequestCompatibilityKit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The compatibility kit on the path {@code rdma}, with devices that are emulated. */
class RdmaCompatibilityTests {

	private static KitEnvironment environment(boolean exchanges) {
		MemoryFabric fabric = new MemoryFabric();
		return VicinalKitEnvironment.of("rdma", exchanges, Map.of("vicinal.rdma.ring-size", "64KB"),
				(context) -> context.registerBean(RdmaDevices.class, fabric::devices,
						(bean) -> bean.setLazyInit(true)));
	}

	/** The part about requests and responses, in each build. */
	@Nested
	class RequestsOfTypedCalls extends RequestCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return environment(false);
		}

	}

	@Nested
	@Tag("deep")
	class TypedCalls extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return environment(false);
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
