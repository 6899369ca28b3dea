package io.github.vicinal.chronicle.path;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.codec.CodecChoice;
import io.github.vicinal.codec.Codecs;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.multiplex.ReceivedFrame;
import io.github.vicinal.transport.testing.EchoCalls;
import io.github.vicinal.transport.wire.ClientBinding;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.SocketFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.vicinal.chronicle.path.ChroniclePathFixture.bytes;
import static io.github.vicinal.chronicle.path.ChroniclePathFixture.small;
import static io.github.vicinal.transport.testing.EchoCalls.later;
import static io.github.vicinal.transport.testing.EchoCalls.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Processes of this user that do not keep to the protocol. */
@Timeout(120)
class ChronicleHostilePeerTests {

	private ChroniclePathFixture fixture;

	@BeforeEach
	void open() throws Exception {
		this.fixture = new ChroniclePathFixture();
	}

	@AfterEach
	void close() throws Exception {
		this.fixture.close();
	}

	private SocketChannel socket() throws IOException {
		SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
		channel.connect(UnixDomainSocketAddress
			.of(SocketFile.of(this.fixture.directory, this.fixture.peer.instanceId(), SocketFile.QUEUES)));
		return channel;
	}

	/** Returns what the server says until it closes the connection. */
	private static String answer(SocketChannel channel) throws IOException {
		ByteBuffer answer = ByteBuffer.allocate(8192);
		try {
			while (channel.read(answer) >= 0) {
				assertThat(answer.hasRemaining()).isTrue();
			}
		}
		catch (IOException ex) {
			// Reset, because it had not read everything.
			assertThat(ex).hasMessageContaining("reset");
		}
		return new String(answer.array(), 0, answer.position(), StandardCharsets.ISO_8859_1);
	}

	private static ByteBuffer hello(String self, String expected, int maxFrameBytes) throws Exception {
		EncodeBuffer out = new EncodeBuffer(256);
		int start = FrameDescriptor.begin(out);
		new Payload.Hello(self, expected, maxFrameBytes).write(out);
		FrameDescriptor.end(out, start, FrameType.HELLO);
		return ByteBuffer.wrap(out.array(), 0, out.size());
	}

	private void stillServes(ChroniclePathServer server) throws Exception {
		await().until(() -> server.metrics().open().sum() == 0);
		assertThat(this.fixture.pairs()).isEmpty();
		CallPath path = this.fixture.connect(this.fixture.provider());
		assertThat(value(path.call(bytes(new byte[2])))).isEqualTo(new byte[2]);
	}

	@Test
	void aHelloThatIsNoneIsRefused() throws Exception {
		ChroniclePathServer server = this.fixture.server();
		String self = this.fixture.peer.instanceId();
		try (SocketChannel channel = socket()) {
			channel.write(hello("x", "0".repeat(32), 1000));
			assertThat(answer(channel)).contains("this is instance " + self);
		}
		try (SocketChannel channel = socket()) {
			channel.write(hello("x", self, -1));
			assertThat(answer(channel)).contains("a negative frame limit");
		}
		try (SocketChannel channel = socket()) {
			channel.write(ByteBuffer.wrap("GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: curl/8\r\n\r\n"
				.getBytes(StandardCharsets.US_ASCII)));
			assertThat(answer(channel)).contains("a frame starts with");
		}
		stillServes(server);
	}

	@Test
	void whoSaysNothingIsSentAway() throws Exception {
		ChroniclePathServer server = this.fixture.server(small().handshakeTimeout(Duration.ofMillis(100)).build());
		try (SocketChannel channel = socket()) {
			assertThat(answer(channel)).isEmpty();
		}
		await().until(() -> server.metrics().open().sum() == 0);
	}

	@Test
	void aHandshakeOfAnyBytesHarmsNobody() throws Exception {
		ChroniclePathServer server = this.fixture.server(small().handshakeTimeout(Duration.ofMillis(100)).build());
		Random random = new Random(61);
		byte[] valid = hello("client", this.fixture.peer.instanceId(), 1 << 20).array();
		for (int round = 0; round < 200; round++) {
			byte[] bytes = Arrays.copyOf(valid, 40 + random.nextInt(100));
			for (int changes = random.nextInt(4); changes >= 0; changes--) {
				bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
			}
			try (SocketChannel channel = socket()) {
				channel.write(ByteBuffer.wrap(bytes));
			}
		}
		stillServes(server);
	}

	@Test
	void recordsThatAreNoFramesEndThePairWithTheReason() throws Exception {
		ChroniclePathServer server = this.fixture.server();
		Random random = new Random(62);
		for (int round = 0; round < 20; round++) {
			try (FakeClient client = new FakeClient()) {
				byte[] record = new byte[1 + random.nextInt(200)];
				random.nextBytes(record);
				client.send(record);
				assertThat(client.socket.await()).isTrue();
				ReceivedFrame refused = client.receive();
				assertThat(refused.header().type).isEqualTo(FrameType.REFUSED);
				assertThat(refused.header().has(FrameDescriptor.FLAG_CLOSING)).isTrue();
				await().until(() -> !client.socket.await());
			}
			await().until(() -> server.metrics().open().sum() == 0);
		}
		assertThat(server.metrics().refusals().get("malformed").sum()).isEqualTo(20);
		stillServes(server);
	}

	@Test
	void aClientThatReadsNoAnswersIsLeft() throws Exception {
		ChroniclePathServer server = this.fixture.server(small().frameTimeout(Duration.ofMillis(200)).build());
		Codecs codecs = EchoCalls.CODECS;
		CodecChoice choice = codecs.choose(ChroniclePathFixture.CONTRACT, codecs.offers(ChroniclePathFixture.CONTRACT));
		try (FakeClient client = new FakeClient()) {
			EncodeBuffer bind = new EncodeBuffer(256);
			int start = FrameDescriptor.begin(bind);
			new ClientBinding(0, ChroniclePathFixture.CONTRACT, codecs).request().write(bind);
			FrameDescriptor.end(bind, start, FrameType.BIND);
			client.send(Arrays.copyOf(bind.array(), bind.size()));
			assertThat(client.socket.await()).isTrue();
			assertThat(client.receive().header().type).isEqualTo(FrameType.BOUND);
			EncodeBuffer call = new EncodeBuffer(256);
			int begin = FrameDescriptor.begin(call);
			CallFrame frame = bytes(new byte[1_000_000]);
			int headers = ClientBinding.encode(call, begin, choice, frame, small().build().limits(), 4 << 20);
			FrameDescriptor.headerBlockLength(call, begin, headers);
			FrameDescriptor.code(call, begin, frame.method().index());
			FrameDescriptor.remaining(call, begin, Long.MAX_VALUE);
			FrameDescriptor.end(call, begin, FrameType.CALL);
			byte[] record = Arrays.copyOf(call.array(), call.size());
			// Its queue is full when the client has left 8 MB of answers unread.
			for (int i = 0; i < 10; i++) {
				await().until(() -> client.send(record));
			}
			await().until(() -> server.metrics().refusals().get("stalled").sum() > 0);
			await().until(() -> !client.socket.await());
		}
		await().until(() -> server.metrics().inFlight().sum() == 0);
		stillServes(server);
	}

	@ParameterizedTest
	@ValueSource(longs = { -1, 1_000_000, Long.MIN_VALUE, Long.MAX_VALUE })
	void aReaderThatClaimsToHaveReadTooMuchIsLeft(long claim) throws Exception {
		this.fixture.server();
		CallPath path = this.fixture.connect(this.fixture.provider());
		Path words = this.fixture.pairs().get(0).resolve("words");
		try (RandomAccessFile file = new RandomAccessFile(words.toFile(), "rw")) {
			// The word of the requests' reader; the byte order matters to none of these.
			file.seek(2L * 16 * Long.BYTES);
			file.writeLong(Long.reverseBytes(claim));
		}
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> path.call(bytes(new byte[1])))
			.returns(PathException.Reason.PEER_GONE, PathException::reason)
			.withMessageContaining("says that it has read file " + claim);
		assertThat(path.isOpen()).isFalse();
		await().untilAsserted(() -> assertThat(this.fixture.pairs()).isEmpty());
	}

	@Test
	void aServerThatNamesAnotherDirectoryIsNotFollowed() throws Exception {
		PeerIdentity fake = PeerIdentity.create(this.fixture.rendezvous.hostId());
		Path victim = this.fixture.directory.resolve(fake.instanceId() + "-0123456789abcdef.queuesx");
		assertThat(victim.toFile().mkdir()).isTrue();
		for (String name : new String[] { "../x", victim.getFileName().toString(), "/tmp",
				"0".repeat(32) + "-0123456789abcdef.queues", fake.instanceId() + "-0123456789abcdef.queues" }) {
			PathProvider.Attempt attempt = attemptAtFake(fake, name);
			assertThat(attempt).isInstanceOfSatisfying(PathProvider.Unavailable.class,
					(unavailable) -> assertThat(unavailable.reason()).containsAnyOf("is no directory of the peer",
							"there is no directory"));
		}
		assertThat(victim).isDirectory();
	}

	/** Connects to a server that names a directory of its choice. */
	private PathProvider.Attempt attemptAtFake(PeerIdentity fake, String directory) throws Exception {
		try (ServerSocketChannel server = SocketFile.open(this.fixture.directory, fake.instanceId(),
				SocketFile.QUEUES)) {
			CompletableFuture<PathProvider.Attempt> attempt = CompletableFuture
				.supplyAsync(() -> this.fixture.attempt(this.fixture.provider(), fake));
			try (SocketChannel channel = server.accept()) {
				EncodeBuffer out = new EncodeBuffer(256);
				int start = FrameDescriptor.begin(out);
				new Payload.Welcome(fake.instanceId(), 1000).write(out);
				FrameDescriptor.end(out, start, FrameType.WELCOME);
				int next = FrameDescriptor.begin(out);
				Payload.writeText(out, directory);
				FrameDescriptor.end(out, next, FrameType.ATTACHED);
				channel.write(ByteBuffer.wrap(out.array(), 0, out.size()));
				return attempt.get(20, TimeUnit.SECONDS);
			}
		}
	}

	@Test
	void aDamagedQueueEndsThePairAndNothingElse() throws Exception {
		this.fixture.server();
		Random random = new Random(63);
		int ended = 0;
		for (int round = 0; round < 40; round++) {
			ChroniclePathProvider provider = this.fixture.provider();
			CallPath path = this.fixture.connect(provider);
			assertThat(value(path.call(bytes(new byte[100])))).isEqualTo(new byte[100]);
			Path file = this.fixture.files(PairQueue.REQUESTS).get(0);
			try (RandomAccessFile damaged = new RandomAccessFile(file.toFile(), "rw")) {
				for (int changes = random.nextInt(4); changes >= 0; changes--) {
					damaged.seek(random.nextInt(40_000));
					damaged.writeByte(random.nextInt());
				}
			}
			try {
				Object echoed = value(
						later(path, ChroniclePathFixture.call("bytes", new byte[100], System.nanoTime() + 200_000_000))
							.get(20, TimeUnit.SECONDS));
				assertThat(echoed).isEqualTo(new byte[100]);
			}
			catch (ExecutionException ex) {
				assertThat(ex).hasCauseInstanceOf(PathException.class);
				ended++;
			}
			provider.close();
		}
		assertThat(ended).isBetween(0, 40);
		assertThat(value(this.fixture.connect(this.fixture.provider()).call(bytes(new byte[2]))))
			.isEqualTo(new byte[2]);
	}

	/** A client that writes what it likes into its queue. */
	private final class FakeClient implements AutoCloseable {

		private final ControlSocket socket;

		private final QueueWords words;

		private final FrameWriter writer;

		private final FrameReader reader;

		FakeClient() throws Exception {
			ChroniclePathFixture known = ChronicleHostilePeerTests.this.fixture;
			ChroniclePathOptions options = small().build();
			String server = known.peer.instanceId();
			this.socket = ControlSocket.connect(SocketFile.of(known.directory, server, SocketFile.QUEUES));
			Handshake handshake = new Handshake(this.socket, options);
			handshake.introduce("fake", server);
			Path pair = PairDirectory.find(known.directory, server, handshake.attached()).path();
			this.words = QueueWords.open(pair);
			this.writer = FrameWriter.open(pair, PairQueue.REQUESTS, this.words, Volume.of(pair, 0), options);
			this.reader = FrameReader.open(pair, PairQueue.REPLIES, this.words, options);
			this.words.sleeps(PairQueue.REPLIES);
		}

		boolean send(byte[] record) throws IOException {
			boolean sent = this.writer.append(record, record.length) == null;
			if (sent && this.words.mustWake(PairQueue.REQUESTS)) {
				this.socket.ring();
			}
			return sent;
		}

		ReceivedFrame receive() throws Exception {
			ReceivedFrame frame = this.reader.next();
			assertThat(frame).isNotNull();
			return frame;
		}

		@Override
		public void close() {
			this.socket.close();
			this.writer.close();
			this.reader.close();
		}

	}

}
