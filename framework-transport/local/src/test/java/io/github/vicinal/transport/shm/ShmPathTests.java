package io.github.vicinal.transport.shm;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.codec.Codecs;
import io.github.vicinal.codec.EncodeBuffer;
import io.github.vicinal.contract.Contract;
import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerAnnouncement;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.Service;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.transport.shm.bell.BellSupport;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.EchoContract;
import io.github.vicinal.transport.testing.OtherContract;
import io.github.vicinal.transport.wire.FrameDescriptor;
import io.github.vicinal.transport.wire.FrameType;
import io.github.vicinal.transport.wire.Payload;
import io.github.vicinal.transport.wire.Refusal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Calls by shared memory, and how they fail. */
@Timeout(60)
@Tag("every-jdk")
class ShmPathTests {

	private final ShmFixture shm = new ShmFixture();

	private final PeerIdentity server = this.shm.identity();

	@AfterEach
	void close() throws Exception {
		this.shm.close();
	}

	private CallPath connect(Service... services) {
		return connect(ShmOptions.defaults(), services);
	}

	private CallPath connect(ShmOptions options, Service... services) {
		this.shm.server(this.server, options, services);
		return this.shm.connect(this.shm.provider(options), this.server);
	}

	private Service blocking(CountDownLatch called, CountDownLatch release) {
		return Contracts.service(this.shm.contract, (frame) -> {
			if ("hold".equals(frame.arguments()[0])) {
				called.countDown();
				try {
					release.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			}
			return Contracts.value(frame.arguments()[0]);
		});
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 1024, 2000, 2008, 2009, 65_536, 1_000_003, 10_000_000 })
	void carriesBodiesOfAnySize(int size) throws Exception {
		CallPath path = connect(Contracts.echo(this.shm.contract));
		byte[] body = Contracts.pattern(size, size);
		for (int i = 0; i < 3; i++) {
			assertThat(ShmFixture.value(path, this.shm.call("bytes", (Object) body))).isEqualTo(body);
		}
		assertThat(path.details()).containsKeys("waiting", "bells", "waitDecisions", "lastWaitDecision")
			.containsEntry("freeLanes", 64);
	}

	@Test
	void carriesValuesStatusHeadersAndFailures() throws Exception {
		Map<String, List<String>> headers = Map.of("x-a", List.of("1", "2"));
		CallPath path = connect(Contracts.service(this.shm.contract,
				(frame) -> frame.method().method().getName().equals("nothing")
						? new Reply.Failure(409, headers, new byte[] { 1, 2 }, "some.Failure")
						: new Reply.Value(201, headers, frame.headers().get("traceparent"))));
		CallFrame call = this.shm.call("join", "a", 1);
		Reply.Value value = (Reply.Value) path.call(new CallFrame(call.contract(), call.method(), call.arguments(),
				System.nanoTime() + TimeUnit.SECONDS.toNanos(20), Map.of("traceparent", "00-ab")));
		assertThat(value.status()).isEqualTo(201);
		assertThat(value.headers()).isEqualTo(headers);
		assertThat(value.body()).isEqualTo("00-ab");
		Reply.Failure failure = (Reply.Failure) path.call(this.shm.call("nothing"));
		assertThat(failure.status()).isEqualTo(409);
		assertThat(failure.body()).containsExactly(1, 2);
		assertThat(failure.remoteType()).isEqualTo("some.Failure");
	}

	@Test
	void statusThatHttpDoesNotHaveFailsOnlyItsOwnCall() throws Exception {
		AtomicInteger status = new AtomicInteger();
		CallPath path = connect(Contracts.service(this.shm.contract,
				(frame) -> frame.method().method().getName().equals("nothing")
						? new Reply.Failure(status.get(), Map.of(), new byte[0], "")
						: Contracts.value(frame.arguments()[0])));
		for (int each : new int[] { 100, 600, 999 }) {
			status.set(each);
			assertThat(path.call(this.shm.call("nothing")).status()).isEqualTo(each);
		}
		for (int each : new int[] { 99, 1000, -1, 0 }) {
			status.set(each);
			PathException failure = catchThrowableOfType(PathException.class,
					() -> path.call(this.shm.call("nothing")));
			assertThat(failure).hasMessageContaining("there is no status " + each);
			assertThat(failure.maybeExecuted()).isTrue();
			assertThat(path.isOpen()).isTrue();
			assertThat(ShmFixture.value(path, this.shm.call("join", "a", 1))).isEqualTo("a");
		}
	}

	@Test
	void faultyAnswersEndThePairOnlyIfThereAreNoOthers() throws Exception {
		AtomicBoolean wrong = new AtomicBoolean(true);
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.echo(this.shm.contract));
		try (ShmPathServer running = new ShmPathServer(this.server, this.shm.rendezvous, services,
				ShmOptions.defaults(), BellSupport.fifoOnly(), (lane, batch) -> {
					byte[] answer = refusal();
					if (wrong.get()) {
						answer[0] ^= 1;
					}
					lane.respond(answer, answer.length);
				})) {
			running.start();
			CallPath path = this.shm.connect(this.shm.provider(ShmOptions.defaults()), this.server);
			for (int i = 0; i < 40; i++) {
				wrong.set(i % 8 != 7);
				PathException failure = catchThrowableOfType(PathException.class,
						() -> path.call(this.shm.call("join", "a", 1)));
				assertThat(failure).hasMessageContaining(wrong.get() ? "unacceptable answer" : "for a test");
				assertThat(path.isOpen()).isTrue();
			}
			wrong.set(true);
			for (int i = 0; i < 16; i++) {
				assertThat(path.isOpen()).isTrue();
				catchThrowableOfType(PathException.class, () -> path.call(this.shm.call("join", "a", 1)));
			}
			assertThat(path.isOpen()).isFalse();
		}
	}

	private static byte[] refusal() {
		EncodeBuffer out = new EncodeBuffer(100);
		int start = FrameDescriptor.begin(out);
		Payload.writeReason(out, "for a test");
		FrameDescriptor.code(out, start, Refusal.FAILED.number());
		FrameDescriptor.end(out, start, FrameType.REFUSED);
		return Arrays.copyOf(out.array(), out.size());
	}

	/** Codecs of a large contract may take longer to be made than others wait for. */
	@Test
	void contractThatIsNotBoundInTimeLeavesOthersAlone() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		Contract slow = Contracts.of(OtherContract.class);
		Service echo = Contracts.echo(slow);
		Service late = new Service() {

			@Override
			public Contract contract() {
				return slow;
			}

			@Override
			public Optional<String> refusal() {
				return Optional.empty();
			}

			@Override
			public Codecs codecs() {
				try {
					release.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
				return echo.codecs();
			}

			@Override
			public Reply invoke(CallFrame frame) {
				return echo.invoke(frame);
			}

		};
		this.shm.server(this.server, ShmOptions.defaults(), Contracts.echo(this.shm.contract), late);
		ShmPathProvider provider = this.shm
			.provider(ShmOptions.builder().handshakeTimeout(Duration.ofSeconds(3)).build());
		CallPath path = this.shm.connect(provider, this.server);
		PeerAnnouncement announced = new PeerAnnouncement(this.server, Set.of("shm"), slow.hash(), "");
		assertThat(provider.connect(slow, announced)).isInstanceOf(PathProvider.Unavailable.class);
		assertThat(path.isOpen()).isTrue();
		assertThat(ShmFixture.value(path, this.shm.call("join", "a", 1))).isEqualTo("a-1");
		release.countDown();
		PathProvider.Attempt again = provider.connect(slow, announced);
		assertThat(again).isInstanceOf(PathProvider.Connected.class);
		assertThat(ShmFixture.value(((PathProvider.Connected) again).path(), Contracts.call(slow, "twice", "b")))
			.isEqualTo("b");
	}

	@Test
	void handlersThatNeedOneAnotherMeet() throws Exception {
		int together = 3;
		CyclicBarrier barrier = new CyclicBarrier(together);
		Set<String> threads = ConcurrentHashMap.newKeySet();
		CallPath path = connect(Contracts.service(this.shm.contract, (frame) -> {
			threads.add(Thread.currentThread().getName());
			try {
				barrier.await(20, TimeUnit.SECONDS);
			}
			catch (InterruptedException | BrokenBarrierException | TimeoutException ex) {
				throw new IllegalStateException(ex);
			}
			return Contracts.value(frame.arguments()[0]);
		}));
		ExecutorService callers = Executors.newFixedThreadPool(together);
		List<Callable<Integer>> tasks = new ArrayList<>();
		for (int i = 0; i < together; i++) {
			tasks.add(() -> {
				int right = 0;
				for (int call = 0; call < 500; call++) {
					right += "a".equals(ShmFixture.value(path, this.shm.call("join", "a", 1))) ? 1 : 0;
				}
				return right;
			});
		}
		for (Future<Integer> right : callers.invokeAll(tasks)) {
			assertThat(right.get()).isEqualTo(500);
		}
		callers.shutdown();
		// Each call runs where it is received, and threads are used again.
		assertThat(threads).allMatch((name) -> name.contains("-receiver-")).hasSizeBetween(together, 4 * together);
	}

	@Test
	void handlerThatKeepsTheReceiverDoesNotHoldUpOthers() throws Exception {
		CountDownLatch called = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		CallPath path = connect(blocking(called, release));
		for (int i = 0; i < 500; i++) {
			assertThat(ShmFixture.value(path, this.shm.call("join", "a", 1))).isEqualTo("a");
		}
		CompletableFuture<Object> held = CompletableFuture.supplyAsync(() -> {
			try {
				return ShmFixture.value(path, this.shm.call("join", "hold", 1));
			}
			catch (PathException ex) {
				throw new IllegalStateException(ex);
			}
		});
		called.await();
		for (int i = 0; i < 500; i++) {
			assertThat(ShmFixture.value(path, this.shm.call("join", "b", 1))).isEqualTo("b");
		}
		assertThat(held).isNotDone();
		release.countDown();
		assertThat(held.get(20, TimeUnit.SECONDS)).isEqualTo("hold");
	}

	@Test
	void deadlineEndsACallAndItsLaneComesBackAfterTheAnswer() throws Exception {
		CountDownLatch called = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		CallPath path = connect(ShmOptions.builder().lanes(1).maxLanes(1).build(), blocking(called, release));
		PathException ex = catchThrowableOfType(PathException.class, () -> path.call(Contracts
			.callBefore(this.shm.contract, "join", System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200), "hold", 1)));
		assertThat(ex.reason()).isEqualTo(Reason.TIMEOUT);
		assertThat(ex.maybeExecuted()).isTrue();
		assertThat(path.isOpen()).isTrue();
		assertThat(path.details()).containsEntry("quarantinedLanes", 1);
		PathException full = catchThrowableOfType(PathException.class, () -> path.call(Contracts
			.callBefore(this.shm.contract, "join", System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50), "a", 1)));
		assertThat(full.reason()).isEqualTo(Reason.EXHAUSTED);
		assertThat(full.maybeExecuted()).isFalse();
		release.countDown();
		assertThat(ShmFixture.value(path, this.shm.call("join", "a", 1))).isEqualTo("a");
		assertThat(path.details()).containsEntry("quarantinedLanes", 0).containsEntry("freeLanes", 1);
	}

	/** As over HTTP, where it is the status 500 for that call. */
	@Test
	void errorOfAResultWhileItIsEncodedFailsThatCallAlone() throws Exception {
		CountDownLatch called = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		CallPath path = connect(Contracts.service(this.shm.contract, (frame) -> {
			if (frame.method().method().getName().equals("items")) {
				return Contracts.value(new BrokenList("for a test"));
			}
			called.countDown();
			try {
				release.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			return Contracts.value(frame.arguments()[0]);
		}));
		CompletableFuture<Object> other = Async.call(() -> ShmFixture.value(path, this.shm.call("join", "a", 1)));
		called.await();
		PathException ex = catchThrowableOfType(PathException.class,
				() -> path.call(this.shm.call("items", List.of())));
		release.countDown();
		assertThat(ex.reason()).isEqualTo(Reason.CODEC);
		assertThat(ex.maybeExecuted()).isTrue();
		assertThat(ex).hasMessageContaining("NoClassDefFoundError");
		assertThat(other.get(20, TimeUnit.SECONDS)).isEqualTo("a");
		assertThat(path.isOpen()).isTrue();
	}

	/** Else its reason would be lost where memory is short. */
	@Test
	void refusalNeedsNoMemoryHoweverLongItsReasonIs() {
		CallPath path = connect(ShmOptions.builder().maxMemoryBytes(0).build(), Contracts.service(this.shm.contract,
				(frame) -> Contracts.value(new BrokenList("\u5b57".repeat(5000)))));
		PathException ex = catchThrowableOfType(PathException.class, () -> path.call(Contracts
			.callBefore(this.shm.contract, "items", System.nanoTime() + TimeUnit.SECONDS.toNanos(5), List.of())));
		assertThat(ex.reason()).isEqualTo(Reason.CODEC);
		assertThat(path.details()).containsEntry("freeLanes", 64);
	}

	/** Needs a class that is not there. */
	private static final class BrokenList extends AbstractList<EchoContract.Item> {

		private final String missing;

		BrokenList(String missing) {
			this.missing = missing;
		}

		@Override
		public EchoContract.Item get(int index) {
			throw new NoClassDefFoundError(this.missing);
		}

		@Override
		public int size() {
			return 1;
		}

	}

	@Test
	void pastDeadlineIsNotExecuted() {
		AtomicInteger calls = new AtomicInteger();
		CallPath path = connect(Contracts.service(this.shm.contract, (frame) -> {
			calls.incrementAndGet();
			return Contracts.value(null);
		}));
		PathException ex = catchThrowableOfType(PathException.class,
				() -> path.call(Contracts.callBefore(this.shm.contract, "join", System.nanoTime() - 1, "a", 1)));
		assertThat(ex.reason()).isEqualTo(Reason.TIMEOUT);
		assertThat(ex.maybeExecuted()).isFalse();
		assertThat(calls).hasValue(0);
	}

	/** Else the server would go on for a caller that is gone. */
	@Test
	void serverHasTheTimeThatIsLeftAfterTheWaitForMemory() throws Exception {
		CountDownLatch called = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		AtomicLong left = new AtomicLong();
		CallPath path = connect(
				ShmOptions.builder().maxMemoryBytes(1 << 20).acquireTimeout(Duration.ofSeconds(10)).build(),
				Contracts.service(this.shm.contract, (frame) -> {
					left.set(frame.remainingNanos());
					called.countDown();
					try {
						release.await();
					}
					catch (InterruptedException ex) {
						Thread.currentThread().interrupt();
					}
					return Contracts.value(new byte[0]);
				}));
		byte[] most = new byte[700_000];
		CompletableFuture<Object> first = Async
			.call(() -> ShmFixture.value(path, this.shm.call("bytes", (Object) most)));
		called.await();
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
		CompletableFuture<Object> second = Async.call(() -> ShmFixture.value(path,
				Contracts.callBefore(this.shm.contract, "bytes", deadline, (Object) most)));
		Async.await(() -> Async.isSomebodyIn("ClientLane.reserved", "SlabArena.await"));
		long start = System.nanoTime();
		Async.await(() -> System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(300));
		long end = System.nanoTime();
		release.countDown();
		assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo(new byte[0]);
		assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(new byte[0]);
		assertThat(left.get()).isPositive().isLessThanOrEqualTo(deadline - end);
	}

	@Test
	void callThatIsTooLateGivesItsMemoryBack() throws Exception {
		CallPath path = connect(Contracts.echo(this.shm.contract));
		byte[] body = Contracts.pattern(20_000, 1);
		assertThat(ShmFixture.value(path, this.shm.call("bytes", (Object) body))).isEqualTo(body);
		PathException ex = catchThrowableOfType(PathException.class, () -> path
			.call(Contracts.callBefore(this.shm.contract, "bytes", System.nanoTime() - 1, (Object) body)));
		assertThat(ex.reason()).isEqualTo(Reason.TIMEOUT);
		assertThat(ex.maybeExecuted()).isFalse();
		assertThat(((ShmPath) path).lanes().slabsInUse()).isZero();
	}

	@Test
	void interruptEndsACall() throws Exception {
		CountDownLatch called = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		CallPath path = connect(blocking(called, release));
		CompletableFuture<PathException> failure = new CompletableFuture<>();
		Thread caller = new Thread(() -> {
			PathException ex = catchThrowableOfType(PathException.class,
					() -> path.call(this.shm.call("join", "hold", 1)));
			failure.complete(Thread.currentThread().isInterrupted() ? ex : null);
		});
		caller.start();
		called.await();
		caller.interrupt();
		PathException ex = failure.get(20, TimeUnit.SECONDS);
		assertThat(ex.reason()).isEqualTo(Reason.INTERRUPTED);
		assertThat(ex.maybeExecuted()).isTrue();
		release.countDown();
		assertThat(ShmFixture.value(path, this.shm.call("join", "a", 1))).isEqualTo("a");
	}

	@Test
	void undecodableArgumentsAreRefusedAndNothingElse() throws Exception {
		CallPath path = connect(ShmOptions.builder().maxFrameBytes(4096).build(), Contracts.echo(this.shm.contract));
		PathException ex = catchThrowableOfType(PathException.class,
				() -> path.call(this.shm.call("bytes", (Object) new byte[5000])));
		assertThat(ex.reason()).isEqualTo(Reason.PROTOCOL);
		assertThat(ex.maybeExecuted()).isFalse();
		assertThat(path.isOpen()).isTrue();
		assertThat(ShmFixture.value(path, this.shm.call("join", "a", 1))).isEqualTo("a-1");
	}

	@Test
	void noMemoryForLargeCallsIsSaid() throws Exception {
		CallPath path = connect(
				ShmOptions.builder().maxMemoryBytes(1 << 20).acquireTimeout(Duration.ofMillis(50)).build(),
				Contracts.echo(this.shm.contract));
		PathException ex = catchThrowableOfType(PathException.class,
				() -> path.call(this.shm.call("bytes", (Object) new byte[3 << 20])));
		assertThat(ex.reason()).isEqualTo(Reason.EXHAUSTED);
		assertThat(ex.maybeExecuted()).isFalse();
		byte[] body = Contracts.pattern(200_000, 1);
		assertThat(ShmFixture.value(path, this.shm.call("bytes", (Object) body))).isEqualTo(body);
	}

	@ParameterizedTest
	@CsvSource({ "1, 64", "64, 1", "2, 3" })
	void ofTwoLimitsOfMemoryTheSmallerOneCountsForBothSides(int server, int client) throws Exception {
		int mib = 1 << 20;
		int both = Math.min(server, client) * mib;
		this.shm.server(this.server, ShmOptions.builder().maxMemoryBytes((long) server * mib).build(),
				Contracts.service(this.shm.contract,
						(frame) -> Contracts.value(Contracts.pattern(((byte[]) frame.arguments()[0]).length, 1))));
		CallPath path = this.shm
			.connect(this.shm.provider(ShmOptions.builder().maxMemoryBytes((long) client * mib).build()), this.server);
		PathException ex = catchThrowableOfType(PathException.class,
				() -> path.call(this.shm.call("bytes", (Object) new byte[both + 1])));
		assertThat(ex.reason()).isEqualTo(Reason.EXHAUSTED);
		assertThat(ex.maybeExecuted()).isFalse();
		assertThat(ex).hasMessageContaining("limit of " + both + " bytes");
		// In Base64 and with the frame around it this takes all that there is.
		byte[] most = Contracts.pattern(both / 4 * 3 - 1000, 1);
		assertThat(ShmFixture.value(path, this.shm.call("bytes", (Object) most))).isEqualTo(most);
		assertThat(path.isOpen()).isTrue();
	}

	/** It was executed; nobody can take that back. */
	@Test
	void replyThatFindsNoMemoryComesInPieces() throws Exception {
		AtomicInteger executed = new AtomicInteger();
		CallPath path = connect(ShmOptions.builder().maxMemoryBytes(0).build(), sized(executed));
		int calls = 0;
		for (int size : new int[] { 2000, 2005, 2006, 2007, 2048, 2049, 4000, 4054, 4055, 10_000, 3 << 20, 1 }) {
			assertThat(ShmFixture.value(path, this.shm.call("join", "", size))).isEqualTo("x".repeat(size));
			assertThat(executed).hasValue(++calls);
		}
		assertThat(((String) ShmFixture.value(path, this.shm.call("join", "", 200_000)))).hasSize(200_000);
		assertThat(path.isOpen()).isTrue();
	}

	@Test
	void replyThatIsTooLongFailsAndMayHaveBeenExecuted() throws Exception {
		AtomicInteger executed = new AtomicInteger();
		CallPath path = connect(ShmOptions.builder().maxFrameBytes(1 << 20).build(), sized(executed));
		PathException ex = catchThrowableOfType(PathException.class,
				() -> path.call(this.shm.call("join", "", 3 << 20)));
		assertThat(ex.reason()).isEqualTo(Reason.PROTOCOL);
		assertThat(ex.maybeExecuted()).isTrue();
		assertThat(ex).hasMessageContaining("larger than the limit of 1048576 bytes");
		assertThat(executed).hasValue(1);
		assertThat(((String) ShmFixture.value(path, this.shm.call("join", "", 200_000)))).hasSize(200_000);
	}

	/** Answers with as many characters as it was asked for. */
	private Service sized(AtomicInteger executed) {
		return Contracts.service(this.shm.contract, (frame) -> {
			executed.incrementAndGet();
			return Contracts.value("x".repeat((int) frame.arguments()[1]));
		});
	}

	@Test
	void aProcessThatIsOnlyAClientRemovesFilesOfTheDead() throws Exception {
		this.shm.server(this.server, ShmOptions.defaults(), Contracts.echo(this.shm.contract));
		java.nio.file.Path old = Files.createFile(this.shm.directory.resolve("0".repeat(32) + ".seg"));
		Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
		this.shm.connect(this.shm.provider(ShmOptions.defaults()), this.server);
		assertThat(old).doesNotExist();
	}

	@Test
	void waitingOfTheServerIsShownForEachClient() throws Exception {
		ShmPathServer running = this.shm.server(this.server, ShmOptions.defaults(), Contracts.echo(this.shm.contract));
		assertThat(running.clients()).isEmpty();
		ShmPathProvider provider = this.shm.provider(ShmOptions.builder().waiting("park").build());
		CallPath path = this.shm.connect(provider, this.server);
		for (int i = 0; i < 3; i++) {
			assertThat(ShmFixture.value(path, this.shm.call("join", "a", 1))).isEqualTo("a-1");
		}
		Map<String, Object> client = running.clients().get(0);
		assertThat(running.clients()).hasSize(1);
		assertThat(client).containsEntry("client", this.shm.clientIdentity.instanceId())
			.containsEntry("waiting", "park: fixed")
			.containsEntry("waitDecisions", 0L)
			.containsEntry("lastWaitDecision", "nothing has been decided yet")
			.containsEntry("bells", path.details().get("bells"))
			.containsEntry("memoryBytes", path.details().get("memoryBytes"));
		assertThat((long) client.get("waitsAsleep")).isPositive();
		provider.close();
		Async.await(() -> running.clients().isEmpty());
	}

	@Test
	void silentPeerHoldsUpNobodyElse() throws Exception {
		this.shm.server(this.server, ShmOptions.defaults(), Contracts.echo(this.shm.contract));
		PeerIdentity silent = this.shm.identity();
		try (FakeServer mute = new FakeServer(this.shm.directory, silent.instanceId())) {
			mute.silent = true;
			ShmPathProvider provider = this.shm
				.provider(ShmOptions.builder().handshakeTimeout(Duration.ofMinutes(5)).build());
			CompletableFuture<PathProvider.Attempt> first = Async.call(() -> this.shm.attempt(provider, silent));
			mute.connected.await();
			CompletableFuture<PathProvider.Attempt> second = Async.call(() -> this.shm.attempt(provider, silent));
			CallPath path = Async.call(() -> this.shm.connect(provider, this.server)).get(20, TimeUnit.SECONDS);
			assertThat(ShmFixture.value(path, this.shm.call("join", "a", 1))).isEqualTo("a-1");
			Async.call(() -> {
				path.close();
				return null;
			}).get(20, TimeUnit.SECONDS);
			assertThat(first).isNotDone();
			assertThat(second).isNotDone();
			provider.close();
			assertThat(first.get(20, TimeUnit.SECONDS)).isInstanceOf(PathProvider.Unavailable.class);
			assertThat(second.get(20, TimeUnit.SECONDS)).isInstanceOf(PathProvider.Unavailable.class);
		}
	}

	@Test
	void callersOfAPeerThatIsBeingConnectedShareIt() throws Exception {
		this.shm.server(this.server, ShmOptions.defaults(), Contracts.echo(this.shm.contract));
		ShmPathProvider provider = this.shm.provider(ShmOptions.defaults());
		List<CompletableFuture<CallPath>> paths = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			paths.add(Async.call(() -> this.shm.connect(provider, this.server)));
		}
		Set<Object> pairs = ConcurrentHashMap.newKeySet();
		for (CompletableFuture<CallPath> path : paths) {
			pairs.add(((ShmPath) path.get(20, TimeUnit.SECONDS)).lanes());
		}
		assertThat(pairs).hasSize(1);
	}

	/**
	 * Bells take milliseconds to make; their directory is there from the first one on.
	 */
	@Test
	void serverThatIsClosedDuringAHandshakeLeavesNothing() throws Exception {
		for (int i = 0; i < 20; i++) {
			PeerIdentity identity = this.shm.identity();
			ShmPathServer closing = new ShmPathServer(identity, this.shm.rendezvous,
					new io.github.vicinal.server.ServiceRegistry(),
					ShmOptions.builder().drainTimeout(Duration.ZERO).build(), BellSupport.fifoOnly(), RawLanes.echo());
			closing.start();
			Async.call(() -> RawLanes.connect(this.shm.directory, identity.instanceId(), ShmOptions.defaults(), true));
			Async.await(() -> bells(identity) > 0);
			closing.close();
			assertThat(bells(identity)).isZero();
			String threads = identity.instanceId().substring(0, 8) + "-receiver";
			Async.await(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.noneMatch((thread) -> thread.getName().contains(threads)));
		}
	}

	private long bells(PeerIdentity identity) {
		String[] names = this.shm.directory.toFile()
			.list((dir, name) -> name.startsWith(identity.instanceId()) && name.endsWith(".bells"));
		return (names != null) ? names.length : 0;
	}

	@Test
	void orderlyEndAnswersCallsInFlightAndRefusesOthers() throws Exception {
		CountDownLatch called = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		ShmPathServer running = this.shm.server(this.server, ShmOptions.defaults(), blocking(called, release));
		CallPath path = this.shm.connect(this.shm.provider(ShmOptions.defaults()), this.server);
		CompletableFuture<Object> held = CompletableFuture.supplyAsync(() -> {
			try {
				return ShmFixture.value(path, this.shm.call("join", "hold", 1));
			}
			catch (PathException ex) {
				return ex;
			}
		});
		called.await();
		Thread closing = new Thread(running::close);
		closing.start();
		PathException refused = null;
		while (refused == null) {
			refused = catchThrowableOfType(PathException.class, () -> path.call(this.shm.call("join", "a", 1)));
		}
		assertThat(refused.maybeExecuted()).isFalse();
		assertThat(path.isOpen()).isFalse();
		release.countDown();
		assertThat(held.get(20, TimeUnit.SECONDS)).isEqualTo("hold");
		closing.join();
	}

	@Test
	void contractThatDiffersOrIsUnknownIsRefused() {
		this.shm.server(this.server, ShmOptions.defaults());
		PathProvider.Attempt attempt = this.shm.attempt(this.shm.provider(ShmOptions.defaults()), this.server);
		assertThat(attempt).isInstanceOf(PathProvider.Unavailable.class);
		assertThat(((PathProvider.Unavailable) attempt).reason()).contains("no bean offers the contract");
	}

	@Test
	void fullFileSystemIsSaidBeforeAnythingIsMapped() {
		this.shm.server(this.server, ShmOptions.defaults(), Contracts.echo(this.shm.contract));
		// 256 lanes of 2 x 1 MiB: more than the address space of one mapping of this
		// kind.
		ShmOptions greedy = ShmOptions.builder()
			.lanes(256)
			.maxLanes(256)
			.inlineBytes(1 << 20)
			.maxHeapBytes(1 << 20)
			.handshakeTimeout(Duration.ofSeconds(5))
			.drainTimeout(Duration.ZERO)
			.waiting("park")
			.build();
		long usable = this.shm.directory.toFile().getUsableSpace();
		Assumptions.assumeTrue(usable < (600L << 20), "the file system has room for 512 MiB");
		PathProvider.Attempt attempt = this.shm.attempt(this.shm.provider(greedy), this.server);
		assertThat(((PathProvider.Unavailable) attempt).reason()).contains("KiB left");
	}

	@Test
	void virtualCallersDoNotHoldTheirCarriers() throws Exception {
		Method executors;
		try {
			executors = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
		}
		catch (NoSuchMethodException ex) {
			System.err.println("virtual callers are not tested: this Java has none");
			return;
		}
		CountDownLatch called = new CountDownLatch(40);
		CountDownLatch release = new CountDownLatch(1);
		CallPath path = connect(blocking(called, release));
		ExecutorService virtual = (ExecutorService) executors.invoke(null);
		List<Future<Object>> held = new java.util.ArrayList<>();
		for (int i = 0; i < 40; i++) {
			held.add(virtual.submit(() -> ShmFixture.value(path, this.shm.call("join", "hold", 1))));
		}
		// More callers sleep at once than there are carriers.
		assertThat(called.await(20, TimeUnit.SECONDS)).isTrue();
		release.countDown();
		for (Future<Object> future : held) {
			assertThat(future.get(20, TimeUnit.SECONDS)).isEqualTo("hold");
		}
		virtual.shutdown();
	}

	@Test
	void nestedCallsThroughTheSamePairEnd() throws Exception {
		CallPath[] back = new CallPath[1];
		Contract contract = Contracts.of(EchoContract.class);
		this.shm.server(this.server, ShmOptions.defaults(), Contracts.service(this.shm.contract, (frame) -> {
			int depth = (int) frame.arguments()[1];
			try {
				return (depth == 0) ? Contracts.value("end")
						: Contracts.value(ShmFixture.value(back[0], Contracts.call(contract, "join", "", depth - 1)));
			}
			catch (PathException ex) {
				throw new IllegalStateException(ex);
			}
		}));
		back[0] = this.shm.connect(this.shm.provider(ShmOptions.defaults()), this.server);
		for (int i = 0; i < 300; i++) {
			assertThat(ShmFixture.value(back[0], Contracts.call(contract, "join", "", 3))).isEqualTo("end");
		}
	}

}
