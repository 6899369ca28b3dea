package io.github.vicinal.transport.tcp;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.contract.ContractReader.MethodDescription;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.Service;
import io.github.vicinal.server.ServiceRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A server with one contract, and clients of it. */
abstract class TcpTestSupport {

	static final Codecs CODECS = new Codecs(JsonMapper.builder().build(), false);

	static final String HOST = "0123456789abcdef0123456789abcdef";

	interface Echo {

		byte[] bytes(byte[] body);

		String slow(String text);

	}

	final Contract contract = Contract.of(Echo.class,
			(type, method) -> new MethodDescription(Arrays.asList(method.getGenericParameterTypes()),
					method.getGenericReturnType(), false, null));

	final Deque<AutoCloseable> closeables = new ArrayDeque<>();

	final PeerIdentity peer = PeerIdentity.create(HOST);

	final CountDownLatch arrived = new CountDownLatch(1);

	final CountDownLatch released = new CountDownLatch(1);

	@AfterEach
	void close() throws Exception {
		this.released.countDown();
		while (!this.closeables.isEmpty()) {
			this.closeables.pop().close();
		}
	}

	Reply echo(CallFrame call) {
		if (call.method().method().getName().equals("slow")) {
			this.arrived.countDown();
			try {
				this.released.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
		return new Reply.Value(200, Map.of(), call.arguments()[0]);
	}

	Service service(Function<CallFrame, Reply> handler) {
		return new Service() {

			@Override
			public Contract contract() {
				return TcpTestSupport.this.contract;
			}

			@Override
			public Optional<String> refusal() {
				return Optional.empty();
			}

			@Override
			public Codecs codecs() {
				return CODECS;
			}

			@Override
			public Reply invoke(CallFrame frame) {
				return handler.apply(frame);
			}

		};
	}

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

	CallFrame call(String method, Object argument, long deadlineNanos) {
		return new CallFrame(this.contract,
				this.contract.methods()
					.stream()
					.filter((known) -> known.method().getName().equals(method))
					.findFirst()
					.orElseThrow(),
				new Object[] { argument }, deadlineNanos, Map.of());
	}

	static Object value(Reply reply) {
		return Objects.requireNonNull(((Reply.Value) reply).body());
	}

	CallFrame bytes(byte[] body) {
		return call("bytes", body, CallFrame.NO_DEADLINE);
	}

	CallFrame slow(long deadlineNanos) {
		return call("slow", "x", deadlineNanos);
	}

	static PathException failure(CompletableFuture<Reply> later) throws Exception {
		try {
			throw new AssertionError(later.get(20, TimeUnit.SECONDS));
		}
		catch (ExecutionException ex) {
			return (PathException) ex.getCause();
		}
	}

	CompletableFuture<Reply> later(CallPath path, CallFrame frame) {
		return path.callLater(frame, (task) -> {
			throw new AssertionError("no thread is needed");
		}).toCompletableFuture();
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
