package io.github.vicinal.transport.shm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.path.CallPath;
import io.github.vicinal.path.PathProvider;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.server.PathServer;
import io.github.vicinal.server.ServiceRegistry;
import io.github.vicinal.testing.InTurn;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.uds.UdsOptions;
import io.github.vicinal.transport.uds.UdsPathProvider;
import io.github.vicinal.transport.uds.UdsPathServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

import static org.assertj.core.api.Assertions.assertThat;

/** Large payloads take a bounded part of the heap, and give it back. */
@Timeout(180)
class PayloadHeapTests {

	private static final Duration IDLE = Duration.ofMillis(200);

	private static final int LARGE = 20 << 20;

	private static final int THREADS = 20;

	private final ShmFixture shm = new ShmFixture();

	private final PeerIdentity server = this.shm.identity();

	@AfterEach
	void close() throws Exception {
		this.shm.close();
	}

	@ParameterizedTest
	@InTurn({ "shm", "uds" })
	void largeRepliesOnManyThreadsFitIntoTheSmallHeapOfAClient(String kind) throws Exception {
		try (PathServer ignored = serve(kind, LARGE)) {
			List<String> said = HeapChild.run("256m", "client", kind, this.shm.directory, this.server.instanceId(), 1,
					LARGE, THREADS);
			assertThat(said).as("all it said: %s", said).last().asString().startsWith("ok, ");
		}
	}

	@ParameterizedTest
	@InTurn({ "shm", "uds" })
	void largeCallsOnManyThreadsFitIntoTheSmallHeapOfAClient(String kind) throws Exception {
		try (PathServer ignored = serve(kind, 1)) {
			List<String> said = HeapChild.run("256m", "client", kind, this.shm.directory, this.server.instanceId(),
					LARGE, 1, THREADS);
			assertThat(said).as("all it said: %s", said).last().asString().startsWith("ok, ");
		}
	}

	@ParameterizedTest
	@InTurn(value = { "uds, 1, 20971520", "uds, 20971520, 1", "shm, 20971520, 1", "shm, 1, 20971520" }, rows = 2)
	void largePayloadsOnManyThreadsFitIntoTheSmallHeapOfAServer(String kind, int requestBytes, int replyBytes)
			throws Exception {
		try (HeapChild child = HeapChild.start("256m", "server", kind, this.shm.directory, this.server.instanceId(),
				requestBytes, replyBytes)) {
			assertThat(child.line()).isEqualTo("ready");
			List<String> said = HeapChild.run("512m", "client", kind, this.shm.directory, this.server.instanceId(),
					requestBytes, replyBytes, THREADS);
			assertThat(said).as("all it said: %s", said).last().asString().startsWith("ok, ");
			assertThat(child.end()).last().asString().startsWith("ok, ");
		}
	}

	private PathServer serve(String kind, int bytes) {
		byte[] reply = new byte[bytes];
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.service(this.shm.contract, (frame) -> Contracts.value(reply)));
		PathServer running = kind.equals("uds")
				? new UdsPathServer(this.server, this.shm.rendezvous, services, UdsOptions.defaults())
				: new ShmPathServer(this.server, this.shm.rendezvous, services, ShmOptions.defaults());
		running.start();
		return running;
	}

	@Test
	void arraysAreGivenBackOnBothSides() throws Exception {
		ShmPathServer running = this.shm.server(this.server, ShmOptions.builder().idleTimeout(IDLE).build(),
				Contracts.echo(this.shm.contract));
		CallPath path = this.shm.connect(this.shm.provider(ShmOptions.builder().idleTimeout(IDLE).build()),
				this.server);
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

	/** A socket keeps nothing for the next call. */
	@Test
	void socketsGiveTheirHeapBackAtTheEndOfACall() throws Exception {
		ServiceRegistry services = new ServiceRegistry();
		services.register(Contracts.echo(this.shm.contract));
		UdsOptions none = UdsOptions.builder().maxHeapBytes(0).build();
		try (UdsPathServer running = new UdsPathServer(this.server, this.shm.rendezvous, services, none);
				UdsPathProvider provider = new UdsPathProvider(this.shm.clientIdentity, this.shm.rendezvous,
						Contracts.codecs(), none)) {
			running.start();
			CallPath path = ((PathProvider.Connected) provider.connect(this.shm.contract,
					Contracts.announce(this.server, this.shm.contract)))
				.path();
			List<CompletableFuture<Object>> calls = new ArrayList<>();
			for (int i = 0; i < 6; i++) {
				byte[] body = Contracts.pattern(2_000_000, i);
				calls.add(Async.call(() -> ShmFixture.value(path, this.shm.call("bytes", (Object) body))));
			}
			for (int i = 0; i < calls.size(); i++) {
				assertThat(calls.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(Contracts.pattern(2_000_000, i));
			}
			assertThat(path.details()).containsEntry("heapBytes", 0L);
			assertThat(provider.heapBytes()).isZero();
			Async.await(() -> running.heapBytes() == 0);
		}
	}

	/** One at a time gets through. */
	@Test
	void budgetOfNothingHoldsUpNobodyForGood() throws Exception {
		ShmOptions none = ShmOptions.builder().maxHeapBytes(0).build();
		this.shm.server(this.server, none, Contracts.echo(this.shm.contract));
		CallPath path = this.shm.connect(this.shm.provider(none), this.server);
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
