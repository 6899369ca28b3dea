package io.github.vicinal.transport.tcp;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Ticks of guards: their interval, and how many come together. */
class GuardTickerTests {

	private static final long PERIOD_MILLIS = 3200;

	private static final long SLEEP_MILLIS = 15 * PERIOD_MILLIS;

	private final EmbeddedChannel channel = new EmbeddedChannel();

	private final GuardTicker ticker = new GuardTicker(this.channel.eventLoop(),
			TimeUnit.MILLISECONDS.toNanos(PERIOD_MILLIS), TimeUnit.MILLISECONDS.toNanos(SLEEP_MILLIS));

	private final List<Counting> guards = new ArrayList<>();

	@BeforeEach
	void freeze() {
		this.channel.freezeTime();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 64, 65, 1000, 5000 })
	void eachGuardTicksOncePerPeriod(int count) {
		add(count);
		int[] together = new int[1];
		int wakeUps = 0;
		for (int i = 0; i < 10 * PERIOD_MILLIS; i++) {
			int before = ticks();
			pass(1);
			int now = ticks() - before;
			together[0] = Math.max(together[0], now);
			wakeUps += (now > 0) ? 1 : 0;
		}
		assertThat(this.guards).allSatisfy((guard) -> assertThat(guard.ticks).isBetween(9, 11));
		assertThat(together[0]).isLessThanOrEqualTo(Math.max(64, count / 32 + 1));
		assertThat(wakeUps).isLessThanOrEqualTo(10 * Math.min(32, 1 + count / 64) + 1);
	}

	@Test
	void aGuardThatIsRemovedTicksNoMoreAndNoneNeedsATimer() {
		add(100);
		pass(PERIOD_MILLIS);
		this.guards.subList(0, 99).forEach((guard) -> guard.entry().remove());
		int before = ticks() - this.guards.get(99).ticks;
		pass(2 * PERIOD_MILLIS);
		assertThat(this.guards.get(99).ticks).isGreaterThan(1);
		assertThat(ticks() - this.guards.get(99).ticks).isEqualTo(before);
		this.guards.get(99).entry().remove();
		assertThat(this.channel.hasPendingTasks()).isFalse();
		assertThat(this.channel.runScheduledPendingTasks()).isEqualTo(-1);
	}

	@Test
	void guardsMayRemoveThemselvesAndOthersAsTheyTick() {
		add(200);
		for (int i = 0; i < 200; i++) {
			Counting other = this.guards.get((i + 7) % 200);
			Counting one = this.guards.get(i);
			one.then = () -> {
				one.entry().remove();
				other.entry().remove();
			};
		}
		pass(4 * PERIOD_MILLIS);
		assertThat(ticks()).isBetween(1, 200);
		assertThat(this.channel.runScheduledPendingTasks()).isEqualTo(-1);
		add(1);
		pass(PERIOD_MILLIS);
		assertThat(this.guards.get(200).ticks).isEqualTo(1);
	}

	@Test
	@Timeout(60)
	void guardsOfALoopThatHasEndedTickNoMoreAndCanBeRemoved() throws Exception {
		DefaultEventLoop loop = new DefaultEventLoop();
		GuardTicker real = new GuardTicker(loop, TimeUnit.MILLISECONDS.toNanos(1), TimeUnit.MILLISECONDS.toNanos(1));
		CountDownLatch ticked = new CountDownLatch(3);
		Counting guard = new Counting();
		guard.then = ticked::countDown;
		loop.submit(() -> guard.entry = real.add(guard)).sync();
		ticked.await();
		loop.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
		loop.terminationFuture().sync();
		int before = guard.ticks;
		guard.entry().remove();
		assertThat(loop.isTerminated()).isTrue();
		assertThat(guard.ticks).isEqualTo(before).isGreaterThanOrEqualTo(3);
	}

	/** A thousand connections without calls cost next to nothing. */
	@Test
	void guardsThatSleepTickOncePerSleepAndNeedFewWakeUps() {
		add(1000);
		this.guards.forEach((guard) -> guard.sleeps = true);
		pass(2 * PERIOD_MILLIS);
		assertThat(this.guards).allSatisfy((guard) -> assertThat(guard.ticks).isEqualTo(1));
		int wakeUps = 0;
		for (int i = 0; i < 4 * (SLEEP_MILLIS + PERIOD_MILLIS); i++) {
			int before = ticks();
			pass(1);
			wakeUps += (ticks() > before) ? 1 : 0;
		}
		assertThat(this.guards).allSatisfy((guard) -> assertThat(guard.ticks).isBetween(4, 5));
		assertThat(wakeUps).isLessThan(200);
	}

	/** They were opened at once, as when a server of many clients has come back. */
	@Test
	void manyGuardsThatWakeTogetherAreInTimeToAsk() {
		add(10_000);
		this.guards.forEach((guard) -> guard.sleeps = true);
		pass(2 * PERIOD_MILLIS);
		assertThat(this.guards).allSatisfy((guard) -> assertThat(guard.ticks).isEqualTo(1));
		// Each slept from its first tick on, and is to tick within two periods of waking.
		pass(SLEEP_MILLIS + 2 * PERIOD_MILLIS);
		assertThat(this.guards).allSatisfy((guard) -> assertThat(guard.ticks).isEqualTo(2));
	}

	@Test
	void aGuardThatIsWokenTicksWithinAPeriodAndTheOthersSleepOn() {
		add(100);
		this.guards.forEach((guard) -> guard.sleeps = true);
		pass(PERIOD_MILLIS);
		pass(5 * PERIOD_MILLIS);
		Counting woken = this.guards.get(50);
		assertThat(woken.entry().isAsleep()).isTrue();
		woken.sleeps = false;
		woken.entry().wake();
		woken.entry().wake();
		assertThat(woken.entry().isAsleep()).isFalse();
		pass(4 * PERIOD_MILLIS);
		assertThat(woken.ticks).isEqualTo(5);
		assertThat(ticks()).isEqualTo(100 + 4);
		this.guards.forEach((guard) -> guard.entry().remove());
		this.guards.forEach((guard) -> guard.entry().wake());
		assertThat(this.channel.runScheduledPendingTasks()).isEqualTo(-1);
		pass(SLEEP_MILLIS);
		assertThat(ticks()).isEqualTo(100 + 4);
	}

	/** As where memory is short while it sends a ping. */
	@Test
	void aGuardThatFailsKeepsNoOtherFromTicking() {
		add(3);
		this.guards.get(0).then = () -> {
			throw new IllegalStateException("for the test");
		};
		pass(5 * PERIOD_MILLIS);
		assertThat(this.guards).allSatisfy((guard) -> assertThat(guard.ticks).isBetween(4, 6));
	}

	private void add(int count) {
		for (int i = 0; i < count; i++) {
			Counting guard = new Counting();
			this.guards.add(guard);
			guard.entry = this.ticker.add(guard);
		}
	}

	private void pass(long millis) {
		for (long i = 0; i < millis; i++) {
			this.channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
			this.channel.runScheduledPendingTasks();
		}
	}

	private int ticks() {
		return this.guards.stream().mapToInt((guard) -> guard.ticks).sum();
	}

	private static final class Counting implements GuardTicker.Guard {

		private int ticks;

		private Runnable then = () -> {
		};

		private boolean sleeps;

		private GuardTicker.@Nullable Entry entry;

		GuardTicker.Entry entry() {
			return Objects.requireNonNull(this.entry);
		}

		@Override
		public boolean tick(long now) {
			this.ticks++;
			this.then.run();
			return this.sleeps;
		}

	}

}
