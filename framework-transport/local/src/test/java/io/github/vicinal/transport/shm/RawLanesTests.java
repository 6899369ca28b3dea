package io.github.vicinal.transport.shm;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.shm.lane.ClientLane;
import io.github.vicinal.transport.shm.lane.LaneServer;
import io.github.vicinal.transport.shm.lane.SegmentAccess;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** The engine without contracts: bytes there and back. */
@Timeout(60)
class RawLanesTests {

	/** An echo that looks at requests where they are. */
	private static final LaneServer.Handler IN_PLACE = (lane, batch) -> lane.respond(lane.view());

	private static final ShmOptions OPTIONS = ShmOptions.builder()
		.lanes(16)
		.maxLanes(16)
		.acquireTimeout(Duration.ofSeconds(10))
		.build();

	private Path directory;

	private ShmPathServer server;

	private RawLanes.Client client;

	@BeforeEach
	void connect() throws Exception {
		this.directory = ShmFixture.memoryDirectory();
		PeerIdentity identity = PeerIdentity.create(PeerIdentity.NO_HOST);
		this.server = RawLanes.serve(this.directory, identity, OPTIONS, false, RawLanes.echo());
		this.client = RawLanes.connect(this.directory, identity.instanceId(), OPTIONS, false);
	}

	@AfterEach
	void close() throws Exception {
		this.client.close();
		this.server.close();
		ShmFixture.assertEmptyAndDelete(this.directory);
	}

	@ParameterizedTest
	@ValueSource(strings = { "park", "yield-5", "spin-200", "spin-200+yield-50", "learned" })
	void echoesAllSizes(String waiting) throws Exception {
		this.client.waiting(waiting);
		ClientLane lane = this.client.lanes().acquire(ClientLane.NO_DEADLINE);
		for (int size : new int[] { 0, 1, 1024, 2047, 2048, 2049, 16_384, 100_000, 1 << 20, 10_000_000, 3, 70_000 }) {
			byte[] request = Contracts.pattern(size, size);
			lane.exchange(request, size, ClientLane.NO_DEADLINE);
			assertThat(Arrays.copyOf(lane.response(), lane.responseLength())).isEqualTo(request);
		}
		this.client.lanes().release(lane);
		assertThat(this.client.lanes().freeLanes()).isEqualTo(16);
		assertThat(this.client.lanes().slabsInUse()).isZero();
	}

	@Test
	void echoesInPlace() throws Exception {
		PeerIdentity other = PeerIdentity.create(PeerIdentity.NO_HOST);
		try (ShmPathServer inPlace = RawLanes.serve(this.directory, other, OPTIONS, false, IN_PLACE);
				RawLanes.Client caller = RawLanes.connect(this.directory, other.instanceId(), OPTIONS, false)) {
			ClientLane lane = caller.lanes().acquire(ClientLane.NO_DEADLINE);
			ClientLane beside = caller.lanes().acquire(ClientLane.NO_DEADLINE);
			for (int size : new int[] { 0, 1, 1024, 2047, 2048, 2049, 16_384, 100_000, 1 << 20, 10_000_000, 3 }) {
				byte[] request = Contracts.pattern(size, size);
				ByteBuffer answer = lane.exchangeInPlace(request, size, ClientLane.NO_DEADLINE);
				// The content of another lane does not affect it.
				beside.exchange(Contracts.pattern(size, size + 1), size, ClientLane.NO_DEADLINE);
				assertThat(answer.isReadOnly()).isTrue();
				byte[] bytes = new byte[answer.remaining()];
				answer.get(bytes);
				assertThat(bytes).isEqualTo(request);
			}
			caller.lanes().release(lane);
			caller.lanes().release(beside);
			assertThat(caller.lanes().slabsInUse()).isZero();
			assertThat(inPlace.unavailable()).isEmpty();
		}
	}

	/**
	 * An answer lies in its request's slab as long as it fits there, whatever the handler
	 * has looked at; what does not fit takes a slab of the server.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void answersLieWhereTheirRequestsWereIfTheyFit(boolean inPlace) throws Exception {
		PeerIdentity other = PeerIdentity.create(PeerIdentity.NO_HOST);
		try (ShmPathServer reversing = RawLanes.serve(this.directory, other, OPTIONS, false, (lane, batch) -> {
			ByteBuffer request = inPlace ? lane.view() : ByteBuffer.wrap(lane.request(), 0, lane.length());
			int size = request.getInt(request.position());
			byte[] answer = new byte[size];
			for (int i = 0; i < size; i++) {
				answer[i] = (byte) ~request.get(request.position() + i % request.remaining());
			}
			lane.respond(answer, size);
		}); RawLanes.Client caller = RawLanes.connect(this.directory, other.instanceId(), OPTIONS, false)) {
			ClientLane lane = caller.lanes().acquire(ClientLane.NO_DEADLINE);
			long own = -1;
			for (int[] sizes : new int[][] { { 10_000, 4 }, { 20_000, 100 }, { 10_000, 10_000 }, { 10_000, 16_384 },
					{ 20_000, 32_768 }, { 900_000, 1 << 20 }, { 2_000_000, 2 << 20 }, { 10_000, 16_385 },
					{ 100, 50_000 }, { 2049, 70_000 }, { 30_000, 2_000_000 }, { 50_000, 3000 } }) {
				byte[] request = Contracts.pattern(sizes[0], sizes[1]);
				ByteBuffer.wrap(request).putInt(sizes[1]);
				ByteBuffer answer = lane.exchangeInPlace(request, sizes[0], ClientLane.NO_DEADLINE);
				byte[] bytes = new byte[answer.remaining()];
				answer.get(bytes);
				byte[] expected = new byte[sizes[1]];
				for (int i = 0; i < expected.length; i++) {
					expected[i] = (byte) ~request[i % request.length];
				}
				assertThat(bytes).isEqualTo(expected);
				if (sizes[1] == 2 << 20) {
					own = SegmentAccess.peerMemoryBytes(caller.lanes());
				}
			}
			caller.lanes().release(lane);
			assertThat(caller.lanes().slabsInUse()).isZero();
			assertThat(own).as("memory of the server for answers that fit").isZero();
			assertThat(SegmentAccess.peerMemoryBytes(caller.lanes())).as("memory of the server for others")
				.isPositive();
			assertThat(reversing.unavailable()).isEmpty();
		}
	}

	/** Words may change between two looks, and bytes while they are read. */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void flippedBytesAreReadInPlaceWithinBounds(long seed) throws Exception {
		PeerIdentity other = PeerIdentity.create(PeerIdentity.NO_HOST);
		try (ShmPathServer inPlace = RawLanes.serve(this.directory, other, OPTIONS, false, IN_PLACE)) {
			for (int round = 0; round < 6; round++) {
				try (RawLanes.Client victim = RawLanes.connect(this.directory, other.instanceId(), OPTIONS, false)) {
					ByteBuffer memory = SegmentAccess.memory(victim.lanes());
					Random random = new Random(seed * 31 + round);
					Thread flipping = new Thread(() -> {
						while (!Thread.currentThread().isInterrupted()) {
							// The first lanes, and their payloads.
							int at = 4096 + random.nextInt(16 * 256 + 8192);
							memory.put(at, (byte) (memory.get(at) ^ 1 << random.nextInt(8)));
						}
					});
					flipping.start();
					long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100);
					int read = 0;
					while (System.nanoTime() < end && victim.lanes().whyEnded() == null) {
						read += readInPlace(victim, (read % 2 == 0) ? 1000 : 20_000, TimeUnit.MILLISECONDS.toNanos(20));
					}
					flipping.interrupt();
					flipping.join();
				}
			}
			try (RawLanes.Client caller = RawLanes.connect(this.directory, other.instanceId(), OPTIONS, false)) {
				assertThat(readInPlace(caller, 20_000, TimeUnit.SECONDS.toNanos(20))).isOne();
			}
			assertThat(inPlace.unavailable()).isEmpty();
		}
	}

	/** Returns 1 if there was an answer; anything but a PathException fails the test. */
	private static int readInPlace(RawLanes.Client caller, int size, long nanos) {
		try {
			ClientLane lane = caller.lanes().acquire(System.nanoTime() + nanos);
			try {
				ByteBuffer answer = lane.exchangeInPlace(Contracts.pattern(size, 1), size, System.nanoTime() + nanos);
				assertThat(answer.remaining()).isNotNegative();
				int sum = 0;
				while (answer.hasRemaining()) {
					sum += answer.get();
				}
				assertThat(sum).isBetween(-128 * answer.limit(), 127 * answer.limit());
			}
			finally {
				caller.lanes().release(lane);
			}
			return 1;
		}
		catch (PathException ex) {
			assertThat(ex.reason()).isNotNull();
			return 0;
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "park", "yield-5", "learned" })
	void manyCallersGetTheirOwnAnswers(String waiting) throws Exception {
		this.client.waiting(waiting);
		ExecutorService threads = Executors.newFixedThreadPool(24);
		List<Callable<Integer>> callers = new ArrayList<>();
		for (int i = 0; i < 24; i++) {
			Random random = new Random(i);
			callers.add(() -> {
				int wrong = 0;
				for (int call = 0; call < 300; call++) {
					int size = (call % 20 == 0) ? random.nextInt(60_000) : random.nextInt(1000);
					byte[] request = Contracts.pattern(size, random.nextInt());
					ClientLane lane = this.client.lanes().acquire(ClientLane.NO_DEADLINE);
					try {
						lane.exchange(request, size, System.nanoTime() + TimeUnit.SECONDS.toNanos(30));
						wrong += Arrays.equals(request, Arrays.copyOf(lane.response(), lane.responseLength())) ? 0 : 1;
					}
					finally {
						this.client.lanes().release(lane);
					}
				}
				return wrong;
			});
		}
		for (Future<Integer> wrong : threads.invokeAll(callers)) {
			assertThat(wrong.get()).isZero();
		}
		threads.shutdown();
		assertThat(this.client.lanes().freeLanes()).isEqualTo(16);
		assertThat(this.client.lanes().slabsInUse()).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "park", "spin-200+yield-50", "learned" })
	void callsAllocateNothing(String waiting) throws Exception {
		this.client.waiting(waiting);
		com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
		byte[] request = Contracts.pattern(1024, 1);
		ClientLane lane = this.client.lanes().acquire(ClientLane.NO_DEADLINE);
		long least = Long.MAX_VALUE;
		for (int round = 0; round < 20 && least > 0; round++) {
			long before = threads.getCurrentThreadAllocatedBytes();
			for (int i = 0; i < 500; i++) {
				lane.exchange(request, request.length, ClientLane.NO_DEADLINE);
			}
			least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
		}
		this.client.lanes().release(lane);
		assertThat(least).isZero();
	}

	@Test
	void segmentHasNoNameOnceBothHaveIt() throws Exception {
		try (var files = Files.list(this.directory)) {
			assertThat(files).noneMatch((file) -> file.toString().endsWith(".seg"));
		}
	}

	@Test
	void fullTableFailsAfterTheDeadline() throws Exception {
		List<ClientLane> taken = new ArrayList<>();
		for (int i = 0; i < 16; i++) {
			taken.add(this.client.lanes().acquire(ClientLane.NO_DEADLINE));
		}
		PathException ex = catchThrowableOfType(PathException.class,
				() -> this.client.lanes().acquire(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20)));
		assertThat(ex.reason()).isEqualTo(Reason.EXHAUSTED);
		assertThat(ex.maybeExecuted()).isFalse();
		taken.forEach(this.client.lanes()::release);
		assertThat(this.client.lanes().acquire(ClientLane.NO_DEADLINE)).isNotNull();
	}

	@Test
	void endOfTheServerFailsCallsAtOnce() throws Exception {
		this.server.close();
		PathException ex = null;
		while (ex == null) {
			ClientLane lane = taken();
			ex = (lane == null) ? gone() : catchThrowableOfType(PathException.class,
					() -> lane.exchange(new byte[1], 1, ClientLane.NO_DEADLINE));
		}
		assertThat(ex.reason()).isEqualTo(Reason.PEER_GONE);
		assertThat(ex.maybeExecuted()).isFalse();
	}

	/** The slab that a caller waits for is never given back. */
	@Test
	void callersThatWaitForMemoryAreReleasedWhenTheServerGoes() throws Exception {
		PeerIdentity identity = PeerIdentity.create(PeerIdentity.NO_HOST);
		ShmOptions small = OPTIONS.toBuilder().maxMemoryBytes(1 << 20).drainTimeout(Duration.ZERO).build();
		CountDownLatch received = new CountDownLatch(1);
		ShmPathServer silent = RawLanes.serve(this.directory, identity, small, false,
				(lane, batch) -> received.countDown());
		ExecutorService threads = Executors.newFixedThreadPool(2);
		try (RawLanes.Client waiting = RawLanes.connect(this.directory, identity.instanceId(), small, false)) {
			Callable<PathException> caller = () -> catchThrowableOfType(PathException.class,
					() -> callOnce(waiting, 900_000));
			Future<PathException> first = threads.submit(caller);
			received.await();
			Future<PathException> second = threads.submit(caller);
			Async.await(() -> waiting.lanes().freeLanes() == small.lanes() - 2);
			silent.close();
			assertThat(first.get(2, TimeUnit.SECONDS).reason()).isEqualTo(Reason.PEER_GONE);
			assertThat(second.get(2, TimeUnit.SECONDS).reason()).isEqualTo(Reason.PEER_GONE);
			assertThat(second.get().maybeExecuted()).isFalse();
		}
		finally {
			silent.close();
			threads.shutdown();
		}
	}

	private static void callOnce(RawLanes.Client client, int bytes) throws PathException {
		ClientLane lane = client.lanes().acquire(ClientLane.NO_DEADLINE);
		try {
			lane.exchange(new byte[bytes], bytes, ClientLane.NO_DEADLINE);
		}
		finally {
			client.lanes().release(lane);
		}
	}

	private ClientLane taken() {
		try {
			return this.client.lanes().acquire(ClientLane.NO_DEADLINE);
		}
		catch (PathException ex) {
			return null;
		}
	}

	private PathException gone() {
		return catchThrowableOfType(PathException.class, () -> this.client.lanes().acquire(ClientLane.NO_DEADLINE));
	}

	/** Many at the same time, while nobody has memory for answers. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void answersInPiecesAreWhole(boolean inPlace) throws Exception {
		ShmOptions none = OPTIONS.toBuilder().maxMemoryBytes(0).build();
		PeerIdentity other = PeerIdentity.create(PeerIdentity.NO_HOST);
		try (ShmPathServer poor = RawLanes.serve(this.directory, other, none, false, (lane, batch) -> {
			byte[] request = lane.request();
			byte[] answer = Contracts.pattern(ByteBuffer.wrap(request).getInt(), request[4]);
			if (inPlace) {
				lane.respond(ByteBuffer.wrap(answer));
			}
			else {
				lane.respond(answer, answer.length);
			}
		}); RawLanes.Client caller = RawLanes.connect(this.directory, other.instanceId(), none, false)) {
			List<CompletableFuture<Boolean>> calls = new ArrayList<>();
			for (int i = 0; i < 6; i++) {
				Random random = new Random(i);
				calls.add(Async.call(() -> {
					for (int j = 0; j < 40; j++) {
						pieces(caller, random.nextInt(60_000), (byte) random.nextInt(100), inPlace);
					}
					return true;
				}));
			}
			for (CompletableFuture<Boolean> call : calls) {
				assertThat(call.get(50, TimeUnit.SECONDS)).isTrue();
			}
			assertThat(caller.lanes().freeLanes()).isEqualTo(16);
			assertThat(poor.unavailable()).isEmpty();
		}
	}

	private static void pieces(RawLanes.Client caller, int size, byte seed, boolean inPlace) throws PathException {
		ClientLane lane = caller.lanes().acquire(ClientLane.NO_DEADLINE);
		try {
			byte[] request = ByteBuffer.allocate(5).putInt(size).put(seed).array();
			byte[] answer;
			if (inPlace) {
				ByteBuffer there = lane.exchangeInPlace(request, request.length, ClientLane.NO_DEADLINE);
				answer = new byte[there.remaining()];
				there.get(answer);
			}
			else {
				lane.exchange(request, request.length, ClientLane.NO_DEADLINE);
				answer = Arrays.copyOf(lane.response(), lane.responseLength());
			}
			assertThat(answer).isEqualTo(Contracts.pattern(size, seed));
		}
		finally {
			caller.lanes().release(lane);
		}
	}

}
