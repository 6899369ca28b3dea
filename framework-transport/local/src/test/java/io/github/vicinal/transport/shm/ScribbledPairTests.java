package io.github.vicinal.transport.shm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.shm.lane.SegmentAccess;
import io.github.vicinal.transport.shm.lane.SegmentLayout;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.Gate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Whatever a peer writes into the memory, callers without a deadline come back soon. */
@Timeout(120)
class ScribbledPairTests {

	private static final long SOON_SECONDS = 5;

	private static final int LINES = 4096;

	private final ShmFixture shm = new ShmFixture();

	private final PeerIdentity server = this.shm.identity();

	private final Gate gate = new Gate();

	@AfterEach
	void close() throws Exception {
		this.gate.open();
		this.shm.close();
	}

	/** Words that decide whether a caller is woken, while its call is executed. */
	@ParameterizedTest
	@CsvSource({ "nobody seems to wait, 40, 0", "the poller seems to wait, 40, 2", "the request is another, 0, 77",
			"the request has gone, 0, 0", "nonsense, 40, -1" })
	void callerThatSleepsIsWoken(String what, int word, int value) throws Exception {
		this.shm.server(this.server, ShmOptions.defaults(), Contracts.service(this.shm.contract, this.gate::pass));
		CallPath path = this.shm
			.connect(this.shm.provider(ShmOptions.builder().lanes(1).maxLanes(1).waiting("park").build()), this.server);
		CompletableFuture<Object> call = Async.call(() -> outcome(path));
		Async.await(() -> this.gate.inside() == 1 && Async.isSomebodyIn("ClientLane.sleep", "await"));
		memory(path).putInt(LINES + word, value);
		this.gate.open();
		assertThat(call.get(SOON_SECONDS, TimeUnit.SECONDS)).as(what).isNotNull();
	}

	/** A request of which the server is not notified, and one that it never sees. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void requestThatGotLostIsFoundOrEndsThePair(boolean overwritten) throws Exception {
		this.gate.open();
		this.shm.server(this.server, ShmOptions.defaults(), Contracts.service(this.shm.contract, this.gate::pass));
		CallPath path = this.shm
			.connect(this.shm.provider(ShmOptions.builder().lanes(1).maxLanes(1).waiting("park").build()), this.server);
		assertThat(outcome(path)).isEqualTo("a");
		Async.await(() -> Async.isSomebodyIn("LaneServer.sleep", "await"));
		ByteBuffer memory = memory(path);
		// The server seems to be awake, so nobody rings.
		memory.putInt(SegmentLayout.SERVER_PARKED_OFFSET, 0);
		CompletableFuture<Object> call = Async.call(() -> outcome(path));
		Async.await(() -> call.isDone() || Async.isSomebodyIn("ClientLane.sleep", "await"));
		if (call.isDone()) {
			// A second thread of the server was on its way to sleep, and has seen it.
			assertThat(call.get()).isEqualTo("a");
			return;
		}
		memory.putLong(3 * SegmentLayout.LINE, 0);
		if (overwritten) {
			memory.putLong(LINES, 1234);
		}
		Object outcome = call.get(SOON_SECONDS, TimeUnit.SECONDS);
		if (overwritten) {
			assertThat(outcome).isInstanceOf(PathException.class);
			assertThat(path.isOpen()).isFalse();
		}
		else {
			assertThat(outcome).isEqualTo("a");
			assertThat(path.isOpen()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 })
	void anythingAnywhereHoldsNobodyUp(long seed) throws Exception {
		this.gate.open();
		this.shm.server(this.server, ShmOptions.defaults(), Contracts.service(this.shm.contract, this.gate::pass));
		CallPath path = this.shm.connect(this.shm
			.provider(ShmOptions.builder().lanes(4).maxLanes(4).waiting((seed % 2 == 0) ? "park" : "learned").build()),
				this.server);
		AtomicBoolean stopped = new AtomicBoolean();
		List<CompletableFuture<Integer>> callers = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			callers.add(Async.call(() -> {
				int calls = 0;
				while (!stopped.get() && path.isOpen()) {
					outcome(path);
					calls++;
				}
				return calls;
			}));
		}
		Random random = new Random(seed);
		ByteBuffer memory = memory(path);
		int end = LINES + 4 * 2 * SegmentLayout.LINE;
		for (int i = 0; i < 2000 && path.isOpen(); i++) {
			memory.putInt(SegmentLayout.LINE + 4 * random.nextInt((end - SegmentLayout.LINE) / 4),
					random.nextInt(3) - 1);
		}
		stopped.set(true);
		for (CompletableFuture<Integer> caller : callers) {
			assertThat(caller.get(SOON_SECONDS, TimeUnit.SECONDS)).isNotNegative();
		}
	}

	private Object outcome(CallPath path) {
		try {
			return ShmFixture.value(path, this.shm.call("join", "a", 1));
		}
		catch (PathException ex) {
			return ex;
		}
	}

	private static ByteBuffer memory(CallPath path) {
		return SegmentAccess.memory(((ShmPath) path).lanes()).duplicate().order(ByteOrder.nativeOrder());
	}

}
