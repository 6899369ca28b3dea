package io.github.vicinal.transport.shm.lane;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import io.github.vicinal.path.PathException;
import io.github.vicinal.transport.shm.bell.Bell;
import io.github.vicinal.transport.shm.bell.Bells;
import io.github.vicinal.transport.shm.waiting.WaitMode;
import io.github.vicinal.transport.testing.Async;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A lane whose caller left without the answer is nobody else's until that has come. */
@Timeout(60)
class AbandonedLaneTests {

	private Path directory;

	@BeforeEach
	void create() throws Exception {
		this.directory = Files.createTempDirectory(Path.of("/dev/shm"), "vicinal-abandoned");
	}

	@AfterEach
	void delete() throws Exception {
		Segment.deleteOrphans(this.directory, Duration.ofSeconds(-10));
		Files.delete(this.directory);
	}

	@Test
	void whateverACallerThrowsItsLaneIsNotGivenToOthers() throws Exception {
		try (LaneClient client = client(4)) {
			ClientLane lane = client.acquire(ClientLane.NO_DEADLINE);
			abandon(lane);
			client.release(lane);
			assertThat(client.quarantinedLanes()).isOne();
			assertThat(client.freeLanes()).isEqualTo(3);
		}
	}

	@Test
	void eachOfManyLanesComesBackWithItsAnswer() throws Exception {
		try (LaneClient client = client(128)) {
			List<ClientLane> lanes = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				ClientLane lane = client.acquire(ClientLane.NO_DEADLINE);
				lanes.add(lane);
				abandon(lane);
			}
			lanes.forEach(client::release);
			assertThat(client.quarantinedLanes()).isEqualTo(100);
			assertThat(client.freeLanes()).isEqualTo(28);
			lanes.subList(0, 60).forEach((lane) -> answer(client, lane));
			client.release(client.acquire(ClientLane.NO_DEADLINE));
			assertThat(client.quarantinedLanes()).isEqualTo(40);
			assertThat(client.freeLanes()).isEqualTo(88);
			lanes.subList(60, 100).forEach((lane) -> answer(client, lane));
			client.release(client.acquire(ClientLane.NO_DEADLINE));
			assertThat(client.quarantinedLanes()).isZero();
			assertThat(client.freeLanes()).isEqualTo(128);
		}
	}

	/** There is no such slab: its memory could be anybody's. */
	@Test
	void answerInPlaceOfARequestWithoutASlabEndsThePair() throws Exception {
		try (LaneClient client = client(4)) {
			ClientLane lane = client.acquire(ClientLane.NO_DEADLINE);
			Segment segment = client.segment();
			segment.memory()
				.setInt(segment.layout().lines(lane.index()) + SegmentLayout.RESPONSE_PLACE, SegmentLayout.IN_REQUEST);
			answer(client, lane);
			assertThatExceptionOfType(PathException.class)
				.isThrownBy(() -> lane.exchange(new byte[1], 1, ClientLane.NO_DEADLINE))
				.withMessageContaining("in the slab of a request that had none");
			assertThat(client.whyEnded()).asString().contains("in the slab of a request that had none");
			client.release(lane);
		}
	}

	private LaneClient client(int lanes) throws Exception {
		MemoryFiles files = new MemoryFiles(this.directory);
		Segment segment = Segment.create(files, Segment.newName(), new SegmentLayout(lanes, 2048));
		segment.mode(WaitMode.parse("park"));
		LaneLimits limits = new LaneLimits(1 << 20, 1 << 20, Duration.ofSeconds(10));
		return new LaneClient("the other end", segment, new BrokenBells(), files, limits, (number, arena, bytes) -> {
		}, new PeerArenas(this.directory, 0), (end) -> {
		});
	}

	private static void abandon(ClientLane lane) {
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> lane.exchange(new byte[1], 1, ClientLane.NO_DEADLINE));
	}

	/** To the first call. */
	private static void answer(LaneClient client, ClientLane lane) {
		Segment segment = client.segment();
		segment.memory().setLongRelease(segment.layout().lines(lane.index()) + SegmentLayout.RESPONSE_SEQUENCE, 1);
	}

	/** Else callers that wait would take the processors that the other side needs. */
	@Test
	void oneWaiterLooksAtLanesInQuarantine() throws Exception {
		MemoryFiles files = new MemoryFiles(this.directory);
		SegmentLayout layout = new SegmentLayout(1, 2048);
		Segment segment = Segment.create(files, Segment.newName(), layout);
		segment.mode(WaitMode.parse("park"));
		LaneLimits limits = new LaneLimits(1 << 20, 1 << 20, Duration.ofHours(1));
		try (LaneClient client = new LaneClient("the other end", segment, new BrokenBells(), files, limits,
				(number, arena, bytes) -> {
				}, new PeerArenas(this.directory, 0), (end) -> {
				})) {
			ClientLane only = client.acquire(ClientLane.NO_DEADLINE);
			List<Thread> callers = new ArrayList<>();
			for (int i = 0; i < 6; i++) {
				Thread caller = new Thread(() -> {
					try {
						client.release(client.acquire(ClientLane.NO_DEADLINE));
					}
					catch (PathException ex) {
						throw new IllegalStateException(ex);
					}
				});
				callers.add(caller);
				caller.start();
			}
			Async.await(() -> callers.stream().allMatch((caller) -> caller.getState() == Thread.State.TIMED_WAITING));
			assertThatExceptionOfType(OutOfMemoryError.class)
				.isThrownBy(() -> only.exchange(new byte[1], 1, ClientLane.NO_DEADLINE));
			client.release(only);
			long[] before = waits(callers);
			Async.await(() -> Arrays.stream(changes(before, waits(callers))).max().orElse(0) > 20);
			// One may have been woken to look, and then not been the first.
			assertThat(Arrays.stream(changes(before, waits(callers))).filter((count) -> count > 5)).hasSize(1);
			segment.memory().setLongVolatile(layout.lines(0) + SegmentLayout.RESPONSE_SEQUENCE, 1);
			for (Thread caller : callers) {
				caller.join();
			}
			assertThat(client.freeLanes()).isOne();
		}
	}

	private static long[] waits(List<Thread> threads) {
		return threads.stream().mapToLong((thread) -> {
			ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId());
			return (info != null) ? info.getWaitedCount() : 0;
		}).toArray();
	}

	private static long[] changes(long[] before, long[] after) {
		return IntStream.range(0, before.length).mapToLong((i) -> after[i] - before[i]).toArray();
	}

	/** No memory is left for a thread that wants to sleep. */
	private static final class BrokenBells implements Bells {

		private final Bell bell = new Bell() {

			@Override
			public void await(long nanos) {
				throw new OutOfMemoryError("Direct buffer memory");
			}

			@Override
			public void ring() {
			}

		};

		@Override
		public String kind() {
			return "broken";
		}

		@Override
		public Bell server() {
			return this.bell;
		}

		@Override
		public Bell poller() {
			return this.bell;
		}

		@Override
		public Bell lane(int lane) {
			return this.bell;
		}

		@Override
		public int lanes() {
			return Integer.MAX_VALUE;
		}

		@Override
		public void close() {
		}

	}

}
