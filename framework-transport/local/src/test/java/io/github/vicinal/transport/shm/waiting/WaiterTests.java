package io.github.vicinal.transport.shm.waiting;

import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The rules of waiting, with a simulated clock and simulated competitors. */
class WaiterTests {

	private static final long LEARNED = WaitMode.parse("learned");

	private static final int PROCESSORS = 2;

	private final FakeState state = new FakeState();

	private final FakeProcessor processor = new FakeProcessor();

	private final Turn turn = new Turn();

	private Waiter client() {
		return new Waiter(this.state, this.processor, PROCESSORS, false);
	}

	private Waiter server() {
		return new Waiter(this.state, this.processor, PROCESSORS, true);
	}

	/** Waits for something that comes after a time. */
	private boolean await(Waiter waiter, boolean rang, long afterNanos) {
		long at = this.processor.now + afterNanos;
		return waiter.await(() -> this.processor.now >= at, this.turn, rang, LEARNED);
	}

	@Test
	void staysAwakeForAnswersThatComeSoon() {
		Waiter waiter = client();
		for (int i = 0; i < 1000; i++) {
			assertThat(await(waiter, false, 500)).isTrue();
		}
		assertThat(this.processor.yields).isZero();
		assertThat(waiter.describe(LEARNED)).isEqualTo("spin, then yield");
	}

	@Test
	void sleepsAtOnceIfTheServerHadToBeWoken() {
		Waiter waiter = client();
		assertThat(await(waiter, true, 500)).isFalse();
		assertThat(this.processor.spins + this.processor.yields).isZero();
	}

	@Test
	void isBoundedInEveryState() {
		Random random = new Random(1);
		Waiter[] waiters = { client(), server() };
		for (int i = 0; i < 20_000; i++) {
			this.state.activeLanes = random.nextInt(300) - 20;
			this.state.bannedUntil = random.nextBoolean() ? random.nextLong() : this.processor.now + random.nextInt();
			this.state.banPeriod = random.nextLong();
			this.state.peakLateness = random.nextBoolean() ? random.nextLong() : random.nextInt(20_000_000);
			this.processor.yieldNanos = (random.nextInt(20) == 0) ? random.nextInt(60_000_000) : 300;
			this.processor.now += random.nextInt(100_000);
			long before = this.processor.now;
			long yields = this.processor.lateNanos;
			waiters[i % 2].await(() -> false, this.turn, false, LEARNED);
			long own = this.processor.now - before - (this.processor.lateNanos - yields);
			// 256 lanes x 30 us, and what one round takes at most.
			assertThat(own).isLessThan(Waiter.AWAKE_NANOS * 128 + 200_000);
		}
	}

	@Test
	void stopsToTryWhatNeverPaysAndTriesAgainRarely() {
		Waiter waiter = client();
		int tried = 0;
		for (int i = 0; i < 10_000; i++) {
			long before = this.processor.now;
			await(waiter, false, TimeUnit.MILLISECONDS.toNanos(1));
			tried += (this.processor.now > before) ? 1 : 0;
			this.processor.now += TimeUnit.MILLISECONDS.toNanos(1);
		}
		assertThat(tried).isBetween(20, 100);
		for (int i = 0; i < Score.LONGEST_PAUSE + 1; i++) {
			await(waiter, false, 500);
		}
		long before = this.turn.asleep;
		for (int i = 0; i < 100; i++) {
			assertThat(await(waiter, false, 500)).isTrue();
		}
		assertThat(this.turn.asleep).isEqualTo(before);
	}

	@Test
	void sparseTrafficIsSleptThrough() {
		Waiter waiter = server();
		for (int i = 0; i < 5; i++) {
			waiter.slept(TimeUnit.MILLISECONDS.toNanos(1));
		}
		long before = this.processor.now;
		assertThat(await(waiter, false, 500)).isFalse();
		assertThat(this.processor.now).isEqualTo(before);
		assertThat(waiter.describe(LEARNED)).isEqualTo("park: calls are rare");
		for (int i = 0; i < 3; i++) {
			waiter.slept(TimeUnit.MICROSECONDS.toNanos(50));
		}
		assertThat(await(waiter, false, 500)).isTrue();
	}

	@Test
	void oneLateYieldBansYieldingOnBothSides() {
		this.state.activeLanes = 8;
		Waiter client = client();
		Waiter server = server();
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(5);
		await(client, false, TimeUnit.MILLISECONDS.toNanos(20));
		assertThat(client.bans()).isEqualTo(1);
		assertThat(this.state.bannedUntil - this.processor.now).isBetween(TimeUnit.MILLISECONDS.toNanos(30),
				TimeUnit.MILLISECONDS.toNanos(40));
		long yields = this.processor.yields;
		assertThat(await(server, false, 20_000)).isTrue();
		assertThat(await(client, false, 20_000)).isTrue();
		assertThat(await(client, false, 500_000)).isFalse();
		assertThat(this.processor.yields).isEqualTo(yields);
		assertThat(client.describe(LEARNED)).isEqualTo("spin: other threads want the processors");
	}

	@Test
	void reactsToHogsWithinTheirFirstSliceAndToTheirLeaving() {
		this.state.activeLanes = 1;
		Waiter waiter = client();
		int lateYields = 0;
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(5);
		long hogsSince = this.processor.now;
		while (waiter.bans() == 0) {
			await(waiter, false, 50_000);
			lateYields++;
		}
		assertThat(lateYields).isLessThanOrEqualTo(2);
		assertThat(this.processor.now - hogsSince).isLessThan(TimeUnit.MILLISECONDS.toNanos(10) + 100_000);
		this.processor.yieldNanos = 300;
		long left = this.processor.now;
		long yields = this.processor.yields;
		while (this.processor.yields == yields) {
			await(waiter, false, 50_000);
			this.processor.now += 10_000;
		}
		assertThat(this.processor.now - left).isLessThan(Bans.USUAL_MAX_BAN_NANOS);
	}

	@Test
	void bansDoubleAndAreForgottenAfterGoodYields() {
		Waiter waiter = client();
		long previous = 0;
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(3);
		for (int i = 0; i < 4; i++) {
			this.processor.now = this.state.bannedUntil + Bans.GRACE_NANOS + 1;
			awaitUntilBanned(waiter);
			long period = this.state.banPeriod;
			assertThat(period).isGreaterThan(previous).isLessThanOrEqualTo(Bans.USUAL_MAX_BAN_NANOS);
			previous = period;
		}
		this.processor.yieldNanos = 300;
		this.processor.now = this.state.bannedUntil + 1;
		for (int i = 0; i < 2 * Score.LONGEST_PAUSE; i++) {
			await(waiter, false, 50_000);
		}
		assertThat(this.state.banPeriod).isZero();
		assertThat(this.state.peakLateness).isZero();
	}

	private void awaitUntilBanned(Waiter waiter) {
		long bans = waiter.bans();
		while (waiter.bans() == bans) {
			await(waiter, false, TimeUnit.MILLISECONDS.toNanos(10));
		}
	}

	@Test
	void lateYieldJustAfterABanIsForgiven() {
		this.state.bannedUntil = this.processor.now - 1000;
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(3);
		Waiter waiter = client();
		await(waiter, false, 100_000);
		assertThat(waiter.bans()).isZero();
	}

	@Test
	void timeThatWentToOwnCallersIsNoReasonForABan() {
		this.state.activeLanes = 8;
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(3);
		this.processor.servedPerYield = 1000;
		Waiter waiter = client();
		await(waiter, false, TimeUnit.MILLISECONDS.toNanos(10));
		assertThat(waiter.bans()).isZero();
		assertThat(this.processor.yields).isPositive();
	}

	@Test
	void manyCompetitorsMeanSleepAndASingleProbe() {
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(40);
		Waiter waiter = client();
		awaitUntilBanned(waiter);
		assertThat(this.state.banPeriod).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
		long before = this.processor.now;
		assertThat(await(waiter, false, 500)).isFalse();
		assertThat(this.processor.now).isEqualTo(before);
		this.processor.now = this.state.bannedUntil + 1;
		Waiter probing = client();
		assertThat(await(probing, false, TimeUnit.SECONDS.toNanos(1))).isFalse();
		long yields = this.processor.yields;
		assertThat(await(client(), false, 50_000)).isFalse();
		assertThat(this.processor.yields).isEqualTo(yields);
		this.processor.now = this.state.bannedUntil + 1;
		this.processor.yieldNanos = 300;
		assertThat(await(client(), false, 50_000)).isTrue();
		assertThat(await(client(), false, 50_000)).isTrue();
		assertThat(this.state.peakLateness).isZero();
	}

	@Test
	void bansThatKeepComingEndInSleep() {
		this.processor.yieldNanos = Bans.LATE_NANOS;
		Waiter waiter = client();
		for (int i = 0; i <= Bans.MAX_BANS_PER_SECOND; i++) {
			this.state.bannedUntil = 0;
			this.state.banPeriod = 0;
			awaitUntilBanned(waiter);
		}
		this.state.bannedUntil = 0;
		long before = this.processor.now;
		for (int i = 0; i < 1000; i++) {
			assertThat(await(waiter, false, 500)).isFalse();
		}
		assertThat(this.processor.now).isEqualTo(before);
		assertThat(waiter.describe(LEARNED)).startsWith("park: yields");
		this.processor.now += Bans.FIRST_FALLBACK_NANOS + 1;
		this.processor.yieldNanos = 300;
		boolean awake = false;
		for (int i = 0; i < Score.LONGEST_PAUSE && !awake; i++) {
			awake = await(waiter, false, 500);
		}
		assertThat(awake).isTrue();
	}

	@Test
	void crowdSpinsForItsQuantumAndThenYields() {
		this.state.activeLanes = 8;
		Waiter waiter = client();
		this.turn.offNanos = this.processor.now;
		assertThat(await(waiter, false, 10_000)).isTrue();
		assertThat(this.processor.yields).isZero();
		this.processor.now += Waiter.FAIRNESS_NANOS / 8;
		assertThat(await(waiter, false, 10_000)).isTrue();
		assertThat(this.processor.yields).isEqualTo(1);
	}

	@Test
	void largeCrowdOnlyYields() {
		this.state.activeLanes = 32;
		Waiter waiter = client();
		this.turn.offNanos = this.processor.now;
		assertThat(await(waiter, false, 10_000)).isTrue();
		assertThat(this.processor.spins).isZero();
		assertThat(this.processor.yields).isPositive();
	}

	@Test
	void fixedWaysDoWhatTheySay() {
		Waiter waiter = client();
		waiter.await(() -> false, this.turn, false, WaitMode.parse("spin-20+yield-3"));
		assertThat(this.processor.spins).isEqualTo(20);
		assertThat(this.processor.yields).isEqualTo(3);
		waiter.await(() -> false, this.turn, false, WaitMode.parse("park"));
		assertThat(this.processor.spins).isEqualTo(20);
	}

	@ParameterizedTest
	@ValueSource(strings = { "learned", "park", "spin-2000", "yield-50", "spin-200+yield-50" })
	void namesComeBack(String name) {
		assertThat(WaitMode.name(WaitMode.parse(name))).isEqualTo(name);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "spin", "spin--1", "yield-99999999", "busy", "spin-1+", "LEARNED" })
	void otherNamesAreRefused(String name) {
		if (name.equals("spin-1+")) {
			assertThat(WaitMode.name(WaitMode.parse(name))).isEqualTo("spin-1");
			return;
		}
		assertThatIllegalArgumentException().isThrownBy(() -> WaitMode.parse(name)).withMessageContaining("'");
	}

	@Test
	void anyWordIsABoundedMode() {
		Random random = new Random(3);
		for (int i = 0; i < 1000; i++) {
			long mode = random.nextLong();
			assertThat(WaitMode.spins(mode)).isBetween(0, WaitMode.MAX_SPINS);
			assertThat(WaitMode.yields(mode)).isBetween(0, WaitMode.MAX_YIELDS);
		}
	}

	/** A spin takes 50 ns, a look at the clock 25 ns. */
	private final class FakeProcessor implements Processor {

		long now = TimeUnit.SECONDS.toNanos(100);

		long yieldNanos = 300;

		long servedPerYield;

		long spins;

		long yields;

		long lateNanos;

		@Override
		public long nanos() {
			return this.now;
		}

		@Override
		public void spin() {
			this.spins++;
			this.now += 50;
		}

		@Override
		public void yieldToOthers() {
			this.yields++;
			this.now += this.yieldNanos;
			if (this.yieldNanos > 1000) {
				this.lateNanos += this.yieldNanos;
			}
			WaiterTests.this.state.served += this.servedPerYield;
		}

	}

	/** Plain fields. */
	private static final class FakeState implements SharedState {

		long bannedUntil;

		long banPeriod;

		long peakLateness;

		long served;

		int activeLanes = 1;

		@Override
		public long bannedUntil() {
			return this.bannedUntil;
		}

		@Override
		public void bannedUntil(long nanos) {
			this.bannedUntil = nanos;
		}

		@Override
		public boolean claimProbe(long expected, long nanos) {
			boolean claimed = this.bannedUntil == expected;
			this.bannedUntil = claimed ? nanos : this.bannedUntil;
			return claimed;
		}

		@Override
		public long banPeriod() {
			return this.banPeriod;
		}

		@Override
		public void banPeriod(long nanos) {
			this.banPeriod = nanos;
		}

		@Override
		public long peakLateness() {
			return this.peakLateness;
		}

		@Override
		public void peakLateness(long nanos) {
			this.peakLateness = nanos;
		}

		@Override
		public long served() {
			return this.served;
		}

		@Override
		public void served(long calls) {
			this.served = calls;
		}

		@Override
		public int activeLanes() {
			return this.activeLanes;
		}

		@Override
		public void activeLanes(int lanes) {
			this.activeLanes = lanes;
		}

	}

}
