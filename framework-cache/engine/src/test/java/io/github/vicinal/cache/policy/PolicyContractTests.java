package io.github.vicinal.cache.policy;

import java.util.stream.Stream;

import io.github.vicinal.cache.aic.AicPolicy;
import io.github.vicinal.cache.testkit.PolicyCompatibilityKit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PolicyContractTests {

	static Stream<PolicyFactory> factories() {
		return Stream.of(Policies.LRU, Policies.MRU, Policies.FIFO, Policies.LFU, Policies.LFU_HISTORY, Policies.SLRU,
				Policies.S3_FIFO, Policies.LIRS, Policies.windowTinyLfu(0.01), Policies.windowTinyLfu(0.6),
				AicPolicy::new);
	}

	@ParameterizedTest
	@MethodSource("factories")
	void eachPolicyKeepsTheContract(PolicyFactory factory) {
		assertThatCode(() -> PolicyCompatibilityKit.check(factory)).doesNotThrowAnyException();
	}

	@Test
	void theKitFindsAPolicyThatInventsVictims() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> PolicyCompatibilityKit.check((slots, capacity) -> new Forgetful(slots)))
			.withMessageContaining("which was not there");
	}

	/** Evicts an entry, but says that it was another. */
	private static final class Forgetful implements ReplacementPolicy {

		private final SlotList list;

		Forgetful(Slots slots) {
			this.list = new SlotList(slots);
		}

		@Override
		public void onInsert(int slot) {
			this.list.addFirst(slot);
		}

		@Override
		public void onHit(int slot) {
		}

		@Override
		public void onRemove(int slot) {
			this.list.remove(slot);
		}

		@Override
		public int evict(int incoming) {
			return this.list.pollLast() + 1_000_000;
		}

		@Override
		public int pollHottest() {
			return this.list.pollFirst();
		}

		@Override
		public void adoptColder(int slot) {
			this.list.addLast(slot);
		}

	}

}
