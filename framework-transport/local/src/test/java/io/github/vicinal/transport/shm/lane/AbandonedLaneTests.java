package io.github.vicinal.transport.shm.lane;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.github.vicinal.transport.shm.bell.Bell;
import io.github.vicinal.transport.shm.bell.Bells;
import io.github.vicinal.transport.shm.waiting.WaitMode;

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
		MemoryFiles files = new MemoryFiles(this.directory);
		Segment segment = Segment.create(files, Segment.newName(), new SegmentLayout(4, 2048));
		segment.mode(WaitMode.parse("park"));
		LaneLimits limits = new LaneLimits(1 << 20, 1 << 20, Duration.ofSeconds(10));
		try (LaneClient client = new LaneClient("the other end", segment, new BrokenBells(), files, limits,
				(number, arena, bytes) -> {
				}, new PeerArenas(this.directory, 0, Duration.ZERO), (end) -> {
				})) {
			ClientLane lane = client.acquire(ClientLane.NO_DEADLINE);
			assertThatExceptionOfType(OutOfMemoryError.class)
				.isThrownBy(() -> lane.exchange(new byte[1], 1, ClientLane.NO_DEADLINE));
			client.release(lane);
			assertThat(client.quarantinedLanes()).isOne();
			assertThat(client.freeLanes()).isEqualTo(3);
		}
	}

	/** No memory is left for whoever wants to sleep. */
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
		public void close() {
		}

	}

}
