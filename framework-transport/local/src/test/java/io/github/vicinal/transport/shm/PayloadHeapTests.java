package io.github.vicinal.transport.shm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.github.vicinal.channel.Path;
import io.github.vicinal.peer.PathKind;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;

import static org.assertj.core.api.Assertions.assertThat;

/** Large payloads take a bounded part of the heap, and give it back. */
@Timeout(180)
class PayloadHeapTests {

	private static final Duration IDLE = Duration.ofMillis(200);

	private final ShmFixture shm = new ShmFixture();

	private final PeerIdentity server = this.shm.identity();

	@AfterEach
	void close() throws Exception {
		this.shm.close();
	}

	@Test
	void largeRepliesOnManyThreadsFitIntoASmallHeap() throws Exception {
		byte[] reply = new byte[20 << 20];
		this.shm.server(this.server, ShmOptions.defaults(),
				Contracts.service(this.shm.contract, (frame) -> Contracts.value(reply)));
		List<String> said = HeapChild.run(PathKind.SHM, "500m", this.shm.directory, this.server, 20, reply.length);
		assertThat(said).last().asString().startsWith("ok, ");
	}

	@Test
	void arraysAreGivenBackOnBothSides() throws Exception {
		ShmPathServer running = this.shm.server(this.server, ShmOptions.defaults().withIdleTimeout(IDLE),
				Contracts.echo(this.shm.contract));
		Path path = this.shm.connect(this.shm.provider(ShmOptions.defaults().withIdleTimeout(IDLE)), this.server);
		for (int round = 0; round < 2; round++) {
			List<CompletableFuture<Object>> calls = new ArrayList<>();
			for (int i = 0; i < 8; i++) {
				byte[] body = Contracts.pattern(100_000 * (i + 1), i);
				calls.add(Async.call(() -> {
					assertThat(ShmFixture.value(path, this.shm.call("bytes", (Object) body))).isEqualTo(body);
					return "same";
				}));
			}
			for (CompletableFuture<Object> call : calls) {
				assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo("same");
			}
			assertThat((Long) path.details().get("heapBytes")).isBetween(1L, 8L << 20);
			Async.await(() -> path.details().get("heapBytes").equals(0L));
			Async.await(() -> running.clients().get(0).get("heapBytes").equals(0L));
		}
	}

	/** One at a time gets through. */
	@Test
	void budgetOfNothingHoldsUpNobodyForGood() throws Exception {
		ShmOptions none = ShmOptions.defaults().withMaxHeapBytes(0);
		this.shm.server(this.server, none, Contracts.echo(this.shm.contract));
		Path path = this.shm.connect(this.shm.provider(none), this.server);
		List<CompletableFuture<Object>> calls = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			byte[] body = Contracts.pattern(2_000_000, i);
			calls.add(Async.call(() -> ShmFixture.value(path, this.shm.call("bytes", (Object) body))));
		}
		for (int i = 0; i < calls.size(); i++) {
			assertThat(calls.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(Contracts.pattern(2_000_000, i));
		}
		assertThat(path.details()).containsEntry("heapBytes", 0L);
	}

}
