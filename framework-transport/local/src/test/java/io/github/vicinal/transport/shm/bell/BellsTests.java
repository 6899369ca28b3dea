package io.github.vicinal.transport.shm.bell;

import java.io.FileInputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.Watchdog;
import io.github.vicinal.transport.wire.WireException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Each kind of bell wakes, ends its sleep in time, and is not lost to an interrupt. */
@Timeout(30)
@Tag("every-jdk")
class BellsTests {

	private static final FifoBells.Messenger SILENT = (number) -> {
	};

	private static final int LANES = 2;

	private static final BellWords WORDS = words();

	private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

	/** Its default capacity in the kernel. */
	private static final int FIFO_BYTES = 64 * 1024;

	private final Watchdog watchdog = new Watchdog("test-watchdog");

	private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

	private Path directory;

	static Iterable<String> kinds() {
		return BellSupport.detect().kinds();
	}

	@AfterEach
	void close() throws Exception {
		assertThat(this.failures).isEmpty();
		this.watchdog.close();
		if (this.directory != null) {
			try (var directories = Files.list(this.directory)) {
				directories.forEach(FifoBells::delete);
			}
			Files.delete(this.directory);
		}
	}

	private Bells bells(String kind) throws Exception {
		return bells(kind, IDLE_NANOS);
	}

	private Bells bells(String kind, long idleNanos) throws Exception {
		if (kind.equals(BellSupport.FUTEX)) {
			return BellSupport.detect().futex(WORDS);
		}
		this.directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-bells");
		if (kind.equals(SocketBells.KIND)) {
			BellSupport support = BellSupport.socketOnly();
			AtomicBoolean closing = new AtomicBoolean();
			Consumer<Throwable> failed = (ex) -> {
				if (!closing.get()) {
					this.failures.add(ex);
				}
			};
			SocketBells server = support.listen(this.directory, LANES, idleNanos, (channel) -> {
			}, failed);
			return new BothEnds(server, support.connect(this.directory, server.socketName(), LANES, (channel) -> {
			}, failed), closing);
		}
		Path made = FifoBells.create(this.directory, "0".repeat(32), "1".repeat(16), LANES);
		return new FifoBells(made, WORDS, this.watchdog, idleNanos, SILENT, this.failures::add);
	}

	/** As if other threads had said that they sleep. */
	private static BellWords words() {
		ByteBuffer memory = ByteBuffer.allocateDirect(64).order(java.nio.ByteOrder.nativeOrder());
		for (int i = 0; i < 4; i++) {
			memory.putInt(i * 8, 1);
		}
		return new BellWords(memory, 0, 8, (lane) -> 16 + 8 * lane, LANES);
	}

	@Test
	void futexesAreUsedExactlyWhereTheyCanBe() {
		BellSupport support = BellSupport.detect();
		if (Runtime.version().feature() < 22) {
			assertThat(support.kinds()).containsExactly(FifoBells.KIND, SocketBells.KIND);
			assertThat(support.noFutex()).contains("22");
		}
		else {
			assertThat(support.kinds()).containsExactly(BellSupport.FUTEX, FifoBells.KIND, SocketBells.KIND);
			assertThat(support.noFutex()).isEmpty();
		}
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void ringWakesAndTimePasses(String kind) throws Exception {
		try (Bells bells = bells(kind)) {
			for (Bell bell : List.of(bells.server(), bells.poller(), bells.lane(0), bells.lane(1))) {
				long before = System.nanoTime();
				bell.await(TimeUnit.MILLISECONDS.toNanos(5));
				assertThat(System.nanoTime() - before).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(4));
				AtomicInteger woken = new AtomicInteger();
				Thread sleeper = new Thread(() -> {
					bell.await(Bell.FOREVER);
					woken.incrementAndGet();
				});
				sleeper.start();
				while (woken.get() == 0) {
					bell.ring();
					Thread.onSpinWait();
				}
				sleeper.join();
				assertThat(woken).hasValue(1);
			}
		}
	}

	@ParameterizedTest
	@MethodSource("kinds")
	void interruptEndsTheSleepOfACaller(String kind) throws Exception {
		try (Bells bells = bells(kind)) {
			CountDownLatch ended = new CountDownLatch(1);
			Thread sleeper = new Thread(() -> {
				while (!Thread.currentThread().isInterrupted()) {
					bells.lane(0).await(Bell.FOREVER);
				}
				ended.countDown();
			});
			sleeper.start();
			sleeper.interrupt();
			assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
		}
	}

	/** More rings than a FIFO has room for. */
	@ParameterizedTest
	@ValueSource(strings = { FifoBells.KIND, SocketBells.KIND })
	void bellThatNobodyHearsHoldsUpNobody(String kind) throws Exception {
		try (Bells bells = bells(kind)) {
			for (Bell bell : List.of(bells.server(), bells.lane(0))) {
				for (int i = 0; i < 70_000; i++) {
					bell.ring();
				}
				// It rings all the same.
				bell.await(Bell.FOREVER);
			}
		}
	}

	@Test
	void fullFifoHoldsUpNobody() throws Exception {
		try (Bells bells = bells(FifoBells.KIND);
				FileChannel hostile = FileChannel.open(fifo("server"), StandardOpenOption.READ,
						StandardOpenOption.WRITE)) {
			hostile.write(ByteBuffer.allocate(FIFO_BYTES));
			for (int i = 0; i < 200; i++) {
				bells.server().ring();
			}
			bells.server().await(Bell.FOREVER);
		}
	}

	/** A thread that rings checks only now and then how full the FIFO is. */
	@Test
	void fifoFilledBetweenTwoLooksHoldsUpNeitherDeadlinesNorTheEnd() throws Exception {
		Bells bells = bells(FifoBells.KIND);
		Bell flooded = bells.lane(0);
		Thread writer = new Thread(flooded::ring);
		Thread second = new Thread(flooded::ring);
		try (FileChannel hostile = FileChannel.open(fifo("0"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			flooded.ring();
			flooded.await(Bell.FOREVER);
			hostile.write(ByteBuffer.allocate(FIFO_BYTES));
			writer.start();
			Async.await(() -> isIn(writer, "write0"));
			second.start();
			// The watchdog sees these deadlines pass now and then. They read less than
			// the page that a writer waits for.
			for (int i = 0; i < 40; i++) {
				flooded.await(0);
			}
			for (int i = 0; i < 3; i++) {
				bells.lane(1).await(TimeUnit.MILLISECONDS.toNanos(5));
			}
			assertThat(isIn(writer, "write0")).isTrue();
			bells.close();
			writer.join();
			second.join();
			flooded.ring();
			flooded.await(Bell.FOREVER);
		}
		finally {
			bells.close();
		}
	}

	private static boolean isIn(Thread thread, String method) {
		return Arrays.stream(thread.getStackTrace()).anyMatch((frame) -> frame.getMethodName().equals(method));
	}

	/** A write could wait for room. */
	@Test
	void deadlineWritesNothing() throws Exception {
		try (Bells bells = bells(FifoBells.KIND);
				// Else the stream would wait for a writer.
				FileChannel open = FileChannel.open(fifo("0"), StandardOpenOption.READ, StandardOpenOption.WRITE);
				FileInputStream unread = new FileInputStream(fifo("0").toFile())) {
			assertThat(open.isOpen()).isTrue();
			for (int i = 0; i < 5; i++) {
				bells.lane(0).await(TimeUnit.MILLISECONDS.toNanos(1));
				assertThat(unread.available()).isZero();
			}
			// It is heard again.
			bells.lane(0).ring();
			bells.lane(0).await(Bell.FOREVER);
		}
	}

	private Path fifo(String name) throws Exception {
		try (var directories = Files.list(this.directory)) {
			return directories.findFirst().orElseThrow().resolve(name);
		}
	}

	/** The side that could not ring or sleep ends the pair: nobody repeats a ring. */
	@Test
	void fifoThatCannotBeOpenedIsReportedAndNotWaitedFor() throws Exception {
		try (Bells bells = bells(FifoBells.KIND)) {
			Files.delete(fifo("0"));
			Files.delete(fifo("1"));
			bells.lane(0).ring();
			assertThat(this.failures.poll()).isInstanceOf(NoSuchFileException.class);
			bells.lane(1).await(Bell.FOREVER);
			assertThat(this.failures.poll()).isInstanceOf(NoSuchFileException.class);
		}
	}

	@Test
	void failureEndsTheBellsAndIsReportedOnce() throws Exception {
		bells(FifoBells.KIND).close();
		Path made = fifo("0").getParent();
		Files.delete(fifo("0"));
		AtomicReference<Bells> ended = new AtomicReference<>();
		ended.set(new FifoBells(made, WORDS, this.watchdog, IDLE_NANOS, SILENT, (ex) -> {
			this.failures.add(ex);
			ended.get().close();
		}));
		Bells bells = ended.get();
		Thread sleeper = new Thread(() -> bells.lane(1).await(Bell.FOREVER));
		sleeper.start();
		Async.await(() -> isIn(sleeper, "awaitRing"));
		for (int i = 0; i < 3; i++) {
			bells.lane(0).ring();
			bells.lane(0).await(Bell.FOREVER);
		}
		sleeper.join();
		assertThat(this.failures.poll()).isInstanceOf(NoSuchFileException.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { FifoBells.KIND, SocketBells.KIND })
	void interruptedThreadStillRings(String kind) throws Exception {
		try (Bells bells = bells(kind)) {
			Thread.currentThread().interrupt();
			bells.lane(0).ring();
			assertThat(Thread.interrupted()).isTrue();
			long before = System.nanoTime();
			bells.lane(0).await(TimeUnit.SECONDS.toNanos(20));
			assertThat(System.nanoTime() - before).isLessThan(TimeUnit.SECONDS.toNanos(10));
		}
	}

	/** The socket's end notifies the other side, even if only the bells have ended. */
	@Test
	void endOfTheOtherSideOfASocketIsReported() throws Exception {
		try (BothEnds bells = (BothEnds) bells(SocketBells.KIND)) {
			bells.lane(0).ring();
			bells.lane(0).await(Bell.FOREVER);
			bells.client().close();
			Async.await(() -> !this.failures.isEmpty());
			assertThat(this.failures.poll()).isInstanceOf(IOException.class);
			Thread sleeper = new Thread(() -> bells.server().await(Bell.FOREVER));
			sleeper.start();
			bells.close();
			sleeper.join();
		}
		Async.await(() -> !Async.isSomebodyIn("BellReader.run"));
		try (var files = Files.list(this.directory)) {
			assertThat(files).isEmpty();
		}
	}

	/** A peer that writes anything rings bells that there are, or none. */
	@Test
	void bellsThatThereAreNotAreNotRung() throws Exception {
		// The server is closed first: that the other side has gone would be a failure.
		try (SocketChannel hostile = SocketChannel.open(StandardProtocolFamily.UNIX);
				SocketBells server = BellSupport.socketOnly()
					.listen(socketDirectory(), LANES, IDLE_NANOS, (channel) -> {
					}, this.failures::add)) {
			hostile.connect(UnixDomainSocketAddress.of(this.directory.resolve(server.socketName())));
			hostile.write(ByteBuffer.wrap(new byte[] { -1, -1, 0, 77, 127, -1, 0 }));
			// The other half of a ring of the server's bell.
			hostile.write(ByteBuffer.wrap(new byte[] { 0 }));
			server.server().await(Bell.FOREVER);
		}
	}

	@Test
	void strangerIsNotHeard() throws Exception {
		try (SocketBells server = BellSupport.socketOnly().listen(socketDirectory(), LANES, IDLE_NANOS, (channel) -> {
			throw new WireException(Refusal.STRANGER, "for a test");
		}, this.failures::add); SocketChannel stranger = SocketChannel.open(StandardProtocolFamily.UNIX)) {
			stranger.connect(UnixDomainSocketAddress.of(this.directory.resolve(server.socketName())));
			Async.await(() -> !this.failures.isEmpty());
			assertThat(this.failures.poll()).hasMessage("for a test");
			assertThat(stranger.read(ByteBuffer.allocate(1))).isEqualTo(-1);
		}
	}

	private Path socketDirectory() throws IOException {
		this.directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-bells");
		return this.directory;
	}

	/** The kernel drops the bytes of a FIFO that no process has open. */
	@Test
	void ringThatWasForgottenWhileNobodyListenedWakesAllTheSame() throws Exception {
		this.directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-bells");
		Path made = FifoBells.create(this.directory, "0".repeat(32), "1".repeat(16), LANES);
		BellWords own = words();
		try (Bells bells = new FifoBells(made, own, this.watchdog, TimeUnit.MILLISECONDS.toNanos(20), SILENT,
				this.failures::add)) {
			for (int i = 0; i < 3; i++) {
				own.memory().putInt(own.lane().applyAsInt(0), 0);
				bells.lane(0).ring();
				assertThat(open(made)).isPositive();
				Async.await(() -> open(made) == 0);
				bells.lane(0).await(Bell.FOREVER);
				own.memory().putInt(own.lane().applyAsInt(0), 1);
				CompletableFuture<Boolean> woken = Async.call(() -> {
					bells.lane(0).await(Bell.FOREVER);
					return true;
				});
				Async.await(() -> Async.isSomebodyIn("Reader.awaitRing"));
				bells.lane(0).ring();
				assertThat(woken.get(20, TimeUnit.SECONDS)).isTrue();
			}
		}
		assertThat(open(made)).isZero();
	}

	/** One of the threads that sleep at the server's bell is left. */
	@Test
	void idleServerHasOneSleeper() throws Exception {
		this.directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-bells");
		Path made = FifoBells.create(this.directory, "0".repeat(32), "1".repeat(16), LANES);
		try (Bells bells = new FifoBells(made, WORDS, this.watchdog, TimeUnit.MILLISECONDS.toNanos(50), SILENT,
				this.failures::add)) {
			List<CompletableFuture<Boolean>> sleepers = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				sleepers.add(Async.call(() -> {
					bells.server().await(Bell.FOREVER);
					return true;
				}));
			}
			Async.await(() -> sleepers.stream().filter(CompletableFuture::isDone).count() == 3 && open(made) == 1);
			bells.server().ring();
			Async.await(() -> sleepers.stream().allMatch(CompletableFuture::isDone));
		}
	}

	/** Returns how many file descriptors of this process are FIFOs of a directory. */
	private static long open(Path bells) {
		try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
			return descriptors.filter((descriptor) -> isIn(descriptor, bells)).count();
		}
		catch (java.io.IOException ex) {
			throw new java.io.UncheckedIOException(ex);
		}
	}

	private static boolean isIn(Path descriptor, Path directory) {
		try {
			return Files.readSymbolicLink(descriptor).startsWith(directory);
		}
		catch (java.io.IOException ex) {
			// Closed meanwhile.
			return false;
		}
	}

	/** One of the threads that sleep at the server's bell is left, and it is woken. */
	@Test
	void idleServerHasOneSleeperAtASocket() throws Exception {
		try (BothEnds bells = (BothEnds) bells(SocketBells.KIND, TimeUnit.MILLISECONDS.toNanos(50))) {
			List<CompletableFuture<Boolean>> sleepers = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				sleepers.add(Async.call(() -> {
					bells.server().await(Bell.FOREVER);
					return true;
				}));
			}
			Async.await(() -> sleepers.stream().filter(CompletableFuture::isDone).count() == 3);
			assertThat(sleepers).filteredOn((one) -> !one.isDone()).hasSize(1);
			bells.server().ring();
			Async.await(() -> sleepers.stream().allMatch(CompletableFuture::isDone));
		}
	}

	/** As if the other side had no file descriptor left to ring with. */
	@ParameterizedTest
	@MethodSource("kinds")
	void ringHereWakesSleepersAndKnowsNoOtherBells(String kind) throws Exception {
		try (Bells bells = bells(kind)) {
			Bells here = (bells instanceof BothEnds both) ? both.client() : bells;
			CompletableFuture<Boolean> woken = Async.call(() -> {
				here.lane(1).await(Bell.FOREVER);
				return true;
			});
			while (!woken.isDone()) {
				here.ringHere(1);
				Thread.yield();
			}
			assertThat(woken.get()).isTrue();
			for (int number : new int[] { -3, LANES, Integer.MAX_VALUE, Integer.MIN_VALUE }) {
				assertThatExceptionOfType(WireException.class).isThrownBy(() -> here.ringHere(number));
			}
		}
	}

	/** The creator of the pair waits no longer than necessary. */
	@Test
	void serverWaitsForTheClientOfASocket() throws Exception {
		try (SocketBells server = BellSupport.socketOnly().listen(socketDirectory(), LANES, IDLE_NANOS, (channel) -> {
		}, this.failures::add)) {
			assertThat(server.awaitClient(1)).isFalse();
			CompletableFuture<Boolean> waiting = Async.call(() -> server.awaitClient(TimeUnit.SECONDS.toNanos(20)));
			Async.await(() -> Async.isSomebodyIn("SocketBells.awaitClient"));
			server.close();
			assertThat(waiting.get(20, TimeUnit.SECONDS)).isFalse();
		}
	}

	/** The channel of a client that is being accepted may still block. */
	@Test
	void interruptedThreadRingsWhileTheClientIsAccepted() throws Exception {
		BellSupport support = BellSupport.socketOnly();
		AtomicReference<SocketBells> listening = new AtomicReference<>();
		Thread ringer = new Thread(() -> {
			Thread.currentThread().interrupt();
			listening.get().lane(0).ring();
		});
		SocketBells server = support.listen(socketDirectory(), LANES, IDLE_NANOS, (channel) -> {
			ringer.start();
			while (ringer.isAlive() && !isIn(ringer, "parkNanos")) {
				Thread.onSpinWait();
			}
		}, this.failures::add);
		listening.set(server);
		AtomicBoolean closing = new AtomicBoolean();
		try (SocketBells client = support.connect(this.directory, server.socketName(), LANES, (channel) -> {
		}, (ex) -> {
			if (!closing.get()) {
				this.failures.add(ex);
			}
		})) {
			client.lane(0).await(TimeUnit.SECONDS.toNanos(20));
			ringer.join();
			assertThat(this.failures).isEmpty();
			closing.set(true);
			server.close();
		}
	}

	/** Each bell is rung by the side that does not sleep there. */
	private record BothEnds(SocketBells atServer, SocketBells client, AtomicBoolean closing) implements Bells {

		@Override
		public String kind() {
			return SocketBells.KIND;
		}

		@Override
		public Bell server() {
			return new BothSides(this.atServer.server(), this.client.server());
		}

		@Override
		public Bell poller() {
			return new BothSides(this.client.poller(), this.atServer.poller());
		}

		@Override
		public Bell lane(int lane) {
			return new BothSides(this.client.lane(lane), this.atServer.lane(lane));
		}

		@Override
		public int lanes() {
			return this.client.lanes();
		}

		@Override
		public void close() {
			// The side that is closed second is notified.
			this.closing.set(true);
			this.client.close();
			this.atServer.close();
		}

	}

	private record BothSides(Bell sleeper, Bell ringer) implements Bell {

		@Override
		public void await(long nanos) {
			this.sleeper.await(nanos);
		}

		@Override
		public void ring() {
			this.ringer.ring();
		}

	}

}
