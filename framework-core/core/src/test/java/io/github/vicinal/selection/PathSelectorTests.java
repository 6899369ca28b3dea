package io.github.vicinal.selection;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.choice.Decision;
import io.github.vicinal.selection.PathSelector.PathSwitch;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

/** A virtual clock; the statistics over many calls are measured by {@code bench}. */
class PathSelectorTests {

	private static final int SHM = 0;

	private static final int UDS = 1;

	private static final int HTTP = 2;

	private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

	private final List<PathSwitch> switches = new ArrayList<>();

	private final PathSelector selector = selector(this.switches);

	private final Random random = new Random(17);

	private long now = 1_000_000;

	private static PathSelector selector(List<PathSwitch> switches) {
		return new PathSelector(List.of("shm", "uds", "http"), 2, PathSelector.Settings.defaults(true), switches::add);
	}

	private void openAll() {
		for (int path = HTTP; path >= 0; path--) {
			this.selector.opened(path, this.now);
		}
	}

	private double noise() {
		return 0.5 - 0.5 * Math.log(1 - this.random.nextDouble());
	}

	/** Makes a call that takes so long on average by each path; returns the path. */
	private int call(int bytes, boolean idempotent, double... nanos) {
		this.now += 1_000;
		int path = this.selector.choose(bytes, idempotent, this.now);
		int ticket = this.selector.begin(path, 0, bytes);
		long cost = (long) (nanos[path] * noise());
		this.now += cost;
		this.selector.end(path, ticket, true);
		if (ticket != PathSelector.UNTIMED) {
			this.selector.record(path, 0, bytes, bytes, idempotent, cost, 1, this.now);
		}
		return path;
	}

	@Test
	void mostPreferredPathThatOpensIsTaken() {
		assertThat(this.selector.choose(10, true, this.now)).isEqualTo(PathSelector.NONE);
		openAll();
		assertThat(this.selector.current(10)).isEqualTo(SHM);
		assertThat(this.selector.current(10_000_000)).isEqualTo(SHM);
		assertThat(this.switches).extracting((change) -> change.decision().kind())
			.containsExactly(Decision.Kind.OPENED, Decision.Kind.OPENED);
	}

	@Test
	void closedPathIsLeftForTheNextBestAtOnce() {
		openAll();
		this.selector.closed(SHM, this.now);
		assertThat(this.selector.current(10)).isEqualTo(UDS);
		this.selector.closed(UDS, this.now);
		assertThat(this.selector.current(10)).isEqualTo(HTTP);
		assertThat(this.switches.get(3).decision().toString()).isEqualTo("uds -> http: uds failed");
		assertThat(this.switches.get(3).calls()).isEqualTo("all calls");
	}

	@Test
	void largeCallsTakeAnotherPathWhereTheOrderFlips() {
		openAll();
		for (int i = 0; i < 60_000; i++) {
			boolean large = this.random.nextInt(3) == 0;
			double[] costs = large ? new double[] { 900_000, 200_000, 600_000 }
					: new double[] { 20_000, 60_000, 150_000 };
			call(large ? 300_000 : 200, true, costs);
		}
		assertThat(this.selector.current(200)).isEqualTo(SHM);
		assertThat(this.selector.current(300_000)).isEqualTo(UDS);
		assertThat(this.switches.get(2).calls()).isEqualTo("calls of 256 KiB to 1 MiB");
		assertThat(this.selector.probes()).isLessThanOrEqualTo(60_000 / 256);
	}

	@Test
	void callsOfASizeNeverSeenFollowSmallerOnes() {
		openAll();
		for (int i = 0; i < 60_000; i++) {
			int bytes = (this.random.nextInt(3) == 0) ? 3_000 : 200;
			call(bytes, true, 10_000 + 20.0 * bytes, 35_000 + 0.5 * bytes, 150_000 + 0.5 * bytes);
		}
		assertThat(this.selector.current(200)).isEqualTo(SHM);
		assertThat(this.selector.current(3_000)).isEqualTo(UDS);
		assertThat(this.selector.current(3_000_000)).isEqualTo(UDS);
		PathSelector.PathCost cost = this.selector.cost(SHM);
		assertThat(cost.fixedNanos()).isCloseTo(10_000, within(3_000.0));
		assertThat(cost.nanosPerByte()).isCloseTo(20, within(6.0));
	}

	/** A peer that claims nonsense is not compared, and does no other harm. */
	@Property(tries = 200)
	void claimedServiceTimesDoNoHarm(@ForAll long seed) {
		Random chance = new Random(seed);
		List<PathSwitch> changes = new ArrayList<>();
		PathSelector chosen = selector(changes);
		for (int path = HTTP; path >= 0; path--) {
			chosen.opened(path, 1);
		}
		long[] claims = { 0, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1_000_001 };
		for (int i = 0; i < 5_000; i++) {
			long time = i * 1_000_000L;
			int path = chosen.choose(200, true, time);
			int ticket = chosen.begin(path, 0, 200);
			chosen.end(path, ticket, true);
			chosen.record(path, 0, 200, 200, true, 1 + chance.nextInt(1_000_000), claims[chance.nextInt(claims.length)],
					time);
		}
		assertThat(changes).hasSize(2);
		assertThat(chosen.current(200)).isEqualTo(SHM);
		assertThat(chosen.expectedNanos()).isPositive();
	}

	private record InFlight(long begun, long end, int path, int ticket) {
	}

	/**
	 * Callers in a closed loop, by a path that they share and by ones that are only
	 * slower; returns after how many calls a path became the current one.
	 */
	private int closedLoop(int callers, int calls, int awaited) {
		PriorityQueue<InFlight> running = new PriorityQueue<>(Comparator.comparingLong(InFlight::end));
		int[] sharing = new int[1];
		int seen = Integer.MAX_VALUE;
		for (int i = 0; i < calls + callers; i++) {
			if (i >= callers) {
				InFlight done = running.remove();
				this.now = Math.max(this.now, done.end());
				sharing[0] -= (done.path() == SHM) ? 1 : 0;
				this.selector.end(done.path(), done.ticket(), true);
				if (done.ticket() != PathSelector.UNTIMED) {
					this.selector.record(done.path(), 0, 200, 200, true, this.now - done.begun(), 1, this.now);
				}
			}
			if (i < calls) {
				int path = this.selector.choose(200, true, this.now);
				int ticket = this.selector.begin(path, 0, 200);
				sharing[0] += (path == SHM) ? 1 : 0;
				double mean = (path == SHM) ? 200_000.0 * sharing[0] : (path == UDS) ? 1_000_000 : 5_000_000;
				running.add(new InFlight(this.now, this.now + (long) (mean * noise()), path, ticket));
			}
			if (this.selector.current(200) == awaited) {
				seen = Math.min(seen, i);
			}
		}
		return seen;
	}

	@Test
	void pathFollowsTheLoad() {
		openAll();
		for (int i = 0; i < 3; i++) {
			closedLoop(1, 30_000, SHM);
			closedLoop(12, 60_000, UDS);
		}
		for (int i = 0; i < 5; i++) {
			assertThat(closedLoop(1, 30_000, SHM)).isLessThan(5_000);
			assertThat(closedLoop(12, 60_000, UDS)).isLessThan(5_000);
		}
	}

	@Test
	void callsThatMayNotBeRepeatedAreNeverProbes() {
		openAll();
		for (int i = 0; i < 20_000; i++) {
			assertThat(call(200, false, 20_000, 60_000, 150_000)).isEqualTo(SHM);
		}
		assertThat(this.selector.probes()).isZero();
	}

	@Test
	void aPathThatIsNotWatchedIsNeverLate() {
		openAll();
		this.selector.unwatched(SHM);
		for (int i = 0; i < 5_000; i++) {
			call(200, true, 20_000, 60_000, 150_000);
		}
		this.selector.begin(SHM, 0, 200);
		for (int i = 0; i < 10_000; i++) {
			this.now += MILLI;
			assertThat(this.selector.choose(200, false, this.now)).isEqualTo(SHM);
			this.selector.begin(SHM, 0, 200);
		}
		assertThat(this.selector.inFlight()).isEqualTo(10_001);
	}

	@Test
	void pathThatConnectsButNeverAnswersIsLeft() {
		openAll();
		for (int i = 0; i < 5_000; i++) {
			call(200, true, 20_000, 60_000, 150_000);
		}
		long before = this.now;
		int hanging = this.selector.begin(SHM, 0, 200);
		int path = SHM;
		while (path == SHM && this.now - before < 1_000 * MILLI) {
			this.now += MILLI;
			path = this.selector.choose(200, false, this.now);
			this.selector.begin(path, 0, 200);
		}
		assertThat(path).isEqualTo(UDS);
		assertThat(this.now - before).isLessThan(100 * MILLI);
		assertThat(this.switches.get(2).decision().kind()).isEqualTo(Decision.Kind.LATE);
		for (int i = 0; i < 100; i++) {
			this.now += 100 * MILLI;
			assertThat(this.selector.choose(200, false, this.now)).as("while nothing came back").isNotEqualTo(SHM);
		}
		this.selector.end(SHM, hanging, false);
		for (int i = 0; i < 100; i++) {
			this.now += 100 * MILLI;
			assertThat(this.selector.choose(200, false, this.now)).as("while calls only time out").isNotEqualTo(SHM);
		}
		this.selector.end(SHM, hanging, true);
		for (int i = 0; i < 30 && this.selector.current(200) != SHM; i++) {
			this.now += 100 * MILLI;
			this.selector.choose(200, false, this.now);
		}
		assertThat(this.selector.current(200)).as("after a trial").isEqualTo(SHM);
	}

	@Test
	void methodThatWasNeverTimedMayTakeLonger() {
		openAll();
		for (int i = 0; i < 5_000; i++) {
			call(200, false, 20_000, 60_000, 150_000);
		}
		int report = this.selector.begin(SHM, 1, 200);
		int other = this.selector.begin(SHM, 1, 200);
		for (int i = 0; i < 19; i++) {
			this.now += 100 * MILLI;
			assertThat(this.selector.choose(200, false, this.now)).isEqualTo(SHM);
		}
		this.selector.end(SHM, report, true);
		this.selector.record(SHM, 1, 200, 200, false, 1_900 * MILLI, 1, this.now);
		for (int i = 0; i < 150; i++) {
			this.now += 100 * MILLI;
			assertThat(this.selector.choose(200, false, this.now)).as("ten times as long as one took").isEqualTo(SHM);
		}
		this.selector.end(SHM, other, true);
	}

	@Test
	void pathThatDegradedReturnsOnlyIfItAnswersItsProbes() {
		openAll();
		for (int i = 0; i < 20_000; i++) {
			call(200, true, 20_000, 60_000, 150_000);
		}
		for (int i = 0; i < 1_000 && this.selector.current(200) == SHM; i++) {
			call(200, true, 400_000, 60_000, 150_000);
		}
		assertThat(this.selector.current(200)).isEqualTo(UDS);
		// One call in a millisecond, so that few probes fit into a trial; all hang.
		long left = this.now;
		int hung = 0;
		while (this.now - left < 7_500 * MILLI) {
			this.now += MILLI;
			int path = this.selector.choose(200, true, this.now);
			int ticket = this.selector.begin(path, 0, 200);
			if (path == SHM) {
				hung++;
				continue;
			}
			this.selector.end(path, ticket, true);
			this.selector.record(path, 0, 200, 200, true, 60_000, 1, this.now);
			assertThat(this.selector.current(200)).as("after %d ms", (this.now - left) / MILLI).isNotEqualTo(SHM);
		}
		assertThat(hung).isPositive();
	}

	@Test
	void hangingPathIsLeftAfterTheClockHasJumpedBack() {
		openAll();
		for (int i = 0; i < 5_000; i++) {
			call(200, true, 20_000, 60_000, 150_000);
		}
		this.now -= 3600_000 * MILLI;
		for (int i = 0; i < 5_000; i++) {
			call(200, true, 20_000, 60_000, 150_000);
		}
		long before = this.now;
		for (int i = 0; i < 200 && this.selector.current(200) == SHM; i++) {
			this.now += MILLI;
			this.selector.begin(this.selector.choose(200, false, this.now), 0, 200);
		}
		assertThat(this.selector.current(200)).isEqualTo(UDS);
		assertThat(this.now - before).isLessThan(100 * MILLI);
	}

	@Test
	void oneSlowCallThatOthersOvertakeChangesNothing() {
		openAll();
		call(200, false, 20_000, 60_000, 150_000);
		this.selector.begin(SHM, 0, 200);
		for (int i = 0; i < 100_000; i++) {
			call(200, false, 20_000, 60_000, 150_000);
		}
		assertThat(this.selector.current(200)).isEqualTo(SHM);
		assertThat(this.selector.inFlight()).isEqualTo(1);
		assertThat(this.switches).hasSize(2);
	}

	@Test
	void pathThatAnswersOnlySmallBodiesKeepsThem() {
		openAll();
		for (int i = 0; i < 200; i++) {
			call(200, false, 20_000, 60_000, 150_000);
			int path = this.selector.choose(5_000_000, false, this.now);
			int ticket = this.selector.begin(path, 1, 5_000_000);
			this.selector.end(path, ticket, path != SHM);
			if (path == SHM) {
				this.selector.failed(path, 5_000_000, this.now);
			}
			else {
				this.selector.record(path, 1, 5_000_000, 5_000_000, false, 2_000_000, 1, this.now);
			}
		}
		assertThat(this.selector.current(200)).isEqualTo(SHM);
		assertThat(this.selector.current(5_000_000)).isEqualTo(UDS);
		assertThat(this.switches.get(2).calls()).isEqualTo("calls above 4 MiB");
	}

	@Test
	void pathThatAnswersGarbageIsLeft() {
		openAll();
		int tries = 0;
		while (this.selector.current(200) == SHM && tries++ < 10) {
			int ticket = this.selector.begin(SHM, 0, 200);
			this.selector.end(SHM, ticket, false);
			this.selector.failed(SHM, 200, this.now);
		}
		assertThat(this.selector.current(200)).isEqualTo(UDS);
		assertThat(tries).isLessThanOrEqualTo(3);
	}

	/**
	 * Five of nine calls fail, or four of nine. Of the short ones, few are timed as long
	 * as none fails.
	 */
	@ParameterizedTest
	@CsvSource({ "true, 1000000", "false, 1000000", "true, 2000", "false, 2000" })
	void pathIsLeftWhenMostCallsFail(boolean most, long nanos) {
		openAll();
		for (int i = 0; i < 500; i++) {
			long bytes = 200;
			int ticket = this.selector.begin(SHM, 0, bytes);
			this.now += nanos;
			boolean answered = (i % 9 % 2 == 0) != most;
			this.selector.end(SHM, ticket, answered);
			if (answered && ticket != PathSelector.UNTIMED) {
				this.selector.record(SHM, 0, bytes, bytes, false, nanos, 1, this.now);
			}
			else if (!answered) {
				this.selector.failed(SHM, bytes, this.now);
			}
		}
		assertThat(this.selector.current(200)).isEqualTo(most ? UDS : SHM);
	}

	/** A failure no longer counts once answers outweigh it. */
	@Test
	void callsAreTimedAfterAFailureUntilEnoughAreAnswered() {
		openAll();
		for (int i = 0; i < 100; i++) {
			call(200, false, 2_000, 60_000, 150_000);
		}
		assertThat(timed(200)).isBetween(4, 9);
		this.selector.failed(SHM, 200, this.now);
		this.selector.failed(SHM, 200, this.now);
		assertThat(timed(5_000_000)).as("other sizes").isBetween(4, 9);
		for (int i = 0; i < 2; i++) {
			assertThat(timed(200)).isEqualTo(100);
			this.selector.record(SHM, 0, 200, 200, false, 2_000, 1, this.now);
		}
		assertThat(timed(200)).isBetween(4, 9);
		assertThat(this.selector.current(200)).isEqualTo(SHM);
	}

	/** Begins calls whose answers cost no time; returns how many of 100 are timed. */
	private int timed(int bytes) {
		int timed = 0;
		for (int i = 0; i < 100; i++) {
			int ticket = this.selector.begin(SHM, 0, bytes);
			this.selector.end(SHM, ticket, true);
			timed += (ticket != PathSelector.UNTIMED) ? 1 : 0;
		}
		return timed;
	}

	@Test
	void clockThatJumpsDecidesNothing() {
		openAll();
		for (long jump : new long[] { 3600_000 * MILLI, -MILLI, -3600_000 * MILLI, 10_000 * MILLI }) {
			for (int i = 0; i < 3_000; i++) {
				call(200, true, 20_000, 60_000, 150_000);
			}
			int ticket = this.selector.begin(SHM, 0, 200);
			this.now += jump;
			this.selector.choose(200, false, this.now);
			this.selector.end(SHM, ticket, true);
			this.selector.record(SHM, 0, 200, 200, true, jump, 1, this.now);
		}
		assertThat(this.selector.current(200)).isEqualTo(SHM);
		assertThat(this.switches).hasSize(2);
	}

	@Test
	void withoutComparingOnlyPreferenceAndFailuresDecide() {
		PathSelector plain = new PathSelector(List.of("shm", "http"), 1, PathSelector.Settings.defaults(false),
				this.switches::add);
		plain.opened(0, 0);
		plain.opened(1, 0);
		for (int i = 0; i < 10_000; i++) {
			assertThat(plain.choose(10, true, i * MILLI)).isZero();
			plain.record(i % 2, 0, 10, 10, true, (i % 2 == 0) ? 1_000_000 : 10, 1, i * MILLI);
		}
		assertThat(this.switches).isEmpty();
	}

	@Test
	void nonsenseIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new PathSelector(List.of(), 1, PathSelector.Settings.defaults(true),
					(change) -> this.switches.clear()))
			.withMessageContaining("1 to 15 paths");
		assertThatIllegalArgumentException().isThrownBy(() -> new PathSelector.Settings(true, Double.NaN))
			.withMessageContaining("NaN");
	}

	/** Whatever happens to the paths: no call is sent by a closed one. */
	@Property(tries = 100)
	void closedPathsAreNeverChosen(@ForAll long seed, @ForAll @IntRange(min = 2, max = 5) int count) {
		Random chance = new Random(seed);
		List<PathSwitch> changes = new ArrayList<>();
		List<String> names = List.of("a", "b", "c", "d", "e").subList(0, count);
		PathSelector chosen = new PathSelector(names, 1, PathSelector.Settings.defaults(true), changes::add);
		boolean[] open = new boolean[count];
		long time = 0;
		long idempotentCalls = 0;
		long events = 0;
		long tries = 4_000;
		for (int i = 0; i < tries; i++) {
			time += chance.nextInt(2_000_000);
			int victim = chance.nextInt(count);
			int event = chance.nextInt(200);
			if (event == 0) {
				chosen.closed(victim, time);
				open[victim] = false;
				events++;
			}
			else if (event < 5) {
				chosen.opened(victim, time);
				open[victim] = true;
				events++;
			}
			long bytes = 1L << chance.nextInt(25);
			boolean idempotent = chance.nextInt(4) > 0;
			idempotentCalls += idempotent ? 1 : 0;
			int path = chosen.choose(bytes, idempotent, time);
			if (path != PathSelector.NONE) {
				assertThat(open[path]).isTrue();
				int ticket = chosen.begin(path, 0, bytes);
				if (chance.nextInt(50) > 0) {
					chosen.end(path, ticket, chance.nextInt(10) > 0);
				}
				if (chance.nextInt(20) == 0) {
					chosen.failed(path, bytes, time);
				}
				else {
					chosen.record(path, 0, bytes, bytes, idempotent, chance.nextInt(1_000_000), 1, time);
				}
			}
			// A probe is two calls.
			assertThat(chosen.probes())
				.isLessThanOrEqualTo(2 * idempotentCalls / SelectionRule.MIN_INTERVAL + 2 * CallSizeClass.COUNT);
		}
		assertThat(changes.size()).isLessThan((int) tries / 8);
	}

	/** Callers, and somebody who opens and closes a path, at the same time. */
	@Test
	void countsAndRoutesSurviveConcurrency() throws InterruptedException {
		List<PathSwitch> changes = java.util.Collections.synchronizedList(new ArrayList<>());
		PathSelector shared = selector(changes);
		shared.opened(HTTP, System.nanoTime());
		shared.opened(UDS, System.nanoTime());
		int callers = 4;
		int calls = 50_000;
		AtomicLong wrong = new AtomicLong();
		AtomicBoolean running = new AtomicBoolean(true);
		CountDownLatch done = new CountDownLatch(callers);
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < callers; i++) {
			threads.add(new Thread(() -> {
				for (int j = 0; j < calls; j++) {
					int path = shared.choose(100, true, System.nanoTime());
					if (path < UDS || path > HTTP && path != SHM) {
						wrong.addAndGet((path == SHM) ? 0 : 1);
					}
					int ticket = shared.begin(path, 0, 100);
					shared.end(path, ticket, true);
					if (ticket != PathSelector.UNTIMED) {
						shared.record(path, 0, 100, 100, true, 1_000 + 100L * path, 1, System.nanoTime());
					}
				}
				done.countDown();
			}));
		}
		threads.add(new Thread(() -> {
			while (running.get()) {
				shared.opened(SHM, System.nanoTime());
				shared.closed(SHM, System.nanoTime());
				if (shared.current(100) == SHM) {
					wrong.incrementAndGet();
				}
			}
		}));
		threads.forEach(Thread::start);
		assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
		running.set(false);
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(wrong).hasValue(0);
		assertThat(shared.inFlight()).isZero();
		long begun = shared.cost(SHM).begun() + shared.cost(UDS).begun() + shared.cost(HTTP).begun();
		assertThat(begun).isEqualTo((long) callers * calls);
		// Two callers on one stripe may lose a count.
		assertThat(shared.probes()).isLessThanOrEqualTo(2L * callers * calls / (SelectionRule.MIN_INTERVAL / 2));
	}

}
