package io.github.vicinal.transport.shm.waiting;

import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The rules of waiting, with a simulated clock and simulated competitors. */
@Tag("every-jdk")
class WaiterTests {

	private static final long LEARNED = WaitMode.parse("learned");

	private static final int PROCESSORS = 2;

	private final FakeState state = new FakeState();

	private final FakeProcessor processor = new FakeProcessor();

	private final WaitHistory history = new WaitHistory();

	private Waiter client() {
		return new Waiter(this.state, this.processor, PROCESSORS, false);
	}

	private Waiter server() {
		return new Waiter(this.state, this.processor, PROCESSORS, true);
	}

	/** Sleeps for an answer that has come then. */
	private void sleepFor(long nanos) {
		this.processor.now += nanos;
		this.history.ended(this.processor.now);
	}

	/** Waits for something that comes after a time. */
	private boolean await(Waiter waiter, boolean rang, long afterNanos) {
		long at = this.processor.now + afterNanos;
		boolean met = waiter.await(() -> this.processor.now >= at, this.history, rang, LEARNED);
		if (!met) {
			// A caller does so when it has woken up.
			this.history.ended(this.processor.now);
		}
		return met;
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
		assertThat(waiter.describe(LEARNED)).isEqualTo("park: calls had to wake the server");
	}

	@Test
	void aCallerThatCallsOnceInAWhileSleeps() {
		Waiter waiter = client();
		for (int i = 0; i < 20; i++) {
			this.processor.now += 1_000_000;
			boolean awake = await(waiter, false, 500);
			assertThat(awake).as("call %d", i).isEqualTo(i < Waiter.SPARSE - 1);
		}
		assertThat(waiter.describe(LEARNED)).isEqualTo("park: calls are rare");
		assertThat(waiter.lastDecision()).endsWith("sleep at once: calls are rare");
		assertThat(waiter.decisions()).isOne();
		for (int i = 0; i < Waiter.MOST_SPARSE; i++) {
			await(waiter, false, 500);
		}
		assertThat(await(waiter, false, 500)).as("after many calls in a row").isTrue();
		assertThat(waiter.describe(LEARNED)).isEqualTo("spin, then yield");
		assertThat(waiter.lastDecision()).endsWith("stay awake: calls are not rare any more");
	}

	@Test
	void isBoundedInEveryState() {
		Random random = new Random(1);
		Waiter[] waiters = { client(), server() };
		for (int i = 0; i < 20_000; i++) {
			this.state.activeLanes = random.nextInt(300) - 20;
			this.state.bannedUntil = random.nextBoolean() ? random.nextLong() : this.processor.now + random.nextInt();
			this.state.banPeriod = random.nextLong();
			this.state.lateness = random.nextBoolean() ? random.nextLong() : random.nextInt(60_000_000);
			this.processor.yieldNanos = (random.nextInt(20) == 0) ? random.nextInt(60_000_000) : 300;
			this.processor.now += random.nextInt(100_000);
			long before = this.processor.now;
			long yields = this.processor.lateNanos;
			waiters[i % 2].await(() -> false, this.history, false, LEARNED);
			long own = this.processor.now - before - (this.processor.lateNanos - yields);
			// A probe may come before, and each yield takes 300 ns if it is not late.
			assertThat(own).isLessThan(Waiter.BANNED_SPIN_NANOS + 100 * 300 + 2_000);
		}
	}

	@Test
	void someShortGapsDoNotEndSparseTraffic() {
		Waiter waiter = server();
		for (int i = 0; i < 200; i++) {
			waiter.slept(TimeUnit.MILLISECONDS.toNanos(1));
			if (i % 10 < 3) {
				waiter.slept(TimeUnit.MICROSECONDS.toNanos(50));
			}
			if (i > 20) {
				assertThat(waiter.describe(LEARNED)).isEqualTo("park: calls are rare");
			}
		}
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
		assertThat(waiter.lastDecision()).endsWith("sleep at once: calls are rare");
		for (int i = 0; i < 3; i++) {
			waiter.slept(TimeUnit.MICROSECONDS.toNanos(50));
		}
		assertThat(await(waiter, false, 500)).isTrue();
	}

	@Test
	void restsWhenStayingAwakeNeverPaysAndTriesAgainRarely() {
		Waiter waiter = client();
		int tried = 0;
		for (int i = 0; i < 10_000; i++) {
			long before = this.processor.now;
			await(waiter, false, TimeUnit.MILLISECONDS.toNanos(1));
			tried += (this.processor.now > before) ? 1 : 0;
			sleepFor(TimeUnit.MILLISECONDS.toNanos(1));
		}
		assertThat(tried).isBetween(50, 400);
		assertThat(waiter.describe(LEARNED)).isEqualTo("park: staying awake did not pay");
		assertThat(waiter.lastDecision()).contains("ago: sleep at once for 1000 ms");
		assertThat(waiter.decisions()).isBetween(10L, 50L);
	}

	@Test
	void staysAwakeAgainWhenATrialPaid() {
		Waiter waiter = client();
		for (int i = 0; i < 1000; i++) {
			await(waiter, false, TimeUnit.MILLISECONDS.toNanos(1));
			sleepFor(TimeUnit.MILLISECONDS.toNanos(1));
		}
		long since = this.processor.now;
		while (!await(waiter, false, 500)) {
			this.processor.now += 50_000;
		}
		assertThat(this.processor.now - since).isLessThan(Trials.LONGEST_REST_NANOS);
		for (int i = 0; i < 100; i++) {
			assertThat(await(waiter, false, 500)).isTrue();
		}
		assertThat(waiter.lastDecision()).endsWith("stay awake: it paid in a trial");
	}

	/** Two threads on one processor fail until the kernel has moved one of them. */
	@Test
	void trialBearsFailuresForSomeMilliseconds() {
		Waiter waiter = client();
		while (!waiter.describe(LEARNED).startsWith("park")) {
			await(waiter, false, 200_000);
			this.processor.now += 100_000;
		}
		this.processor.now += Trials.FIRST_REST_NANOS;
		long begin = this.processor.now;
		while (this.processor.now - begin < Trials.TRIAL_NANOS / 2) {
			long before = this.processor.now;
			assertThat(await(waiter, false, 200_000)).isFalse();
			assertThat(this.processor.now).isGreaterThan(before);
		}
		for (int i = 0; i < 1000; i++) {
			assertThat(await(waiter, false, 500)).isTrue();
		}
	}

	/** Or staying awake would pay in each trial, and in no wait between trials. */
	@Test
	void trialPaysByWhatAUsualWaitCanCatch() {
		Waiter waiter = client();
		for (int i = 0; i < 100_000; i++) {
			long before = this.processor.now;
			if (!await(waiter, false, 60_000)) {
				sleepFor(Math.max(0, before + 60_000 - this.processor.now));
			}
		}
		assertThat(waiter.decisions()).isLessThan(20);
		assertThat(waiter.lastDecision()).contains("ago: sleep at once for 1000 ms");
	}

	/** The side that has slept wakes up in the first wait of the trial. */
	@Test
	void trialPaysWhenTheOtherSideHasWokenUp() {
		Waiter waiter = client();
		while (!waiter.describe(LEARNED).startsWith("park")) {
			await(waiter, false, 200_000);
		}
		this.processor.now += Trials.FIRST_REST_NANOS;
		this.history.ended(this.processor.now);
		assertThat(await(waiter, false, 60_000)).isTrue();
		for (int i = 0; i < 100; i++) {
			assertThat(await(waiter, false, 500)).isTrue();
		}
		assertThat(waiter.lastDecision()).endsWith("stay awake: it paid in a trial");
	}

	/** It would keep its carrier, and a yield says nothing of other processes. */
	@Test
	void virtualThreadsSpinShortlyAndDecideNothingForOthers() {
		Waiter waiter = client();
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(40);
		for (int i = 0; i < 1000; i++) {
			long before = this.processor.now;
			boolean met = awaitVirtually(waiter, (i % 3 == 0) ? 500 : 1_000_000);
			assertThat(met).isEqualTo(i % 3 == 0 && this.processor.now > before);
			assertThat(this.processor.now - before).isLessThan(Waiter.SPIN_NANOS + 2_000);
			this.history.ended(this.processor.now);
		}
		assertThat(this.processor.yields).isZero();
		assertThat(waiter.bans()).isZero();
		assertThat(waiter.describe(LEARNED)).isEqualTo("park: staying awake did not pay");
	}

	/** Others may have gone on, and a probe takes yields. */
	@Test
	void virtualThreadsRespectBansAndEndNone() {
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(40);
		Waiter waiter = client();
		await(waiter, false, TimeUnit.MILLISECONDS.toNanos(50));
		long now = this.processor.now;
		assertThat(awaitVirtually(waiter, 500)).isFalse();
		assertThat(this.processor.now).isEqualTo(now);
		sleepFor(this.state.bannedUntil + 1 - now);
		assertThat(awaitVirtually(waiter, 500)).isTrue();
		assertThat(this.processor.yields).isOne();
		assertThat(this.state.bannedUntil).isNotZero();
	}

	private boolean awaitVirtually(Waiter waiter, long afterNanos) {
		long at = this.processor.now + afterNanos;
		return waiter.awaitVirtually(() -> this.processor.now >= at, this.history, false, LEARNED);
	}

	/** They meet the other side in its slices, which are worth thousands of calls. */
	@Test
	void aCrowdGoesOnYieldingToFewCompetitors() {
		this.state.activeLanes = 8;
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(8);
		Waiter waiter = client();
		for (int i = 0; i < 100; i++) {
			assertThat(await(waiter, false, TimeUnit.MILLISECONDS.toNanos(20))).isTrue();
		}
		assertThat(waiter.bans()).isZero();
	}

	/** The first caller learns of the others while they have its processor. */
	@Test
	void aCrowdThatCameMeanwhileIsNotTakenForStrangers() {
		this.state.activeLanes = 1;
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(8);
		this.processor.lanesAfterYield = 8;
		Waiter waiter = client();
		assertThat(await(waiter, false, TimeUnit.MILLISECONDS.toNanos(20))).isTrue();
		assertThat(waiter.bans()).isZero();
	}

	@Test
	void aLateYieldMakesBothSidesSpinIfThereIsNoCrowd() {
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(5);
		Waiter client = client();
		Waiter server = server();
		assertThat(await(client, false, TimeUnit.MILLISECONDS.toNanos(50))).isFalse();
		assertThat(this.processor.yields).isEqualTo(1);
		assertThat(this.state.bannedUntil - this.processor.now).isEqualTo(TimeUnit.MILLISECONDS.toNanos(8 * 5));
		assertThat(client.describe(LEARNED)).isEqualTo("spin: other threads want the processors");
		assertThat(client.lastDecision())
			.isEqualTo("0.0 s ago: spin instead of yield for 40 ms: a yield came back 5.0 ms late");
		assertThat(await(server, false, Waiter.BANNED_SPIN_NANOS / 2)).isTrue();
		assertThat(await(client, false, Waiter.BANNED_SPIN_NANOS / 2)).isTrue();
		assertThat(await(client, false, 5 * Waiter.BANNED_SPIN_NANOS)).isFalse();
		assertThat(this.processor.yields).isEqualTo(1);
	}

	@Test
	void inABanSpinsForASliceOnlyIfThatAlwaysPaid() {
		Waiter waiter = client();
		for (int i = 0; i < 20; i++) {
			assertThat(await(waiter, false, 500)).isTrue();
		}
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(5);
		await(waiter, false, TimeUnit.MILLISECONDS.toNanos(50));
		assertThat(await(waiter, false, 500)).isTrue();
		assertThat(await(waiter, false, TimeUnit.MILLISECONDS.toNanos(3))).isTrue();
		// One that waited so long is enough: the next one sleeps soon.
		long before = this.processor.now;
		assertThat(await(waiter, false, TimeUnit.MILLISECONDS.toNanos(3))).isFalse();
		assertThat(this.processor.now - before).isLessThan(2 * Waiter.BANNED_SPIN_NANOS);
	}

	@Test
	void aVeryLateYieldPutsBothSidesToSleep() {
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(40);
		Waiter client = client();
		Waiter server = server();
		assertThat(await(client, false, TimeUnit.MILLISECONDS.toNanos(50))).isFalse();
		assertThat(client.bans()).isEqualTo(1);
		assertThat(this.state.bannedUntil - this.processor.now).isEqualTo(TimeUnit.MILLISECONDS.toNanos(32 * 40));
		assertThat(client.lastDecision())
			.isEqualTo("0.0 s ago: sleep at once for 1280 ms: a yield came back 40.0 ms late, "
					+ "so many threads want the processors");
		assertThat(client.describe(LEARNED)).isEqualTo("park: many other threads want the processors");
		assertThat(server.describe(LEARNED)).isEqualTo("park: many other threads want the processors");
		long now = this.processor.now;
		assertThat(await(server, false, 500)).isFalse();
		assertThat(await(client, false, 500)).isFalse();
		assertThat(this.processor.now).isEqualTo(now);
	}

	@Test
	void theLimitOfLatenessGrowsWithTheOwnCallers() {
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(30);
		this.state.activeLanes = 8;
		Waiter waiter = client();
		assertThat(await(waiter, false, TimeUnit.MILLISECONDS.toNanos(70))).isTrue();
		assertThat(waiter.bans()).isZero();
		this.state.activeLanes = 4;
		assertThat(await(waiter, false, TimeUnit.MILLISECONDS.toNanos(70))).isFalse();
		assertThat(waiter.bans()).isEqualTo(1);
	}

	@Test
	void reactsToHogsWithinTheirFirstSliceAndToTheirLeaving() {
		Waiter waiter = client();
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(5);
		long since = this.processor.now;
		await(waiter, false, TimeUnit.MILLISECONDS.toNanos(50));
		assertThat(waiter.bans()).isEqualTo(1);
		assertThat(this.processor.now - since).isLessThan(TimeUnit.MILLISECONDS.toNanos(10));
		this.processor.yieldNanos = 300;
		long left = this.processor.now;
		while (this.state.bannedUntil != 0) {
			await(waiter, false, 5_000);
			this.processor.now += 10_000;
		}
		assertThat(this.processor.now - left).isLessThan(Bans.USUAL_MAX_BAN_NANOS);
		assertThat(this.processor.yields).isEqualTo(1 + Bans.PROBE_YIELDS);
		assertThat(waiter.lastDecision()).contains("spin, then yield: some yields came back in time");
	}

	@Test
	void bansDoubleAndAreForgottenAfterGoodYields() {
		Waiter waiter = client();
		long previous = 0;
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(20);
		for (int i = 0; i < 6; i++) {
			sleepFor(this.state.bannedUntil + 1 - this.processor.now);
			assertThat(await(waiter, false, TimeUnit.SECONDS.toNanos(1))).isFalse();
			assertThat(this.state.banPeriod).isGreaterThanOrEqualTo(previous).isLessThanOrEqualTo(Bans.MAX_BAN_NANOS);
			previous = this.state.banPeriod;
		}
		assertThat(previous).isEqualTo(Bans.MAX_BAN_NANOS);
		assertThat(waiter.bans()).isEqualTo(6);
		this.processor.yieldNanos = 300;
		this.processor.now = this.state.bannedUntil + 1;
		for (int i = 0; i < 100; i++) {
			await(waiter, false, 20_000);
		}
		assertThat(this.state.banPeriod).isZero();
	}

	/** Each would lose much time if the competitors are still there. */
	@Test
	void probeIsMadeByOneWaiter() {
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(40);
		await(client(), false, TimeUnit.MILLISECONDS.toNanos(50));
		this.processor.now = this.state.bannedUntil + 1;
		assertThat(await(client(), false, TimeUnit.SECONDS.toNanos(1))).isFalse();
		assertThat(this.processor.yields).isEqualTo(2);
		this.processor.now = this.state.bannedUntil + 1;
		this.state.claimable = false;
		assertThat(await(client(), false, 500)).isFalse();
		assertThat(this.processor.yields).isEqualTo(2);
	}

	@Test
	void timeThatWentToOwnCallersIsNoReasonForABan() {
		this.state.activeLanes = 8;
		this.processor.yieldNanos = TimeUnit.MILLISECONDS.toNanos(50);
		this.processor.servedPerYield = 50_000;
		Waiter waiter = client();
		for (int i = 0; i < 10; i++) {
			assertThat(await(waiter, false, TimeUnit.MILLISECONDS.toNanos(70))).isTrue();
		}
		assertThat(waiter.bans()).isZero();
		// Far fewer calls than usual: others had the time.
		this.processor.servedPerYield = 15_000;
		assertThat(await(waiter, false, TimeUnit.MILLISECONDS.toNanos(70))).isFalse();
		assertThat(waiter.bans()).isEqualTo(1);
	}

	/** The kernel does not move two that always yield to each other. */
	@Test
	void takesANapIfOnlyYieldsHelp() {
		Waiter waiter = client();
		this.processor.yieldNanos = Waiter.SPIN_NANOS + 1000;
		for (int i = 0; i < Sharing.FIRST_LIMIT; i++) {
			assertThat(await(waiter, false, Waiter.SPIN_NANOS + 5000)).isTrue();
		}
		assertThat(this.processor.naps).isZero();
		assertThat(await(waiter, false, Waiter.SPIN_NANOS + 5000)).isTrue();
		assertThat(this.processor.naps).isEqualTo(1);
		assertThat(waiter.lastDecision()).contains("a nap");
		// In vain: naps get rarer.
		for (int i = 0; i < 1 << 18; i++) {
			await(waiter, false, Waiter.SPIN_NANOS + 5000);
		}
		assertThat(this.processor.naps).isLessThan(9 + (1 << 18) / Sharing.LAST_LIMIT);
		// With success: none any more.
		long naps = this.processor.naps;
		for (int i = 0; i < 1000; i++) {
			await(waiter, false, 500);
		}
		assertThat(this.processor.naps).isEqualTo(naps);
	}

	@Test
	void aCrowdSharesProcessorsAnyway() {
		Waiter waiter = client();
		this.state.activeLanes = 8;
		this.processor.yieldNanos = Waiter.SPIN_NANOS + 1000;
		for (int i = 0; i < 1000; i++) {
			assertThat(await(waiter, false, Waiter.SPIN_NANOS + 5000)).isTrue();
		}
		assertThat(this.processor.naps).isZero();
	}

	@Test
	void spinsShortlyThenYields() {
		Waiter waiter = client();
		assertThat(await(waiter, false, Waiter.SPIN_NANOS / 2)).isTrue();
		assertThat(this.processor.yields).isZero();
		assertThat(await(waiter, false, 2 * Waiter.SPIN_NANOS)).isTrue();
		assertThat(this.processor.yields).isPositive();
	}

	@Test
	void fixedWaysDoWhatTheySay() {
		Waiter waiter = client();
		waiter.await(() -> false, this.history, false, WaitMode.parse("spin-20+yield-3"));
		assertThat(this.processor.spins).isEqualTo(20);
		assertThat(this.processor.yields).isEqualTo(3);
		waiter.await(() -> false, this.history, false, WaitMode.parse("park"));
		assertThat(this.processor.spins).isEqualTo(20);
	}

	@ParameterizedTest
	@ValueSource(strings = { "learned", "park", "spin-2000", "yield-50", "spin-200+yield-50" })
	void namesComeBack(String name) {
		assertThat(WaitMode.name(WaitMode.parse(name))).isEqualTo(name);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "spin", "spin--1", "yield-99999999", "yield-1001", "spin-20001", "busy", "spin-1+",
			"+", "+yield-1", "spin-1yield-1", "LEARNED" })
	void otherNamesAreRefused(String name) {
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

		int lanesAfterYield;

		long spins;

		long yields;

		long naps;

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
		public void nap() {
			this.naps++;
			this.now += 60_000;
		}

		@Override
		public void yieldToOthers() {
			this.yields++;
			this.now += this.yieldNanos;
			if (this.yieldNanos > 1000) {
				this.lateNanos += this.yieldNanos;
			}
			WaiterTests.this.state.served += this.servedPerYield;
			if (this.lanesAfterYield > 0) {
				WaiterTests.this.state.activeLanes = this.lanesAfterYield;
			}
		}

	}

	/** Plain fields. */
	private static final class FakeState implements SharedState {

		long bannedUntil;

		long banPeriod;

		long lateness;

		long served;

		int activeLanes = 1;

		boolean claimable = true;

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
			boolean claimed = this.claimable && this.bannedUntil == expected;
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
		public long lateness() {
			return this.lateness;
		}

		@Override
		public void lateness(long nanos) {
			this.lateness = nanos;
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
