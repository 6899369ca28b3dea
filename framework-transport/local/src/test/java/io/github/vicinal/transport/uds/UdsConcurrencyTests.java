package io.github.vicinal.transport.uds;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;

import io.github.vicinal.path.CallFrame;
import io.github.vicinal.path.CallPath;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import io.github.vicinal.transport.testing.Gate;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Many callers at once. */
@Timeout(60)
@Tag("every-jdk")
class UdsConcurrencyTests {

	private static final int THREADS = 64;

	private static final int CALLS = 1000;

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@Test
	void answersEachOfManyCallersWithItsOwnBytes() throws Exception {
		try (UdsFixture uds = new UdsFixture()) {
			PeerIdentity identity = uds.identity();
			UdsPathServer server = uds.server(identity, UdsOptions.defaults(), Contracts.echo(uds.contract));
			UdsPathProvider provider = uds
				.provider(UdsOptions.builder().maxConnectionsPerPeer(16).acquireTimeout(PATIENCE).build());
			CallPath path = uds.connect(provider, identity);
			List<Callable<Long>> tasks = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				int seed = i;
				tasks.add(() -> caller(uds, path, seed));
			}
			ExecutorService threads = Executors.newFixedThreadPool(THREADS);
			long sum = 0;
			for (Future<Long> future : threads.invokeAll(tasks)) {
				sum += future.get();
			}
			threads.shutdown();
			assertThat(sum).isEqualTo((long) THREADS * CALLS);
			assertThat(server.metrics().calls().sum()).isEqualTo((long) THREADS * CALLS);
			assertThat(server.metrics().accepted().sum()).isBetween(1L, 16L);
			assertThat(server.metrics().refusals().values()).allMatch((count) -> count.sum() == 0);
		}
	}

	/** As many as Tomcat has threads for. */
	@Test
	void twoHundredCallersAreInASlowHandlerAtOnce() throws Exception {
		Gate gate = new Gate();
		try (UdsFixture uds = new UdsFixture()) {
			PeerIdentity identity = uds.identity();
			uds.server(identity, UdsOptions.defaults(), Contracts.service(uds.contract, gate::pass));
			CallPath path = uds.connect(uds.provider(UdsOptions.defaults()), identity);
			List<CompletableFuture<Object>> calls = new ArrayList<>();
			for (int i = 0; i < 200; i++) {
				int number = i;
				calls.add(Async.call(() -> UdsFixture.value(path, uds.call("join", "caller", number))));
			}
			Async.await(() -> gate.inside() == 200);
			gate.open();
			for (CompletableFuture<Object> call : calls) {
				assertThat(call.get(20, TimeUnit.SECONDS)).isEqualTo("caller");
			}
		}
		finally {
			gate.open();
		}
	}

	@Test
	void virtualThreadsMayCallToo() throws Exception {
		Assumptions.assumeTrue(Runtime.version().feature() >= 21, "virtual threads came with JDK 21");
		try (UdsFixture uds = new UdsFixture()) {
			PeerIdentity identity = uds.identity();
			uds.server(identity, UdsOptions.defaults(), Contracts.echo(uds.contract));
			CallPath path = uds.connect(uds.provider(UdsOptions.builder().acquireTimeout(PATIENCE).build()), identity);
			// Compiled for 17, which has no virtual threads.
			Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
			List<CompletableFuture<Object>> answers = new ArrayList<>();
			for (int i = 0; i < CALLS; i++) {
				CompletableFuture<Object> answer = new CompletableFuture<>();
				int number = i;
				Runnable task = () -> {
					try {
						answer.complete(UdsFixture.value(path, uds.call("join", "v", number)));
					}
					catch (Throwable ex) {
						answer.completeExceptionally(ex);
					}
				};
				start.invoke(null, task);
				answers.add(answer);
			}
			for (int i = 0; i < CALLS; i++) {
				assertThat(answers.get(i).get()).isEqualTo("v-" + i);
			}
		}
	}

	private static long caller(UdsFixture uds, CallPath path, int seed) throws Exception {
		long good = 0;
		for (int call = 0; call < CALLS; call++) {
			byte[] body = Contracts.pattern((seed * 131 + call * 17) % 3000 + ((call % 100 == 0) ? 100_000 : 0),
					seed * 1000 + call);
			long deadline = (call % 2 == 0) ? CallFrame.NO_DEADLINE : System.nanoTime() + TimeUnit.SECONDS.toNanos(50);
			byte[] answer = (byte[]) UdsFixture.value(path,
					Contracts.callBefore(uds.contract, "bytes", deadline, (Object) body));
			if (checksum(answer) == checksum(body) && answer.length == body.length) {
				good++;
			}
		}
		return good;
	}

	private static long checksum(byte[] bytes) {
		CRC32 crc = new CRC32();
		crc.update(bytes);
		return crc.getValue();
	}

}
