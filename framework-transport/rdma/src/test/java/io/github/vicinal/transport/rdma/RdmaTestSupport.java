package io.github.vicinal.transport.rdma;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

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
import org.junit.jupiter.api.AfterEach;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** A server with one contract, and clients of it. */
abstract class RdmaTestSupport {

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

	/** Returns the devices that both sides use. */
	abstract RdmaDevices devices();

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

	Service service() {
		return new Service() {

			@Override
			public Contract contract() {
				return RdmaTestSupport.this.contract;
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
				return echo(frame);
			}

		};
	}

	RdmaPathServer server(RdmaOptions options) {
		return server(options, this.peer);
	}

	RdmaPathServer server(RdmaOptions options, PeerIdentity identity) {
		ServiceRegistry registry = new ServiceRegistry();
		registry.register(service());
		RdmaPathServer server = new RdmaPathServer(identity, devices(), registry, options);
		this.closeables.push(server);
		server.start();
		return server;
	}

	RdmaPathProvider provider(RdmaOptions options) {
		RdmaPathProvider provider = new RdmaPathProvider(devices(), CODECS, options);
		this.closeables.push(provider);
		return provider;
	}

	PathProvider.Attempt attempt(RdmaPathProvider provider, PeerIdentity announced, String address) {
		return provider.connect(this.contract, new PeerAnnouncement(announced, Set.of("rdma"), this.contract.hash(), "")
			.withAddresses(Map.of("rdma", address)));
	}

	CallPath connect(RdmaPathServer server) {
		return connect(provider(options()), server);
	}

	CallPath connect(RdmaPathProvider provider, RdmaPathServer server) {
		PathProvider.Attempt attempt = attempt(provider, this.peer, server.address().orElseThrow());
		assertThat(attempt).isInstanceOf(PathProvider.Connected.class);
		return ((PathProvider.Connected) attempt).path();
	}

	/** Small limits, so that tests reach them. */
	static RdmaOptions.Builder small() {
		return RdmaOptions.builder()
			.ringBytes(64 << 10)
			.maxFrameBytes(8 << 20)
			.maxConnections(20)
			.maxThreads(16)
			.drainTimeout(Duration.ofSeconds(5));
	}

	static RdmaOptions options() {
		return small().build();
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
			throw new AssertionError(later.get(60, TimeUnit.SECONDS));
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

}
