package io.github.vicinal.testing.property;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

/** Property tests try what they say, always the same, and name what failed. */
@ResourceLock("vicinal.test.seed")
class PropertyTests {

	private static final List<List<Object>> SEEN = new ArrayList<>();

	@BeforeEach
	void forget() {
		SEEN.clear();
	}

	private static EngineExecutionResults run(Class<?> type) {
		return EngineTestKit.engine("junit-jupiter")
			.selectors(selectClass(type))
			.configurationParameter("junit.platform.execution.listeners.deactivate", "*")
			.execute();
	}

	@Test
	void triesAreAsManyAsDemandedAndTheSameEachTime() {
		run(Holds.class).testEvents().assertStatistics((stats) -> stats.succeeded(1));
		List<List<Object>> first = List.copyOf(SEEN);
		SEEN.clear();
		run(Holds.class);
		assertThat(first).hasSize(500).isEqualTo(SEEN);
		assertThat(first.stream().map((each) -> each.get(0)).distinct()).contains(3, 4, 10, 11).doesNotContain(2, 12);
	}

	@Test
	void deepTriesBeginWithThoseOfTheBuild() {
		String before = System.getProperty("vicinal.test.deep");
		try {
			System.setProperty("vicinal.test.deep", "false");
			run(Deepened.class);
			List<List<Object>> first = List.copyOf(SEEN);
			SEEN.clear();
			System.setProperty("vicinal.test.deep", "true");
			run(Deepened.class);
			assertThat(first).hasSize(5).isEqualTo(SEEN.subList(0, 5));
			assertThat(SEEN).hasSize(12);
		}
		finally {
			if (before != null) {
				System.setProperty("vicinal.test.deep", before);
			}
			else {
				System.clearProperty("vicinal.test.deep");
			}
		}
	}

	@Test
	void aSeedGivesOtherValuesThatComeAgain() {
		run(Holds.class);
		List<List<Object>> fixed = List.copyOf(SEEN);
		withSeed("7", (seed) -> run(Holds.class));
		List<List<Object>> seven = List.copyOf(SEEN.subList(500, 1000));
		assertThat(seven).isNotEqualTo(fixed);
		withSeed("7", (seed) -> run(Holds.class));
		assertThat(SEEN.subList(1000, 1500)).isEqualTo(seven);
	}

	@Test
	void aFailureNamesTrySeedAndArguments() {
		withSeed("12",
				(seed) -> run(Fails.class).testEvents()
					.assertThatEvents()
					.haveExactly(1, finishedWithFailure(message((text) -> text.matches(
							"(?s)Try \\d+ of 1000 with seed 12 \\(repeat with -Dvicinal.test.seed=12\\): value=\\d+: "
									+ ".*AssertionError: too large")))));
	}

	@Test
	void aRandomSeedIsNamedToo() {
		withSeed("random",
				(seed) -> run(Fails.class).testEvents()
					.assertThatEvents()
					.haveExactly(1, finishedWithFailure(message((text) -> text.contains("with seed ")))));
	}

	@Test
	void aTypeThatCannotBeGeneratedIsAnError() {
		run(Unknown.class).testEvents().assertStatistics((stats) -> stats.failed(1));
	}

	@Test
	void rangesAreKept(TestInfo info) {
		assertThat(info.getDisplayName()).isNotEmpty();
		Gen gen = new Gen(1);
		for (long[] range : new long[][] { { 0, 0 }, { -3, 2 }, { Long.MIN_VALUE, Long.MAX_VALUE },
				{ 5, Long.MAX_VALUE }, { Long.MIN_VALUE, -5 }, { 1, 2000 } }) {
			for (int i = 0; i < 2000; i++) {
				assertThat(gen.integer(range[0], range[1])).isBetween(range[0], range[1]);
			}
		}
		for (int i = 0; i < 1000; i++) {
			assertThat(gen.text(2, 5)).hasSizeBetween(2, 5);
			assertThat(gen.bytes(0, 3)).hasSizeBetween(0, 3);
			assertThat(gen.number(0.5, 2)).isBetween(0.5, 2.0);
			assertThat(gen.list(1, 2, gen::bool)).hasSizeBetween(1, 2);
			assertThat(gen.map(3, gen::bool, gen::bool)).hasSizeLessThan(3);
		}
	}

	private static void withSeed(String seed, Consumer<String> action) {
		System.setProperty(PropertyExtension.SEED, seed);
		try {
			action.accept(seed);
		}
		finally {
			System.clearProperty(PropertyExtension.SEED);
		}
	}

	static class Deepened {

		@Property(tries = 5, deepTries = 12)
		void holds(@ForAll long any) {
			SEEN.add(List.of(any));
		}

	}

	static class Holds {

		private int calls;

		@Property(tries = 500)
		void holds(@ForAll @IntRange(min = 3, max = 11) int number, @ForAll long any,
				@ForAll("pairs") List<String> pair, @ForAll @Size(2) byte[] bytes) {
			assertThat(++this.calls).as("an instance for each property").isLessThanOrEqualTo(500);
			assertThat(pair).hasSize(2);
			SEEN.add(List.of(number, any, pair, Arrays.toString(bytes)));
		}

		List<String> pairs(Gen gen) {
			return List.of(gen.text(0, 5), gen.text("ab", 3));
		}

	}

	static class Fails {

		@Property
		void fails(@ForAll @IntRange(max = 1000) int value) {
			assertThat(value).isGreaterThanOrEqualTo(0);
			if (value > 500) {
				throw new AssertionError("too large");
			}
		}

	}

	static class Unknown {

		@Property
		void unknown(@ForAll Thread thread) {
			throw new AssertionError(thread);
		}

	}

}
