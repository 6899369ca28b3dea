package io.github.vicinal.transport.tcp;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

import io.github.vicinal.boot.kit.VicinalKitEnvironment;
import io.github.vicinal.testkit.ChannelCompatibilityKit;
import io.github.vicinal.testkit.KitEnvironment;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * The compatibility kit with typed calls on the path {@code tcp}, without and with TLS.
 */
class TcpCompatibilityTests {

	@TempDir
	private static Path directory;

	static KitEnvironment environment(boolean exchanges, Map<String, Object> properties) {
		Map<String, Object> all = new TreeMap<>(properties);
		all.put("vicinal.tcp.enabled", "true");
		return VicinalKitEnvironment.of("tcp", exchanges, all, (context) -> {
		});
	}

	static Map<String, Object> tls(Path directory) throws Exception {
		Certificates certificates = new Certificates(Files.createTempDirectory(directory, "tls")).authority("ca")
			.signed("both", "ca", "-ext", "san=ip:127.0.0.1");
		String jks = "spring.ssl.bundle.jks.mesh.";
		return Map.of(jks + "keystore.location", certificates.write("both.p12", certificates.keys("both")),
				jks + "keystore.password", Certificates.PASSWORD, jks + "truststore.location",
				certificates.write("trust.p12", certificates.trust("ca")), jks + "truststore.password",
				Certificates.PASSWORD, "vicinal.tcp.ssl.bundle", "mesh", "vicinal.tcp.address", "127.0.0.1");
	}

	@Nested
	class TypedCalls extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() {
			return environment(false, Map.of());
		}

	}

	@Nested
	@Tag("deep")
	class TypedCallsOverTls extends ChannelCompatibilityKit {

		@Override
		protected KitEnvironment createEnvironment() throws Exception {
			return environment(false, tls(directory));
		}

	}

}
