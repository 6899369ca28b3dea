package io.github.vicinal.benchmarks;

import java.util.Iterator;
import java.util.stream.DoubleStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SteadyStateTests {

	@Test
	void aSubjectIsSteadyOnceItsCostNoLongerFalls() {
		Iterator<Double> costs = DoubleStream
			.concat(DoubleStream.of(900, 500, 300, 200, 150, 130, 120, 110), DoubleStream.generate(() -> 100))
			.iterator();
		assertThat(SteadyState.await(costs::next)).isEqualTo(15);
	}

	@Test
	void aConstantSubjectIsSteadyAtOnce() {
		assertThat(SteadyState.await(() -> 5)).isEqualTo(8);
	}

	@Test
	void aSubjectWhoseCostGoesOnFallingIsReported() {
		Iterator<Double> costs = DoubleStream.iterate(1e9, (cost) -> cost * 0.9).iterator();
		assertThat(SteadyState.await(costs::next)).isEqualTo(-1);
	}

	@Test
	void aWindowThatFailsEndsTheWarmUp() {
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> SteadyState.await(() -> {
			throw new InterruptedException("on purpose");
		}));
	}

}
