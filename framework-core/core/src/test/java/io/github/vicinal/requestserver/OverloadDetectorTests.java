package io.github.vicinal.requestserver;

import java.util.concurrent.TimeUnit;

import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.LongRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OverloadDetectorTests {

	private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

	private static final long INTERVAL = 100 * MILLI;

	private static final long TARGET = 5 * MILLI;

	/** One request can be served in a millisecond. */
	private static final long PACE = MILLI;

	private static final int LONG_QUEUE = 50;

	private static OverloadDetector detector() {
		ServiceTimes times = new ServiceTimes();
		times.record(TARGET, 1);
		return new OverloadDetector(INTERVAL, times);
	}

	@Property
	void oneShortWaitInEachIntervalIsNoOverload(@ForAll @IntRange(min = 0, max = 99) int shortAtMilli,
			@ForAll long start) {
		OverloadDetector detector = detector();
		for (int milli = 0; milli < 1_000; milli++) {
			long sojourn = (milli % 100 == shortAtMilli) ? TARGET : 500 * MILLI;
			detector.taken(sojourn, LONG_QUEUE, PACE, start + milli * MILLI);
			assertThat(detector.overloaded(PACE, start + milli * MILLI)).isFalse();
		}
	}

	@Property
	void aQueueThatStandsIsOverloadUntilLessComes(
			@ForAll @LongRange(min = Long.MIN_VALUE / 2, max = Long.MAX_VALUE / 2) long start) {
		OverloadDetector detector = standing(start);
		long now = start + INTERVAL;
		for (int window = 0; window < 20; window++) {
			for (int i = 0; i < 200; i++) {
				detector.arrived(i == 50, now + i * INTERVAL / 200);
			}
			now += INTERVAL;
			assertThat(detector.overloaded(PACE, now)).as("window %d", window).isTrue();
		}
		for (int i = 0; i < 90; i++) {
			detector.arrived(i == 50, now + i * INTERVAL / 90);
		}
		assertThat(detector.overloaded(PACE, now + INTERVAL - 1)).isTrue();
		assertThat(detector.overloaded(PACE, now + INTERVAL)).isFalse();
		assertThat(detector.episodes()).isOne();
	}

	private static OverloadDetector standing(long start) {
		OverloadDetector detector = detector();
		for (int milli = 0; milli < 100; milli++) {
			detector.taken(TARGET + 1, LONG_QUEUE, PACE, start + milli * MILLI);
			assertThat(detector.overloaded(PACE, start + milli * MILLI)).isFalse();
		}
		detector.taken(TARGET + 1, LONG_QUEUE, PACE, start + INTERVAL);
		assertThat(detector.overloaded(PACE, start + INTERVAL)).isTrue();
		return detector;
	}

	@Test
	void aQueueThatShrinksIsABurst() {
		OverloadDetector detector = detector();
		for (int milli = 0; milli < 1_000; milli++) {
			detector.taken(500 * MILLI, 1_000 - milli, PACE, milli * MILLI);
			assertThat(detector.overloaded(PACE, milli * MILLI)).isFalse();
		}
	}

	/**
	 * A burst, a second without arrivals, then twice as many as can be served. The pause
	 * must not make all that comes after it look uneven.
	 */
	@Test
	void overloadAfterAPauseIsNoticedSoon() {
		long pace = 10 * MILLI;
		OverloadDetector detector = detector();
		for (int i = 0; i < 150; i++) {
			detector.arrived(i == 0, 0);
		}
		long noticed = -1;
		int waiting = 150;
		for (int step = 0; step < 800 && noticed < 0; step++) {
			long now = step * pace;
			if (step >= 100) {
				detector.arrived(false, now);
				detector.arrived(false, now + pace / 2);
				waiting += 2;
			}
			waiting--;
			detector.taken(500 * MILLI, waiting, pace, now);
			noticed = detector.overloaded(pace, now) ? step - 100 : -1;
		}
		assertThat(noticed).isBetween(0L, 150L);
	}

	@Test
	void anEmptyQueueDoesNotStand() {
		OverloadDetector detector = detector();
		detector.taken(2 * TARGET, LONG_QUEUE, PACE, 0);
		detector.arrived(true, INTERVAL / 2);
		detector.taken(2 * TARGET, LONG_QUEUE, PACE, INTERVAL);
		assertThat(detector.overloaded(PACE, INTERVAL)).isFalse();
	}

	@Test
	void slowRequestsTakeALongerWindow() {
		long pace = 100 * MILLI;
		OverloadDetector detector = detector();
		detector.taken(2 * TARGET, LONG_QUEUE, pace, 0);
		detector.taken(2 * TARGET, LONG_QUEUE, pace, 31 * pace);
		assertThat(detector.overloaded(pace, 31 * pace)).isFalse();
		detector.taken(2 * TARGET, LONG_QUEUE, pace, 32 * pace);
		assertThat(detector.overloaded(pace, 32 * pace)).isTrue();
	}

	@Test
	void aClockThatIsSetBackStartsAnew() {
		OverloadDetector detector = standing(TimeUnit.HOURS.toNanos(1));
		assertThat(detector.overloaded(PACE, 0)).isTrue();
		assertThat(detector.overloaded(PACE, INTERVAL)).isTrue();
		detector.arrived(true, INTERVAL);
		assertThat(detector.overloaded(PACE, 2 * INTERVAL)).isFalse();
	}

}
