package io.github.vicinal.requestserver;

import java.util.concurrent.TimeUnit;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OverloadDetectorTests {

	private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

	private static final long INTERVAL = 100 * MILLI;

	private static final long TARGET = 5 * MILLI;

	@Property
	void oneShortWaitInEachIntervalIsNoOverload(@ForAll @IntRange(min = 0, max = 99) int shortAtMilli,
			@ForAll long start) {
		OverloadDetector detector = new OverloadDetector(INTERVAL);
		for (int milli = 0; milli < 1_000; milli++) {
			long sojourn = (milli % 100 == shortAtMilli) ? TARGET : 500 * MILLI;
			detector.taken(sojourn, TARGET, start + milli * MILLI);
			assertThat(detector.overloaded()).isFalse();
		}
	}

	@Property
	void aQueueThatStandsIsOverloadUntilItDoesNot(@ForAll long start) {
		OverloadDetector detector = new OverloadDetector(INTERVAL);
		for (int milli = 0; milli < 100; milli++) {
			detector.taken(TARGET + 1, TARGET, start + milli * MILLI);
			assertThat(detector.overloaded()).isFalse();
		}
		detector.taken(TARGET + 1, TARGET, start + INTERVAL);
		assertThat(detector.overloaded()).isTrue();
		detector.taken(TARGET, TARGET, start + INTERVAL + 1);
		assertThat(detector.overloaded()).isFalse();
		assertThat(detector.episodes()).isOne();
	}

	@Test
	void anEmptyQueueEndsOverload() {
		OverloadDetector detector = new OverloadDetector(INTERVAL);
		detector.taken(2 * TARGET, TARGET, 0);
		detector.taken(2 * TARGET, TARGET, INTERVAL);
		assertThat(detector.overloaded()).isTrue();
		detector.empty();
		assertThat(detector.overloaded()).isFalse();
		detector.taken(2 * TARGET, TARGET, 2 * INTERVAL);
		assertThat(detector.overloaded()).isFalse();
	}

}
