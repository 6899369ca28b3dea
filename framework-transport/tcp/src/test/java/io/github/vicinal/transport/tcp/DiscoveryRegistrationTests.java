package io.github.vicinal.transport.tcp;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.tcp.TcpDiscoveryTests.ShelfRegistration;
import io.github.vicinal.transport.tcp.TcpProperties.ClientAuth;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.cloud.client.discovery.event.InstancePreRegisteredEvent;

import static org.assertj.core.api.Assertions.assertThat;

/** Entries in the metadata of a registration. */
@Timeout(60)
class DiscoveryRegistrationTests extends TcpTestSupport {

	private static Certificates certificates;

	private final Map<String, String> metadata = new HashMap<>();

	@BeforeAll
	static void issue(@TempDir Path directory) throws Exception {
		certificates = new Certificates(directory).authority("ca").signed("server", "ca");
	}

	/** Returns a server that is not started. */
	private TcpPathServer idle(TcpOptions options, @Nullable Tls tls) {
		TcpPathServer server = new TcpPathServer(this.peer, new ServiceRegistry(), options, tls);
		this.closeables.push(server);
		return server;
	}

	private TcpPathServer idle() throws Exception {
		return idle(options(), Tls.server(certificates.material("server", "ca"), ClientAuth.NEED));
	}

	private void register(TcpPathServer server, boolean offered, @Nullable Map<String, String> given) {
		new DiscoveryRegistration(() -> server, offered)
			.onApplicationEvent(new InstancePreRegisteredEvent(this, new ShelfRegistration(given)));
	}

	@Test
	void theServerStartsAndIsNamed() throws Exception {
		TcpPathServer server = idle();
		this.metadata.put("zone", "z1");
		register(server, true, this.metadata);
		assertThat(this.metadata)
			.containsExactlyInAnyOrderEntriesOf(Map.of("zone", "z1", "vicinal-tcp", server.address().orElseThrow()));
		assertThat(this.metadata.get("vicinal-tcp")).matches("127\\.0\\.0\\.1:[1-9][0-9]*");
	}

	@Test
	void whatTheApplicationHasWrittenStays() throws Exception {
		this.metadata.put("vicinal-tcp", "10.0.0.7:4711");
		register(idle(), true, this.metadata);
		assertThat(this.metadata).isEqualTo(Map.of("vicinal-tcp", "10.0.0.7:4711"));
	}

	@Test
	void metadataThatCannotBeChangedKeepsNoApplicationFromRegistering() throws Exception {
		register(idle(), true, Map.of());
		register(idle(), true, null);
		assertThat(this.metadata).isEmpty();
	}

	@Test
	void aServerWithoutTlsIsNeitherStartedNorNamed() {
		TcpPathServer server = idle(options(), null);
		register(server, true, this.metadata);
		assertThat(this.metadata).isEmpty();
		assertThat(server.unavailable()).contains("it is not started");
	}

	@Test
	void aServerThatIsNotOfferedIsNeitherStartedNorNamed() throws Exception {
		TcpPathServer server = idle();
		register(server, false, this.metadata);
		assertThat(this.metadata).isEmpty();
		assertThat(server.unavailable()).contains("it is not started");
	}

	@Test
	void aServerThatCannotListenIsNotNamed() throws Exception {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			TcpOptions options = small().listeningOn("127.0.0.1", taken.getLocalPort()).build();
			register(idle(options, Tls.server(certificates.material("server", "ca"), ClientAuth.NEED)), true,
					this.metadata);
			assertThat(this.metadata).isEmpty();
		}
	}

}
