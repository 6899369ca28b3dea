package io.github.vicinal.transport.uds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.shm.ShmOptions;
import io.github.vicinal.transport.shm.ShmPathProvider;
import io.github.vicinal.transport.shm.ShmPathServer;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoContract;
import io.github.vicinal.transport.wire.SocketFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * A rendezvous directory that is deleted while clients and servers run, and made anew by
 * another user or by this one.
 */
@Timeout(60)
@Tag("every-jdk")
class PinnedOwnerTests {

	private final Contract contract = Contracts.of(EchoContract.class);

	private final Deque<AutoCloseable> closeables = new ArrayDeque<>();

	private final CountDownLatch entered = new CountDownLatch(1);

	private final CountDownLatch release = new CountDownLatch(1);

	private Path parent;

	private Path directory;

	private Rendezvous rendezvous;

	@BeforeEach
	void open() throws IOException {
		this.parent = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
		Files.setAttribute(this.parent, "unix:mode", 01777);
		this.directory = this.parent.resolve("d");
		this.rendezvous = Rendezvous.open(this.directory.toString());
	}

	@AfterEach
	void close() throws Exception {
		this.release.countDown();
		while (!this.closeables.isEmpty()) {
			this.closeables.pop().close();
		}
		delete(this.parent);
	}

	private static void delete(Path directory) throws IOException {
		try (var files = Files.walk(directory)) {
			for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
	}

	private <T extends AutoCloseable> T closing(T closeable) {
		this.closeables.push(closeable);
		return closeable;
	}

	private ServiceRegistry services() {
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.service(this.contract, this::answer));
		return services;
	}

	private Reply answer(CallFrame frame) {
		if ("hang".equals(frame.arguments()[0])) {
			this.entered.countDown();
			try {
				this.release.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
		return Contracts.value(frame.arguments()[0]);
	}

	private UdsPathServer uds(Rendezvous where, PeerIdentity identity) {
		UdsPathServer server = closing(new UdsPathServer(identity, where, services(), UdsOptions.defaults()));
		server.start();
		assertThat(server.unavailable()).isEmpty();
		return server;
	}

	private ShmPathServer shm(Rendezvous where, PeerIdentity identity) {
		ShmPathServer server = closing(new ShmPathServer(identity, where, services(), ShmOptions.defaults()));
		server.start();
		assertThat(server.unavailable()).isEmpty();
		return server;
	}

	private PathProvider.Attempt connect(PathProvider provider, PeerIdentity peer) {
		return provider.connect(this.contract,
				new PeerAnnouncement(peer, Set.of("shm", "uds"), this.contract.hash(), ""));
	}

	private CallPath connected(PathProvider provider, PeerIdentity peer) {
		PathProvider.Attempt attempt = connect(provider, peer);
		assertThat(attempt).isInstanceOf(PathProvider.Connected.class);
		return ((PathProvider.Connected) attempt).path();
	}

	private Object call(CallPath path) throws PathException {
		CallFrame frame = Contracts.call(this.contract, "bytes", (Object) new byte[] { 1 });
		return ((Reply.Value) path.call(frame)).body();
	}

	private UdsPathProvider udsClient() {
		return closing(new UdsPathProvider(PeerIdentity.create(this.rendezvous.hostId()), this.rendezvous,
				Contracts.codecs(), UdsOptions.defaults()));
	}

	private ShmPathProvider shmClient() {
		return closing(new ShmPathProvider(PeerIdentity.create(this.rendezvous.hostId()), this.rendezvous,
				Contracts.codecs(), ShmOptions.defaults()));
	}

	@Test
	void userThatMakesTheDirectoryAnewGetsNoCall() throws Exception {
		PeerIdentity identity = PeerIdentity.create(this.rendezvous.hostId());
		UdsPathServer server = uds(this.rendezvous, identity);
		ShmPathServer lanes = shm(this.rendezvous, identity);
		UdsPathProvider client = udsClient();
		CallPath path = connected(client, identity);
		assertThat(call(path)).isEqualTo(new byte[] { 1 });
		String token = Files.readString(this.directory.resolve("host-token"));
		delete(this.directory);
		try (StrangerChild stranger = StrangerChild.start(this.directory, token, identity)) {
			Assumptions.assumeTrue(stranger != null, "only root can start a process of another user, with setpriv");
			assertThat(server.unavailable().orElse("")).contains("created again by the user");
			assertThat(lanes.unavailable().orElse("")).contains("created again by the user");
			// Takes the idle connection: the next call needs a new one.
			Future<Reply> other = Async.call(() -> path.call(Contracts.call(this.contract, "join", "hang", 1)));
			this.entered.await();
			PathException refused = catchThrowableOfType(PathException.class, () -> call(path));
			assertThat(path.isOpen()).isFalse();
			this.release.countDown();
			assertThat(((Reply.Value) other.get()).body()).isEqualTo("hang");
			assertThat(refused.reason()).isEqualTo(Reason.PEER_GONE);
			assertThat(refused.maybeExecuted()).isFalse();
			assertThat(refused).hasMessageContaining("the other process runs as user " + StrangerChild.UID);
			for (PathProvider provider : new PathProvider[] { client, udsClient(), shmClient() }) {
				assertThat(connect(provider, identity)).isInstanceOfSatisfying(PathProvider.Unavailable.class,
						(why) -> assertThat(why.reason()).contains("created again by the user " + StrangerChild.UID));
			}
		}
	}

	@Test
	void restartedServersInANewDirectoryAreMet() throws Exception {
		PeerIdentity identity = PeerIdentity.create(this.rendezvous.hostId());
		uds(this.rendezvous, identity).close();
		UdsPathProvider uds = udsClient();
		ShmPathProvider shm = shmClient();
		delete(this.directory);
		Rendezvous anew = Rendezvous.open(this.directory.toString());
		PeerIdentity restarted = PeerIdentity.create(anew.hostId());
		assertThat(restarted.hostId()).isNotEqualTo(identity.hostId());
		uds(anew, restarted);
		shm(anew, restarted);
		assertThat(call(connected(uds, restarted))).isEqualTo(new byte[] { 1 });
		assertThat(call(connected(shm, restarted))).isEqualTo(new byte[] { 1 });
	}

	@Test
	void runningServersOpenTheirSocketsAnew() throws Exception {
		PeerIdentity identity = PeerIdentity.create(this.rendezvous.hostId());
		UdsPathServer uds = uds(this.rendezvous, identity);
		ShmPathServer shm = shm(this.rendezvous, identity);
		CallPath before = connected(udsClient(), identity);
		delete(this.directory);
		assertThat(uds.unavailable()).isEmpty();
		assertThat(shm.unavailable()).isEmpty();
		assertThat(SocketFile.of(this.directory, identity.instanceId(), SocketFile.CALLS)).exists();
		assertThat(call(before)).isEqualTo(new byte[] { 1 });
		Rendezvous other = Rendezvous.open(this.directory.toString());
		assertThat(other.hostId()).isEqualTo(identity.hostId());
		assertThat(call(connected(udsClient(), identity))).isEqualTo(new byte[] { 1 });
		assertThat(call(connected(shmClient(), identity))).isEqualTo(new byte[] { 1 });
		uds.close();
		shm.close();
		try (var files = Files.list(this.directory)) {
			assertThat(files.map((file) -> file.getFileName().toString())).containsExactly("host-token");
		}
	}

}
