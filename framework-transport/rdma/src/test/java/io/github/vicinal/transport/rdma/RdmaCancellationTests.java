package io.github.vicinal.transport.rdma;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.path.Reply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Callers that give up, and servers that close while calls are on their way. */
@Timeout(60)
class RdmaCancellationTests extends RdmaFabricTestSupport {

	@Test
	void theHandlerOfACallThatIsAbandonedLearnsIt() throws Exception {
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		CallFrame frame = slow(CallFrame.NO_DEADLINE);
		CompletableFuture<Reply> call = later(path, frame);
		CallFrame served = this.executed.next();
		frame.abandon();
		assertThat(failure(call)).returns(Reason.INTERRUPTED, PathException::reason)
			.returns(true, PathException::maybeExecuted);
		await().until(served::isAbandoned);
		assertThat(value(path.call(bytes(new byte[] { 7 })))).isEqualTo(new byte[] { 7 });
		this.released.countDown();
		await().until(() -> server.metrics().inFlight().sum() == 0);
		assertThat(server.clients()).allSatisfy((client) -> assertThat(client).containsEntry("outstandingBytes", 0L));
		assertThat(path.isOpen()).isTrue();
	}

	@Test
	void theHandlerOfACallWhoseDeadlineHasPassedLearnsIt() throws Exception {
		CallPath path = connect(server(options()));
		CompletableFuture<Reply> call = later(path, slow(System.nanoTime() + TimeUnit.SECONDS.toNanos(1)));
		CallFrame served = this.executed.next();
		assertThat(failure(call).reason()).isEqualTo(Reason.TIMEOUT);
		await().until(served::isAbandoned);
	}

	@Test
	void theHandlersOfAClientThatIsGoneLearnIt() throws Exception {
		RdmaPathProvider client = provider(options());
		CallPath path = connect(client, server(options()));
		later(path, slow(CallFrame.NO_DEADLINE));
		CallFrame served = this.executed.next();
		client.close();
		await().until(served::isAbandoned);
	}

	/** Otherwise it would be executed when there is room, and nobody would know. */
	@Test
	void aCallThatWaitsForRoomIsTakenBack() throws Exception {
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		client().hold();
		List<CallFrame> frames = new ArrayList<>();
		List<CompletableFuture<Reply>> calls = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			// Eight of them fill the ring.
			frames.add(bytes(new byte[(i == 9) ? 100_000 : 7_900]));
			calls.add(later(path, frames.get(i)));
		}
		frames.get(8).abandon();
		frames.get(9).abandon();
		for (int i = 8; i < 10; i++) {
			assertThat(failure(calls.get(i))).returns(Reason.INTERRUPTED, PathException::reason)
				.returns(false, PathException::maybeExecuted);
		}
		frames.get(0).abandon();
		assertThat(failure(calls.get(0)).maybeExecuted()).isTrue();
		client().release();
		for (int i = 1; i < 8; i++) {
			assertThat((byte[]) value(calls.get(i).get(20, TimeUnit.SECONDS))).hasSize(7_900);
		}
		assertThat(value(path.call(bytes(new byte[1])))).isEqualTo(new byte[1]);
		await().until(() -> server.metrics().inFlight().sum() == 0);
		assertThat(this.executed.size()).isBetween(8, 9);
	}

	/**
	 * A small frame overtakes large ones, and would be about a call that is not known.
	 */
	@Test
	void aCallOfWhichAPartIsSentIsNotOvertakenByItsCancellation() throws Exception {
		RdmaPathServer server = server(options());
		CallPath path = connect(server);
		client().hold();
		CallFrame frame = call("slow", "x".repeat(100_000), CallFrame.NO_DEADLINE);
		CompletableFuture<Reply> call = later(path, frame);
		frame.abandon();
		assertThat(failure(call).maybeExecuted()).as("the ring has a part of it").isTrue();
		client().release();
		await().until(() -> {
			// It is answered without being executed if it had not begun.
			return server.metrics().bytes().sum() > 100_000 || this.executed.isNextAbandoned();
		});
	}

	@Test
	void aCallThatAServerHasNotReadBeforeItClosesWasNotExecuted() throws Exception {
		RdmaPathServer server = server(small().maxFrameBytes(1 << 20).drainTimeout(Duration.ZERO).build());
		CallPath path = connect(server);
		String text = "x".repeat(900_000);
		List<CompletableFuture<Reply>> calls = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			calls.add(later(path, call("slow", text, CallFrame.NO_DEADLINE)));
		}
		this.executed.next();
		long most = server.options().maxOutstandingBytes();
		await().until(() -> (long) server.clients().get(0).get("outstandingBytes") > most);
		await().until(() -> server.metrics().inFlight().sum() == 1 + this.executed.size());
		server.close();
		int unexecuted = 0;
		for (CompletableFuture<Reply> call : calls) {
			PathException failure = failure(call);
			assertThat(failure.reason()).isEqualTo(Reason.PEER_GONE);
			unexecuted += failure.maybeExecuted() ? 0 : 1;
		}
		int left = unexecuted;
		assertThat(left).isPositive();
		await().untilAsserted(() -> assertThat(1 + this.executed.size()).isEqualTo(calls.size() - left));
		assertThatExceptionOfType(PathException.class).isThrownBy(() -> path.call(bytes(new byte[1])))
			.returns(false, PathException::maybeExecuted);
		await().until(() -> this.fabric.all().stream().allMatch(MemoryFabric.MemoryQueuePair::isClosed));
	}

}
