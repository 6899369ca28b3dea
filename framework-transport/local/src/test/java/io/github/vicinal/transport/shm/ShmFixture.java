package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.Service;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoContract;

import static org.assertj.core.api.Assertions.assertThat;

/** A rendezvous directory with a server and a client; closes all that it made. */
final class ShmFixture implements AutoCloseable {

	final Contract contract = Contracts.of(EchoContract.class);

	final Path directory;

	final Rendezvous rendezvous;

	final PeerIdentity clientIdentity;

	private final Deque<AutoCloseable> closeables = new ArrayDeque<>();

	ShmFixture() {
		try {
			this.directory = memoryDirectory();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		this.rendezvous = Rendezvous.open(this.directory.toString());
		this.clientIdentity = PeerIdentity.create(this.rendezvous.hostId());
	}

	static Path memoryDirectory() throws IOException {
		return Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-test");
	}

	/** Nothing but the token may be left once all is closed. */
	static void assertEmptyAndDelete(Path directory) throws IOException {
		List<Path> left;
		try (var files = Files.list(directory)) {
			left = files.filter((file) -> !file.endsWith("host-token")).toList();
		}
		try (var files = Files.walk(directory)) {
			for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
				Files.delete(file);
			}
		}
		assertThat(left).isEmpty();
	}

	PeerIdentity identity() {
		return PeerIdentity.create(this.rendezvous.hostId());
	}

	ShmPathServer server(PeerIdentity identity, ShmOptions options, Service... services) {
		ServiceRegistry registry = new ServiceRegistry();
		for (Service service : services) {
			registry.register(service);
		}
		ShmPathServer server = new ShmPathServer(identity, this.rendezvous, registry, options);
		this.closeables.push(server);
		server.start();
		assertThat(server.unavailable()).isEmpty();
		return server;
	}

	ShmPathProvider provider(ShmOptions options) {
		ShmPathProvider provider = new ShmPathProvider(this.clientIdentity, this.rendezvous, Contracts.codecs(),
				options);
		this.closeables.push(provider);
		return provider;
	}

	PathProvider.Attempt attempt(ShmPathProvider provider, PeerIdentity peer) {
		return provider.connect(this.contract, new PeerAnnouncement(peer, Set.of("shm"), this.contract.hash(), ""));
	}

	CallPath connect(ShmPathProvider provider, PeerIdentity peer) {
		PathProvider.Attempt attempt = attempt(provider, peer);
		assertThat(attempt).isInstanceOf(PathProvider.Connected.class);
		return ((PathProvider.Connected) attempt).path();
	}

	CallFrame call(String method, Object... arguments) {
		return Contracts.call(this.contract, method, arguments);
	}

	static Object value(CallPath path, CallFrame frame) throws PathException {
		Reply reply = path.call(frame);
		assertThat(reply).isInstanceOf(Reply.Value.class);
		return ((Reply.Value) reply).body();
	}

	@Override
	public void close() throws Exception {
		while (!this.closeables.isEmpty()) {
			this.closeables.pop().close();
		}
		assertEmptyAndDelete(this.directory);
	}

}
