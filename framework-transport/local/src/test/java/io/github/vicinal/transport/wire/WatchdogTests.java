package io.github.vicinal.transport.wire;

import java.nio.channels.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Deadlines. */
@Timeout(30)
class WatchdogTests {

	@Test
	void closesWhatIsDueAndNothingElse() throws Exception {
		try (Watchdog watchdog = new Watchdog("test-watchdog")) {
			List<Target> due = new ArrayList<>();
			List<Target> late = new ArrayList<>();
			for (int i = 0; i < 50; i++) {
				late.add(new Target(watchdog, TimeUnit.HOURS.toNanos(1)));
				due.add(new Target(watchdog, TimeUnit.MILLISECONDS.toNanos(50 - i)));
			}
			for (Target target : due) {
				target.closed.await();
				assertThat(target.timer.expired()).isTrue();
				assertThat(target.timer.disarm()).isFalse();
			}
			assertThat(late).allMatch((target) -> target.timer.disarm() && target.closed.getCount() == 1);
		}
	}

	@Test
	void disarmedInTimeIsNotClosed() throws Exception {
		try (Watchdog watchdog = new Watchdog("test-watchdog")) {
			AtomicInteger lost = new AtomicInteger();
			for (int i = 0; i < 2000; i++) {
				Target target = new Target(watchdog, TimeUnit.MICROSECONDS.toNanos(i % 100));
				boolean inTime = target.timer.disarm();
				target.timer.end();
				if (inTime) {
					assertThat(target.closed.getCount()).isEqualTo(1);
				}
				else {
					target.closed.await();
					lost.incrementAndGet();
				}
			}
			assertThat(lost.get()).isLessThanOrEqualTo(2000);
		}
	}

	@Test
	void failureOfOneLookHarmsNoOther() throws Exception {
		try (Watchdog watchdog = new Watchdog("test-watchdog")) {
			CountDownLatch failures = new CountDownLatch(3);
			watchdog.add((now) -> {
				if (failures.getCount() == 0) {
					return Watchdog.NEVER;
				}
				failures.countDown();
				throw new OutOfMemoryError("unable to create native thread");
			});
			watchdog.lookAt(watchdog.now());
			assertThat(failures.await(20, TimeUnit.SECONDS)).isTrue();
			Target target = new Target(watchdog, TimeUnit.MILLISECONDS.toNanos(5));
			assertThat(target.closed.await(20, TimeUnit.SECONDS)).isTrue();
		}
	}

	/** A channel that only knows whether it was closed. */
	private static final class Target implements Channel {

		private final CountDownLatch closed = new CountDownLatch(1);

		private final CallTimer timer;

		Target(Watchdog watchdog, long nanos) {
			this.timer = new CallTimer(watchdog, this);
			this.timer.begin();
			this.timer.arm(watchdog.now() + nanos);
		}

		@Override
		public boolean isOpen() {
			return this.closed.getCount() > 0;
		}

		@Override
		public void close() {
			this.closed.countDown();
		}

	}

}
