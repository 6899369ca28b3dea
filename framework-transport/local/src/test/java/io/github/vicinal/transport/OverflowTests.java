package io.github.vicinal.transport;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.channel.Channel;
import io.github.vicinal.channel.ChannelSettings;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathKind;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.report.ChannelReport.PathReport;
import io.github.vicinal.report.ChannelReport.PeerReport;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.shm.ShmOptions;
import io.github.vicinal.transport.shm.ShmPathProvider;
import io.github.vicinal.transport.shm.ShmPathServer;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoContract;
import io.github.vicinal.transport.testing.Gate;
import io.github.vicinal.transport.uds.UdsOptions;
import io.github.vicinal.transport.uds.UdsPathProvider;
import io.github.vicinal.transport.uds.UdsPathServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** More callers than a path has room for take the next one, and the path stays. */
@Timeout(60)
class OverflowTests {

	private static final String ADDRESS = "shop:8080";

	private static final int CALLERS = 200;

	private static final int LANES = 64;

	private static final int CONNECTIONS = 100;

	private static final Object BY_HTTP = "by http";

	private final Contract contract = Contracts.of(EchoContract.class);

	private final Gate gate = new Gate();

	private final Set<Object> executed = ConcurrentHashMap.newKeySet();

	private final List<AutoCloseable> closeables = new ArrayList<>();

	private Path directory;

	private Channel channel;

	@BeforeEach
	void start() throws Exception {
		this.directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
		Rendezvous rendezvous = Rendezvous.open(this.directory.toString());
		PeerIdentity server = PeerIdentity.create(rendezvous.hostId());
		PeerIdentity client = PeerIdentity.create(rendezvous.hostId());
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.service(this.contract, (frame) -> {
			if (!this.executed.add(frame.arguments()[0])) {
				throw new IllegalStateException("executed twice");
			}
			return this.gate.pass(frame);
		}));
		ShmPathServer shmServer = closing(new ShmPathServer(server, rendezvous, services, ShmOptions.defaults()));
		UdsPathServer udsServer = closing(new UdsPathServer(server, rendezvous, services, UdsOptions.defaults()));
		shmServer.start();
		udsServer.start();
		ShmPathProvider shm = closing(new ShmPathProvider(client, rendezvous, Contracts.codecs(),
				ShmOptions.builder().lanes(LANES).maxLanes(LANES).build()));
		UdsPathProvider uds = closing(new UdsPathProvider(client, rendezvous, Contracts.codecs(),
				UdsOptions.builder().maxConnectionsPerPeer(CONNECTIONS).build()));
		// How long calls take here says nothing: they wait for the gate.
		this.channel = new Channel(
				new ChannelSettings("shop", List.of(ShmPathProvider.KIND, UdsPathProvider.KIND), null,
						Duration.ofSeconds(1), false),
				this.contract, List.of(shm, uds), Runnable::run, Clock.systemUTC());
		this.channel.peer(ADDRESS)
			.announced(new PeerAnnouncement(server, Set.of("shm", "uds"), this.contract.hash(), ""), System.nanoTime());
	}

	private <T extends AutoCloseable> T closing(T closeable) {
		this.closeables.add(0, closeable);
		return closeable;
	}

	@AfterEach
	void close() throws Exception {
		this.gate.open();
		for (AutoCloseable closeable : this.closeables) {
			closeable.close();
		}
		try (var files = Files.walk(this.directory)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
	}

	private PeerReport report() {
		return this.channel.report().peers().get(0);
	}

	private PathReport report(PathKind kind) {
		return report().paths().stream().filter((path) -> path.path().equals(kind.id())).findFirst().orElseThrow();
	}

	/** None of the methods may be repeated. */
	@Test
	void callersOfASlowHandlerOverflowToTheNextPaths() throws Exception {
		assertThat(this.contract.methods()).noneMatch((method) -> method.idempotent());
		CallPath best = Objects.requireNonNull(
				this.channel.known(ADDRESS).path(Contracts.call(this.contract, "join", "", 1).method(), new Object[0]));
		assertThat(best.kind()).isEqualTo(ShmPathProvider.KIND);
		List<CompletableFuture<Object>> calls = new ArrayList<>();
		for (int i = 0; i < CALLERS; i++) {
			String text = "caller " + i;
			calls.add(Async.call(() -> call(best, text)));
		}
		// Those that have found no room by now go over HTTP.
		Async.await(() -> this.gate.inside() == LANES + CONNECTIONS
				&& calls.stream().filter(CompletableFuture::isDone).count() == CALLERS - LANES - CONNECTIONS);
		assertThat(report().path()).isEqualTo("shm");
		assertThat(report(ShmPathProvider.KIND).errors()).isZero();
		this.gate.open();
		int overHttp = 0;
		for (int i = 0; i < CALLERS; i++) {
			Object answer = calls.get(i).get(60, TimeUnit.SECONDS);
			assertThat(answer).isIn("caller " + i, BY_HTTP);
			overHttp += answer.equals(BY_HTTP) ? 1 : 0;
		}
		assertThat(overHttp).isEqualTo(CALLERS - LANES - CONNECTIONS);
		assertThat(this.executed).hasSize(LANES + CONNECTIONS);
		assertThat(report().path()).isEqualTo("shm");
		assertThat(report(ShmPathProvider.KIND).state()).isEqualTo("in use");
		assertThat(report(UdsPathProvider.KIND).state()).isEqualTo("standby");
		assertThat(report().decisions()).noneMatch((decision) -> decision.from().equals("shm"));
		assertThat(
				this.channel.known(ADDRESS).path(Contracts.call(this.contract, "join", "", 1).method(), new Object[0]))
			.isSameAs(best);
	}

	private Object call(CallPath path, String text) throws PathException {
		try {
			Reply reply = this.channel.known(ADDRESS)
				.calls()
				.call(path, Contracts.call(this.contract, "join", text, 1));
			return Objects.requireNonNull(((Reply.Value) reply).body());
		}
		catch (PathException ex) {
			if (ex.maybeExecuted() || ex.reason() != PathException.Reason.EXHAUSTED) {
				throw ex;
			}
			return BY_HTTP;
		}
	}

}
