package io.github.vicinal.chronicle.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoCalls;
import io.github.vicinal.transport.wire.PeerCheck;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Servers with one contract and clients of it, in one rendezvous directory. */
final class ChroniclePathFixture implements AutoCloseable {

	static final Contract CONTRACT = Contracts.of(EchoCalls.Echo.class);

	final Path directory;

	final Rendezvous rendezvous;

	final PeerIdentity peer;

	final CountDownLatch arrived = new CountDownLatch(1);

	final CountDownLatch released = new CountDownLatch(1);

	private final Deque<AutoCloseable> closeables = new ArrayDeque<>();

	ChroniclePathFixture() throws IOException {
		this(Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test"));
	}

	ChroniclePathFixture(Path directory) {
		this.directory = directory;
		this.rendezvous = Rendezvous.open(directory.toString());
		this.peer = PeerIdentity.create(this.rendezvous.hostId());
	}

	/** Small limits, so that tests reach them. */
	static ChroniclePathOptions.Builder small() {
		return ChroniclePathOptions.builder()
			.maxFrameBytes(4 << 20)
			.maxQueueBytes(8 << 20)
			.fileBytes(1 << 20)
			.minFreeBytes(0)
			.maxThreads(16)
			.handshakeTimeout(Duration.ofSeconds(40))
			.drainTimeout(Duration.ofSeconds(5));
	}

	static ServiceRegistry services(Function<CallFrame, Reply> handler) {
		ServiceRegistry registry = new ServiceRegistry();
		registry.register(Contracts.service(CONTRACT, handler));
		return registry;
	}

	ChroniclePathServer server() {
		return server(small().build());
	}

	ChroniclePathServer server(ChroniclePathOptions options) {
		return server(options, null);
	}

	ChroniclePathServer server(ChroniclePathOptions options, @Nullable PeerCheck check) {
		ChroniclePathServer server = new ChroniclePathServer(this.peer, this.rendezvous,
				services((call) -> EchoCalls.echo(call, this.arrived, this.released)), options, check);
		this.closeables.push(server);
		server.start();
		assertThat(server.unavailable()).isEmpty();
		awaitWarmUp();
		return server;
	}

	/** Waits for the thread that warms up, which makes a pair that is no client's. */
	private void awaitWarmUp() {
		String name = "vicinal-chronicle-%s-sweep".formatted(this.peer.instanceId().substring(0, 8));
		await().until(() -> Thread.getAllStackTraces().keySet().stream().noneMatch((it) -> it.getName().equals(name)));
	}

	ChroniclePathProvider provider() {
		return provider(small().build(), null);
	}

	ChroniclePathProvider provider(ChroniclePathOptions options, @Nullable PeerCheck check) {
		ChroniclePathProvider provider = new ChroniclePathProvider(PeerIdentity.create(this.rendezvous.hostId()),
				this.rendezvous, EchoCalls.CODECS, options, check);
		this.closeables.push(provider);
		return provider;
	}

	PathProvider.Attempt attempt(ChroniclePathProvider provider) {
		return attempt(provider, this.peer);
	}

	PathProvider.Attempt attempt(ChroniclePathProvider provider, PeerIdentity server) {
		return provider.connect(CONTRACT, new PeerAnnouncement(server, Set.of("chronicle"), CONTRACT.hash(), ""));
	}

	CallPath connect(ChroniclePathProvider provider) {
		return connect(provider, this.peer);
	}

	CallPath connect(ChroniclePathProvider provider, PeerIdentity server) {
		PathProvider.Attempt attempt = attempt(provider, server);
		assertThat(attempt).isInstanceOf(PathProvider.Connected.class);
		return ((PathProvider.Connected) attempt).path();
	}

	static CallFrame call(String method, Object argument, long deadlineNanos) {
		return Contracts.callBefore(CONTRACT, method, deadlineNanos, argument);
	}

	static CallFrame bytes(byte[] body) {
		return call("bytes", body, CallFrame.NO_DEADLINE);
	}

	static CallFrame slow(long deadlineNanos) {
		return call("slow", "x", deadlineNanos);
	}

	/** Returns the directories of pairs. */
	List<Path> pairs() throws IOException {
		try (var files = Files.list(this.directory)) {
			return files.filter((file) -> file.toString().endsWith(".queues")).toList();
		}
	}

	/** Returns the files of a queue of all pairs. */
	List<Path> files(PairQueue queue) throws IOException {
		try (var files = Files.walk(this.directory)) {
			return files.filter((file) -> file.toString().endsWith(".cq4"))
				.filter((file) -> file.getParent().endsWith(queue.directory()))
				.toList();
		}
	}

	@Override
	public void close() throws Exception {
		this.released.countDown();
		while (!this.closeables.isEmpty()) {
			this.closeables.pop().close();
		}
		try (var files = Files.walk(this.directory)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.deleteIfExists(file);
			}
		}
	}

}
