package io.github.vicinal.transport.tcp;

import java.nio.file.Path;
import java.util.Map;

import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;
import io.github.vicinal.testkit.RequestCompatibilityKit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * The compatibility kit with requests that go over {@code tcp} as they are, without and
 * with TLS.
 */
class TcpExchangeCompatibilityTests {

	@TempDir
	private static Path directory;

	/** The part about requests and responses, in each build. */
	@Nested
	class RequestsOfExchanges extends RequestCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return TcpCompatibilityTests.environment(true, Map.of());
		}

	}

	@Nested
	@Tag("deep")
	class Exchanges extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return TcpCompatibilityTests.environment(true, Map.of());
		}

	}

	@Nested
	@Tag("deep")
	class ExchangesOverTls extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() throws Exception {
			return TcpCompatibilityTests.environment(true, TcpCompatibilityTests.tls(directory));
		}

	}

}
