package io.github.vicinal.boot.kit;

import java.util.Map;

import io.github.vicinal.testkit.KitEnvironment;
import io.github.vicinal.testkit.RequestCompatibilityKit;
import org.junit.jupiter.api.Nested;

/** Requests and responses of a server that has a context path, a servlet path or both. */
class PrefixedCompatibilityTests {

	@Nested
	class DirectWithContextPath extends RequestCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return new VicinalKitEnvironment("direct", "/shop", Map.of("server.servlet.context-path", "/shop"));
		}

	}

	@Nested
	class UdsWithServletPath extends RequestCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return new VicinalKitEnvironment("uds", "/api", Map.of("spring.mvc.servlet.path", "/api"));
		}

	}

	@Nested
	class ShmWithBoth extends RequestCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return new VicinalKitEnvironment("shm", "/shop/api",
					Map.of("server.servlet.context-path", "/shop", "spring.mvc.servlet.path", "/api"));
		}

	}

}
