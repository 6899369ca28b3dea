package io.github.vicinal.chronicle.path;

import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerIdentity;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.github.vicinal.chronicle.path.ChroniclePathFixture.bytes;
import static io.github.vicinal.transport.testing.EchoCalls.later;
import static io.github.vicinal.transport.testing.EchoCalls.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Processes that are killed or stopped, at random times with fixed seeds. */
class ChroniclePathKillTests {

	private static final int FEW = 3;

	private static final int MANY = Integer.getInteger("chronicle.kills", 100);

	private ChroniclePathFixture fixture;

	@BeforeEach
	void open() throws Exception {
		this.fixture = new ChroniclePathFixture();
	}

	@AfterEach
	void close() throws Exception {
		this.fixture.close();
	}

	@Test
	@Timeout(240)
	void aKilledServerFailsItsCallsAndLeavesNoQueue() throws Exception {
		killServers(FEW);
	}

	@Test
	@Tag("deep")
	@Timeout(3600)
	void manyKilledServersFailTheirCallsAndLeaveNoQueue() throws Exception {
		killServers(MANY);
	}

	private void killServers(int kills) throws Exception {
		Random random = new Random(51);
		ChroniclePathProvider provider = this.fixture.provider();
		for (int kill = 0; kill < kills; kill++) {
			try (ChroniclePathChild child = ChroniclePathChild.server(this.fixture.directory)) {
				PeerIdentity server = new PeerIdentity(child.line(), this.fixture.rendezvous.hostId());
				CallPath path = this.fixture.connect(provider, server);
				int after = random.nextInt(500);
				byte[] body = new byte[random.nextInt(50_000)];
				random.nextBytes(body);
				CompletableFuture<PathException> failed = new CompletableFuture<>();
				Thread caller = new Thread(() -> {
					try {
						for (int i = 0;; i++) {
							assertThat(value(path.call(bytes(body)))).isEqualTo(body);
							if (i == after) {
								child.signal("KILL");
							}
						}
					}
					catch (PathException ex) {
						failed.complete(ex);
					}
					catch (Exception | AssertionError ex) {
						failed.completeExceptionally(ex);
					}
				});
				caller.start();
				assertThat(failed.get(60, TimeUnit.SECONDS).reason()).isEqualTo(PathException.Reason.PEER_GONE);
				assertThat(path.isOpen()).isFalse();
				await().untilAsserted(() -> assertThat(this.fixture.pairs()).isEmpty());
				path.close();
			}
		}
		// Sockets of dead servers are deleted when the next server starts.
		this.fixture.server();
		await().untilAsserted(() -> assertThat(this.fixture.directory.toFile().list())
			.containsExactlyInAnyOrder("host-token", this.fixture.peer.instanceId() + ".cq"));
	}

	@Test
	@Timeout(240)
	void aKilledClientLeavesNoQueueAndNoConnection() throws Exception {
		killClients(FEW);
	}

	@Test
	@Tag("deep")
	@Timeout(3600)
	void manyKilledClientsLeaveNoQueueAndNoConnection() throws Exception {
		killClients(MANY);
	}

	private void killClients(int kills) throws Exception {
		Random random = new Random(52);
		ChroniclePathServer server = this.fixture.server();
		for (int kill = 0; kill < kills; kill++) {
			try (ChroniclePathChild child = ChroniclePathChild.client(this.fixture.directory, this.fixture.peer)) {
				int after = 1 + random.nextInt(500);
				String line = child.line();
				while (Integer.parseInt(line) < after) {
					line = child.line();
				}
				assertThat(this.fixture.pairs()).hasSize(1);
				child.kill();
			}
			await().untilAsserted(() -> assertThat(this.fixture.pairs()).isEmpty());
			await().until(() -> server.metrics().open().sum() == 0 && server.metrics().inFlight().sum() == 0);
		}
		// Others are served as if nothing had happened.
		assertThat(value(this.fixture.connect(this.fixture.provider()).call(bytes(new byte[3]))))
			.isEqualTo(new byte[3]);
	}

	@Test
	@Timeout(240)
	void whatTwoKilledProcessesHaveLeftIsDeletedByTheNextServer() throws Exception {
		try (ChroniclePathChild server = ChroniclePathChild.server(this.fixture.directory)) {
			PeerIdentity identity = new PeerIdentity(server.line(), this.fixture.rendezvous.hostId());
			try (ChroniclePathChild client = ChroniclePathChild.client(this.fixture.directory, identity)) {
				assertThat(client.line()).isEqualTo("1");
				client.stop();
				server.kill();
				client.kill();
			}
		}
		assertThat(this.fixture.pairs()).hasSize(1);
		this.fixture.server();
		await().untilAsserted(() -> assertThat(this.fixture.directory.toFile().list())
			.containsExactlyInAnyOrder("host-token", this.fixture.peer.instanceId() + ".cq"));
	}

	@Test
	@Timeout(240)
	void aSweepLeavesPairsOfLivingServersAlone() throws Exception {
		this.fixture.server();
		CallPath path = this.fixture.connect(this.fixture.provider());
		Path pair = this.fixture.pairs().get(0);
		try (ChroniclePathChild other = ChroniclePathChild.server(this.fixture.directory)) {
			assertThat(other.line()).hasSize(32);
			assertThat(PairDirectory.deleteStale(this.fixture.directory)).isZero();
		}
		assertThat(pair).isDirectory();
		assertThat(value(path.call(bytes(new byte[3])))).isEqualTo(new byte[3]);
	}

	@Test
	@Timeout(240)
	void aServerThatIsStoppedHoldsNobodyLongerThanTheDeadline() throws Exception {
		try (ChroniclePathChild child = ChroniclePathChild.server(this.fixture.directory)) {
			PeerIdentity server = new PeerIdentity(child.line(), this.fixture.rendezvous.hostId());
			CallPath path = this.fixture.connect(this.fixture.provider(), server);
			assertThat(value(path.call(bytes(new byte[3])))).isEqualTo(new byte[3]);
			child.stop();
			assertThatExceptionOfType(PathException.class).isThrownBy(
					() -> path.call(ChroniclePathFixture.call("bytes", new byte[5], System.nanoTime() + 100_000_000)))
				.returns(PathException.Reason.TIMEOUT, PathException::reason);
			CompletableFuture<Reply> later = later(path, bytes(new byte[7]));
			assertThat(later).isNotDone();
			child.signal("CONT");
			assertThat(value(later.get(20, TimeUnit.SECONDS))).isEqualTo(new byte[7]);
		}
	}

}
