package io.github.vicinal.channel;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Bounds of what it costs, and takes, to notice that an address has moved. */
class ConfirmationTests {

	/** The default of {@code vicinal.confirm-interval}. */
	private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(4);

	private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

	private static final int CALLS = 300_000;

	/** The clock is that of the calls. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void oneCallInAThousandIsEnoughToNoticeWithinFiveSeconds(boolean idempotent) {
		Confirmation confirmation = new Confirmation(INTERVAL_NANOS);
		confirmation.confirmed();
		long start = System.nanoTime();
		long last = start;
		long longest = 0;
		int taken = 0;
		for (int i = 0; i < CALLS; i++) {
			long now = start + i * PAUSE_NANOS;
			if (confirmation.takes(now, idempotent)) {
				taken++;
				longest = Math.max(longest, now - last);
				last = now;
			}
		}
		assertThat(longest).isLessThan(TimeUnit.SECONDS.toNanos(5));
		assertThat(start + CALLS * PAUSE_NANOS - last).isLessThan(TimeUnit.SECONDS.toNanos(5));
		assertThat(taken).isLessThan(CALLS / 1000);
	}

	@Test
	void nothingIsConfirmedThatWasNeverKnown() {
		assertThat(new Confirmation(INTERVAL_NANOS).takes(System.nanoTime() + 2 * INTERVAL_NANOS, true)).isFalse();
	}

	@Test
	void anIntervalOfNothingConfirmsNothing() {
		Confirmation confirmation = new Confirmation(0);
		confirmation.confirmed();
		assertThat(confirmation.takes(System.nanoTime() + 2 * INTERVAL_NANOS, true)).isFalse();
		assertThat(confirmation.endsConnection(System.nanoTime() + 2 * INTERVAL_NANOS)).isFalse();
	}

}
