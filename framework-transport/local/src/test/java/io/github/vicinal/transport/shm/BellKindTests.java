package io.github.vicinal.transport.shm;

import java.io.BufferedReader;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.shm.bell.SocketBells;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Refusal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Both sides use the best bells that both can use, and say why not better ones. */
@Timeout(60)
@Tag("every-jdk")
class BellKindTests {

	private final ShmFixture shm = new ShmFixture();

	private final PeerIdentity server = this.shm.identity();

	@AfterEach
	void close() throws Exception {
		this.shm.close();
	}

	@ParameterizedTest
	@CsvSource({ "true, true, futexes are not wanted", "true, false, futexes are not wanted",
			"false, true, the peer cannot use futexes", "false, false, ''" })
	void sidesAgree(boolean fifoClient, boolean fifoServer, String reason) throws Exception {
		BellSupport client = fifoClient ? BellSupport.fifoOnly() : BellSupport.detect();
		Assumptions.assumeTrue(fifoClient || client.noFutex().isEmpty(),
				"the client has no futexes: " + client.noFutex());
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.echo(this.shm.contract));
		try (ShmPathServer running = new ShmPathServer(this.server, this.shm.rendezvous, services,
				ShmOptions.defaults(), fifoServer ? BellSupport.fifoOnly() : BellSupport.detect(), null);
				ShmPathProvider provider = new ShmPathProvider(this.shm.clientIdentity, this.shm.rendezvous,
						Contracts.codecs(), ShmOptions.builder().waiting("park").build(), client)) {
			running.start();
			CallPath path = this.shm.connect(provider, this.server);
			for (int i = 0; i < 20; i++) {
				assertThat(ShmFixture.value(path, this.shm.call("join", "a", i))).isEqualTo("a-" + i);
			}
			String kind = reason.isEmpty() ? "futex" : "fifo";
			assertThat(path.details()).containsEntry("bells", kind);
			assertThat(path.details().getOrDefault("bellsReason", "")).isEqualTo(reason);
			assertThat(running.clients()).singleElement()
				.satisfies((there) -> assertThat(there).containsEntry("bells", kind));
		}
	}

	/** As in images without the command mkfifo. */
	@Test
	void socketsAreUsedWhereThereAreNoFifos() throws Exception {
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.echo(this.shm.contract));
		try (ShmPathServer running = new ShmPathServer(this.server, this.shm.rendezvous, services,
				ShmOptions.defaults(), BellSupport.socketOnly(), null);
				ShmPathProvider provider = new ShmPathProvider(this.shm.clientIdentity, this.shm.rendezvous,
						Contracts.codecs(), ShmOptions.builder().waiting("park").build(), BellSupport.detect())) {
			running.start();
			CallPath path = this.shm.connect(provider, this.server);
			ExecutorService callers = Executors.newFixedThreadPool(8);
			List<Callable<Integer>> tasks = new ArrayList<>();
			for (int caller = 0; caller < 8; caller++) {
				String text = "a" + caller;
				tasks.add(() -> {
					int right = 0;
					for (int i = 0; i < 500; i++) {
						right += (text + "-" + i).equals(ShmFixture.value(path, this.shm.call("join", text, i))) ? 1
								: 0;
					}
					return right;
				});
			}
			for (Future<Integer> right : callers.invokeAll(tasks)) {
				assertThat(right.get()).isEqualTo(500);
			}
			callers.shutdown();
			assertThat(path.details()).containsEntry("bells", "socket");
			try (var files = Files.list(this.shm.directory)) {
				assertThat(files.map((file) -> file.getFileName().toString()))
					.noneMatch((name) -> name.contains("bell"));
			}
			running.close();
			Async.await(() -> !path.isOpen());
		}
		Async.await(() -> !Async.isSomebodyIn("BellReader.run"));
	}

	@Test
	void clientWithoutSocketsGetsNoBellsWhereThereAreNoFifos() {
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.echo(this.shm.contract));
		try (ShmPathServer running = new ShmPathServer(this.server, this.shm.rendezvous, services,
				ShmOptions.defaults(), BellSupport.socketOnly(), null);
				ShmPathProvider provider = new ShmPathProvider(this.shm.clientIdentity, this.shm.rendezvous,
						Contracts.codecs(), ShmOptions.defaults(), BellSupport.fifoOnly())) {
			running.start();
			assertThat(this.shm.attempt(provider, this.server)).isInstanceOfSatisfying(PathProvider.Unavailable.class,
					(why) -> assertThat(why.reason()).contains("no kind of bell"));
		}
	}

	/** Later it might find no descriptor, and rings would find no socket. */
	@Test
	void clientThatDoesNotConnectToTheSocketIsRefusedBeforeThereAreCalls() throws Exception {
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.echo(this.shm.contract));
		try (ShmPathServer running = new ShmPathServer(this.server, this.shm.rendezvous, services,
				ShmOptions.builder().handshakeTimeout(Duration.ofSeconds(3)).build(), BellSupport.socketOnly(), null)) {
			running.start();
			try (FakePeer client = FakePeer.connect(this.shm.directory, this.server.instanceId());
					FileChannel segment = client.attach(this.shm.directory, this.shm.clientIdentity.instanceId(),
							this.server.instanceId(), Set.of(SocketBells.KIND))) {
				assertThat(segment.isOpen()).isTrue();
				FrameHeader answer = client.read();
				while (answer != null && answer.type != FrameType.REFUSED) {
					answer = client.read();
				}
				Async.await(() -> running.metrics().open().sum() == 0);
				assertThat(running.metrics().refusals().get(Refusal.STALLED.id()).sum()).isOne();
			}
			try (var files = Files.list(this.shm.directory)) {
				assertThat(files.map((file) -> file.getFileName().toString()))
					.noneMatch((name) -> name.contains("bell"));
			}
		}
	}

	/** The JVM would warn, or refuse, if anything native was touched. */
	@Test
	void withoutNativeAccessFifosAreUsedSilently() throws Exception {
		Assumptions.assumeTrue(Runtime.version().feature() >= 22, "this Java cannot have native access");
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
						BellKinds.class.getName()));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		List<String> lines;
		try (BufferedReader output = process.inputReader()) {
			lines = output.lines().toList();
		}
		assertThat(process.waitFor()).isZero();
		assertThat(lines).hasSize(2);
		assertThat(lines.get(0)).isEqualTo("[fifo, socket]");
		assertThat(lines.get(1)).contains("--enable-native-access=ALL-UNNAMED", "Enable-Native-Access: ALL-UNNAMED");
	}

	/** Says which bells a JVM can use, and why not others. */
	static final class BellKinds {

		private BellKinds() {
		}

		public static void main(String[] args) {
			BellSupport support = BellSupport.detect();
			System.out.println(support.kinds());
			System.out.println(support.noFutex());
		}

	}

}
