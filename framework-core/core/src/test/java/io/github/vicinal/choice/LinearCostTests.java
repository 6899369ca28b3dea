package io.github.vicinal.choice;

import java.util.Random;

import org.junit.jupiter.api.Test;

import io.github.vicinal.testing.property.DoubleRange;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.Property;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class LinearCostTests {

	private final LinearCost cost = new LinearCost();

	@Property(tries = 200)
	void plantedCoefficientsAreRecovered(@ForAll @DoubleRange(min = 500, max = 1e6) double fixed,
			@ForAll @DoubleRange(min = 0.05, max = 20) double perByte, @ForAll long seed) {
		LinearCost learned = new LinearCost();
		Random random = new Random(seed);
		for (int i = 0; i < 20_000; i++) {
			long bytes = 100L << (2 * random.nextInt(8));
			double noise = 0.5 + random.nextDouble();
			learned.record(bytes, (fixed + perByte * bytes) * noise);
		}
		for (long bytes : new long[] { 100, 10_000, 1_000_000 }) {
			double expected = fixed + perByte * bytes;
			assertThat(learned.at(bytes)).as("%d bytes", bytes).isCloseTo(expected, within(0.2 * expected));
		}
	}

	@Test
	void exactCostsGiveExactCoefficients() {
		for (long bytes : new long[] { 10, 3_000, 50_000, 900_000 }) {
			for (int i = 0; i < 10; i++) {
				this.cost.record(bytes, 2_000 + 0.5 * bytes);
			}
		}
		assertThat(this.cost.fixed()).isCloseTo(2_000, within(1e-3));
		assertThat(this.cost.perByte()).isCloseTo(0.5, within(1e-6));
		assertThat(this.cost.knowsSlope()).isTrue();
	}

	@Test
	void equalSizesShowNoCostPerByte() {
		for (int i = 0; i < 100; i++) {
			this.cost.record(500, 1_000 + i);
		}
		assertThat(this.cost.knowsSlope()).isFalse();
		assertThat(this.cost.at(1_000_000)).isBetween(1_000.0, 1_100.0);
	}

	@Test
	void nothingIsKnownAtFirstNorWhenForgotten() {
		assertThat(this.cost.at(100)).isNaN();
		this.cost.record(100, 5);
		assertThat(this.cost.at(100)).isEqualTo(5);
		this.cost.forget();
		assertThat(this.cost.fixed()).isNaN();
		assertThat(this.cost.meanBytes(0)).isNaN();
	}

	@Test
	void costThatFallsWithSizeHasNoNegativeCoefficients() {
		for (int i = 0; i < 50; i++) {
			this.cost.record(100, 10_000);
			this.cost.record(100_000, 1_000);
		}
		assertThat(this.cost.perByte()).isZero();
		assertThat(this.cost.fixed()).isPositive();
	}

	@Test
	void classesCoverAllSizes() {
		assertThat(LinearCost.sizeClass(0)).isZero();
		assertThat(LinearCost.sizeClass(1024)).isZero();
		assertThat(LinearCost.sizeClass(1025)).isEqualTo(1);
		assertThat(LinearCost.sizeClass(Long.MAX_VALUE)).isEqualTo(LinearCost.SIZE_CLASSES - 1);
		for (int k = 0; k < LinearCost.SIZE_CLASSES - 1; k++) {
			assertThat(LinearCost.sizeClass(LinearCost.largest(k))).isEqualTo(k);
			assertThat(LinearCost.sizeClass(LinearCost.largest(k) + 1)).isEqualTo(k + 1);
		}
	}

}
