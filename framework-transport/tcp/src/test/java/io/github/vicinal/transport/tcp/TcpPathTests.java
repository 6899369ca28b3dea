package io.github.vicinal.transport.tcp;

import java.io.DataInputStream;
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
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Frames;
import io.github.vicinal.transport.wire.InstanceProof;
import io.github.vicinal.transport.wire.InvalidOptionException;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.PayloadReader;
import io.github.vicinal.transport.wire.Refusal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Calls over a real port of this host. */
@Timeout(60)
class TcpPathTests extends TcpTestSupport {

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 1024, 65_536, 1_000_003, 3_000_000 })
	void carriesBodiesOfAnySize(int size) throws Exception {
		CallPath path = connect(server(options()));
		byte[] body = new byte[size];
		new Random(size).nextBytes(body);
		assertThat(value(path.call(bytes(body)))).isEqualTo(body);
		assertThat(value(later(path, bytes(body)).get(20, TimeUnit.SECONDS))).isEqualTo(body);
		assertThat(path.bytesCarried()).isGreaterThan(2L * size);
	}

	@Test
	void aCallOvertakesASlowOneOnTheSameConnection() throws Exception {
		TcpPathServer server = server(options());
		CallPath path = connect(server);
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.arrived.await();
		assertThat(value(path.call(bytes(new byte[] { 7 })))).isEqualTo(new byte[] { 7 });
		assertThat(slow).isNotDone();
		this.released.countDown();
		assertThat(value(slow.get(20, TimeUnit.SECONDS))).isEqualTo("x");
		assertThat(server.metrics().open().sum()).isEqualTo(1);
	}

	@Test
	void aDeadlineEndsACallThatMayHaveBeenExecuted() throws Exception {
		CallPath path = connect(server(options()));
		PathException failure = failure(later(path, slow(System.nanoTime() + 50_000_000)));
		assertThat(failure.reason()).isEqualTo(PathException.Reason.TIMEOUT);
		assertThat(failure.maybeExecuted()).isTrue();
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> path.call(slow(System.nanoTime() + 50_000_000)))
			.returns(PathException.Reason.TIMEOUT, PathException::reason);
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> path.call(slow(System.nanoTime() - 1)))
			.returns(false, PathException::maybeExecuted);
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	@Test
	void callsInFlightFailAtOnceWhenTheConnectionEnds() throws Exception {
		TcpPathServer server = server(options(Duration.ofSeconds(5), Duration.ZERO));
		CallPath path = connect(server);
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.arrived.await();
		server.close();
		PathException failure = failure(slow);
		assertThat(failure.reason()).isEqualTo(PathException.Reason.PEER_GONE);
		assertThat(failure.maybeExecuted()).isTrue();
		assertThat(path.isOpen()).isFalse();
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> path.call(bytes(new byte[1])))
			.returns(false, PathException::maybeExecuted);
	}

	@Test
	void aServerThatStopsAnswersWhatItHasBegun() throws Exception {
		TcpPathServer server = server(options());
		CallPath path = connect(server);
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.arrived.await();
		server.stopAccepting();
		await().until(() -> !path.isOpen());
		assertThat(server.unavailable()).contains("it is shutting down");
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> path.call(bytes(new byte[1])))
			.withMessageContaining("is shutting down")
			.returns(false, PathException::maybeExecuted);
		this.released.countDown();
		assertThat(value(slow.get(20, TimeUnit.SECONDS))).isEqualTo("x");
	}

	/** As over HTTP, where a client that follows a moved address lets requests end. */
	@Test
	void callsInFlightEndNormallyWhenTheirPathIsClosed() throws Exception {
		TcpPathServer server = server(options());
		TcpPathProvider provider = provider(small().drainTimeout(Duration.ofMillis(1)).build(), null);
		CallPath path = connect(provider, server);
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.arrived.await();
		path.close();
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> path.call(bytes(new byte[1])))
			.returns(false, PathException::maybeExecuted);
		CallPath next = connect(provider, server);
		assertThat(value(next.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		assertThat(server.metrics().open().sum()).isEqualTo(2);
		assertThat(slow).isNotDone();
		this.released.countDown();
		assertThat(value(slow.get(20, TimeUnit.SECONDS))).isEqualTo("x");
		await().until(() -> server.metrics().open().sum() == 1);
	}

	@Test
	void callsOfAClosedPathFailWhenTheClientEnds() throws Exception {
		TcpPathProvider provider = provider(null);
		CallPath path = connect(provider, server(options()));
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.arrived.await();
		path.close();
		assertThat(slow).isNotDone();
		provider.close();
		assertThat(failure(slow).maybeExecuted()).isTrue();
	}

	@Test
	void anotherInstanceAtTheAddressIsNotUsed() {
		TcpPathServer server = server(options());
		assertThat(attempt(PeerIdentity.create(HOST), server.address().orElseThrow()))
			.isInstanceOfSatisfying(PathProvider.Unavailable.class, (unavailable) -> {
				assertThat(unavailable.reason()).contains("wrong-instance");
				assertThat(unavailable.retryable()).isFalse();
			});
	}

	@Test
	void nothingButAPeerOfThisHostIsDialled() {
		String remedy = ", and tcp is not encrypted here; set vicinal.tcp.ssl.bundle on both sides";
		assertThat(attempt(PeerIdentity.create("f".repeat(32)), "127.0.0.1:1"))
			.isEqualTo(new PathProvider.Unavailable("the peer is on another host" + remedy, false));
		assertThat(attempt(this.peer, "192.0.2.1:80")).isEqualTo(new PathProvider.Unavailable(
				"the peer listens on 192.0.2.1:80, which is no loopback address" + remedy, false));
		for (String address : List.of("dead.beef:80", "0.0.0.0:80", "224.0.0.1:80", "127.0.0.1:0", "127.0.0.1:99999")) {
			assertThat(attempt(this.peer, address)).isEqualTo(new PathProvider.Unavailable(
					"the peer announces %s, which is no address to connect to".formatted(address), false));
		}
	}

	@Test
	void aServerListensOnLoopbackAddressesOnly() {
		for (String address : List.of("localhost", "", "300.0.0.1", "::g")) {
			assertThatExceptionOfType(InvalidOptionException.class)
				.isThrownBy(() -> TcpOptions.builder().listeningOn(address, 0).build())
				.returns("address", InvalidOptionException::option)
				.returns(address, InvalidOptionException::value);
		}
		for (String address : List.of("0.0.0.0", "192.0.2.1")) {
			TcpOptions options = TcpOptions.builder().listeningOn(address, 0).announcedAddress("127.0.0.1").build();
			assertThatExceptionOfType(InvalidOptionException.class)
				.isThrownBy(() -> new TcpPathServer(this.peer, new ServiceRegistry(), options))
				.withMessageContaining("loopback")
				.withMessageContaining("vicinal.tcp.ssl.bundle")
				.returns("address", InvalidOptionException::option)
				.returns(address, InvalidOptionException::value);
		}
	}

	@Test
	void anAddressThatClientsCannotConnectToNeedsAnother() {
		assertThatExceptionOfType(InvalidOptionException.class)
			.isThrownBy(() -> TcpOptions.builder().listeningOn("0.0.0.0", 0).build())
			.withMessageContaining("clients cannot connect to the address 0.0.0.0")
			.returns("announcedAddress", InvalidOptionException::option);
		assertThatExceptionOfType(InvalidOptionException.class)
			.isThrownBy(() -> TcpOptions.builder().listeningOn("fe80::1", 0).build())
			.withMessageContaining("clients cannot connect to the address fe80::1");
		for (String address : List.of("example.org", "::", "224.0.0.1", "fe80::1")) {
			assertThatExceptionOfType(InvalidOptionException.class)
				.isThrownBy(() -> TcpOptions.builder().announcedAddress(address).build())
				.returns("announcedAddress", InvalidOptionException::option)
				.returns(address, InvalidOptionException::value);
		}
	}

	@Test
	void aPortInUseIsNamed() throws Exception {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			TcpPathServer server = new TcpPathServer(this.peer, new ServiceRegistry(),
					small().listeningOn("127.0.0.1", taken.getLocalPort()).build());
			this.closeables.push(server);
			server.start();
			assertThat(server.unavailable().orElseThrow())
				.startsWith("cannot listen on 127.0.0.1 port " + taken.getLocalPort());
			assertThat(server.address()).isEmpty();
		}
	}

	@Test
	void aCallThatIsTooLargeIsNotSent() throws Exception {
		CallPath path = connect(server(options()));
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> path.call(bytes(new byte[5 << 20])))
			.withMessageContaining("larger than the limit")
			.returns(false, PathException::maybeExecuted);
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	@Test
	void callsBeyondTheThreadsAreRefusedUnexecuted() throws Exception {
		CallPath path = connect(server(options()));
		List<CompletableFuture<Reply>> calls = new ArrayList<>();
		for (int i = 0; i < 17; i++) {
			calls.add(later(path, slow(CallFrame.NO_DEADLINE)));
		}
		await().until(() -> calls.stream().anyMatch(CompletableFuture::isDone));
		PathException failure = failure(calls.stream().filter(CompletableFuture::isDone).findFirst().orElseThrow());
		assertThat(failure.reason()).isEqualTo(PathException.Reason.EXHAUSTED);
		assertThat(failure.maybeExecuted()).isFalse();
	}

	@Test
	void aMalformedFrameIsRefusedAndOthersGoOn() throws Exception {
		TcpPathServer server = server(options());
		CallPath path = connect(server);
		Random random = new Random(42);
		for (int i = 0; i < 200; i++) {
			byte[] hostile = new byte[40 + random.nextInt(400)];
			random.nextBytes(hostile);
			if (i % 2 == 0) {
				// A proper beginning, and nonsense after it.
				System.arraycopy("Vcnl".getBytes(StandardCharsets.US_ASCII), 0, hostile, 0, 4);
				hostile[4] = 5;
				hostile[5] = (byte) (1 + random.nextInt(FrameType.values().length));
			}
			try (Socket socket = socket(server)) {
				OutputStream out = socket.getOutputStream();
				out.write(hostile);
				socket.shutdownOutput();
				drain(socket);
			}
		}
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		await().until(() -> server.metrics().open().sum() == 1);
	}

	@Test
	void hostileFramesAfterTheHandshakeLeaveOthersAlone() throws Exception {
		TcpPathServer server = server(options());
		CallPath path = connect(server);
		InetSocketAddress address;
		try (Socket socket = socket(server)) {
			address = (InetSocketAddress) socket.getRemoteSocketAddress();
		}
		Random random = new Random(4711);
		for (int i = 0; i < 200; i++) {
			EncodeBuffer out = new EncodeBuffer(512);
			int start = FrameDescriptor.begin(out);
			String nonce = InstanceProof.nonce();
			new Payload.Hello(nonce, InstanceProof.ofClient(this.peer.instanceId(), nonce, address), 1024).write(out);
			FrameDescriptor.end(out, start, FrameType.HELLO);
			for (int frame = 0; frame < 4; frame++) {
				byte[] body = new byte[random.nextInt(200)];
				random.nextBytes(body);
				start = FrameDescriptor.begin(out);
				out.write(body, 0, body.length);
				FrameDescriptor.headerBlockLength(out, start, random.nextInt(body.length + 1));
				FrameDescriptor.binding(out, start, random.nextInt());
				FrameDescriptor.code(out, start, random.nextInt());
				FrameDescriptor.remaining(out, start, random.nextLong());
				FrameDescriptor.end(out, start, random.nextBoolean() ? FrameType.BIND : FrameType.CALL);
			}
			try (Socket socket = socket(server)) {
				socket.getOutputStream().write(out.array(), 0, out.size());
				socket.shutdownOutput();
				drain(socket);
			}
		}
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		await().until(() -> server.metrics().open().sum() == 1 && server.metrics().inFlight().sum() == 0);
	}

	@Test
	void aStrangerLearnsNoInstanceFromAServer() throws Exception {
		TcpPathServer server = server(options());
		EncodeBuffer out = new EncodeBuffer(512);
		int start = FrameDescriptor.begin(out);
		new Payload.Hello("stranger", "guessed", 1024).write(out);
		FrameDescriptor.end(out, start, FrameType.HELLO);
		try (Socket socket = socket(server)) {
			socket.getOutputStream().write(out.array(), 0, out.size());
			String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
			assertThat(answer).contains("this is not the instance that the client expects")
				.doesNotContain(this.peer.instanceId());
		}
	}

	@Test
	void aListenerInPlaceOfAServerLearnsNothingAndIsNotUsed() throws Exception {
		try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			CompletableFuture<PathProvider.Attempt> attempt = CompletableFuture
				.supplyAsync(() -> attempt(this.peer, "127.0.0.1:" + other.getLocalPort()));
			byte[] hello;
			try (Socket socket = other.accept()) {
				byte[] fixed = socket.getInputStream().readNBytes(FrameDescriptor.HEADER_BYTES);
				FrameHeader header = new FrameHeader();
				FrameDescriptor.read(ByteBuffer.wrap(fixed), header, options().limits());
				hello = socket.getInputStream().readNBytes(header.length);
				String said = Payload.Hello.read(new PayloadReader(hello, 0, hello.length)).expected();
				EncodeBuffer out = new EncodeBuffer(512);
				int start = FrameDescriptor.begin(out);
				// The best that it can do is to pass the reason on.
				new Payload.Welcome(said, 1 << 20).write(out);
				FrameDescriptor.correlation(out, start, header.correlation);
				FrameDescriptor.end(out, start, FrameType.WELCOME);
				socket.getOutputStream().write(out.array(), 0, out.size());
				assertThat(attempt.join()).isInstanceOfSatisfying(PathProvider.Unavailable.class,
						(unavailable) -> assertThat(unavailable.reason())
							.contains("another instance answers at the address"));
			}
			assertThat(new String(hello, StandardCharsets.ISO_8859_1)).doesNotContain(this.peer.instanceId());
		}
	}

	/** A server that resets the connection has refused, too. */
	private static void drain(Socket socket) {
		try {
			socket.getInputStream().readAllBytes();
		}
		catch (IOException ex) {
			assertThat(ex).hasMessageContaining("reset");
		}
	}

	@Test
	void anotherVersionIsAnsweredWithTheOneThatIsSpoken() throws Exception {
		try (Socket socket = socket(server(options()))) {
			byte[] hello = new byte[40];
			System.arraycopy("Vcnl".getBytes(StandardCharsets.US_ASCII), 0, hello, 0, 4);
			hello[4] = 99;
			hello[5] = 1;
			socket.getOutputStream().write(hello);
			byte[] answer = new DataInputStream(socket.getInputStream()).readAllBytes();
			assertThat(new String(answer, StandardCharsets.ISO_8859_1))
				.contains("this side speaks version 5 of the protocol, the other 99");
		}
	}

	/** A frame that refuses is read whatever the version; any other is not. */
	@ParameterizedTest
	@CsvSource({ "WELCOME, 'this side speaks version 5 of the protocol, the other 6'",
			"REFUSED, 'refused (version): this side speaks version 6 of the protocol, the other 5'" })
	void aServerOfAnotherVersionIsExplainedAndNotTriedAgain(FrameType type, String reason) throws Exception {
		try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			CompletableFuture<PathProvider.Attempt> attempt = CompletableFuture
				.supplyAsync(() -> attempt(this.peer, "127.0.0.1:" + other.getLocalPort()));
			try (Socket socket = other.accept()) {
				socket.getInputStream().readNBytes(FrameDescriptor.HEADER_BYTES);
				byte[] answer = Frames
					.refused(Refusal.VERSION, "this side speaks version 6 of the protocol, the other 5")
					.array();
				answer[FrameDescriptor.VERSION_OFFSET] = 6;
				answer[FrameDescriptor.TYPE_OFFSET] = type.number();
				socket.getOutputStream().write(answer);
				assertThat(attempt.get(20, TimeUnit.SECONDS)).isInstanceOfSatisfying(PathProvider.Unavailable.class,
						(unavailable) -> {
							assertThat(unavailable.reason()).contains(reason);
							assertThat(unavailable.retryable()).isFalse();
						});
			}
		}
	}

	/** Each byte is progress, and still it takes too long. */
	@Test
	void aClientThatSaysHelloByteByByteIsDisconnected() throws Exception {
		TcpPathServer server = server(options(Duration.ofMillis(100), Duration.ZERO));
		CallPath path = connect(server);
		EncodeBuffer hello = new EncodeBuffer(4096);
		int start = FrameDescriptor.begin(hello);
		hello.write(new byte[4000], 0, 4000);
		FrameDescriptor.end(hello, start, FrameType.HELLO);
		try (Socket socket = socket(server)) {
			socket.setTcpNoDelay(true);
			int sent = 0;
			long begun = System.nanoTime();
			while (socket.getInputStream().available() == 0) {
				if (System.nanoTime() - begun >= TimeUnit.MILLISECONDS.toNanos(10L * sent)) {
					assertThat(sent).isLessThan(4000);
					socket.getOutputStream().write(hello.array(), sent++, 1);
				}
				Thread.onSpinWait();
			}
			byte[] answer = socket.getInputStream().readAllBytes();
			assertThat(new String(answer, StandardCharsets.ISO_8859_1)).contains("no HELLO arrived within 100 ms");
		}
		assertThat(server.metrics().refusals().get("stalled").sum()).isOne();
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	@Test
	void aSilentClientIsDisconnected() throws Exception {
		try (Socket socket = socket(server(options(Duration.ofMillis(100), Duration.ZERO)))) {
			byte[] answer = socket.getInputStream().readAllBytes();
			assertThat(new String(answer, StandardCharsets.ISO_8859_1)).contains("no HELLO arrived within 100 ms");
		}
	}

	@Test
	void idleConnectionsNeedNoThreads() throws Exception {
		TcpPathServer server = server(options());
		CallPath path = connect(server);
		EventLoops loops = new EventLoops("idle", options());
		this.closeables.push(loops::close);
		Dialler dialler = new Dialler(loops, options(), null);
		String address = server.address().orElseThrow();
		int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
		int before = Thread.activeCount();
		List<ClientConnection> idle = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			ClientConnection connection = new ClientConnection(this.peer.instanceId(), options(), null,
					new HandshakeCounters(LoggerFactory.getLogger(TcpPathTests.class)), 0, () -> {
					});
			connection.open(dialler, new InetSocketAddress("127.0.0.1", port), null);
			idle.add(connection);
		}
		assertThat(server.metrics().open().sum()).isEqualTo(201);
		assertThat(Thread.activeCount() - before).isLessThan(20);
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		idle.forEach(ClientConnection::close);
		await().until(() -> server.metrics().open().sum() == 1);
	}

}
