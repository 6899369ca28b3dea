package io.github.vicinal.transport.uds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;

import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.peer.Rendezvous;
import io.github.vicinal.server.Service;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoContract;
import io.github.vicinal.transport.wire.PeerCheck;

/** A rendezvous directory with a server and a client; closes all that it made. */
final class UdsFixture implements AutoCloseable {

	final Contract contract = Contracts.of(EchoContract.class);

	final Path directory;

	final Rendezvous rendezvous;

	final PeerIdentity clientIdentity;

	/** Says of the threads of servers whether there is none to be had. */
	volatile boolean noThreads;

	private final ThreadFactory threads = (task) -> new Thread(task) {

		@Override
		public void start() {
			if (UdsFixture.this.noThreads) {
				throw new OutOfMemoryError("unable to create native thread, as the test wants it");
			}
			super.start();
		}

	};

	private final Deque<AutoCloseable> closeables = new ArrayDeque<>();

	UdsFixture() {
		try {
			this.directory = Files.createTempDirectory("vuds");
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		this.rendezvous = Rendezvous.open(this.directory.toString());
		this.clientIdentity = PeerIdentity.create(this.rendezvous.hostId());
	}

	PeerIdentity identity() {
		return PeerIdentity.create(this.rendezvous.hostId());
	}

	UdsPathServer server(PeerIdentity identity, UdsOptions options, Service... services) {
		return server(identity, options, null, services);
	}

	UdsPathServer server(PeerIdentity identity, UdsOptions options, PeerCheck check, Service... services) {
		ServiceRegistry registry = new ServiceRegistry();
		for (Service service : services) {
			registry.register(service);
		}
		UdsPathServer server = new UdsPathServer(identity, this.rendezvous, registry, options, check, this.threads);
		this.closeables.push(server);
		server.start();
		return server;
	}

	UdsPathProvider provider(UdsOptions options) {
		return provider(options, null);
	}

	UdsPathProvider provider(UdsOptions options, PeerCheck check) {
		UdsPathProvider provider = new UdsPathProvider(this.clientIdentity, this.rendezvous, Contracts.codecs(),
				options, check);
		this.closeables.push(provider);
		return provider;
	}

	CallPath connect(PathProvider provider, PeerIdentity peer) {
		return connect(provider, peer, this.contract);
	}

	CallPath connect(PathProvider provider, PeerIdentity peer, Contract contract) {
		PathProvider.Attempt attempt = provider.connect(contract, Contracts.announce(peer, contract));
		if (attempt instanceof PathProvider.Connected connected) {
			return connected.path();
		}
		throw new AssertionError(attempt);
	}

	PathProvider.Unavailable refused(PathProvider provider, PeerIdentity peer, Contract contract) {
		return (PathProvider.Unavailable) provider.connect(contract, Contracts.announce(peer, contract));
	}

	CallFrame call(String method, Object... arguments) {
		return Contracts.call(this.contract, method, arguments);
	}

	static Object value(CallPath path, CallFrame frame) throws PathException {
		return Objects.requireNonNull(((Reply.Value) path.call(frame)).body());
	}

	@Override
	public void close() {
		while (!this.closeables.isEmpty()) {
			try {
				this.closeables.pop().close();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}
		try (var files = Files.walk(this.directory)) {
			for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
				Files.deleteIfExists(file);
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
