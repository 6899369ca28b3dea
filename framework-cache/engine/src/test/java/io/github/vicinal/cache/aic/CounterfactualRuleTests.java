package io.github.vicinal.cache.aic;

import java.util.List;
import java.util.Random;

import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class CounterfactualRuleTests {

	private final Random random = new Random(11);

	private final CounterfactualRule rule = new CounterfactualRule(List.of("a", "b", "c"), 0, 256);

	/** The real system does what the simulation of the candidate in use does. */
	private void run(int calls, double... rates) {
		for (int i = 0; i < calls; i += CounterfactualRule.BATCH) {
			long[] simulated = new long[rates.length];
			for (int j = 0; j < rates.length; j++) {
				simulated[j] = outcomes(this.random, rates[j]);
			}
			this.rule.record(simulated, simulated[this.rule.current()]);
		}
	}

	private static long outcomes(Random random, double rate) {
		long outcomes = 0;
		for (int i = 0; i < CounterfactualRule.BATCH; i++) {
			outcomes |= (random.nextDouble() < rate) ? 1L << i : 0;
		}
		return outcomes;
	}

	@Test
	void theBetterCandidateIsTakenAndTheNumbersAreReported() {
		run(10_000, 0.5, 0.6, 0.4);
		assertThat(this.rule.current()).isEqualTo(1);
		assertThat(this.rule.switches()).isEqualTo(1);
		assertThat(this.rule.reverts()).isZero();
		assertThat(this.rule.recentRate(1)).isBetween(0.55, 0.65);
		assertThat(this.rule.rate(2)).isBetween(0.35, 0.45);
		assertThat(this.rule.realRate()).isBetween(0.5, 0.65);
		assertThat(this.rule.decisions()).singleElement()
			.satisfies((decision) -> assertThat(decision.toString()).startsWith("a -> b: (").contains("calls > loss"));
	}

	@Test
	void equalCandidatesAreLeftAlone() {
		run(500_000, 0.5, 0.5, 0.5);
		assertThat(this.rule.switches()).isLessThanOrEqualTo(6);
	}

	@Test
	void aSwitchThatLosesIsTakenBack() {
		// The simulation promises what the real system does not keep.
		int fooled = 0;
		for (int i = 0; i < 20_000; i += CounterfactualRule.BATCH) {
			fooled += CounterfactualRule.BATCH * this.rule.current();
			long kept = outcomes(this.random, 0.5);
			long[] simulated = { kept, outcomes(this.random, 0.7), 0 };
			this.rule.record(simulated, (this.rule.current() == 0) ? kept : 0);
		}
		assertThat(fooled).as("calls by the candidate that does not keep its promise").isLessThan(6_000);
		assertThat(this.rule.reverts()).isPositive();
		assertThat(this.rule.decisions()).anyMatch((decision) -> decision.cause() == PolicySwitch.Cause.LOSS)
			.anyMatch((decision) -> decision.toString().contains("reverted, lost"));
	}

	/**
	 * The second candidate stays far below its simulation, but above what was used first,
	 * so that the switch is not taken back. Returns the calls by it.
	 */
	private int runBroken(int calls) {
		int fooled = 0;
		for (int i = 0; i < calls; i += CounterfactualRule.BATCH) {
			fooled += (this.rule.current() == 1) ? CounterfactualRule.BATCH : 0;
			long[] simulated = { outcomes(this.random, 0.2), outcomes(this.random, 0.6), outcomes(this.random, 0.5) };
			long real = (this.rule.current() == 1) ? outcomes(this.random, 0.25) : simulated[this.rule.current()];
			this.rule.record(simulated, real);
		}
		return fooled;
	}

	@Test
	void aCandidateThatStaysFarBelowItsSimulationIsLeft() {
		assertThat(runBroken(200_000)).as("calls of 200,000 by the candidate that does not keep its promise")
			.isLessThan(20_000);
		assertThat(this.rule.current()).isEqualTo(2);
	}

	@Test
	void aPromiseThatIsAlwaysBrokenIsRarelyTriedAndTakenOnceItHolds() {
		assertThat(runBroken(4_000_000)).as("calls of 4,000,000 by the candidate that does not keep its promise")
			.isLessThan(80_000);
		assertThat(this.rule.current()).isEqualTo(2);
		run(2_000_000, 0.2, 0.6, 0.5);
		assertThat(this.rule.current()).isEqualTo(1);
	}

	@Test
	void candidatesThatTakeTurnsMakeItWaitLonger() {
		for (int phase = 0; phase < 400; phase++) {
			run(500, (phase % 2 == 0) ? 0.8 : 0.2, (phase % 2 == 0) ? 0.2 : 0.8, 0.1);
		}
		assertThat(this.rule.switches()).isLessThan(100);
	}

	@Property(tries = 100)
	void whateverHappensTheCurrentCandidateIsOneOfThem(@ForAll long seed,
			@ForAll @IntRange(min = 1, max = 16) int count) {
		Random chance = new Random(seed);
		List<String> names = List.of("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14",
				"15");
		CounterfactualRule any = new CounterfactualRule(names.subList(0, count), 0, 1 + chance.nextInt(1000));
		int before = 0;
		long changes = 0;
		for (int i = 0; i < 1_000; i++) {
			long[] simulated = chance.longs(count).toArray();
			boolean changed = any.record(simulated, chance.nextLong());
			assertThat(any.current()).isBetween(0, count - 1);
			assertThat(changed).isEqualTo(any.current() != before);
			changes += changed ? 1 : 0;
			before = any.current();
		}
		assertThat(any.switches()).isEqualTo(changes);
		assertThat(any.calls()).isEqualTo(1_000 * CounterfactualRule.BATCH);
	}

	@Test
	void nonsenseIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> new CounterfactualRule(List.of(), 0, 1));
		assertThatIllegalArgumentException().isThrownBy(() -> new CounterfactualRule(List.of("a"), 0, 0));
	}

}
