package io.github.vicinal.choice;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class PeakEwmaTests {

	private final PeakEwma mean = new PeakEwma(1_000);

	@Test
	void risesAtOnceAndDecaysSlowly() {
		assertThat(this.mean.value()).isNaN();
		this.mean.record(10, 0);
		this.mean.record(100, 1);
		assertThat(this.mean.value()).isEqualTo(100);
		this.mean.record(10, 1_001);
		assertThat(this.mean.value()).isCloseTo(10 + 90 / Math.E, within(1e-9));
	}

	@Test
	void clockThatGoesBackChangesNothing() {
		this.mean.record(100, 1_000_000);
		this.mean.record(10, 0);
		assertThat(this.mean.value()).isEqualTo(100);
	}

}
