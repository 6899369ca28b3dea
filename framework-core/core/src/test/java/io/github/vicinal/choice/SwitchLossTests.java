package io.github.vicinal.choice;

import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class SwitchLossTests {

	private static final int OLD = 0;

	private static final int NEW = 1;

	private static final double INITIAL = 1000;

	private final SwitchingRule rule = new SwitchingRule(List.of("old", "new"), INITIAL, SwitchingSettings.defaults());

	private final SwitchLoss loss = new SwitchLoss(this.rule);

	private long now;

	@BeforeEach
	void start() {
		this.rule.available(OLD, 0);
		this.rule.available(NEW, 0);
	}

	private void record(int candidate, double cost, int times) {
		for (int i = 0; i < times; i++) {
			this.now += 1_000_000;
			this.loss.record(candidate, cost, this.now);
		}
	}

	/** Makes the new candidate known to cost 10, and switches to it. */
	private void fail() {
		record(OLD, 50, 4);
		record(NEW, 10, 4);
		this.loss.failed(OLD, this.now);
		assertThat(this.rule.current()).isEqualTo(NEW);
	}

	@Test
	void excessOfTheFirstCallsIsTheLoss() {
		fail();
		record(NEW, 310, 1);
		record(NEW, 110, 1);
		record(NEW, 10, SwitchLoss.FIRST_CALLS - 3);
		assertThat(this.rule.loss()).as("not known yet").isEqualTo(INITIAL);
		record(NEW, 10, 1);
		assertThat(this.rule.loss()).isCloseTo(INITIAL + 0.25 * (400 - INITIAL), within(1e-9));
	}

	@Test
	void cheaperCallsAreNoNegativeLoss() {
		fail();
		record(NEW, 1, SwitchLoss.FIRST_CALLS);
		assertThat(this.rule.loss()).isCloseTo(INITIAL * 0.75, within(1e-9));
	}

	@Test
	void laterCallsAndOtherCandidatesDoNotCount() {
		fail();
		record(NEW, 10, SwitchLoss.FIRST_CALLS);
		double measured = this.rule.loss();
		this.rule.available(OLD, this.now);
		record(NEW, 500, 1);
		record(OLD, 500, 1);
		assertThat(this.rule.loss()).isEqualTo(measured);
	}

	@Test
	void switchToTheUnknownIsNotMeasured() {
		record(OLD, 50, 4);
		this.loss.failed(OLD, this.now);
		record(NEW, 500, 2 * SwitchLoss.FIRST_CALLS);
		assertThat(this.rule.loss()).isEqualTo(INITIAL);
	}

}
