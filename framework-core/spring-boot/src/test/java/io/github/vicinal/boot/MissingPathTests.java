package io.github.vicinal.boot;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;

import io.github.vicinal.boot.EndToEndTests.BasketClient;
import io.github.vicinal.boot.EndToEndTests.BasketService;
import io.github.vicinal.boot.actuate.ChannelsEndpoint;
import io.github.vicinal.report.ChannelReport.PeerReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Clients say why a server does not offer a path. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class MissingPathTests {

	@RegisterExtension
	private final RunningApplications applications = new RunningApplications();

	private PeerReport peer(String clientPaths, Map<String, Object> ofServer, Path directory, String path) {
		Map<String, Object> server = new HashMap<>(ofServer);
		server.put("vicinal.rendezvous.directory", directory.toString());
		String port = this.applications.start(BasketService.class, server)
			.getEnvironment()
			.getRequiredProperty("local.server.port");
		var client = this.applications.start(BasketClient.class,
				Map.of("spring.http.serviceclient.baskets.base-url", "http://localhost:" + port,
						"vicinal.channels.baskets.paths", clientPaths, "vicinal.rendezvous.directory",
						directory.toString(), "logging.level.io.github.vicinal", "info"));
		Baskets baskets = client.getBean(Baskets.class);
		ChannelsEndpoint endpoint = client.getBean(ChannelsEndpoint.class);
		await().untilAsserted(() -> {
			baskets.get(1);
			PeerReport peer = endpoint.channel("baskets").peers().get(0);
			assertThat(peer.path()).isEqualTo(path);
			assertThat(peer.reason()).doesNotContain("connecting");
		});
		return endpoint.channel("baskets").peers().get(0);
	}

	@Test
	void aPathBesideTheOneInUse(@TempDir Path directory, CapturedOutput output) {
		PeerReport peer = peer("shm,uds", Map.of("vicinal.server.paths", "uds"), directory, "uds");
		assertThat(peer.paths()).filteredOn((report) -> report.path().equals("shm"))
			.singleElement()
			.satisfies((report) -> assertThat(report.reason())
				.isEqualTo("the peer does not offer it: it is not configured there"));
		assertThat(output).contains("fallback http; shm: the peer does not offer it: it is not configured there");
	}

	@Test
	void theOnlyPath(@TempDir Path directory, CapturedOutput output) {
		PeerReport peer = peer("shm", Map.of("vicinal.server.paths", "uds"), directory, "http");
		assertThat(peer.reason()).contains("shm: the peer does not offer it: it is not configured there");
		assertThat(output).contains("http (shm: the peer does not offer it: it is not configured there)");
	}

	@Test
	void allPaths(@TempDir Path directory) throws Exception {
		Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
		PeerReport peer = peer("shm,uds", Map.of("vicinal.server.paths", "shm,uds"), directory, "http");
		assertThat(peer.reason()).startsWith("the peer offers no typed path: ")
			.contains("shm: its rendezvous directory", "uds: its rendezvous directory",
					"direct: it is not configured there")
			.doesNotContain(directory.toString());
	}

}
