package io.github.vicinal.choice;

import java.util.concurrent.TimeUnit;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class PeakEwmaTests {

	private final PeakEwma mean = new PeakEwma(1_000);

	@Test
	void risesAtOnceAndDecaysSlowly() {
		assertThat(this.mean.value()).isNaN();
		assertThat(this.mean.value(1)).isNaN();
		this.mean.record(10, 0);
		this.mean.record(100, 1);
		assertThat(this.mean.value()).isEqualTo(100);
		this.mean.record(10, 1);
		assertThat(this.mean.value()).as("no time has passed").isEqualTo(100);
		this.mean.record(10, 1_001);
		assertThat(this.mean.value()).isCloseTo(10 + 90 / Math.E, within(1e-5));
	}

	@Test
	void readersSeeItDecayed() {
		this.mean.record(9_000, 1);
		assertThat(this.mean.value(1)).isEqualTo(9_000);
		assertThat(this.mean.value(1_001)).isCloseTo(9_000 / Math.E, within(1e-2));
		assertThat(this.mean.value(100_000)).isCloseTo(0, within(1e-9));
		assertThat(this.mean.value()).as("as of the last sample").isEqualTo(9_000);
	}

	@Test
	void clockThatGoesBackChangesNothing() {
		this.mean.record(100, 1_000_000);
		this.mean.record(10, 0);
		assertThat(this.mean.value()).isEqualTo(100);
		assertThat(this.mean.value(-50_000)).isEqualTo(100);
	}

	/** Nanoseconds of any origin, and more of them than fit into 32 bits. */
	@Test
	void nanosecondsDecayAsWell() {
		long decay = TimeUnit.SECONDS.toNanos(10);
		for (long origin : new long[] { 0, Long.MAX_VALUE - decay, Long.MIN_VALUE, -decay / 2, 1L << 51 }) {
			PeakEwma peak = new PeakEwma(decay);
			peak.record(1e6, origin);
			for (int i = 1; i <= 10_000; i++) {
				peak.record(0, origin + decay / 10_000 * i);
			}
			assertThat(peak.value()).as("from %d", origin).isCloseTo(1e6 / Math.E, within(1e3));
		}
	}

	/** One order of the calls explains what threads see. */
	@Test
	@Tag("deep")
	void itIsLinearizable() {
		new StressOptions().iterations(10)
			.invocationsPerIteration(300)
			.threads(3)
			.actorsPerThread(2)
			.check(Peaks.class);
		new ModelCheckingOptions().iterations(6)
			.invocationsPerIteration(150)
			.threads(2)
			.actorsPerThread(2)
			.check(Peaks.class);
	}

	/** The operations that Lincheck combines. */
	@Param(name = "sample", gen = IntGen.class, conf = "1:5")
	@Param(name = "time", gen = IntGen.class, conf = "1:5")
	public static class Peaks {

		private final PeakEwma peak = new PeakEwma(10_000);

		@Operation
		public void record(@Param(name = "sample") int sample, @Param(name = "time") int time) {
			this.peak.record(sample * 1_000, time * 1_000L);
		}

		@Operation
		public double value(@Param(name = "time") int time) {
			return this.peak.value(time * 1_000L);
		}

	}

}
