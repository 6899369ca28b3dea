package io.github.vicinal.report;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class LatencyHistogramTests {

	@Test
	void quantilesOfACoarseOneAreWithinABucket() {
		LatencyHistogram histogram = LatencyHistogram.coarse();
		assertThat(histogram.quantileNanos(0.5)).isZero();
		for (int i = 1; i <= 1000; i++) {
			histogram.record(i * 1000L);
		}
		assertThat(histogram.quantileNanos(0.5)).isBetween(500_000L, 625_000L);
		assertThat(histogram.quantileNanos(0.99)).isBetween(990_000L, 1_240_000L);
	}

	@Property(tries = 200)
	void quantilesOfAFineOneAreWithinOnePercent(@ForAll long seed) {
		java.util.Random random = new java.util.Random(seed);
		LatencyHistogram histogram = LatencyHistogram.fine();
		long[] durations = new long[1_000];
		double sum = 0;
		for (int i = 0; i < durations.length; i++) {
			durations[i] = (long) Math.pow(2, 9 + 32 * random.nextDouble());
			sum += durations[i];
			histogram.record(durations[i]);
		}
		Arrays.sort(durations);
		assertThat(histogram.count()).isEqualTo(durations.length);
		assertThat(histogram.sumNanos()).isCloseTo(sum, within(sum * 0.005));
		for (double quantile : new double[] { 0.001, 0.5, 0.99, 0.999, 1 }) {
			long exact = durations[(int) Math.ceil(quantile * durations.length) - 1];
			assertThat(histogram.quantileNanos(quantile)).isBetween(exact, (long) (exact * 1.008) + 1);
		}
	}

	@Test
	void aDurationMayCountSeveralTimes() {
		LatencyHistogram histogram = LatencyHistogram.fine();
		histogram.record(1_000, 99);
		histogram.record(1_000_000);
		assertThat(histogram.count()).isEqualTo(100);
		assertThat(histogram.quantileNanos(0.99)).isBetween(1_000L, 1_010L);
		assertThat(histogram.quantileNanos(1)).isBetween(1_000_000L, 1_010_000L);
	}

	@Test
	void valuesOutOfRangeCountAsTheSmallestOrTheLargest() {
		for (LatencyHistogram histogram : new LatencyHistogram[] { LatencyHistogram.coarse(),
				LatencyHistogram.fine() }) {
			histogram.record(Long.MIN_VALUE);
			histogram.record(0);
			assertThat(histogram.quantileNanos(1)).isBetween(1L, 1_000L);
			histogram.record(Long.MAX_VALUE);
			assertThat(histogram.quantileNanos(1)).isGreaterThan(TimeUnit.HOURS.toNanos(1));
			assertThat(histogram.count()).isEqualTo(3);
		}
	}

}
