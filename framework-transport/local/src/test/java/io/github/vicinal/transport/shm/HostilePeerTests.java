package io.github.vicinal.transport.shm;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.shm.lane.Segment;
import io.github.vicinal.transport.shm.lane.SegmentAccess;
import io.github.vicinal.transport.shm.lane.SegmentLayout;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameHeader;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.SocketFile;
import io.github.vicinal.transport.wire.WireException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Any byte of the shared memory or of the control stream may be anything at any time:
 * calls fail, but only with the exception that paths fail with, and others are still
 * served.
 */
@Timeout(120)
class HostilePeerTests {

	private static final ShmOptions OPTIONS = ShmOptions.builder().lanes(4).maxLanes(4).build();

	/** Default capacity of a FIFO in the kernel. */
	private static final int FIFO_BYTES = 64 * 1024;

	/** A sleeper may be taking some already. */
	private static final int DRAINED_BYTES = 4096;

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
		CallPath other = this.shm.connect(this.shm.provider(OPTIONS), this.server);
		Random random = new Random(seed);
		for (int round = 0; round < 6; round++) {
			ShmPathProvider provider = this.shm.provider(OPTIONS);
			CallPath victim = this.shm.connect(provider, this.server);
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
			long counted = counted(running, provider);
			flipping.start();
			// Fails if anything but a PathException comes out.
			call(victim, seed);
			flipping.interrupt();
			flipping.join();
			if (!victim.isOpen()) {
				// Whichever side has ended it says why.
				Async.await(() -> counted(running, provider) > counted);
			}
			victim.close();
			provider.close();
		}
		assertThat(ShmFixture.value(other, this.shm.call("join", "a", 1))).isEqualTo("a-1");
		assertThat(running.unavailable()).isEmpty();
	}

	private static long counted(ShmPathServer server, ShmPathProvider provider) {
		return sum(server.metrics().refusals()) + sum(provider.violations());
	}

	private static long sum(Map<String, LongAdder> counters) {
		return counters.values().stream().mapToLong(LongAdder::sum).sum();
	}

	private void call(CallPath victim, long seed) throws Exception {
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

	/** The FIFOs are not read, and all words announce a sleeper. */
	@Test
	void fullFifosHoldUpNobody() throws Exception {
		ShmPathServer running = new ShmPathServer(this.server, this.shm.rendezvous, services(), OPTIONS,
				BellSupport.fifoOnly(), null);
		List<FileChannel> fifos = new ArrayList<>();
		try (running) {
			running.start();
			CallPath victim = this.shm.connect(this.shm.provider(OPTIONS.toBuilder().waiting("park").build()),
					this.server);
			assertThat(ShmFixture.value(victim, this.shm.call("join", "a", 1))).isEqualTo("a-1");
			for (java.nio.file.Path fifo : bells()) {
				FileChannel channel = FileChannel.open(fifo, StandardOpenOption.READ, StandardOpenOption.WRITE);
				fifos.add(channel);
				channel.write(ByteBuffer.allocate(FIFO_BYTES - DRAINED_BYTES));
			}
			for (int i = 0; i < 200; i++) {
				assertThat(ShmFixture.value(victim, this.shm.call("join", "a", 1))).isEqualTo("a-1");
			}
		}
		finally {
			for (FileChannel channel : fifos) {
				channel.close();
			}
		}
	}

	/** A call may wait in a ring for longer than it should, but not after the end. */
	@Test
	void fifosThatAreFilledAllTheTimeDoNotHoldUpTheEnd() throws Exception {
		ShmPathServer running = new ShmPathServer(this.server, this.shm.rendezvous, services(), OPTIONS,
				BellSupport.fifoOnly(), null);
		ShmPathProvider provider = this.shm.provider(OPTIONS.toBuilder().waiting("park").build());
		List<FileChannel> fifos = new ArrayList<>();
		List<Future<?>> ends = new ArrayList<>();
		try (running) {
			running.start();
			CallPath victim = this.shm.connect(provider, this.server);
			AtomicInteger calls = new AtomicInteger();
			for (int i = 0; i < 3; i++) {
				ends.add(Async.call(() -> {
					while (victim.isOpen()) {
						callOnce(victim);
						calls.incrementAndGet();
					}
					return null;
				}));
			}
			Async.await(() -> calls.get() > 200);
			for (java.nio.file.Path fifo : bells()) {
				FileChannel channel = FileChannel.open(fifo, StandardOpenOption.READ, StandardOpenOption.WRITE);
				fifos.add(channel);
				Async.call(() -> channel.write(ByteBuffer.allocate(1000 * FIFO_BYTES)));
			}
			int before = calls.get();
			long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(300);
			Async.await(() -> calls.get() > before + 2_000 || System.nanoTime() > end);
			provider.close();
			for (Future<?> one : ends) {
				one.get(20, TimeUnit.SECONDS);
			}
		}
		finally {
			for (FileChannel channel : fifos) {
				channel.close();
			}
		}
	}

	/** With memory as with bells, what others wait for is given back before. */
	@Test
	void clientThatFloodsTheBellOfItsLaneKeepsNoThreadFromOthers() throws Exception {
		CountDownLatch givenUp = new CountDownLatch(1);
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.service(this.shm.contract, (frame) -> {
			try {
				if ("asleep".equals(frame.arguments()[0])) {
					Async.await(() -> Async.isSomebodyIn("ClientLane.sleep", "Reader.awaitRing"));
				}
				else if ("late".equals(frame.arguments()[0])) {
					givenUp.await();
				}
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			return Contracts.value(frame.arguments()[0]);
		}));
		ShmOptions oneThread = ShmOptions.builder()
			.lanes(1)
			.maxLanes(1)
			.maxFrameBytes(1 << 20)
			.maxMemoryBytes(1 << 20)
			.maxHeapBytes(1 << 20)
			.maxPeers(10)
			.maxThreads(1)
			.acquireTimeout(Duration.ofSeconds(10))
			.drainTimeout(Duration.ZERO)
			.waiting("park")
			.build();
		ShmPathProvider hostile = this.shm.provider(oneThread);
		try (ShmPathServer running = new ShmPathServer(this.server, this.shm.rendezvous, services, oneThread,
				BellSupport.fifoOnly(), null)) {
			running.start();
			CallPath flooded = this.shm.connect(hostile, this.server);
			// The first ring looks whether it would be heard, those after it do not.
			assertThat(ShmFixture.value(flooded, this.shm.call("join", "asleep", 1))).isEqualTo("asleep");
			PathException late = catchThrowableOfType(PathException.class,
					() -> flooded.call(Contracts.callBefore(this.shm.contract, "join",
							System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50), "late", 1)));
			assertThat(late.reason()).isEqualTo(Reason.TIMEOUT);
			java.nio.file.Path bell = bells().stream().filter((fifo) -> fifo.endsWith("0")).findFirst().orElseThrow();
			try (FileChannel fifo = FileChannel.open(bell, StandardOpenOption.READ, StandardOpenOption.WRITE);
					FileInputStream unread = new FileInputStream(bell.toFile())) {
				Async.call(() -> fifo.write(ByteBuffer.allocate(2 * FIFO_BYTES)));
				Async.await(() -> available(unread) == FIFO_BYTES);
				SegmentAccess.memory(((ShmPath) flooded).lanes())
					.duplicate()
					.order(ByteOrder.nativeOrder())
					.putInt(new SegmentLayout(1, 2048).waitingOffset(0), 1);
				givenUp.countDown();
				Async.await(() -> Async.isSomebodyIn("ServerLane.wake", "FifoBell.ring"));
				CallPath other = this.shm.connect(this.shm.provider(oneThread), this.server);
				assertThat(ShmFixture.value(other, this.shm.call("join", "a", 1))).isEqualTo("a");
				assertThat(Async.isSomebodyIn("ServerLane.wake", "FifoBell.ring")).isTrue();
			}
			finally {
				hostile.close();
			}
		}
	}

	private static int available(FileInputStream fifo) {
		try {
			return fifo.available();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void callOnce(CallPath victim) {
		try {
			victim.call(Contracts.callBefore(this.shm.contract, "join",
					System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(5), "a", 1));
		}
		catch (PathException ex) {
			assertThat(ex.reason()).isNotNull();
		}
	}

	private ServiceRegistry services() {
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.echo(this.shm.contract));
		return services;
	}

	private List<java.nio.file.Path> bells() throws IOException {
		try (var files = Files.walk(this.shm.directory)) {
			return files.filter((file) -> String.valueOf(file.getParent()).endsWith(".bells")).toList();
		}
	}

	@Test
	void flippedBytesOfTheControlStreamAreCounted() throws Exception {
		ShmPathServer running = this.shm.server(this.server,
				OPTIONS.toBuilder().handshakeTimeout(Duration.ofMillis(300)).build(),
				Contracts.echo(this.shm.contract));
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
		CallPath path = this.shm.connect(this.shm.provider(OPTIONS), this.server);
		assertThat(ShmFixture.value(path, this.shm.call("join", "a", 1))).isEqualTo("a-1");
	}

	/** A client that shakes hands as it should, and then says anything. */
	@Test
	void anythingThatAClientSaysAfterTheHandshakeIsCounted() throws Exception {
		ShmPathServer running = this.shm.server(this.server, OPTIONS, Contracts.echo(this.shm.contract));
		CallPath other = this.shm.connect(this.shm.provider(OPTIONS), this.server);
		Random random = new Random(5);
		for (int i = 0; i < 120; i++) {
			byte[] bytes = said(i);
			if (i >= 12) {
				for (int flip = 0; flip <= i % 3; flip++) {
					bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
				}
			}
			long before = sum(running.metrics().refusals());
			try (FakePeer hostile = FakePeer.connect(this.shm.directory, this.server.instanceId());
					FileChannel segment = hostile.attach(this.shm.directory, this.shm.clientIdentity.instanceId(),
							this.server.instanceId())) {
				assertThat(hostile.read().type).isEqualTo(FrameType.ATTACHED);
				hostile.write(bytes);
				// Has no place here, so it ends the conversation if the bytes before did
				// not.
				if (hostile.write(FakePeer.frame(FrameType.WELCOME, 0, (out) -> {
				}))) {
					hostile.endOutput();
				}
				FrameHeader answer = hostile.read();
				while (answer != null) {
					answer = hostile.read();
				}
				assertThat(segment.size()).isPositive();
			}
			if (i < 12 && i % 4 != 3) {
				assertThat(sum(running.metrics().refusals())).isGreaterThan(before);
			}
		}
		assertThat(sum(running.metrics().refusals())).isGreaterThan(40);
		assertThat(ShmFixture.value(other, this.shm.call("join", "a", 1))).isEqualTo("a-1");
		Async.await(() -> running.metrics().open().sum() == 1);
	}

	private byte[] said(int i) throws Exception {
		String name = Segment.newName();
		return switch (i % 4) {
			case 0 -> FakePeer.frame(FrameType.BIND, 0,
					(out) -> new Payload.Bind(this.shm.contract.name(), this.shm.contract.hash(), Set.of("jackson"))
						.write(out));
			case 1 -> FakePeer.frame(FrameType.ARENA, 0, (out) -> new Payload.Arena(0, 4096, name).write(out));
			case 2 -> FakePeer.frame(FrameType.ARENA, 0, (out) -> new Payload.Arena(0, 1 << 30, name).write(out));
			default -> FakePeer.frame(FrameType.GOODBYE, 0, (out) -> {
			});
		};
	}

	/** A server that says anything, in each of its answers. */
	@ParameterizedTest
	@EnumSource(names = { "WELCOME", "ATTACHED", "BOUND" })
	void anythingThatAServerSaysIsAReasonAndCounted(FrameType changed) throws Exception {
		Random random = new Random(changed.ordinal());
		try (FakeServer hostile = new FakeServer(this.shm.directory, this.server.instanceId())) {
			hostile.change = (type, bytes) -> {
				for (int flip = 0; type == changed && flip <= random.nextInt(3); flip++) {
					bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
				}
				return bytes;
			};
			ShmPathProvider provider = this.shm
				.provider(OPTIONS.toBuilder().handshakeTimeout(Duration.ofMillis(200)).build());
			int refused = 0;
			for (int i = 0; i < 60; i++) {
				PathProvider.Attempt attempt = this.shm.attempt(provider, this.server);
				if (attempt instanceof PathProvider.Connected connected) {
					connected.path().close();
				}
				else {
					assertThat(((PathProvider.Unavailable) attempt).reason()).isNotBlank();
					refused++;
				}
			}
			// Some lengths are only waited for, some bits are in words for people.
			assertThat(refused).isGreaterThan(10);
			assertThat(sum(provider.violations())).isBetween(5L, (long) refused);
			hostile.change = (type, bytes) -> bytes;
			this.shm.connect(this.shm.provider(OPTIONS), this.server);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "WELCOME", "ATTACHED" })
	void serverThatShutsDownAmidTheHandshakeBreaksNoRule(FrameType instead) throws Exception {
		try (FakeServer server = new FakeServer(this.shm.directory, this.server.instanceId())) {
			server.change = (type, bytes) -> (type == instead) ? goodbye() : bytes;
			ShmPathProvider provider = this.shm.provider(OPTIONS);
			PathProvider.Unavailable attempt = (PathProvider.Unavailable) this.shm.attempt(provider, this.server);
			assertThat(attempt.reason()).contains("is shutting down");
			assertThat(attempt.retryable()).isTrue();
			assertThat(sum(provider.violations())).isZero();
		}
	}

	private static byte[] goodbye() {
		try {
			return FakePeer.frame(FrameType.GOODBYE, 0, (out) -> {
			});
		}
		catch (WireException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4 })
	void hostileArenasEndThePairAndAreCounted(int kind) throws Exception {
		try (FakeServer hostile = new FakeServer(this.shm.directory, this.server.instanceId())) {
			String name = Segment.newName();
			hostile.afterBound = switch (kind) {
				case 1 -> FakePeer.frame(FrameType.ARENA, 0, (out) -> new Payload.Arena(7, 4096, name).write(out));
				case 2 -> FakePeer.frame(FrameType.ARENA, 0,
						(out) -> new Payload.Arena(0, 4096, "../../etc/passwd").write(out));
				case 3 -> FakePeer.frame(FrameType.MAPPED, 0, (out) -> new Payload.Mapped(0).write(out));
				default -> FakePeer.frame(FrameType.ARENA, 0,
						(out) -> new Payload.Arena(0, Integer.MAX_VALUE, name).write(out));
			};
			ShmPathProvider provider = this.shm.provider(OPTIONS);
			PathProvider.Attempt attempt = this.shm.attempt(provider, this.server);
			Async.await(() -> sum(provider.violations()) == 1);
			if (attempt instanceof PathProvider.Connected connected) {
				// The channel leaves it then, and goes on over another path.
				Async.await(() -> !connected.path().isOpen());
			}
		}
	}

	private byte[] conversation() throws Exception {
		EncodeBuffer out = new EncodeBuffer(1000);
		int start = FrameDescriptor.begin(out);
		new Payload.Hello(this.shm.clientIdentity.instanceId(), this.server.instanceId(), 1 << 20).write(out);
		FrameDescriptor.end(out, start, FrameType.HELLO);
		start = FrameDescriptor.begin(out);
		new Payload.Attach("0".repeat(32) + ".seg", 4, 2048, new SegmentLayout(4, 2048).hash(), 7, 1 << 20,
				Set.of("fifo"))
			.write(out);
		FrameDescriptor.end(out, start, FrameType.ATTACH);
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
