package io.github.vicinal.transport.tcp;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.wire.ClientBinding;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.InstanceProof;
import io.github.vicinal.transport.wire.InvalidOptionException;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.PayloadReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Peers that know the instance id, and go silent, slow or mad after the handshake. */
@Timeout(60)
class TcpHostilePeerTests extends TcpTestSupport {

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final Duration SHORT = Duration.ofMillis(100);

	private static TcpOptions.Builder patient() {
		return small().frameTimeout(LONG).pings(LONG, LONG);
	}

	private static TcpOptions pinging() {
		return patient().pings(SHORT, SHORT).build();
	}

	private static byte[] frame(FrameType type, byte[] body) {
		EncodeBuffer out = new EncodeBuffer(64);
		int start = FrameDescriptor.begin(out);
		out.write(body, 0, body.length);
		FrameDescriptor.end(out, start, type);
		return Arrays.copyOf(out.array(), out.size());
	}

	private static byte[] ping() {
		return frame(FrameType.PING, new byte[0]);
	}

	/** Connects, and does all that a client of the instance does. */
	private Socket welcomed(TcpPathServer server) throws Exception {
		Socket socket = socket(server);
		EncodeBuffer out = new EncodeBuffer(512);
		int start = FrameDescriptor.begin(out);
		String nonce = InstanceProof.nonce();
		InetSocketAddress address = (InetSocketAddress) socket.getRemoteSocketAddress();
		new Payload.Hello(nonce, InstanceProof.ofClient(this.peer.instanceId(), nonce, address), 4 << 20).write(out);
		FrameDescriptor.end(out, start, FrameType.HELLO);
		start = FrameDescriptor.begin(out);
		new ClientBinding(0, this.contract, CODECS).request().write(out);
		FrameDescriptor.correlation(out, start, 1);
		FrameDescriptor.end(out, start, FrameType.BIND);
		socket.getOutputStream().write(out.array(), 0, out.size());
		assertThat(next(socket.getInputStream())).isEqualTo(FrameType.WELCOME);
		assertThat(next(socket.getInputStream())).isEqualTo(FrameType.BOUND);
		return socket;
	}

	private static FrameType next(InputStream in) throws Exception {
		FrameHeader header = new FrameHeader();
		FrameDescriptor.read(ByteBuffer.wrap(in.readNBytes(FrameDescriptor.HEADER_BYTES)), header, options().limits());
		in.readNBytes(header.length);
		return header.type;
	}

	private static String rest(Socket socket) throws IOException {
		return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
	}

	private long stalled(TcpPathServer server) {
		return server.metrics().refusals().get("stalled").sum();
	}

	private TcpPathProvider provider(TcpOptions options) {
		TcpPathProvider provider = new TcpPathProvider(PeerIdentity.create(HOST), CODECS, options);
		this.closeables.push(provider);
		return provider;
	}

	@Test
	void anIdleConnectionThatIsAnsweredStaysOpen() throws Exception {
		TcpOptions options = patient().pings(SHORT, Duration.ofSeconds(10)).build();
		TcpPathServer server = server(options);
		CallPath path = connect(provider(options), server);
		Socket socket = welcomed(server);
		for (int i = 0; i < 5; i++) {
			assertThat(next(socket.getInputStream())).isEqualTo(FrameType.PING);
			socket.getOutputStream().write(frame(FrameType.PONG, new byte[0]));
		}
		socket.close();
		assertThat(path.isOpen()).isTrue();
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		assertThat(stalled(server)).isZero();
	}

	/** Thousands of idle connections would else keep both sides awake. */
	@Test
	void aConnectionThatCarriesNothingIsAskedLessOften() throws Exception {
		TcpPathServer server = server(patient().pings(SHORT, Duration.ofSeconds(10)).build());
		long start = System.nanoTime();
		try (Socket socket = welcomed(server)) {
			assertThat(next(socket.getInputStream())).isEqualTo(FrameType.PING);
			assertThat(System.nanoTime() - start)
				.isGreaterThanOrEqualTo(ConnectionGuard.IDLE_INTERVALS * SHORT.toNanos());
		}
	}

	@Test
	void aServerAnswersPings() throws Exception {
		TcpPathServer server = server(patient().build());
		try (Socket socket = welcomed(server)) {
			socket.getOutputStream().write(ping());
			assertThat(next(socket.getInputStream())).isEqualTo(FrameType.PONG);
		}
	}

	@Test
	void aClientThatDoesNotAnswerPingsIsClosed() throws Exception {
		TcpPathServer server = server(pinging());
		try (Socket socket = welcomed(server)) {
			assertThat(next(socket.getInputStream())).isEqualTo(FrameType.PING);
			await().until(() -> server.metrics().open().sum() == 0);
			assertThat(stalled(server)).isEqualTo(1);
			assertThat(socket.getInputStream().read()).isEqualTo(-1);
		}
	}

	@Test
	void aServerThatDoesNotAnswerPingsIsLeft() throws Exception {
		try (ServerSocket mute = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			CompletableFuture<PathProvider.Attempt> attempt = CompletableFuture
				.supplyAsync(() -> attempt(provider(pinging()), this.peer, "127.0.0.1:" + mute.getLocalPort()));
			try (Socket socket = mute.accept()) {
				welcome(socket);
				CallPath path = ((PathProvider.Connected) attempt.get(20, TimeUnit.SECONDS)).path();
				CompletableFuture<Reply> call = later(path, slow(CallFrame.NO_DEADLINE));
				PathException failure = failure(call);
				assertThat(failure).hasMessageContaining("did not answer a ping within 100 ms");
				assertThat(failure.reason()).isEqualTo(PathException.Reason.PEER_GONE);
				assertThat(failure.maybeExecuted()).isTrue();
				assertThat(path.isOpen()).isFalse();
			}
		}
	}

	@Test
	void aServerThatSendsHalfAnAnswerIsLeft() throws Exception {
		TcpOptions options = patient().frameTimeout(SHORT).build();
		try (ServerSocket slow = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			CompletableFuture<PathProvider.Attempt> attempt = CompletableFuture
				.supplyAsync(() -> attempt(provider(options), this.peer, "127.0.0.1:" + slow.getLocalPort()));
			try (Socket socket = slow.accept()) {
				welcome(socket);
				CallPath path = ((PathProvider.Connected) attempt.get(20, TimeUnit.SECONDS)).path();
				CompletableFuture<Reply> call = later(path, slow(CallFrame.NO_DEADLINE));
				socket.getOutputStream().write(ping(), 0, 39);
				assertThat(failure(call)).hasMessageContaining("the rest of a frame did not arrive within 100 ms");
			}
		}
	}

	/** Answers that are none, or nearly right. */
	@Test
	void aServerThatAnswersWithAnythingIsLeftAndOthersGoOn() throws Exception {
		TcpPathProvider provider = provider(patient().build());
		CallPath other = connect(provider, server(patient().build()));
		PeerIdentity hostile = PeerIdentity.create(HOST);
		Random random = new Random(20);
		int left = 0;
		try (ServerSocket mad = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			for (int i = 0; i < 150; i++) {
				CompletableFuture<PathProvider.Attempt> attempt = CompletableFuture
					.supplyAsync(() -> attempt(provider, hostile, "127.0.0.1:" + mad.getLocalPort()));
				try (Socket socket = mad.accept()) {
					welcome(socket, hostile);
					CallPath path = ((PathProvider.Connected) attempt.get(20, TimeUnit.SECONDS)).path();
					CompletableFuture<Reply> call = path.callLater(slow(CallFrame.NO_DEADLINE), Runnable::run)
						.toCompletableFuture();
					FrameHeader asked = new FrameHeader();
					read(socket, asked);
					socket.getOutputStream().write(answer(random, asked));
					socket.shutdownOutput();
					await().until(call::isDone);
					if (call.isCompletedExceptionally()) {
						assertThat(failure(call)).hasMessageNotContaining("null");
					}
					left += path.isOpen() ? 0 : 1;
					path.close();
				}
			}
		}
		assertThat(left).isPositive();
		assertThat(value(other.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	private static byte[] answer(Random random, FrameHeader asked) {
		byte[] body = new byte[random.nextInt(300)];
		random.nextBytes(body);
		EncodeBuffer out = new EncodeBuffer(512);
		int start = FrameDescriptor.begin(out);
		out.write(body, 0, body.length);
		FrameDescriptor.headerBlockLength(out, start, random.nextInt(body.length + 1));
		FrameDescriptor.correlation(out, start, random.nextBoolean() ? asked.correlation : random.nextLong());
		FrameDescriptor.binding(out, start, random.nextBoolean() ? asked.binding : random.nextInt());
		FrameDescriptor.code(out, start, random.nextBoolean() ? 200 : random.nextInt());
		FrameDescriptor.flags(out, start, random.nextBoolean() ? 0 : (short) random.nextInt());
		FrameDescriptor.end(out, start, FrameType.values()[random.nextInt(FrameType.values().length)]);
		byte[] frame = Arrays.copyOf(out.array(), out.size());
		if (random.nextInt(3) == 0) {
			frame[random.nextInt(FrameDescriptor.HEADER_BYTES)] = (byte) random.nextInt();
		}
		return frame;
	}

	/** Answers HELLO and BIND as the server would. */
	private void welcome(Socket socket) throws Exception {
		welcome(socket, this.peer);
	}

	private void welcome(Socket socket, PeerIdentity identity) throws Exception {
		InetSocketAddress address = (InetSocketAddress) socket.getLocalSocketAddress();
		FrameHeader header = new FrameHeader();
		byte[] body = read(socket, header);
		Payload.Hello hello = Payload.Hello.read(new PayloadReader(body, 0, body.length));
		EncodeBuffer out = new EncodeBuffer(512);
		int start = FrameDescriptor.begin(out);
		new Payload.Welcome(InstanceProof.ofServer(identity.instanceId(), hello.self(), address), 1 << 20).write(out);
		FrameDescriptor.correlation(out, start, header.correlation);
		FrameDescriptor.end(out, start, FrameType.WELCOME);
		socket.getOutputStream().write(out.array(), 0, out.size());
		body = read(socket, header);
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

	private static byte[] read(Socket socket, FrameHeader header) throws Exception {
		FrameDescriptor.read(ByteBuffer.wrap(socket.getInputStream().readNBytes(FrameDescriptor.HEADER_BYTES)), header,
				options().limits());
		return socket.getInputStream().readNBytes(header.length);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 39, 40, 1000 })
	void aClientThatSendsHalfAFrameIsRefused(int bytes) throws Exception {
		TcpPathServer server = server(patient().frameTimeout(SHORT).build());
		CallPath path = connect(server);
		try (Socket socket = welcomed(server)) {
			socket.getOutputStream().write(frame(FrameType.CALL, new byte[2000]), 0, bytes);
			assertThat(rest(socket)).contains("the rest of a frame did not arrive within 100 ms");
		}
		assertThat(stalled(server)).isEqualTo(1);
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	@Test
	void aClientThatSendsByteByByteIsRefused() throws Exception {
		TcpPathServer server = server(patient().frameTimeout(SHORT).build());
		byte[] frame = frame(FrameType.CALL, new byte[3 << 20]);
		try (Socket socket = welcomed(server)) {
			socket.setTcpNoDelay(true);
			// Each byte is progress, and still the frame takes too long.
			int sent = 0;
			while (socket.getInputStream().available() == 0) {
				assertThat(sent).isLessThan(frame.length);
				socket.getOutputStream().write(frame, sent++, 1);
				Thread.onSpinWait();
			}
			assertThat(next(socket.getInputStream())).isEqualTo(FrameType.REFUSED);
		}
		await().until(() -> server.metrics().open().sum() == 0);
		assertThat(stalled(server)).isEqualTo(1);
	}

	@Test
	void aClientThatTakesNoAnswersIsNotReadAndThenClosed() throws Exception {
		// A connection may hold 128 MB, of which this client gets little.
		TcpPathServer server = server(patient().maxFrameBytes(64 << 20)
			.maxThreads(4)
			.maxUnsentBytes(64 << 10)
			.frameTimeout(Duration.ofSeconds(1))
			.build());
		CallPath path = connect(server);
		byte[] call = largeCall(1 << 20);
		AtomicLong sent = new AtomicLong();
		AtomicLong held = new AtomicLong();
		try (Socket socket = welcomed(server)) {
			CompletableFuture<Void> writes = CompletableFuture.runAsync(() -> write(socket, call, sent));
			await().pollInterval(Duration.ofMillis(5)).until(() -> {
				held.accumulateAndGet(held(server), Math::max);
				return stalled(server) == 1;
			});
			writes.get(20, TimeUnit.SECONDS);
		}
		assertThat(held.get()).isLessThan(32L << 20);
		assertThat(sent.get()).isGreaterThan(1L << 20).isLessThan(100L << 20);
		await().until(() -> server.metrics().open().sum() == 1);
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	private static long held(TcpPathServer server) {
		return server.clients().stream().mapToLong((client) -> (long) client.get("outstandingBytes")).sum();
	}

	/** Writes until the server closes the connection. */
	private static void write(Socket socket, byte[] call, AtomicLong sent) {
		try {
			while (true) {
				socket.getOutputStream().write(call);
				sent.addAndGet(call.length);
			}
		}
		catch (IOException ex) {
			assertThat(ex).hasMessageMatching("(?i).*(reset|broken pipe).*");
		}
	}

	/** Returns a call of the method whose answer is as large as its argument. */
	private byte[] largeCall(int size) throws Exception {
		CallFrame frame = bytes(new byte[size]);
		EncodeBuffer out = new EncodeBuffer(size);
		int start = FrameDescriptor.begin(out);
		int headerBytes = ClientBinding.encode(out, start, CODECS.choose(this.contract, CODECS.offers(this.contract)),
				frame, options().limits(), 4 << 20);
		FrameDescriptor.headerBlockLength(out, start, headerBytes);
		FrameDescriptor.code(out, start, frame.method().index());
		FrameDescriptor.remaining(out, start, Long.MAX_VALUE);
		FrameDescriptor.end(out, start, FrameType.CALL);
		return Arrays.copyOf(out.array(), out.size());
	}

	@Test
	void pingsThatNobodyReadTheAnswersOfTakeNoMemory() throws Exception {
		TcpPathServer server = server(patient().build());
		CallPath path = connect(server);
		byte[] pings = new byte[1000 * 40];
		for (int i = 0; i < 1000; i++) {
			System.arraycopy(ping(), 0, pings, i * 40, 40);
		}
		try (Socket socket = welcomed(server)) {
			// All are read: none waits for an earlier answer. A smaller buffer of the
			// socket
			// would not do: Linux may drop what acknowledges these bytes if it is full.
			for (int i = 0; i < 500; i++) {
				socket.getOutputStream().write(pings);
			}
		}
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		await().until(() -> server.metrics().open().sum() == 1);
	}

	@Test
	void aPingThatCarriesBytesIsRefused() throws Exception {
		TcpPathServer server = server(patient().build());
		for (FrameType type : List.of(FrameType.PING, FrameType.PONG)) {
			try (Socket socket = welcomed(server)) {
				socket.getOutputStream().write(frame(type, new byte[3]));
				assertThat(rest(socket)).contains("a frame of type " + type + " carries nothing, but this one 3 bytes");
			}
		}
		try (Socket socket = socket(server)) {
			socket.getOutputStream().write(ping());
			assertThat(rest(socket)).contains("a connection starts with HELLO, not with PING");
		}
	}

	@Test
	void aServerThatDoesNotReadIsNotTakenToBeGone() throws Exception {
		Duration timeout = Duration.ofMillis(800);
		// Calls of more bytes than the server holds: it stops to read, pings included.
		TcpPathServer server = server(patient().pings(SHORT, timeout).maxFrameBytes(1 << 20).build());
		CallPath path = connect(provider(patient().pings(SHORT, timeout).build()), server);
		String text = "x".repeat(900_000);
		List<CompletableFuture<Reply>> calls = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			calls.add(later(path, call("slow", text, CallFrame.NO_DEADLINE)));
		}
		this.arrived.await();
		long until = System.nanoTime() + 2 * timeout.toNanos();
		await().until(() -> System.nanoTime() - until > 0);
		assertThat(path.isOpen()).isTrue();
		this.released.countDown();
		for (CompletableFuture<Reply> call : calls) {
			assertThat(value(call.get(20, TimeUnit.SECONDS))).isEqualTo(text);
		}
		assertThat(stalled(server)).isZero();
	}

	@Test
	void connectionsBeyondTheLimitAreRefused() throws Exception {
		TcpPathServer server = server(patient().maxConnections(2).build());
		CallPath path = connect(server);
		try (Socket held = socket(server); Socket refused = socket(server)) {
			assertThat(rest(refused)).contains("all 2 connections of the server are in use");
		}
		assertThat(server.metrics().refusals().get("connections").sum()).isEqualTo(1);
		await().until(() -> server.metrics().open().sum() == 1);
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		try (Socket next = welcomed(server)) {
			assertThat(next.isConnected()).isTrue();
		}
	}

	/** They hold their places for the time of a handshake, and no longer. */
	@Test
	void slowClientsThatTakeAllPlacesAreSentAway() throws Exception {
		TcpPathServer server = server(patient().maxConnections(6).handshakeTimeout(Duration.ofSeconds(1)).build());
		CallPath path = connect(server);
		List<Socket> slow = new ArrayList<>();
		try {
			for (int i = 0; i < 5; i++) {
				Socket socket = socket(server);
				slow.add(socket);
				socket.getOutputStream().write(frame(FrameType.HELLO, new byte[100]), 0, 30);
			}
			await().until(() -> server.metrics().open().sum() == 6);
			assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
			for (Socket socket : slow) {
				assertThat(rest(socket)).contains("no HELLO arrived within 1000 ms");
			}
			assertThat(stalled(server)).isEqualTo(5);
			await().until(() -> server.metrics().open().sum() == 1);
			assertThat(value(connect(server).call(bytes(new byte[1])))).isEqualTo(new byte[1]);
			assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		}
		finally {
			for (Socket socket : slow) {
				socket.close();
			}
		}
	}

	@Test
	void limitsHaveRules() {
		assertThatExceptionOfType(InvalidOptionException.class)
			.isThrownBy(() -> small().pings(Duration.ZERO, SHORT).build())
			.returns("pingInterval", InvalidOptionException::option)
			.withMessageContaining("from 10 ms to 1 day");
		assertThatExceptionOfType(InvalidOptionException.class)
			.isThrownBy(() -> small().pings(SHORT, Duration.ofDays(2)).build())
			.returns("pingTimeout", InvalidOptionException::option);
		assertThatExceptionOfType(InvalidOptionException.class)
			.isThrownBy(() -> small().frameTimeout(Duration.ofMillis(-1)).build())
			.returns("frameTimeout", InvalidOptionException::option);
		assertThatExceptionOfType(InvalidOptionException.class).isThrownBy(() -> small().maxUnsentBytes(1).build())
			.returns("maxUnsentBytes", InvalidOptionException::option);
	}

}
