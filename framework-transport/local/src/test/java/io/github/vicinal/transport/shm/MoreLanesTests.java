package io.github.vicinal.transport.shm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.Descriptors;
import io.github.vicinal.transport.testing.Gate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** More callers than a segment has lanes, in handlers that take long. */
@Timeout(120)
class MoreLanesTests {

	private static final int CALLERS = 200;

	private static final ShmOptions SERVER = ShmOptions.builder().idleTimeout(Duration.ofMillis(200)).build();

	private final ShmFixture shm = new ShmFixture();

	private final PeerIdentity server = this.shm.identity();

	private final Gate gate = new Gate();

	@AfterEach
	void close() throws Exception {
		this.gate.open();
		this.shm.close();
	}

	private CallPath connect(ShmOptions options) {
		this.shm.server(this.server, SERVER, Contracts.service(this.shm.contract, this.gate::pass));
		return this.shm.connect(this.shm.provider(options), this.server);
	}

	private List<CompletableFuture<Object>> call(CallPath path, int callers) {
		List<CompletableFuture<Object>> calls = new ArrayList<>();
		for (int i = 0; i < callers; i++) {
			String text = "caller " + i;
			calls.add(Async.call(() -> ShmFixture.value(path, this.shm.call("join", text, 1))));
		}
		return calls;
	}

	private void openAndCheck(List<CompletableFuture<Object>> calls) throws Exception {
		this.gate.open();
		for (int i = 0; i < calls.size(); i++) {
			assertThat(calls.get(i).get(60, TimeUnit.SECONDS)).isEqualTo("caller " + i);
		}
	}

	@Test
	void allCallersAreInTheHandlerAtOnce() throws Exception {
		CallPath path = connect(ShmOptions.defaults());
		List<CompletableFuture<Object>> calls = call(path, CALLERS);
		Async.await(() -> this.gate.inside() == CALLERS);
		assertThat(path.details()).containsEntry("segments", 4).containsEntry("freeLanes", 4 * 64 - CALLERS);
		openAndCheck(calls);
	}

	@Test
	void segmentsThatAreNotNeededAnyMoreAreClosed() throws Exception {
		CallPath path = connect(ShmOptions.builder().lanes(4).maxLanes(64).idleTimeout(Duration.ofMillis(200)).build());
		List<CompletableFuture<Object>> calls = call(path, 40);
		Async.await(() -> this.gate.inside() == 40);
		openAndCheck(calls);
		Async.await(() -> path.details().get("segments").equals(1));
		assertThat(path.details()).containsEntry("freeLanes", 4);
		// As many again, as if nothing had been.
		for (CompletableFuture<Object> call : call(path, 40)) {
			assertThat(call.get(60, TimeUnit.SECONDS)).asString().startsWith("caller");
		}
	}

	@Test
	void callBeyondTheLimitGoesElsewhereAtOnceAndWasNotExecuted() throws Exception {
		CallPath path = connect(ShmOptions.builder().lanes(4).maxLanes(8).build());
		List<CompletableFuture<Object>> calls = call(path, 8);
		Async.await(() -> this.gate.inside() == 8);
		PathException full = catchThrowableOfType(PathException.class, () -> path.call(this.shm.call("join", "a", 1)));
		assertThat(full.reason()).isEqualTo(Reason.EXHAUSTED);
		assertThat(full.maybeExecuted()).isFalse();
		assertThat(path.isOpen()).isTrue();
		openAndCheck(calls);
		assertThat(this.gate.inside()).isEqualTo(8);
	}

	/**
	 * All segments but the first together have no more memory than the first.
	 */
	@Test
	void memoryOfAllSegmentsIsBounded() throws Exception {
		long limit = 4 << 20;
		CallPath path = connect(ShmOptions.builder().lanes(1).maxLanes(64).maxMemoryBytes(limit).build());
		long segment = (Long) path.details().get("memoryBytes");
		String large = "x".repeat(10_000);
		List<CompletableFuture<Object>> calls = new ArrayList<>();
		for (int i = 0; i < 64; i++) {
			calls.add(Async.call(() -> ShmFixture.value(path, this.shm.call("join", large, 1))));
		}
		Async.await(() -> this.gate.inside() == 64);
		assertThat(path.details()).containsEntry("segments", 64);
		assertThat((Long) path.details().get("memoryBytes")).isLessThanOrEqualTo(2 * limit + 64 * segment);
		this.gate.open();
		for (CompletableFuture<Object> call : calls) {
			assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(large);
		}
	}

	/** However many segments a client has. */
	@Test
	void heapOfAllSegmentsIsBoundedOnTheServer() throws Exception {
		long limit = 1 << 20;
		ShmPathServer running = this.shm.server(this.server, ShmOptions.builder().maxHeapBytes(limit).build(),
				Contracts.service(this.shm.contract, this.gate::pass));
		CallPath path = this.shm.connect(this.shm.provider(ShmOptions.builder().lanes(1).maxLanes(8).build()),
				this.server);
		String large = "x".repeat(60_000);
		List<CompletableFuture<Object>> calls = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			calls.add(Async.call(() -> ShmFixture.value(path, this.shm.call("join", large, 1))));
		}
		Async.await(() -> this.gate.inside() == 8);
		this.gate.open();
		for (CompletableFuture<Object> call : calls) {
			assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(large);
		}
		// A quarter of the limit is kept for later calls.
		Async.await(() -> running.heapBytes() > 0);
		assertThat(running.heapBytes()).isLessThanOrEqualTo(limit / 4);
	}

	/** Each segment counts as a client. */
	@Test
	void serverWithoutRoomForMoreClientsIsNoReasonToWait() throws Exception {
		this.shm.server(this.server, SERVER.toBuilder().maxPeers(1).build(),
				Contracts.service(this.shm.contract, this.gate::pass));
		CallPath path = this.shm.connect(this.shm.provider(ShmOptions.builder().lanes(2).maxLanes(64).build()),
				this.server);
		List<CompletableFuture<Object>> calls = call(path, 2);
		Async.await(() -> this.gate.inside() == 2);
		PathException full = catchThrowableOfType(PathException.class, () -> path.call(this.shm.call("join", "a", 1)));
		assertThat(full.reason()).isEqualTo(Reason.EXHAUSTED);
		assertThat(full.maybeExecuted()).isFalse();
		openAndCheck(calls);
	}

	@Test
	void pathThatIsClosedClosesAllSegmentsOnceTheirCallsHaveEnded() throws Exception {
		ShmPathServer running = this.shm.server(this.server, SERVER,
				Contracts.service(this.shm.contract, this.gate::pass));
		CallPath path = this.shm.connect(this.shm.provider(ShmOptions.builder().lanes(4).maxLanes(64).build()),
				this.server);
		List<CompletableFuture<Object>> calls = call(path, 20);
		Async.await(() -> this.gate.inside() == 20);
		path.close();
		openAndCheck(calls);
		Async.await(() -> running.metrics().open().sum() == 0);
	}

	/** Nothing else would end the thread that shakes hands. */
	@Test
	void closingEndsAHandshakeThatHangs() throws Exception {
		try (FakeServer mute = new FakeServer(this.shm.directory, this.server.instanceId())) {
			ShmPathProvider provider = this.shm
				.provider(ShmOptions.builder().lanes(4).maxLanes(8).handshakeTimeout(Duration.ofMinutes(5)).build());
			CallPath path = this.shm.connect(provider, this.server);
			mute.silent = true;
			List<CompletableFuture<Object>> calls = call(path, 5);
			Async.await(() -> Async.isSomebodyIn("MoreLanes.connect", "ShmPeer.hello"));
			provider.close();
			for (CompletableFuture<Object> call : calls) {
				assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> call.get(20, TimeUnit.SECONDS))
					.withCauseInstanceOf(PathException.class);
			}
			Async.await(() -> Descriptors.threads("vicinal-shm-lanes") == 0);
		}
	}

}
