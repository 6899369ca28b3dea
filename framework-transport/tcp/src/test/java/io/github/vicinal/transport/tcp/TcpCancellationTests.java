package io.github.vicinal.transport.tcp;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.requestserver.Permit;
import io.github.vicinal.requestserver.Priority;
import io.github.vicinal.requestserver.RequestServer;
import io.github.vicinal.requestserver.RequestServerSettings;
import io.github.vicinal.requestserver.RequestServerSettings.Threads;
import io.github.vicinal.server.Service;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.testing.RunningCalls;
import io.github.vicinal.transport.wire.ClientBinding;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.InstanceProof;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.PayloadReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Callers that give up, and servers that close while calls are on their way. */
@Timeout(60)
class TcpCancellationTests extends TcpTestSupport {

	private final RunningCalls executed = new RunningCalls();

	@Override
	protected Reply echo(CallFrame call) {
		this.executed.add(call);
		return super.echo(call);
	}

	private static void awaitAbandoned(CallFrame served) {
		await().until(served::isAbandoned);
	}

	private static void isIdle(TcpPathServer server) {
		await().until(() -> server.metrics().inFlight().sum() == 0);
		assertThat(server.clients()).allSatisfy((client) -> assertThat(client).containsEntry("outstandingBytes", 0L));
	}

	@Test
	void theHandlerOfACallThatIsAbandonedLearnsIt() throws Exception {
		TcpPathServer server = server(options());
		CallPath path = connect(server);
		CallFrame frame = slow(CallFrame.NO_DEADLINE);
		CompletableFuture<Reply> call = later(path, frame);
		CallFrame served = this.executed.next();
		CompletableFuture<Void> gone = new CompletableFuture<>();
		served.whenAbandoned(() -> gone.complete(null));
		frame.abandon();
		assertThat(failure(call)).hasMessageContaining("the caller has given the call up")
			.returns(Reason.INTERRUPTED, PathException::reason)
			.returns(true, PathException::maybeExecuted);
		gone.get(20, TimeUnit.SECONDS);
		assertThat(value(path.call(bytes(new byte[] { 7 })))).isEqualTo(new byte[] { 7 });
		assertThat(path.details()).containsEntry("inFlight", 0);
		this.released.countDown();
		isIdle(server);
		assertThat(path.isOpen()).isTrue();
	}

	@Test
	void theHandlerOfACallWhoseDeadlineHasPassedLearnsIt() throws Exception {
		CallPath path = connect(server(options()));
		CompletableFuture<Reply> call = later(path, slow(System.nanoTime() + TimeUnit.SECONDS.toNanos(1)));
		CallFrame served = this.executed.next();
		assertThat(failure(call).reason()).isEqualTo(Reason.TIMEOUT);
		awaitAbandoned(served);
	}

	@Test
	void theHandlerOfACallWhoseThreadIsInterruptedLearnsIt() throws Exception {
		CallPath path = connect(server(options()));
		CompletableFuture<PathException> failure = new CompletableFuture<>();
		Thread caller = new Thread(() -> {
			try {
				path.call(slow(CallFrame.NO_DEADLINE));
			}
			catch (PathException ex) {
				failure.complete(ex);
			}
		});
		caller.start();
		CallFrame served = this.executed.next();
		caller.interrupt();
		assertThat(failure.get(20, TimeUnit.SECONDS).reason()).isEqualTo(Reason.INTERRUPTED);
		awaitAbandoned(served);
		caller.join();
	}

	@Test
	void theHandlersOfAClientThatIsGoneLearnIt() throws Exception {
		TcpPathServer server = server(options());
		TcpPathProvider client = provider(null);
		CallPath path = connect(client, server);
		later(path, slow(CallFrame.NO_DEADLINE));
		later(path, slow(CallFrame.NO_DEADLINE));
		CallFrame first = this.executed.next();
		CallFrame second = this.executed.next();
		client.close();
		awaitAbandoned(first);
		awaitAbandoned(second);
		this.released.countDown();
		isIdle(server);
	}

	/**
	 * As if its host had lost the network: nothing says that the connection has ended.
	 */
	@Test
	void theHandlersOfAClientThatDoesNotAnswerPingsLearnIt() throws Exception {
		Duration shortTime = Duration.ofMillis(200);
		TcpPathServer server = server(small().pings(shortTime, shortTime).build());
		try (Socket socket = client(server, 0)) {
			byte[] slow = call(slow(CallFrame.NO_DEADLINE));
			socket.getOutputStream().write(slow);
			CallFrame served = this.executed.next();
			awaitAbandoned(served);
			assertThat(server.metrics().refusals().get("stalled").sum()).isOne();
		}
		this.released.countDown();
		isIdle(server);
	}

	/** A handler that was not interrupted goes on as that of an HTTP request does. */
	@Test
	void aCallThatWaitsForAPermitIsNotExecuted() throws Exception {
		try (RequestServer permits = new RequestServer(RequestServerSettings.of("test", new Threads.Fixed(1)))) {
			TcpPathServer server = permitting(permits);
			CallPath path = connect(server);
			CompletableFuture<Reply> first = later(path, slow(CallFrame.NO_DEADLINE));
			this.executed.next();
			CallFrame waiting = bytes(new byte[1]);
			CompletableFuture<Reply> second = later(path, waiting);
			await().until(() -> permits.report().waiting() == 1);
			waiting.abandon();
			assertThat(failure(second).reason()).isEqualTo(Reason.INTERRUPTED);
			await().until(() -> permits.report().waiting() == 0 && server.metrics().inFlight().sum() == 1);
			this.released.countDown();
			assertThat(value(first.get(20, TimeUnit.SECONDS))).isEqualTo("x");
			assertThat(this.executed.size()).isZero();
			assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		}
	}

	private TcpPathServer permitting(RequestServer permits) {
		ServiceRegistry registry = new ServiceRegistry();
		Service plain = service(this::echo);
		registry.register(new Service() {

			@Override
			public Contract contract() {
				return plain.contract();
			}

			@Override
			public Optional<String> refusal() {
				return Optional.empty();
			}

			@Override
			public Codecs codecs() {
				return plain.codecs();
			}

			@Override
			public Reply invoke(CallFrame frame) {
				throw new AssertionError("without a permit");
			}

			@Override
			public Reply invoke(CallFrame frame, Runnable beforeWaiting) {
				try (Permit permit = permits.enter("echo", Priority.NORMAL, frame.deadlineNanos(), beforeWaiting)) {
					assertThat(permit).isNotNull();
					frame.endWaiting();
					return plain.invoke(frame);
				}
			}

		});
		TcpPathServer server = new TcpPathServer(this.peer, registry, options(), null);
		this.closeables.push(server);
		server.start();
		return server;
	}

	/** Otherwise a client could have more calls executed than it may have in flight. */
	@Test
	void cancelledCallsHoldTheirThreadsUntilTheirHandlersEnd() throws Exception {
		TcpPathServer server = server(small().maxThreads(2).build());
		CallPath path = connect(server);
		for (int i = 0; i < 2; i++) {
			CallFrame frame = slow(CallFrame.NO_DEADLINE);
			later(path, frame);
			CallFrame served = this.executed.next();
			frame.abandon();
			awaitAbandoned(served);
		}
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> path.call(bytes(new byte[1])))
			.withMessageContaining("all 2 threads of the server are in use")
			.returns(false, PathException::maybeExecuted);
		// The refused call counts until its answer has been written.
		await().until(() -> server.metrics().inFlight().sum() == 2);
		this.released.countDown();
		isIdle(server);
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	@Test
	void aServerThatEndsDoesNotWaitForAnswersThatNobodyReads() throws Exception {
		TcpPathServer server = server(options(Duration.ofSeconds(5), Duration.ofSeconds(30)));
		CallPath path = connect(server);
		CallFrame frame = slow(CallFrame.NO_DEADLINE);
		later(path, frame);
		CallFrame served = this.executed.next();
		frame.abandon();
		awaitAbandoned(served);
		CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);
		await().until(() -> !path.isOpen());
		this.released.countDown();
		closed.get(20, TimeUnit.SECONDS);
		assertThat(server.metrics().inFlight().sum()).isZero();
	}

	/** A frame that such a server would take for a broken one. */
	@Test
	void aServerThatDoesNotKnowTheFrameDoesNotGetIt() throws Exception {
		try (ServerSocket older = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			CompletableFuture<PathProvider.Attempt> attempt = CompletableFuture
				.supplyAsync(() -> attempt(this.peer, "127.0.0.1:" + older.getLocalPort()));
			try (Socket socket = older.accept()) {
				socket.setSoTimeout(20_000);
				welcome(socket);
				CallPath path = ((PathProvider.Connected) attempt.get(20, TimeUnit.SECONDS)).path();
				CallFrame frame = slow(CallFrame.NO_DEADLINE);
				CompletableFuture<Reply> call = later(path, frame);
				assertThat(read(socket).type).isEqualTo(FrameType.CALL);
				frame.abandon();
				assertThat(failure(call).reason()).isEqualTo(Reason.INTERRUPTED);
				// What follows on the connection shows what came before it.
				CallFrame next = bytes(new byte[1]);
				later(path, next);
				assertThat(read(socket).type).isEqualTo(FrameType.CALL);
				next.abandon();
				path.close();
				assertThat(socket.getInputStream().read()).isEqualTo(-1);
			}
		}
	}

	@Test
	void aClientThatDoesNotSayThatItCancelsMustNot() throws Exception {
		TcpPathServer server = server(options());
		CallPath path = connect(server);
		try (Socket socket = client(server, 0)) {
			socket.getOutputStream().write(frame(FrameType.CANCEL, 1, new byte[0]));
			assertThat(rest(socket)).contains("CANCEL of a client that did not say that it sends it");
		}
		try (Socket socket = client(server, FrameDescriptor.FLAG_CANCELS)) {
			socket.getOutputStream().write(frame(FrameType.CANCEL, 1, new byte[2]));
			assertThat(rest(socket)).contains("a frame of type CANCEL carries nothing, but this one 2 bytes");
		}
		try (Socket socket = socket(server)) {
			socket.getOutputStream().write(frame(FrameType.CANCEL, 1, new byte[0]));
			assertThat(rest(socket)).contains("a connection starts with HELLO, not with CANCEL");
		}
		assertThat(server.metrics().refusals().get("malformed").sum()).isEqualTo(3);
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	/**
	 * Calls that are unknown, finished, of another connection, or cancelled before: only
	 * those that run, and are of this connection, end without an answer.
	 */
	@Test
	void whateverIsCancelledOnlyCallsInFlightAreAffected() throws Exception {
		TcpPathServer server = server(options());
		CallPath other = connect(server);
		CompletableFuture<Reply> kept = later(other, slow(CallFrame.NO_DEADLINE));
		this.executed.next();
		Random random = new Random(8);
		byte[] call = call();
		try (Socket socket = client(server, FrameDescriptor.FLAG_CANCELS)) {
			OutputStream out = socket.getOutputStream();
			Set<Long> expected = new HashSet<>();
			for (long correlation = 2; correlation < 2000; correlation++) {
				ByteBuffer.wrap(call).putLong(FrameDescriptor.CORRELATION_OFFSET, correlation);
				out.write(call);
				for (int i = random.nextInt(3); i > 0; i--) {
					out.write(frame(FrameType.CANCEL, switch (random.nextInt(4)) {
						// The first of the other connection, or one that is answered.
						case 0 -> random.nextInt(2);
						case 1 -> random.nextLong(2, correlation + 1);
						case 2 -> random.nextLong();
						default -> -random.nextLong(2000);
					}, new byte[0]));
				}
				expected.add(correlation);
				if (correlation % 10 == 0) {
					// Few enough for the threads of the server.
					out.write(frame(FrameType.PING, 0, new byte[0]));
					readUntilPong(socket, expected);
				}
			}
			await().until(() -> server.metrics().inFlight().sum() == 1);
		}
		assertThat(kept).isNotDone();
		this.released.countDown();
		assertThat(value(kept.get(20, TimeUnit.SECONDS))).isEqualTo("x");
		assertThat(value(other.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		await().until(() -> server.metrics().open().sum() == 1);
		isIdle(server);
	}

	/** Each call is answered once at most; one that is refused has found no thread. */
	private static void readUntilPong(Socket socket, Set<Long> expected) throws Exception {
		while (true) {
			FrameHeader answer = read(socket);
			if (answer.type == FrameType.PONG) {
				return;
			}
			assertThat(answer.type).isIn(FrameType.REPLY_VALUE, FrameType.REFUSED);
			assertThat(answer.has(FrameDescriptor.FLAG_CLOSING)).isFalse();
			assertThat(expected.remove(answer.correlation)).as("an answer to call %d", answer.correlation).isTrue();
		}
	}

	@Test
	void nothingAnswersACancelledCall() throws Exception {
		TcpPathServer server = server(options());
		try (Socket socket = client(server, FrameDescriptor.FLAG_CANCELS)) {
			byte[] slow = call(slow(CallFrame.NO_DEADLINE));
			ByteBuffer.wrap(slow).putLong(FrameDescriptor.CORRELATION_OFFSET, 2);
			socket.getOutputStream().write(slow);
			CallFrame served = this.executed.next();
			socket.getOutputStream().write(frame(FrameType.CANCEL, 2, new byte[0]));
			awaitAbandoned(served);
			this.released.countDown();
			isIdle(server);
			socket.getOutputStream().write(frame(FrameType.PING, 0, new byte[0]));
			assertThat(read(socket).type).isEqualTo(FrameType.PONG);
		}
	}

	/** As HTTP connects anew, such a call can take the next path. */
	@Test
	void aCallThatAServerHasNotReadBeforeItClosesWasNotExecuted() throws Exception {
		// With so much in flight the server reads no more.
		TcpPathServer server = server(small().maxFrameBytes(1 << 20).drainTimeout(Duration.ZERO).build());
		CallPath path = connect(server);
		String text = "x".repeat(900_000);
		List<CompletableFuture<Reply>> calls = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			calls.add(later(path, call("slow", text, CallFrame.NO_DEADLINE)));
		}
		this.executed.next();
		long most = server.options().maxOutstandingBytes();
		await().until(() -> (long) server.clients().get(0).get("outstandingBytes") > most);
		await().until(() -> server.metrics().inFlight().sum() == 1 + this.executed.size());
		server.close();
		int unexecuted = 0;
		for (CompletableFuture<Reply> call : calls) {
			PathException failure = failure(call);
			assertThat(failure.reason()).isEqualTo(Reason.PEER_GONE);
			unexecuted += failure.maybeExecuted() ? 0 : 1;
		}
		int left = unexecuted;
		assertThat(left).isPositive();
		await().untilAsserted(() -> assertThat(1 + this.executed.size()).isEqualTo(calls.size() - left));
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> path.call(bytes(new byte[1])))
			.returns(false, PathException::maybeExecuted);
	}

	private static byte[] frame(FrameType type, long correlation, byte[] body) {
		EncodeBuffer out = new EncodeBuffer(64);
		int start = FrameDescriptor.begin(out);
		out.write(body, 0, body.length);
		FrameDescriptor.correlation(out, start, correlation);
		FrameDescriptor.end(out, start, type);
		return ByteBuffer.allocate(out.size()).put(out.array(), 0, out.size()).array();
	}

	private byte[] call() throws Exception {
		return call(bytes(new byte[10]));
	}

	private byte[] call(CallFrame frame) throws Exception {
		EncodeBuffer out = new EncodeBuffer(512);
		int start = FrameDescriptor.begin(out);
		int headerBytes = ClientBinding.encode(out, start, CODECS.choose(this.contract, CODECS.offers(this.contract)),
				frame, options().limits(), 1 << 20);
		FrameDescriptor.headerBlockLength(out, start, headerBytes);
		FrameDescriptor.code(out, start, frame.method().index());
		FrameDescriptor.remaining(out, start, Long.MAX_VALUE);
		FrameDescriptor.end(out, start, FrameType.CALL);
		return ByteBuffer.allocate(out.size()).put(out.array(), 0, out.size()).array();
	}

	/** Connects, and does all that a client of the instance does. */
	private Socket client(TcpPathServer server, int flags) throws Exception {
		Socket socket = socket(server);
		EncodeBuffer out = new EncodeBuffer(512);
		int start = FrameDescriptor.begin(out);
		String nonce = InstanceProof.nonce();
		InetSocketAddress address = (InetSocketAddress) socket.getRemoteSocketAddress();
		new Payload.Hello(nonce, InstanceProof.ofClient(this.peer.instanceId(), nonce, address), 4 << 20).write(out);
		FrameDescriptor.flags(out, start, flags);
		FrameDescriptor.end(out, start, FrameType.HELLO);
		start = FrameDescriptor.begin(out);
		new ClientBinding(0, this.contract, CODECS).request().write(out);
		FrameDescriptor.correlation(out, start, 1);
		FrameDescriptor.end(out, start, FrameType.BIND);
		socket.getOutputStream().write(out.array(), 0, out.size());
		FrameHeader welcome = read(socket);
		assertThat(welcome.type).isEqualTo(FrameType.WELCOME);
		assertThat(welcome.has(FrameDescriptor.FLAG_CANCELS)).isTrue();
		assertThat(read(socket).type).isEqualTo(FrameType.BOUND);
		return socket;
	}

	/** Answers HELLO and BIND as a server does that knows no flags. */
	private void welcome(Socket socket) throws Exception {
		InetSocketAddress address = (InetSocketAddress) socket.getLocalSocketAddress();
		FrameHeader header = new FrameHeader();
		byte[] body = body(socket, header);
		Payload.Hello hello = Payload.Hello.read(new PayloadReader(body, 0, body.length));
		EncodeBuffer out = new EncodeBuffer(512);
		int start = FrameDescriptor.begin(out);
		new Payload.Welcome(InstanceProof.ofServer(this.peer.instanceId(), hello.self(), address), 1 << 20).write(out);
		FrameDescriptor.correlation(out, start, header.correlation);
		FrameDescriptor.end(out, start, FrameType.WELCOME);
		body = body(socket, header, out);
		Payload.Bind bind = Payload.Bind.read(new PayloadReader(body, 0, body.length));
		out = new EncodeBuffer(512);
		start = FrameDescriptor.begin(out);
		new Payload.Bound(CODECS.choose(this.contract, bind.codecs()).codec().name(), "", CODECS.offers(this.contract))
			.write(out);
		FrameDescriptor.correlation(out, start, header.correlation);
		FrameDescriptor.binding(out, start, header.binding);
		FrameDescriptor.end(out, start, FrameType.BOUND);
		socket.getOutputStream().write(out.array(), 0, out.size());
	}

	private static byte[] body(Socket socket, FrameHeader header, EncodeBuffer answer) throws Exception {
		socket.getOutputStream().write(answer.array(), 0, answer.size());
		return body(socket, header);
	}

	private static byte[] body(Socket socket, FrameHeader header) throws Exception {
		FrameDescriptor.read(ByteBuffer.wrap(socket.getInputStream().readNBytes(FrameDescriptor.HEADER_BYTES)), header,
				options().limits());
		return socket.getInputStream().readNBytes(header.length);
	}

	private static FrameHeader read(Socket socket) throws Exception {
		FrameHeader header = new FrameHeader();
		body(socket, header);
		return header;
	}

	private static String rest(Socket socket) throws IOException {
		return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
	}

}
