package io.github.vicinal.transport.uds;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.Set;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.wire.FrameChannel;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.WireException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** A server that is sent anything keeps answering everybody else. */
@Timeout(60)
class UdsServerFuzzTests {

	private static final int TRIES = 600;

	private final UdsFixture uds = new UdsFixture();

	private final PeerIdentity identity = this.uds.identity();

	private UdsPathServer server;

	private CallPath path;

	@BeforeEach
	void open() {
		this.server = this.uds.server(this.identity,
				UdsOptions.builder().maxFrameBytes(1 << 20).handshakeTimeout(Duration.ofMillis(500)).build(),
				Contracts.echo(this.uds.contract));
		this.path = this.uds.connect(this.uds.provider(UdsOptions.defaults()), this.identity);
	}

	@AfterEach
	void close() {
		this.uds.close();
	}

	@Test
	void randomBytes() throws Exception {
		Random random = new Random(1);
		for (int i = 0; i < TRIES; i++) {
			byte[] bytes = new byte[random.nextInt(400)];
			random.nextBytes(bytes);
			send(bytes);
			assertOthersAreServed();
		}
		assertThat(refusals("malformed")).isPositive();
	}

	@Test
	void mutatedFrames() throws Exception {
		Random random = new Random(2);
		byte[][] valid = { hello(), bind(), call(join(), 0, "[\"a\",1]") };
		for (int i = 0; i < TRIES; i++) {
			byte[][] frames = java.util.Arrays.copyOf(valid, 1 + random.nextInt(valid.length));
			byte[] last = frames[frames.length - 1].clone();
			for (int mutations = 1 + random.nextInt(3); mutations > 0; mutations--) {
				last[random.nextInt(last.length)] = (byte) random.nextInt();
			}
			frames[frames.length - 1] = (random.nextInt(4) == 0)
					? java.util.Arrays.copyOf(last, random.nextInt(last.length)) : last;
			send(frames);
			assertOthersAreServed();
		}
		assertThat(refusals("malformed")).isPositive();
	}

	@Test
	void eachMistakeIsCountedUnderItsName() throws Exception {
		byte[] wrongMagic = hello();
		wrongMagic[0]++;
		assertThat(send(wrongMagic)).contains("a frame starts with");
		assertThat(refusals("malformed")).isEqualTo(1);
		byte[] wrongVersion = hello();
		wrongVersion[FrameDescriptor.VERSION_OFFSET]++;
		assertThat(send(wrongVersion)).contains("speaks version " + FrameDescriptor.VERSION);
		assertThat(refusals("version")).isEqualTo(1);
		byte[] oversized = hello();
		ByteBuffer.wrap(oversized).putInt(FrameDescriptor.LENGTH_OFFSET, Integer.MAX_VALUE);
		assertThat(send(oversized)).contains("larger than the limit");
		assertThat(refusals("too-large")).isEqualTo(1);
		assertThat(send(frame(FrameType.CALL, 0, 0, 0, new byte[0]))).contains("starts with HELLO");
		assertThat(send(hello(), bind(), call(99, 0, "[\"a\",1]"))).contains("none with index 99");
		assertThat(refusals("unknown-method")).isEqualTo(1);
		assertThat(send(hello(), bind(), call(join(), 0, "no json"))).contains("cannot be decoded");
		assertThat(refusals("codec")).isEqualTo(1);
		assertThat(send(hello(), bind(), call(join(), 5, "bad header block")))
			.contains("headers are more than the limit");
		assertThat(send(hello(), call(join(), 0, "[\"a\",1]"))).contains("not bound");
		assertThat(send(concat(hello(), bind()))).contains("before the answer");
		assertOthersAreServed();
	}

	@Test
	void promisedBytesAreNotAllocatedBeforeTheyArrive() throws Exception {
		byte[] promise = frame(FrameType.HELLO, 0, 0, 0, new byte[10]);
		ByteBuffer.wrap(promise).putInt(FrameDescriptor.LENGTH_OFFSET, 60 << 20);
		java.nio.file.Path file = this.uds.directory.resolve("pair");
		try (var listener = java.nio.channels.ServerSocketChannel.open(StandardProtocolFamily.UNIX)
			.bind(UnixDomainSocketAddress.of(file));
				SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(file));
				SocketChannel accepted = listener.accept()) {
			client.write(ByteBuffer.wrap(promise));
			client.shutdownOutput();
			FrameChannel frames = new FrameChannel(accepted, UdsOptions.defaults().limits(), () -> {
			});
			org.assertj.core.api.Assertions.assertThatThrownBy(frames::read)
				.isInstanceOf(java.io.EOFException.class)
				.hasMessageContaining("10 of 62914560");
			assertThat(frames.body().length).isLessThan(64 * 1024);
		}
	}

	@Test
	void clientThatStopsInTheMiddleOfAFrameIsCutOff() throws Exception {
		try (SocketChannel channel = connect()) {
			channel.write(ByteBuffer.wrap(hello(), 0, 20));
			assertThat(drain(channel)).isNotNull();
		}
		// Counted after the connection is closed.
		Async.await(() -> refusals("stalled") == 1);
		assertOthersAreServed();
	}

	private void assertOthersAreServed() throws Exception {
		assertThat(UdsFixture.value(this.path, this.uds.call("join", "a", 1))).isEqualTo("a-1");
	}

	private long refusals(String reason) {
		return this.server.metrics().refusals().get(reason).sum();
	}

	private SocketChannel connect() throws IOException {
		return SocketChannel.open(UnixDomainSocketAddress
			.of(SocketFile.of(this.uds.directory, this.identity.instanceId(), SocketFile.CALLS)));
	}

	/**
	 * Sends frames, each but the last followed by reading an answer, and the end of the
	 * stream; returns what comes back after the last.
	 */
	private String send(byte[]... frames) throws IOException {
		try (SocketChannel channel = connect()) {
			try {
				for (int i = 0; i < frames.length; i++) {
					channel.write(ByteBuffer.wrap(frames[i]));
					if (i < frames.length - 1) {
						assertThat(channel.read(ByteBuffer.allocate(8192))).isPositive();
					}
				}
				channel.shutdownOutput();
			}
			catch (IOException ex) {
				// Closed before all of it was sent.
			}
			return drain(channel);
		}
	}

	private static String drain(SocketChannel channel) {
		StringBuilder text = new StringBuilder();
		ByteBuffer buffer = ByteBuffer.allocate(8192);
		try {
			while (channel.read(buffer) >= 0) {
				text.append(new String(buffer.array(), 0, buffer.position(), StandardCharsets.ISO_8859_1));
				buffer.clear();
			}
		}
		catch (IOException ex) {
			// Reset: the end, too.
		}
		return text.toString();
	}

	private int join() {
		return Contracts.method(this.uds.contract, "join").index();
	}

	private byte[] hello() throws WireException {
		EncodeBuffer out = new EncodeBuffer(64);
		new Payload.Hello(this.uds.clientIdentity.instanceId(), this.identity.instanceId(), 1 << 20).write(out);
		return frame(FrameType.HELLO, 0, 0, 0, java.util.Arrays.copyOf(out.array(), out.size()));
	}

	private byte[] bind() throws WireException {
		EncodeBuffer out = new EncodeBuffer(64);
		new Payload.Bind(this.uds.contract.name(), this.uds.contract.hash(), Set.of("jackson")).write(out);
		return frame(FrameType.BIND, 0, 5, 0, java.util.Arrays.copyOf(out.array(), out.size()));
	}

	private static byte[] call(int method, int headerBytes, String payload) {
		return frame(FrameType.CALL, headerBytes, 5, method, payload.getBytes(StandardCharsets.UTF_8));
	}

	private static byte[] frame(FrameType type, int headerBytes, int binding, int code, byte[] payload) {
		EncodeBuffer out = new EncodeBuffer(64);
		int start = FrameDescriptor.begin(out);
		out.write(payload, 0, payload.length);
		FrameDescriptor.headerBlockLength(out, start, headerBytes);
		FrameDescriptor.correlation(out, start, 1);
		FrameDescriptor.binding(out, start, binding);
		FrameDescriptor.code(out, start, code);
		FrameDescriptor.remaining(out, start, Long.MAX_VALUE);
		FrameDescriptor.end(out, start, type);
		return java.util.Arrays.copyOf(out.array(), out.size());
	}

	private static byte[] concat(byte[]... parts) {
		EncodeBuffer out = new EncodeBuffer(256);
		for (byte[] part : parts) {
			out.write(part, 0, part.length);
		}
		return java.util.Arrays.copyOf(out.array(), out.size());
	}

}
