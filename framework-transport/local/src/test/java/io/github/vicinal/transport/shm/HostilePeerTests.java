package io.github.vicinal.transport.shm;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.vicinal.channel.Path;
import io.github.vicinal.channel.PathException;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.shm.lane.SegmentAccess;
import io.github.vicinal.transport.shm.lane.SegmentLayout;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.SocketFile;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Any byte of the shared memory or of the control stream may be anything at any time:
 * calls fail, but only with the exception that paths fail with, and others are still
 * served.
 */
@Timeout(120)
class HostilePeerTests {

	private static final ShmOptions OPTIONS = ShmOptions.defaults().withLanes(4);

	private final ShmFixture shm = new ShmFixture();

	private final PeerIdentity server = this.shm.identity();

	@AfterEach
	void close() throws Exception {
		this.shm.close();
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8 })
	void flippedBytesOfTheSegmentHarmNobodyElse(long seed) throws Exception {
		ShmPathServer running = this.shm.server(this.server, OPTIONS, Contracts.echo(this.shm.contract));
		Path other = this.shm.connect(this.shm.provider(OPTIONS), this.server);
		Random random = new Random(seed);
		for (int round = 0; round < 6; round++) {
			ShmPathProvider provider = this.shm.provider(OPTIONS);
			Path victim = this.shm.connect(provider, this.server);
			ByteBuffer memory = SegmentAccess.memory(((ShmPath) victim).lanes());
			int range = (round % 2 == 0) ? SegmentLayout.LINE * 8 : memory.capacity();
			int start = (round % 2 == 0) ? (random.nextBoolean() ? 0 : 4096) : 0;
			Thread flipping = new Thread(() -> {
				Random bits = new Random(seed);
				while (!Thread.currentThread().isInterrupted()) {
					int at = start + bits.nextInt(range - start % range);
					if (at < memory.capacity()) {
						memory.put(at, (byte) (memory.get(at) ^ 1 << bits.nextInt(8)));
					}
				}
			});
			flipping.start();
			// Fails if anything but a PathException comes out.
			call(victim, seed);
			flipping.interrupt();
			flipping.join();
			victim.close();
			provider.close();
		}
		assertThat(ShmFixture.value(other, this.shm.call("join", "a", 1))).isEqualTo("a-1");
		assertThat(running.unavailable()).isEmpty();
	}

	private void call(Path victim, long seed) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(3);
		List<Callable<Integer>> callers = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			int size = 10 + 5000 * i;
			callers.add(() -> {
				int answers = 0;
				long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(150);
				while (System.nanoTime() < end && victim.isOpen()) {
					try {
						victim.call(Contracts.callBefore(this.shm.contract, "bytes",
								System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(30),
								(Object) Contracts.pattern(size, (int) seed)));
						answers++;
					}
					catch (PathException ex) {
						assertThat(ex.reason()).isNotNull();
					}
				}
				return answers;
			});
		}
		for (Future<Integer> answers : threads.invokeAll(callers)) {
			answers.get();
		}
		threads.shutdown();
	}

	@Test
	void flippedBytesOfTheControlStreamAreCounted() throws Exception {
		ShmPathServer running = this.shm.server(this.server,
				OPTIONS.withHandshakeTimeout(java.time.Duration.ofMillis(300)), Contracts.echo(this.shm.contract));
		Random random = new Random(11);
		byte[] conversation = conversation();
		for (int i = 0; i < 150; i++) {
			byte[] bytes = conversation.clone();
			int flips = 1 + random.nextInt(3);
			for (int flip = 0; flip < flips; flip++) {
				bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
			}
			send(bytes);
		}
		assertThat(running.metrics().refusals().values().stream().mapToLong(LongAdder::sum).sum()).isGreaterThan(50);
		Path path = this.shm.connect(this.shm.provider(OPTIONS), this.server);
		assertThat(ShmFixture.value(path, this.shm.call("join", "a", 1))).isEqualTo("a-1");
	}

	private byte[] conversation() throws Exception {
		EncodeBuffer out = new EncodeBuffer(1000);
		int start = FrameDescriptor.begin(out);
		new Payload.Hello(this.shm.clientIdentity.instanceId(), this.server.instanceId(), 1 << 20).write(out);
		FrameDescriptor.end(out, start, FrameType.HELLO, 0, 0, 0, 0, 0, 0);
		start = FrameDescriptor.begin(out);
		new Payload.Attach("0".repeat(32) + ".seg", 4, 2048, new SegmentLayout(4, 2048).hash(), 7, Set.of("fifo"))
			.write(out);
		FrameDescriptor.end(out, start, FrameType.ATTACH, 0, 0, 0, 0, 0, 0);
		return java.util.Arrays.copyOf(out.array(), out.size());
	}

	/** The server answers or closes; it does not keep the connection for ever. */
	private void send(byte[] bytes) throws IOException {
		try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
			channel.connect(UnixDomainSocketAddress
				.of(SocketFile.of(this.shm.directory, this.server.instanceId(), SocketFile.LANES)));
			channel.write(ByteBuffer.wrap(bytes));
			ByteBuffer answer = ByteBuffer.allocate(4096);
			while (channel.read(answer.clear()) >= 0) {
				// Until the server closes.
			}
		}
		catch (IOException ex) {
			// The server closed before it had read everything.
			assertThat(ex.getMessage()).containsAnyOf("Broken pipe", "Connection reset");
		}
	}

}
