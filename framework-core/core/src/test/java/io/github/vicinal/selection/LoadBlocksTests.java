package io.github.vicinal.selection;

import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LoadBlocksTests {

	private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

	private static final long DWELL = 1_000 * MILLI;

	private final LoadBlocks blocks = new LoadBlocks();

	private long now = 10_000 * MILLI;

	/** Returns how many changes there were. */
	private int record(int calls, double inFlight, long apartNanos) {
		int changes = 0;
		for (int i = 0; i < calls; i++) {
			this.now += apartNanos;
			changes += this.blocks.record(inFlight, this.now, DWELL) ? 1 : 0;
		}
		return changes;
	}

	@Test
	void loadThatStaysHasChanged() {
		assertThat(record(100, 12, MILLI)).as("what is learned first").isZero();
		assertThat(this.blocks.stated()).isEqualTo(12);
		this.now += DWELL;
		assertThat(record(24, 1, MILLI)).isEqualTo(1);
		assertThat(this.blocks.stated()).isEqualTo(1);
		assertThat(record(10_000, 1, MILLI)).isZero();
	}

	@Test
	void callsAtOneMomentAreNoLoad() {
		record(1_000, 1, MILLI);
		this.now += DWELL;
		for (int i = 0; i < 100; i++) {
			assertThat(record(24, 24, 1_000)).isZero();
			assertThat(record(100, 1, MILLI)).isZero();
		}
		assertThat(this.blocks.stated()).isEqualTo(1);
	}

	@Test
	void loadThatFlickersHardlyEverChanges() {
		Random random = new Random(3);
		record(100, 2, MILLI);
		int changes = 0;
		for (int i = 0; i < 100_000; i++) {
			changes += record(1, 1 + random.nextInt(3), MILLI);
		}
		assertThat(changes).as("in 12,500 blocks").isLessThan(50);
	}

	@Test
	void loadThatComesAndGoesChangesAtMostOnceInADwellTime() {
		record(100, 1, MILLI);
		int changes = 0;
		long start = this.now;
		for (int i = 0; i < 1_000; i++) {
			changes += record(30, (i % 2 == 0) ? 12 : 1, MILLI);
		}
		assertThat(changes).isBetween(1, (int) ((this.now - start) / DWELL) + 1);
	}

	@Test
	void clockThatJumpsBackHoldsNothingUp() {
		record(100, 1, MILLI);
		this.now -= 3_600_000 * MILLI;
		assertThat(record(50, 12, MILLI)).isEqualTo(1);
	}

}
