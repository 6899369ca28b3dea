package io.github.vicinal.chronicle.path;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathProtection;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.wire.Refusal;
import io.github.vicinal.transport.wire.WireException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.vicinal.chronicle.path.ChroniclePathFixture.bytes;
import static io.github.vicinal.chronicle.path.ChroniclePathFixture.slow;
import static io.github.vicinal.chronicle.path.ChroniclePathFixture.small;
import static io.github.vicinal.transport.testing.EchoCalls.failure;
import static io.github.vicinal.transport.testing.EchoCalls.later;
import static io.github.vicinal.transport.testing.EchoCalls.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Calls through queues of this host. */
@Timeout(120)
class ChroniclePathTests {

	private ChroniclePathFixture fixture;

	@BeforeEach
	void open() throws Exception {
		this.fixture = new ChroniclePathFixture();
	}

	@AfterEach
	void close() throws Exception {
		this.fixture.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 1024, 65_536, 131_000, 1_000_003, 3_000_000 })
	void carriesBodiesOfAnySize(int size) throws Exception {
		this.fixture.server();
		CallPath path = this.fixture.connect(this.fixture.provider());
		byte[] body = new byte[size];
		new Random(size).nextBytes(body);
		assertThat(value(path.call(bytes(body)))).isEqualTo(body);
		assertThat(value(later(path, bytes(body)).get(20, TimeUnit.SECONDS))).isEqualTo(body);
		assertThat(path.bytesCarried()).isGreaterThan(2L * size);
	}

	@Test
	void aCallOvertakesASlowOneOfTheSamePair() throws Exception {
		ChroniclePathServer server = this.fixture.server();
		CallPath path = this.fixture.connect(this.fixture.provider());
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.fixture.arrived.await();
		assertThat(value(path.call(bytes(new byte[] { 7 })))).isEqualTo(new byte[] { 7 });
		assertThat(slow).isNotDone();
		this.fixture.released.countDown();
		assertThat(value(slow.get(20, TimeUnit.SECONDS))).isEqualTo("x");
		assertThat(server.metrics().open().sum()).isEqualTo(1);
		assertThat(server.protection()).isEqualTo(PathProtection.SAME_USER);
	}

	@Test
	void manyCallersShareAPair() throws Exception {
		ChroniclePathServer server = this.fixture.server();
		CallPath path = this.fixture.connect(this.fixture.provider());
		ExecutorService callers = Executors.newFixedThreadPool(8);
		try {
			List<Future<?>> ends = new ArrayList<>();
			for (int caller = 0; caller < 8; caller++) {
				int seed = caller;
				ends.add(callers.submit(() -> {
					Random random = new Random(seed);
					for (int i = 0; i < 300; i++) {
						byte[] body = new byte[random.nextInt(3000)];
						random.nextBytes(body);
						assertThat(value(path.call(bytes(body)))).isEqualTo(body);
					}
					return null;
				}));
			}
			for (Future<?> end : ends) {
				end.get();
			}
		}
		finally {
			callers.shutdownNow();
		}
		assertThat(server.metrics().calls().sum()).isEqualTo(8 * 300);
	}

	@Test
	void filesThatWereReadAreDeleted() throws Exception {
		this.fixture.server();
		CallPath path = this.fixture.connect(this.fixture.provider());
		byte[] body = new byte[300_000];
		for (int i = 0; i < 100; i++) {
			assertThat(value(path.call(bytes(body)))).isEqualTo(body);
			// The newest file, and the one before until something of the newest is read.
			assertThat(this.fixture.files(PairQueue.REPLIES)).hasSizeLessThanOrEqualTo(2);
			assertThat(this.fixture.files(PairQueue.REQUESTS)).hasSizeLessThanOrEqualTo(2);
		}
		assertThat(path.details()).containsKey("queueBytes").containsEntry("inFlight", 0);
	}

	@Test
	void aDeadlineEndsACallThatMayHaveBeenExecuted() throws Exception {
		this.fixture.server();
		CallPath path = this.fixture.connect(this.fixture.provider());
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
	void anInterruptedCallerLeavesThePairToTheOthers() throws Exception {
		this.fixture.server();
		CallPath path = this.fixture.connect(this.fixture.provider());
		CompletableFuture<PathException> failed = new CompletableFuture<>();
		Thread caller = new Thread(() -> {
			try {
				path.call(slow(CallFrame.NO_DEADLINE));
			}
			catch (PathException ex) {
				failed.complete(ex);
			}
		});
		caller.start();
		this.fixture.arrived.await();
		caller.interrupt();
		assertThat(failed.get(20, TimeUnit.SECONDS).reason()).isEqualTo(PathException.Reason.INTERRUPTED);
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	@Test
	void callsInFlightFailAtOnceWhenTheServerEnds() throws Exception {
		ChroniclePathServer server = this.fixture.server(small().drainTimeout(Duration.ZERO).build());
		CallPath path = this.fixture.connect(this.fixture.provider());
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.fixture.arrived.await();
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
		ChroniclePathServer server = this.fixture.server();
		ChroniclePathProvider provider = this.fixture.provider();
		CallPath path = this.fixture.connect(provider);
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.fixture.arrived.await();
		server.stopAccepting();
		await().until(() -> !path.isOpen());
		assertThat(server.unavailable()).isPresent();
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> path.call(bytes(new byte[1])))
			.withMessageContaining("is shutting down")
			.returns(false, PathException::maybeExecuted);
		assertThat(this.fixture.attempt(this.fixture.provider())).isInstanceOfSatisfying(PathProvider.Unavailable.class,
				(unavailable) -> assertThat(unavailable.reason()).contains("the server is shutting down"));
		this.fixture.released.countDown();
		assertThat(value(slow.get(20, TimeUnit.SECONDS))).isEqualTo("x");
	}

	/** As over HTTP, where a client that follows a moved address lets requests end. */
	@Test
	void callsInFlightEndNormallyWhenTheirPathIsClosed() throws Exception {
		ChroniclePathServer server = this.fixture.server();
		ChroniclePathProvider provider = this.fixture.provider();
		CallPath path = this.fixture.connect(provider);
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.fixture.arrived.await();
		path.close();
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> path.call(bytes(new byte[1])))
			.returns(false, PathException::maybeExecuted);
		assertThat(value(this.fixture.connect(provider).call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		assertThat(slow).isNotDone();
		this.fixture.released.countDown();
		assertThat(value(slow.get(20, TimeUnit.SECONDS))).isEqualTo("x");
		await().until(() -> server.metrics().open().sum() == 1);
	}

	@Test
	void callsOfAClosedPathFailWhenTheClientEnds() throws Exception {
		this.fixture.server();
		ChroniclePathProvider provider = this.fixture.provider();
		CallPath path = this.fixture.connect(provider);
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.fixture.arrived.await();
		path.close();
		assertThat(slow).isNotDone();
		provider.close();
		assertThat(failure(slow).maybeExecuted()).isTrue();
		await().untilAsserted(() -> assertThat(this.fixture.pairs()).isEmpty());
	}

	@Test
	void nothingIsLeftWhenBothHaveEnded() throws Exception {
		ChroniclePathServer server = this.fixture.server();
		ChroniclePathProvider provider = this.fixture.provider();
		CallPath path = this.fixture.connect(provider);
		assertThat(value(path.call(bytes(new byte[9])))).isEqualTo(new byte[9]);
		assertThat(this.fixture.pairs()).hasSize(1);
		provider.close();
		await().untilAsserted(() -> assertThat(this.fixture.pairs()).isEmpty());
		assertThat(this.fixture.connect(this.fixture.provider()).isOpen()).isTrue();
		server.close();
		await().untilAsserted(() -> assertThat(this.fixture.directory.toFile().list()).containsExactly("host-token"));
	}

	@Test
	void theLastPathEndsThePair() throws Exception {
		ChroniclePathServer server = this.fixture.server();
		ChroniclePathProvider provider = this.fixture.provider();
		CallPath one = this.fixture.connect(provider);
		CallPath other = this.fixture.connect(provider);
		one.close();
		assertThat(value(other.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		other.close();
		await().until(() -> server.metrics().open().sum() == 0);
		await().untilAsserted(() -> assertThat(this.fixture.pairs()).isEmpty());
	}

	@Test
	void aFullQueueLeavesCallsToOtherPaths() throws Exception {
		ChroniclePathServer server = this.fixture.server(small().maxFrameBytes(1 << 20).build());
		ChroniclePathProvider provider = this.fixture.provider();
		CallPath path = this.fixture.connect(provider);
		List<CompletableFuture<Reply>> slow = new ArrayList<>();
		// The server reads no more than twice the largest frame before it answers.
		CallFrame large = ChroniclePathFixture.call("slow", "x".repeat(500_000), CallFrame.NO_DEADLINE);
		PathException full = null;
		while (full == null) {
			CompletableFuture<Reply> later = later(path, large);
			if (later.isCompletedExceptionally()) {
				full = failure(later);
			}
			else {
				slow.add(later);
			}
		}
		assertThat(full.reason()).isEqualTo(PathException.Reason.EXHAUSTED);
		assertThat(full.maybeExecuted()).isFalse();
		assertThat(full).hasMessageContaining("vicinal.chronicle.max-queue-size");
		assertThat(provider.queueBytes()).isLessThanOrEqualTo(8 << 20);
		assertThat(slow.size()).isGreaterThan(8);
		assertThat(path.isOpen()).isTrue();
		this.fixture.released.countDown();
		for (CompletableFuture<Reply> each : slow) {
			assertThat((String) value(each.get(20, TimeUnit.SECONDS))).hasSize(500_000);
		}
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		assertThat(server.queueBytes()).isLessThanOrEqualTo(8 << 20);
	}

	@Test
	void callsThatAreTooLongAreRefusedHereAndAnswersThere() throws Exception {
		this.fixture.server(small().maxFrameBytes(8 << 10).build());
		CallPath path = this.fixture.connect(this.fixture.provider());
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> path.call(bytes(new byte[9000])))
			.withMessageContaining("larger than the limit of 8192 bytes")
			.returns(false, PathException::maybeExecuted);
		assertThat(value(path.call(bytes(new byte[8000])))).isEqualTo(new byte[8000]);
	}

	@Test
	void aVolumeWithoutRoomIsLeftAlone() throws Exception {
		ChroniclePathServer full = new ChroniclePathServer(this.fixture.peer, this.fixture.rendezvous,
				ChroniclePathFixture.services((call) -> {
					throw new AssertionError("no call");
				}), small().minFreeBytes(Long.MAX_VALUE / 2).build());
		full.start();
		assertThat(full.unavailable())
			.hasValueSatisfying((reason) -> assertThat(reason).contains("are kept free (vicinal.chronicle.min-free)"));
		assertThat(this.fixture.attempt(this.fixture.provider())).isInstanceOfSatisfying(PathProvider.Unavailable.class,
				(unavailable) -> {
					assertThat(unavailable.reason()).contains("are kept free");
					assertThat(unavailable.retryable()).isTrue();
				});
		full.close();
		this.fixture.server();
		PathProvider.Attempt attempt = this.fixture
			.attempt(this.fixture.provider(small().minFreeBytes(Long.MAX_VALUE / 2).build(), null));
		assertThat(attempt).isInstanceOfSatisfying(PathProvider.Unavailable.class,
				(unavailable) -> assertThat(unavailable.reason()).contains("are kept free"));
		await().untilAsserted(() -> assertThat(this.fixture.pairs()).isEmpty());
	}

	@Test
	void strangersAreRefusedByBothSides() throws Exception {
		ChroniclePathServer server = this.fixture.server(small().build(), (channel) -> {
			throw new WireException(Refusal.STRANGER, "the other process runs as user nobody");
		});
		assertThat(this.fixture.attempt(this.fixture.provider())).isInstanceOfSatisfying(PathProvider.Unavailable.class,
				(unavailable) -> {
					assertThat(unavailable.reason()).contains("refused (stranger)");
					assertThat(unavailable.retryable()).isFalse();
				});
		assertThat(server.metrics().refusals().get("stranger").sum()).isEqualTo(1);
		server.close();
		this.fixture.server();
		assertThat(this.fixture.attempt(this.fixture.provider(small().build(), (channel) -> {
			throw new WireException(Refusal.STRANGER, "the other process runs as user nobody");
		}))).isInstanceOfSatisfying(PathProvider.Unavailable.class,
				(unavailable) -> assertThat(unavailable.reason()).contains("runs as user nobody"));
		assertThat(this.fixture.pairs()).isEmpty();
	}

	@Test
	void anotherInstanceIsNotUsed() throws Exception {
		this.fixture.server();
		assertThat(this.fixture.attempt(this.fixture.provider(), PeerIdentity.create(this.fixture.rendezvous.hostId())))
			.isInstanceOf(PathProvider.Unavailable.class);
		assertThat(this.fixture.attempt(this.fixture.provider(), PeerIdentity.create("f".repeat(32))))
			.isInstanceOfSatisfying(PathProvider.Unavailable.class,
					(unavailable) -> assertThat(unavailable.reason()).contains("runs on another host"));
	}

	@Test
	void moreClientsThanAllowedAreRefusedWithTheReason() throws Exception {
		ChroniclePathServer server = this.fixture.server(small().maxConnections(1).build());
		CallPath path = this.fixture.connect(this.fixture.provider());
		assertThat(this.fixture.attempt(this.fixture.provider())).isInstanceOfSatisfying(PathProvider.Unavailable.class,
				(unavailable) -> {
					assertThat(unavailable.reason()).contains("all 1 connections of the server are in use");
					assertThat(unavailable.retryable()).isTrue();
				});
		assertThat(server.clients()).singleElement()
			.satisfies((client) -> assertThat(client).containsKeys("instance", "outstandingBytes", "queueBytes"));
		path.close();
		await().until(() -> server.metrics().open().sum() == 0);
		assertThat(this.fixture.connect(this.fixture.provider()).isOpen()).isTrue();
	}

}
