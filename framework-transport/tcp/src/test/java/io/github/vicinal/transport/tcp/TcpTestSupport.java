package io.github.vicinal.transport.tcp;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.testing.EchoCalls;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A server with one contract, and clients of it. */
abstract class TcpTestSupport extends EchoCalls {

	TcpPathServer server(TcpOptions options) {
		return server(options, null);
	}

	TcpPathServer server(TcpOptions options, @Nullable Tls tls) {
		ServiceRegistry registry = new ServiceRegistry();
		registry.register(service(this::echo));
		TcpPathServer server = new TcpPathServer(this.peer, registry, options, tls);
		this.closeables.push(server);
		server.start();
		return server;
	}

	TcpPathProvider provider(@Nullable Tls tls) {
		return provider(options(), tls);
	}

	TcpPathProvider provider(TcpOptions options, @Nullable Tls tls) {
		TcpPathProvider provider = new TcpPathProvider(PeerIdentity.create(HOST), CODECS, options, tls);
		this.closeables.push(provider);
		return provider;
	}

	PathProvider.Attempt attempt(PeerIdentity announced, String address) {
		return attempt(provider(null), announced, address);
	}

	PathProvider.Attempt attempt(TcpPathProvider provider, PeerIdentity announced, String address) {
		return provider.connect(this.contract, new PeerAnnouncement(announced, Set.of("tcp"), this.contract.hash(), "")
			.withAddresses(Map.of("tcp", address)));
	}

	CallPath connect(TcpPathServer server) {
		return connect(provider(null), server);
	}

	CallPath connect(TcpPathProvider provider, TcpPathServer server) {
		PathProvider.Attempt attempt = attempt(provider, this.peer, server.address().orElseThrow());
		assertThat(attempt).isInstanceOf(PathProvider.Connected.class);
		return ((PathProvider.Connected) attempt).path();
	}

	/** Small limits, so that tests reach them. */
	static TcpOptions.Builder small() {
		return TcpOptions.builder()
			.maxFrameBytes(4 << 20)
			.maxConnections(300)
			.maxThreads(16)
			.io(SocketIo.NIO)
			.drainTimeout(Duration.ofSeconds(5));
	}

	static TcpOptions options() {
		return small().build();
	}

	static TcpOptions options(Duration handshake, Duration drain) {
		return small().handshakeTimeout(handshake).drainTimeout(drain).build();
	}

	/** Calls on 16 threads until a condition holds. No call may fail. */
	void load(CallPath path, BooleanSupplier until) throws Exception {
		AtomicBoolean done = new AtomicBoolean();
		List<CompletableFuture<Void>> callers = new ArrayList<>();
		for (int i = 0; i < 16; i++) {
			callers.add(CompletableFuture.runAsync(() -> {
				byte[] body = new byte[64 << 10];
				while (!done.get()) {
					try {
						assertThat(value(path.call(bytes(body)))).isEqualTo(body);
					}
					catch (PathException ex) {
						throw new AssertionError(ex);
					}
				}
			}, (task) -> new Thread(task).start()));
		}
		try {
			await().atMost(Duration.ofSeconds(30))
				.until(() -> until.getAsBoolean() || callers.stream().anyMatch(CompletableFuture::isDone));
		}
		finally {
			done.set(true);
		}
		for (CompletableFuture<Void> caller : callers) {
			caller.get(20, TimeUnit.SECONDS);
		}
	}

	static Socket socket(TcpPathServer server) throws IOException {
		String address = server.address().orElseThrow();
		Socket socket = new Socket("127.0.0.1", Integer.parseInt(address.substring(address.indexOf(':') + 1)));
		socket.setSoTimeout(20_000);
		return socket;
	}

}
