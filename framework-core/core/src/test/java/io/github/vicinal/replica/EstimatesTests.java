package io.github.vicinal.replica;

import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class EstimatesTests {

	@Test
	void estimatesFollowAndForgetSinglePauses() {
		LatencyEstimates estimates = new LatencyEstimates(1);
		for (int i = 0; i < 1_000; i++) {
			estimates.record(0, (i % 2 == 0) ? 900 : 1_100, i);
		}
		assertThat(estimates.mean(0)).isBetween(950f, 1_050f);
		assertThat(estimates.deviation(0)).isBetween(80f, 120f);
		assertThat(estimates.weight(0, 1_000)).isBetween(500f, 1_000f);
		estimates.record(0, 1e9f, 1_001);
		assertThat(estimates.mean(0)).as("after a pause").isLessThan(1_300);
		for (int i = 0; i < 600; i++) {
			estimates.record(0, 10_000, 1_002 + i);
		}
		assertThat(estimates.mean(0)).as("after a lasting change").isGreaterThan(9_000);
		assertThat(estimates.weight(0, 100_000)).isLessThan(0.01f);
	}

	@Property
	void cellsCoverAllNumbersInOrder(@ForAll @IntRange(min = 1, max = 100_000) int inFlight) {
		int cell = SaturationCurve.cell(inFlight);
		assertThat(cell).isBetween(0, SaturationCurve.CELLS - 1);
		assertThat(SaturationCurve.lowest(cell)).isLessThanOrEqualTo(inFlight);
		if (cell < SaturationCurve.CELLS - 1) {
			assertThat(SaturationCurve.lowest(cell + 1)).isGreaterThan(inFlight);
		}
	}

	@Property(tries = 100)
	void theCurveFindsWhereLatencyRises(@ForAll @IntRange(min = 1, max = 40) int servers, @ForAll long seed) {
		java.util.Random random = new java.util.Random(seed);
		SaturationCurve curve = new SaturationCurve();
		for (int i = 0; i < 40_000; i++) {
			int inFlight = 1 + random.nextInt(2 * servers);
			double latency = 1e6 * Math.max(1, (double) inFlight / servers) * (0.8 + 0.4 * random.nextDouble());
			curve.record(inFlight, (float) latency, i / 16);
		}
		curve.fit(40_000 / 16);
		assertThat(curve.atBest(1)).isBetween(0.9e6f, 1.6e6f);
		assertThat(curve.atWorst(Math.max(1, servers / 2))).isBetween(1e6f, 1.8e6f);
		assertThat(curve.atBest(2 * servers)).isGreaterThan(1.7e6f);
		assertThat(curve.atBest(20 * servers)).as("far beyond what was seen").isGreaterThan(5e6f);
		for (int i = 1; i < 3 * servers; i++) {
			assertThat(curve.atBest(i)).isLessThanOrEqualTo(curve.atWorst(i));
		}
		curve.fit(10_000_000);
		assertThat(curve.atWorst(1)).as("what is too old is forgotten").isEqualTo(SaturationCurve.UNKNOWN);
	}

}
