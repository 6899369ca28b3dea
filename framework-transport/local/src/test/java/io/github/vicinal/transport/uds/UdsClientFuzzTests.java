package io.github.vicinal.transport.uds;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.testing.Contracts;
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

/** A client that is answered with anything throws a path exception, soon. */
@Timeout(60)
class UdsClientFuzzTests {

	private static final int TRIES = 600;

	private final UdsFixture uds = new UdsFixture();

	private final PeerIdentity identity = this.uds.identity();

	private ServerSocketChannel listener;

	/** Answers of the hostile server to the 1st, 2nd and 3rd frame. */
	private volatile byte[][] answers = {};

	@BeforeEach
	void open() throws IOException {
		this.listener = SocketFile.open(this.uds.directory, this.identity.instanceId(), SocketFile.CALLS);
		Thread thread = new Thread(this::serve);
		thread.setDaemon(true);
		thread.start();
	}

	@AfterEach
	void close() throws IOException {
		this.listener.close();
		this.uds.close();
	}

	private void serve() {
		ByteBuffer buffer = ByteBuffer.allocate(8192);
		while (true) {
			try (SocketChannel channel = this.listener.accept()) {
				for (byte[] answer : this.answers) {
					buffer.clear();
					if (channel.read(buffer) < 0) {
						break;
					}
					channel.write(ByteBuffer.wrap(answer));
				}
			}
			catch (ClosedChannelException ex) {
				return;
			}
			catch (IOException ex) {
				// The client has closed first.
			}
		}
	}

	private byte[][] valid() throws WireException {
		EncodeBuffer welcome = new EncodeBuffer(64);
		new Payload.Welcome(this.identity.instanceId(), 1 << 20).write(welcome);
		EncodeBuffer bound = new EncodeBuffer(64);
		new Payload.Bound("jackson", "for a test", Set.of("jackson")).write(bound);
		EncodeBuffer result = new EncodeBuffer(64);
		result.write(new byte[] { '[', ']' }, 0, 2);
		return new byte[][] { frame(FrameType.WELCOME, 0, 0, welcome), frame(FrameType.BOUND, 1, 0, bound),
				frame(FrameType.REPLY_VALUE, 2, 200, result) };
	}

	private static byte[] frame(FrameType type, long correlation, int code, EncodeBuffer payload) {
		EncodeBuffer out = new EncodeBuffer(64);
		int start = FrameDescriptor.begin(out);
		out.write(payload.array(), 0, payload.size());
		FrameDescriptor.correlation(out, start, correlation);
		FrameDescriptor.code(out, start, code);
		FrameDescriptor.end(out, start, type);
		return Arrays.copyOf(out.array(), out.size());
	}

	/** Returns what the call returned, or why there was no call or no answer. */
	private String call() {
		try (UdsPathProvider provider = this.uds
			.provider(UdsOptions.builder().handshakeTimeout(Duration.ofMillis(300)).maxFrameBytes(1 << 20).build())) {
			PathProvider.Attempt attempt = provider.connect(this.uds.contract,
					Contracts.announce(this.identity, this.uds.contract));
			if (!(attempt instanceof PathProvider.Connected connected)) {
				return ((PathProvider.Unavailable) attempt).reason();
			}
			CallPath path = connected.path();
			return path
				.call(Contracts.callBefore(this.uds.contract, "items",
						System.nanoTime() + Duration.ofMillis(300).toNanos(), List.of()))
				.toString();
		}
		catch (PathException ex) {
			return String.valueOf(ex.getMessage());
		}
	}

	@Test
	void validAnswersAreAccepted() throws Exception {
		this.answers = valid();
		assertThat(call()).contains("body=[]");
	}

	@Test
	void mutatedAnswers() throws Exception {
		Random random = new Random(3);
		for (int i = 0; i < TRIES; i++) {
			byte[][] answers = valid();
			byte[] mutated = answers[random.nextInt(answers.length)];
			mutated[random.nextInt(mutated.length)] = (byte) random.nextInt();
			this.answers = answers;
			assertThat(call()).isNotBlank();
		}
	}

	@Test
	void cutAnswers() throws Exception {
		Random random = new Random(4);
		for (int i = 0; i < TRIES; i++) {
			byte[][] answers = valid();
			int last = random.nextInt(answers.length);
			answers = Arrays.copyOf(answers, last + 1);
			answers[last] = Arrays.copyOf(answers[last], random.nextInt(answers[last].length));
			this.answers = answers;
			assertThat(call()).isNotBlank();
		}
	}

	@Test
	void randomAnswers() {
		Random random = new Random(5);
		for (int i = 0; i < TRIES; i++) {
			byte[] answer = new byte[random.nextInt(200)];
			random.nextBytes(answer);
			this.answers = new byte[][] { answer };
			assertThat(call()).isNotBlank();
		}
	}

	@Test
	void silentServerIsGivenUp() throws Exception {
		byte[][] valid = valid();
		this.answers = new byte[][] { valid[0], valid[1], {}, {} };
		assertThat(call()).contains("deadline passed");
		this.answers = new byte[][] { {}, {} };
		assertThat(call()).contains("deadline passed");
	}

	@Test
	void deepJsonAndWrongStatusAreRefused() throws Exception {
		byte[][] answers = valid();
		EncodeBuffer deep = new EncodeBuffer(64);
		byte[] brackets = new byte[500_000];
		Arrays.fill(brackets, (byte) '[');
		deep.write(brackets, 0, brackets.length);
		answers[2] = frame(FrameType.REPLY_VALUE, 2, 200, deep);
		this.answers = answers;
		assertThat(call()).contains("cannot be decoded");
		answers = valid();
		answers[2] = frame(FrameType.REPLY_FAILURE, 2, 1000, new EncodeBuffer(1));
		this.answers = answers;
		assertThat(call()).contains("there is no status 1000");
	}

}
