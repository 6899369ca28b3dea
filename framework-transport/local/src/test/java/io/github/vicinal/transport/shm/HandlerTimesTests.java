package io.github.vicinal.transport.shm;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HandlerTimesTests {

	private static final long SHORT = TimeUnit.MICROSECONDS.toNanos(3);

	private static final long HELD_UP = TimeUnit.MILLISECONDS.toNanos(4);

	private final HandlerTimes times = new HandlerTimes();

	private int callsUntilShort() {
		int calls = 0;
		while (!this.times.isShort(1)) {
			this.times.observe(SHORT);
			calls++;
		}
		return calls;
	}

	private void observe(int calls, long nanos) {
		for (int i = 0; i < calls; i++) {
			this.times.observe(nanos);
		}
	}

	@Test
	void handlerIsShortAfterSomeCallsInARow() {
		assertThat(callsUntilShort()).isEqualTo(HandlerTimes.TRIALS);
		assertThat(this.times.isShort(10)).isTrue();
		assertThat(this.times.isShort(100)).as("a batch that takes 300 us").isFalse();
	}

	@Test
	void handlerWithMeanTimeIsNotShort() {
		observe(1_000, 2 * HandlerTimes.SHORT_NANOS);
		assertThat(this.times.isShort(1)).isFalse();
	}

	@Test
	void longCallsThatFollowOneAnotherAreTrustedLess() {
		int last = callsUntilShort();
		for (int i = 0; i < 5; i++) {
			this.times.observe(HELD_UP);
			assertThat(this.times.isShort(1)).isFalse();
			int calls = callsUntilShort();
			assertThat(calls).isGreaterThan(last);
			last = calls;
		}
		for (int i = 0; i < 20; i++) {
			this.times.observe(HELD_UP);
			assertThat(callsUntilShort()).isLessThanOrEqualTo(HandlerTimes.MAX_TRIALS);
		}
	}

	@Test
	void callThatWasHeldUpOnceInAWhileChangesNothing() {
		callsUntilShort();
		for (int i = 0; i < 50; i++) {
			observe(HandlerTimes.RARE_CALLS, SHORT);
			this.times.observe(HELD_UP);
			assertThat(this.times.isShort(1)).isTrue();
		}
		this.times.observe(HELD_UP);
		assertThat(this.times.isShort(1)).as("two in a row").isFalse();
	}

	@Test
	void trialsAreForgivenAfterManyShortCalls() {
		callsUntilShort();
		for (int i = 0; i < 6; i++) {
			this.times.observe(HELD_UP);
			callsUntilShort();
		}
		observe(HandlerTimes.RARE_CALLS, SHORT);
		this.times.observe(HELD_UP);
		this.times.observe(HELD_UP);
		assertThat(callsUntilShort()).isBetween(2 * HandlerTimes.TRIALS, 4 * HandlerTimes.TRIALS);
	}

}
