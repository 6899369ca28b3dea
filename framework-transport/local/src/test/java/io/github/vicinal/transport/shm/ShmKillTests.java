package io.github.vicinal.transport.shm;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.path.PathException;
import io.github.vicinal.path.PathException.Reason;
import io.github.vicinal.peer.PeerIdentity;
import io.github.vicinal.transport.shm.lane.ClientLane;
import io.github.vicinal.transport.shm.lane.Segment;
import io.github.vicinal.transport.testing.Async;
import io.github.vicinal.transport.testing.Contracts;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Either side's process is killed at random moments, while calls are made. */
@Timeout(120)
@Tag("deep")
class ShmKillTests {

	private static final int KILLS = 10;

	private static final int CALLERS = 4;

	/** Far above the 50 ms that a quiet machine is held to by the benchmark. */
	private static final long MAX_HANG_NANOS = TimeUnit.SECONDS.toNanos(5);

	@Test
	void callsEndAtOnceAndNothingIsLeft() throws Exception {
		Path directory = ShmFixture.memoryDirectory();
		Random random = new Random(7);
		for (int kill = 0; kill < KILLS; kill++) {
			try (ShmChild child = ShmChild.start(directory)) {
				killDuringCalls(directory, child, random.nextInt(30_000_000), kill);
			}
		}
		// A server that died between making a file and announcing it leaves that file.
		assertThat(Segment.deleteOrphans(directory, Duration.ofSeconds(-10))).isLessThanOrEqualTo(KILLS);
		// The next server sweeps the other leftovers of dead processes.
		RawLanes
			.serve(directory, PeerIdentity.create(PeerIdentity.NO_HOST), ShmOptions.defaults(), false, RawLanes.echo())
			.close();
		ShmFixture.assertEmptyAndDelete(directory);
	}

	@Test
	void serverLetsGoOfClientsThatWereKilledAndGoesOnWithOthers() throws Exception {
		Path directory = ShmFixture.memoryDirectory();
		PeerIdentity identity = PeerIdentity.create(PeerIdentity.NO_HOST);
		Random random = new Random(8);
		try (ShmPathServer server = RawLanes.serve(directory, identity, ShmOptions.defaults(), false, RawLanes.echo());
				RawLanes.Client survivor = RawLanes.connect(directory, identity.instanceId(), ShmOptions.defaults(),
						false)) {
			AtomicLong answers = new AtomicLong();
			CompletableFuture<Long> caller = Async.call(() -> callUntilTheEnd(survivor, 99, answers));
			for (int kill = 0; kill < KILLS; kill++) {
				try (ShmChild child = ShmChild.startClient(directory, identity)) {
					assertThat(server.metrics().open().sum()).isEqualTo(2);
					long start = System.nanoTime();
					int afterNanos = random.nextInt(30_000_000);
					while (System.nanoTime() - start < afterNanos) {
						Thread.onSpinWait();
					}
					long killed = System.nanoTime();
					child.process().destroyForcibly();
					Async.await(() -> server.metrics().open().sum() == 1);
					assertThat(System.nanoTime() - killed).isLessThan(MAX_HANG_NANOS);
				}
				long before = answers.get();
				Async.await(() -> answers.get() > before);
			}
			assertThat(caller).isNotDone();
			survivor.close();
			caller.join();
		}
		assertThat(Segment.deleteOrphans(directory, Duration.ofSeconds(-10))).isLessThanOrEqualTo(KILLS);
		ShmFixture.assertEmptyAndDelete(directory);
	}

	private static void killDuringCalls(Path directory, ShmChild child, int afterNanos, int seed) throws Exception {
		try (RawLanes.Client client = RawLanes.connect(directory, child.instanceId(), ShmOptions.defaults(), false)) {
			AtomicLong killed = new AtomicLong(Long.MAX_VALUE);
			ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
			List<Callable<Long>> callers = new ArrayList<>();
			for (int i = 0; i < CALLERS; i++) {
				int id = i;
				callers.add(() -> callUntilTheEnd(client, seed * CALLERS + id, new AtomicLong()));
			}
			List<Future<Long>> ends = callers.stream().map(threads::submit).toList();
			long start = System.nanoTime();
			while (System.nanoTime() - start < afterNanos) {
				Thread.onSpinWait();
			}
			killed.set(System.nanoTime());
			child.process().destroyForcibly();
			for (Future<Long> end : ends) {
				assertThat(end.get() - killed.get()).isLessThan(MAX_HANG_NANOS);
			}
			threads.shutdown();
			assertThat(client.lanes().slabsInUse()).isLessThanOrEqualTo(CALLERS);
		}
	}

	/** Returns when the calls ended; an answer that is not the own one fails. */
	private static long callUntilTheEnd(RawLanes.Client client, int seed, AtomicLong answers) throws Exception {
		Random random = new Random(seed);
		while (true) {
			byte[] request = Contracts.pattern(random.nextInt((random.nextInt(10) == 0) ? 300_000 : 1500),
					random.nextInt());
			try {
				ClientLane lane = client.lanes().acquire(ClientLane.NO_DEADLINE);
				try {
					lane.exchange(request, request.length, ClientLane.NO_DEADLINE);
					assertThat(Arrays.equals(request, Arrays.copyOf(lane.response(), lane.responseLength()))).isTrue();
					answers.incrementAndGet();
				}
				finally {
					client.lanes().release(lane);
				}
			}
			catch (PathException ex) {
				assertThat(ex.reason()).isEqualTo(Reason.PEER_GONE);
				return System.nanoTime();
			}
		}
	}

}
