package io.github.vicinal.transport.rdma;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.path.Reply;
import io.github.vicinal.peer.PeerIdentity;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Calls over devices that are emulated in memory, and their faults. */
@Timeout(60)
@Tag("every-jdk")
class RdmaPathTests extends RdmaTestSupport {

	private final MemoryFabric fabric = new MemoryFabric();

	@Override
	RdmaDevices devices() {
		return this.fabric.devices();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 16, 1024, 8_100, 65_536, 1_000_003, 4_194_304 })
	void carriesBodiesOfAnySize(int size) throws Exception {
		CallPath path = connect(server(options()));
		byte[] body = new byte[size];
		new Random(size).nextBytes(body);
		assertThat(value(path.call(bytes(body)))).isEqualTo(body);
		assertThat(value(later(path, bytes(body)).get(20, TimeUnit.SECONDS))).isEqualTo(body);
		assertThat(path.bytesCarried()).isGreaterThan(2L * size);
	}

	@ParameterizedTest
	@EnumSource(CompletionMode.class)
	void aRingWrapsAndRefillsManyTimes(CompletionMode mode) throws Exception {
		// A thread may still be busy when its answer has arrived.
		CallPath path = connect(provider(small().completionMode(mode).build()), server(small().maxThreads(64).build()));
		Random random = new Random(7);
		List<CompletableFuture<Reply>> replies = new ArrayList<>();
		List<byte[]> bodies = new ArrayList<>();
		for (int round = 0; round < 60; round++) {
			for (int i = 0; i < 12; i++) {
				byte[] body = new byte[random.nextInt((i == 0) ? 60_000 : 900)];
				random.nextBytes(body);
				bodies.add(body);
				replies.add(later(path, bytes(body)));
			}
			for (int i = 0; i < bodies.size(); i++) {
				assertThat(value(replies.get(i).get(20, TimeUnit.SECONDS))).isEqualTo(bodies.get(i));
			}
			bodies.clear();
			replies.clear();
		}
		// Credits kept the peers from ever running out of receives.
		assertThat(this.fabric.notReady).hasValue(0);
		assertThat(this.fabric.mostPosted.get()).isLessThanOrEqualTo(128);
	}

	@Test
	void sidesWithDifferentRingsUseTheSmallerOne() throws Exception {
		CallPath path = connect(provider(small().ringBytes(1 << 20).build()), server(options()));
		byte[] body = new byte[300_000];
		new Random(1).nextBytes(body);
		assertThat(value(path.call(bytes(body)))).isEqualTo(body);
	}

	@Test
	void devicesWithoutInlineDataAreUsed() throws Exception {
		this.fabric.inlineBytes = 0;
		CallPath path = connect(server(options()));
		for (int i = 0; i < 1000; i++) {
			assertThat(value(path.call(bytes(new byte[] { (byte) i })))).isEqualTo(new byte[] { (byte) i });
		}
	}

	@Test
	void aSmallCallOvertakesALargeOne() throws Exception {
		CallPath path = connect(server(options()));
		MemoryFabric.MemoryQueuePair client = client();
		client.hold();
		byte[] large = new byte[7 << 20];
		CompletableFuture<Reply> first = later(path, bytes(large));
		CompletableFuture<Reply> small = later(path, bytes(new byte[] { 7 }));
		client.release();
		assertThat(value(small.get(20, TimeUnit.SECONDS))).isEqualTo(new byte[] { 7 });
		assertThat(value(first.get(20, TimeUnit.SECONDS))).isEqualTo(large);
	}

	/** Returns the client's end of the only connection: it was made first. */
	private MemoryFabric.MemoryQueuePair client() {
		return this.fabric.all().get(0);
	}

	@Test
	void callsWaitForRoomAndThenGoOn() throws Exception {
		CallPath path = connect(server(options()));
		client().hold();
		List<CompletableFuture<Reply>> calls = new ArrayList<>();
		for (int i = 0; i < 15; i++) {
			calls.add(later(path, bytes(new byte[100_000])));
		}
		assertThat(calls).noneMatch(CompletableFuture::isDone);
		client().release();
		for (CompletableFuture<Reply> call : calls) {
			assertThat((byte[]) value(call.get(20, TimeUnit.SECONDS))).hasSize(100_000);
		}
	}

	@Test
	void callsBeyondTheLimitOfWaitingBytesAreRefusedUnexecuted() {
		CallPath path = connect(provider(small().maxFrameBytes(1 << 20).build()), server(options()));
		client().hold();
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> {
			for (int i = 0; i < 10; i++) {
				CompletableFuture<Reply> call = later(path, bytes(new byte[500_000]));
				if (call.isDone()) {
					throw failure(call);
				}
			}
		}).returns(PathException.Reason.EXHAUSTED, PathException::reason).returns(false, PathException::maybeExecuted);
		client().release();
	}

	@Test
	void aDeadlineEndsACallThatMayHaveBeenExecuted() throws Exception {
		CallPath path = connect(server(options()));
		PathException failure = failure(later(path, slow(System.nanoTime() + 50_000_000)));
		assertThat(failure.reason()).isEqualTo(PathException.Reason.TIMEOUT);
		assertThat(failure.maybeExecuted()).isTrue();
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> path.call(slow(System.nanoTime() + 50_000_000)))
			.returns(PathException.Reason.TIMEOUT, PathException::reason);
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	@Test
	void callsInFlightFailAtOnceWhenTheServerEnds() throws Exception {
		RdmaPathServer server = server(small().drainTimeout(Duration.ZERO).build());
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
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.arrived.await();
		server.stopAccepting();
		await().until(() -> !path.isOpen());
		assertThat(server.unavailable()).contains("it is shutting down");
		this.released.countDown();
		assertThat(value(slow.get(20, TimeUnit.SECONDS))).isEqualTo("x");
		await().until(() -> server.metrics().open().sum() == 0);
	}

	/** As over HTTP, where a client that follows a moved address lets requests end. */
	@Test
	void callsInFlightEndNormallyWhenTheirPathIsClosed() throws Exception {
		RdmaPathServer server = server(options());
		RdmaPathProvider client = provider(small().drainTimeout(Duration.ofMillis(1)).build());
		CallPath path = connect(client, server);
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.arrived.await();
		path.close();
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> path.call(bytes(new byte[1])))
			.returns(false, PathException::maybeExecuted);
		CallPath next = connect(client, server);
		assertThat(value(next.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		assertThat(server.metrics().open().sum()).isEqualTo(2);
		assertThat(slow).isNotDone();
		this.released.countDown();
		assertThat(value(slow.get(20, TimeUnit.SECONDS))).isEqualTo("x");
		await().until(() -> server.metrics().open().sum() == 1);
	}

	@Test
	void aSessionThatWasLeftEndsWhenItsCallIsGivenUpOrTheClientEnds() throws Exception {
		RdmaPathServer server = server(options());
		RdmaPathProvider client = provider(options());
		CallPath path = connect(client, server);
		CompletableFuture<Reply> slow = later(path, slow(System.nanoTime() + 200_000_000));
		this.arrived.await();
		path.close();
		assertThat(failure(slow).reason()).isEqualTo(PathException.Reason.TIMEOUT);
		await().until(() -> server.metrics().open().sum() == 0);
		CallPath next = connect(client, server);
		CompletableFuture<Reply> endless = later(next, slow(CallFrame.NO_DEADLINE));
		await().until(() -> server.metrics().inFlight().sum() > 0);
		next.close();
		assertThat(endless).isNotDone();
		client.close();
		assertThat(failure(endless).maybeExecuted()).isTrue();
		await().until(() -> server.metrics().open().sum() == 0);
	}

	@Test
	void aCompletionErrorFailsCallsAndSaysWhichOne() throws Exception {
		CallPath path = connect(server(options()));
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.arrived.await();
		client().failNext("transport retry counter exceeded");
		CompletableFuture<Reply> next = later(path, bytes(new byte[1]));
		assertThat(failure(slow)).hasMessageContaining("transport retry counter exceeded")
			.returns(PathException.Reason.PEER_GONE, PathException::reason)
			.returns(true, PathException::maybeExecuted);
		assertThat(failure(next).maybeExecuted()).isTrue();
		assertThat(path.isOpen()).isFalse();
		await().until(() -> this.fabric.all().stream().allMatch(MemoryFabric.MemoryQueuePair::isClosed));
	}

	@Test
	void callsThatNeverBeganToLeaveWereNotExecuted() throws Exception {
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		client().hold();
		List<CompletableFuture<Reply>> calls = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			calls.add(later(path, bytes(new byte[20_000])));
		}
		this.fabric.removeDevice();
		assertThat(failure(calls.get(0)).maybeExecuted()).isTrue();
		assertThat(failure(calls.get(9))).returns(false, PathException::maybeExecuted)
			.hasMessageContaining("the device was removed");
	}

	@Test
	void aDeviceThatComesBackIsUsedAgain() throws Exception {
		RdmaPathServer server = server(options());
		RdmaPathProvider provider = provider(options());
		CallPath path = connect(provider, server);
		String address = server.address().orElseThrow();
		this.fabric.removeDevice();
		await().until(() -> !path.isOpen());
		path.close();
		await().until(() -> server.unavailable().isPresent());
		assertThat(server.unavailable().orElseThrow()).contains("the RDMA device was lost: the device was removed");
		assertThat(attempt(provider, this.peer, address)).isInstanceOfSatisfying(PathProvider.Unavailable.class,
				(unavailable) -> assertThat(unavailable.retryable()).isTrue());
		this.fabric.addDevice();
		await().until(() -> server.unavailable().isEmpty());
		assertThat(server.address()).hasValue(address);
		assertThat(value(connect(provider, server).call(bytes(new byte[] { 5 })))).isEqualTo(new byte[] { 5 });
	}

	@Test
	void anAddressWhereNobodyListensIsRefusedAtOnceAndMayBeTriedAgain() {
		assertThat(attempt(provider(options()), this.peer, "127.0.0.1:7"))
			.isInstanceOfSatisfying(PathProvider.Unavailable.class, (unavailable) -> {
				assertThat(unavailable.reason()).contains("no server listens there");
				assertThat(unavailable.retryable()).isTrue();
			});
	}

	@Test
	void anotherInstanceAtTheAddressIsNotUsed() {
		RdmaPathServer server = server(options());
		assertThat(attempt(provider(options()), PeerIdentity.create(HOST), server.address().orElseThrow()))
			.isInstanceOfSatisfying(PathProvider.Unavailable.class, (unavailable) -> {
				assertThat(unavailable.reason()).contains("wrong-instance");
				assertThat(unavailable.retryable()).isFalse();
			});
		await().until(() -> server.metrics().open().sum() == 0);
	}

	@Test
	void namesAndAddressesThatNobodyCanConnectToAreNotDialled() {
		for (String address : List.of("dead.beef:80", "0.0.0.0:80", "224.0.0.1:80", "10.0.0.1:0", "10.0.0.1:99999")) {
			assertThat(attempt(provider(options()), this.peer, address)).isEqualTo(new PathProvider.Unavailable(
					"the peer announces %s, which is no address to connect to".formatted(address), false));
		}
	}

	@Test
	void aServerThatDoesNotAnswerPingsIsLeft() throws Exception {
		Duration shortTime = Duration.ofMillis(100);
		CallPath path = connect(provider(small().pings(shortTime, shortTime).build()), server(options()));
		CompletableFuture<Reply> slow = later(path, slow(CallFrame.NO_DEADLINE));
		this.arrived.await();
		this.fabric.all().get(1).hold();
		assertThat(failure(slow)).hasMessageContaining("did not answer a ping within 100 ms")
			.returns(PathException.Reason.PEER_GONE, PathException::reason);
	}

	@Test
	void anIdleConnectionThatIsAnsweredStaysOpen() throws Exception {
		Duration shortTime = Duration.ofMillis(50);
		CallPath path = connect(provider(small().pings(shortTime, Duration.ofSeconds(10)).build()), server(options()));
		long until = System.nanoTime() + 10 * shortTime.toNanos();
		await().until(() -> System.nanoTime() - until > 0);
		assertThat(path.isOpen()).isTrue();
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	/** Its answers would wait for ever, and with them the threads of the server. */
	@Test
	void aClientThatTakesNoAnswersIsClosed() throws Exception {
		RdmaPathServer server = server(small().frameTimeout(Duration.ofMillis(200)).build());
		CallPath path = connect(server);
		CallPath other = connect(server);
		List<CompletableFuture<Reply>> calls = new ArrayList<>();
		// More than fits into the ring, in both directions.
		for (int i = 0; i < 14; i++) {
			calls.add(later(path, call("slow", "x".repeat(7_900), CallFrame.NO_DEADLINE)));
		}
		await().until(() -> server.metrics().inFlight().sum() == calls.size());
		MemoryFabric.MemoryQueuePair serverEnd = this.fabric.all().get(1);
		serverEnd.hold();
		this.released.countDown();
		for (CompletableFuture<Reply> call : calls) {
			assertThat(failure(call).reason()).isEqualTo(PathException.Reason.PEER_GONE);
		}
		await().until(() -> server.metrics().inFlight().sum() == 0 && serverEnd.isClosed());
		assertThat(value(other.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	@Test
	void aConnectionManagerThatDoesNotAnswerIsTriedAgain() throws Exception {
		RdmaPathServer server = server(options());
		RdmaPathProvider provider = provider(options());
		this.fabric.silent = true;
		assertThat(attempt(provider, this.peer, server.address().orElseThrow()))
			.isInstanceOfSatisfying(PathProvider.Unavailable.class, (unavailable) -> {
				assertThat(unavailable.reason()).contains("the connection manager did not answer in time");
				assertThat(unavailable.retryable()).isTrue();
			});
		this.fabric.silent = false;
		assertThat(value(connect(provider, server).call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	@Test
	void aCallThatIsTooLargeIsNotSent() throws Exception {
		CallPath path = connect(server(options()));
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> path.call(bytes(new byte[9 << 20])))
			.withMessageContaining("larger than the limit")
			.returns(false, PathException::maybeExecuted);
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
	}

	@Test
	void connectionsBeyondTheLimitAreRefused() throws Exception {
		RdmaPathServer server = server(small().maxConnections(1).build());
		CallPath path = connect(server);
		assertThat(attempt(provider(options()), this.peer, server.address().orElseThrow()))
			.isInstanceOfSatisfying(PathProvider.Unavailable.class, (unavailable) -> {
				assertThat(unavailable.reason()).contains("all 1 connections of the server are in use");
				assertThat(unavailable.retryable()).isTrue();
			});
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		await().until(() -> server.metrics().open().sum() == 1);
	}

	@Test
	void theMemoryOfAConnectionIsFreedWithIt() throws Exception {
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		path.close();
		await().until(() -> this.fabric.all().stream().allMatch(MemoryFabric.MemoryQueuePair::isClosed));
		await().until(() -> server.metrics().open().sum() == 0);
	}

}
