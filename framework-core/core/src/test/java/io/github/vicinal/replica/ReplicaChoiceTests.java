package io.github.vicinal.replica;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.vicinal.replica.ReplicaChoice.Located;
import io.github.vicinal.testing.property.ForAll;
import io.github.vicinal.testing.property.IntRange;
import io.github.vicinal.testing.property.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReplicaChoiceTests {

	private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

	private long now = 1;

	private final ReplicaChoice choice = choice(1);

	private ReplicaChoice choice(long seed) {
		SplittableRandom random = new SplittableRandom(seed);
		return new ReplicaChoice(() -> random, () -> this.now);
	}

	private static void update(ReplicaChoice choice, Locality... localities) {
		List<String> addresses = new ArrayList<>();
		for (int i = 0; i < localities.length; i++) {
			addresses.add(String.valueOf(i));
		}
		choice.update(addresses, (address) -> new Located(localities[Integer.parseInt(address)], "as the test says"));
	}

	private void call(Replica replica, long nanos, Outcome outcome) {
		int met = replica.begin();
		this.now += nanos;
		this.choice.end(replica, met, nanos, outcome);
	}

	/** Makes calls one by one; returns how many went where. */
	private Map<String, Integer> calls(int count, long... nanos) {
		Map<String, Integer> counts = new HashMap<>();
		for (int i = 0; i < count; i++) {
			Replica replica = this.choice.choose();
			counts.merge(replica.address(), 1, Integer::sum);
			call(replica, nanos[Integer.parseInt(replica.address())], Outcome.ANSWERED);
		}
		return counts;
	}

	@Test
	void withoutReplicasThereIsNoChoice() {
		assertThat(this.choice.choose()).isNull();
		assertThat(this.choice.report()).isEmpty();
	}

	@Test
	void theNearestOfEachLocalityIsPreferred() {
		update(this.choice, Locality.ANY, Locality.ZONE, Locality.HOST, Locality.JVM);
		Map<String, Integer> counts = calls(10_000, 3 * MILLI, 2 * MILLI, MILLI, MILLI / 2);
		assertThat(counts.get("3")).isGreaterThan(9_800);
		assertThat(counts.get("0")).isPositive();
		assertThat(this.choice.report().get(0).locality()).isEqualTo(Locality.JVM);
		assertThat(this.choice.report()).extracting(ReplicaReport::share)
			.satisfies((shares) -> assertThat(shares.stream().mapToDouble((share) -> share).sum()).isEqualTo(1.0,
					org.assertj.core.api.Assertions.within(1e-9)));
	}

	@Test
	void withinAClassTheCheaperOneGetsMore() {
		update(this.choice, Locality.ANY, Locality.ANY);
		calls(100, MILLI, 4 * MILLI);
		Map<String, Integer> counts = calls(1_000, MILLI, 4 * MILLI);
		assertThat(counts.get("0")).isGreaterThan(900);
	}

	@Test
	void aNearReplicaThatIsSlowerThanFarOnesIsLeftAndTakenAgainWhenItRecovers() {
		update(this.choice, Locality.HOST, Locality.ANY);
		calls(2_000, MILLI, 2 * MILLI);
		Map<String, Integer> slow = calls(4_000, 20 * MILLI, 2 * MILLI);
		assertThat(slow.get("1")).isGreaterThan(3_600);
		Map<String, Integer> again = calls(20_000, MILLI, 2 * MILLI);
		assertThat(again.get("0")).isGreaterThan(9_000);
	}

	@Test
	void refusalsHalveWhatAReplicaGetsAtOnce() {
		update(this.choice, Locality.HOST, Locality.ANY);
		calls(1_000, MILLI, MILLI);
		Replica near = this.choice.find("0");
		assertThat(near.window()).isGreaterThanOrEqualTo(2);
		for (int i = 0; i < 10; i++) {
			call(near, MILLI, Outcome.REFUSED);
		}
		assertThat(near.window()).isEqualTo(1);
		near.begin();
		assertThat(this.choice.choose().address()).isEqualTo("1");
		assertThat(this.choice.report().get(0).refusals()).isEqualTo(10);
	}

	/** Makes calls to a near replica that times out, and a healthy far one. */
	private int timeOuts(int calls, boolean reachable) {
		int timeOuts = 0;
		for (int i = 0; i < calls; i++) {
			this.choice.probe((address, result) -> result.accept(reachable));
			Replica replica = this.choice.choose();
			boolean near = replica.address().equals("0");
			timeOuts += near ? 1 : 0;
			call(replica, near ? 5_000 * MILLI : 2 * MILLI, near ? Outcome.TIMED_OUT : Outcome.ANSWERED);
		}
		return timeOuts;
	}

	@Test
	void aReplicaWhoseHostHasVanishedCostsOneTimeOut() {
		update(this.choice, Locality.HOST, Locality.ANY);
		calls(1_000, MILLI, 2 * MILLI);
		assertThat(timeOuts(100_000, false)).isEqualTo(1);
	}

	@Test
	void aReplicaThatHangsCostsAtMostATenthOfTheTime() {
		update(this.choice, Locality.HOST, Locality.ANY);
		calls(1_000, MILLI, 2 * MILLI);
		long begin = this.now;
		int timeOuts = timeOuts(100_000, true);
		assertThat(timeOuts * 5_000 * MILLI).isLessThan((this.now - begin) / 8);
	}

	@Test
	void aReplicaThatComesBackIsTakenAgainAtOnce() {
		update(this.choice, Locality.HOST, Locality.ANY);
		calls(1_000, MILLI, 2 * MILLI);
		timeOuts(1_000, false);
		this.now += 2_000 * MILLI;
		this.choice.probe((address, result) -> result.accept(true));
		assertThat(calls(1_000, MILLI, 2 * MILLI).get("0")).isGreaterThan(900);
	}

	@Test
	void aTimeOutOfOneRequestAmongOthersThatAreAnsweredSaysNothingOfTheReplica() {
		update(this.choice, Locality.HOST, Locality.ANY);
		calls(1_000, MILLI, MILLI);
		Replica near = this.choice.find("0");
		int met = near.begin();
		call(near, 5_000 * MILLI, Outcome.ANSWERED);
		this.choice.end(near, met, 5_000 * MILLI, Outcome.TIMED_OUT);
		assertThat(this.choice.report().get(0).state()).isEqualTo("open");
		assertThat(this.choice.report().get(0).failures()).isEqualTo(1);
	}

	/** Calls of several callers overlap, and none of them is answered any more. */
	@Test
	void timeOutsDoNotVouchForEachOther() {
		update(this.choice, Locality.HOST, Locality.ANY);
		calls(1_000, MILLI, MILLI);
		Replica near = this.choice.find("0");
		int first = near.begin();
		call(near, MILLI, Outcome.ANSWERED);
		this.now += 1_000 * MILLI;
		int second = near.begin();
		this.now += 1_000 * MILLI;
		this.choice.end(near, first, 2_001 * MILLI, Outcome.TIMED_OUT);
		assertThat(this.choice.report().get(0).state()).isEqualTo("open");
		this.now += 1_000 * MILLI;
		this.choice.end(near, second, 2_000 * MILLI, Outcome.TIMED_OUT);
		assertThat(this.choice.report().get(0).state()).isNotEqualTo("open");
		assertThat(this.choice.choose().address()).isEqualTo("1");
	}

	@Test
	void aReplicaThatDoesNotAnswerIsPausedForLongerEachTime() {
		update(this.choice, Locality.HOST, Locality.ANY);
		calls(100, MILLI, MILLI);
		Replica near = this.choice.find("0");
		for (int failures = 1; failures <= 3; failures++) {
			call(near, MILLI, Outcome.UNANSWERED);
			int away = 0;
			while (this.choice.choose() != near) {
				this.now += MILLI;
				away++;
			}
			assertThat(away).as("pause in ms after %d failures", failures)
				.isBetween(100 << (failures - 1), 200 << (failures - 1));
		}
		near.begin();
		assertThat(this.choice.choose()).as("one call tries whether it is back").isNotSameAs(near);
	}

	@Test
	void whenAllArePausedCallsGoOn() {
		update(this.choice, Locality.HOST, Locality.ANY);
		for (int i = 0; i < 20; i++) {
			Replica replica = this.choice.choose();
			assertThat(replica).isNotNull();
			call(replica, MILLI, Outcome.UNANSWERED);
		}
	}

	@Test
	void fastErrorsDoNotAttractCalls() {
		update(this.choice, Locality.ANY, Locality.ANY);
		calls(200, MILLI, MILLI);
		int failing = 0;
		for (int i = 0; i < 1_000; i++) {
			Replica replica = this.choice.choose();
			boolean fails = replica.address().equals("0");
			failing += fails ? 1 : 0;
			call(replica, fails ? MILLI / 100 : MILLI, fails ? Outcome.FAILED : Outcome.ANSWERED);
		}
		assertThat(failing).isLessThan(800);
	}

	@Test
	void aNewReplicaStartsSlowly() {
		update(this.choice, Locality.HOST, Locality.ANY);
		calls(5_000, MILLI, 2 * MILLI);
		update(this.choice, Locality.HOST, Locality.ANY, Locality.HOST);
		int most = 0;
		List<Replica> open = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			Replica replica = this.choice.choose();
			replica.begin();
			open.add(replica);
			most = Math.max(most, this.choice.find("2").inFlight());
		}
		assertThat(most).isBetween(1, 2);
		open.forEach((replica) -> this.choice.end(replica, 1, MILLI, Outcome.ANSWERED));
		assertThat(this.choice.find("2").window()).isGreaterThan(2);
	}

	@Test
	void theOneThatDidNotExecuteACallIsNotTakenAgain() {
		update(this.choice, Locality.HOST, Locality.ANY, Locality.ANY);
		Replica near = this.choice.find("0");
		for (int i = 0; i < 1_000; i++) {
			assertThat(this.choice.choose(List.of(near))).isNotSameAs(near);
		}
	}

	/** Their pauses are over before the next one has failed as well. */
	@Test
	void aCallMeetsEachReplicaBeforeOneOfThemAgain() {
		update(this.choice, Locality.HOST, Locality.HOST, Locality.ANY, Locality.ANY);
		for (int round = 0; round < 200; round++) {
			List<Replica> met = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				Replica replica = this.choice.choose(met);
				assertThat(met).doesNotContain(replica);
				met.add(replica);
				call(replica, 10_000 * MILLI, Outcome.UNANSWERED);
			}
			assertThat(this.choice.choose(met)).isNotNull();
		}
	}

	@Test
	void knowledgeSurvivesUpdatesAndFollowsTheLocality() {
		update(this.choice, Locality.ANY, Locality.ANY);
		calls(100, MILLI, MILLI);
		Replica first = this.choice.find("0");
		update(this.choice, Locality.ANY, Locality.ANY, Locality.ANY);
		assertThat(this.choice.find("0")).isSameAs(first);
		this.choice.relocate((address) -> new Located(address.equals("0") ? Locality.HOST : Locality.ANY, "announced"));
		assertThat(first.locality()).isEqualTo(Locality.HOST);
		assertThat(calls(1_000, MILLI, MILLI, MILLI).get("0")).isGreaterThan(900);
		this.choice.update(List.of("1"), (address) -> new Located(Locality.ANY, ""));
		assertThat(this.choice.find("0")).isNull();
	}

	@Test
	void choosingAllocatesNothing() {
		ReplicaChoice real = new ReplicaChoice();
		update(real, Locality.HOST, Locality.HOST, Locality.ANY, Locality.ANY);
		com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory
			.getThreadMXBean();
		long bytes = Long.MAX_VALUE;
		for (int round = 0; round < 20 && bytes > 1_000; round++) {
			long before = threads.getCurrentThreadAllocatedBytes();
			for (int i = 0; i < 20_000; i++) {
				Replica replica = real.choose();
				int met = replica.begin();
				real.end(replica, met, MILLI + i, Outcome.ANSWERED);
			}
			bytes = threads.getCurrentThreadAllocatedBytes() - before;
		}
		assertThat(bytes).as("bytes of 20,000 calls").isLessThan(1_000);
	}

	@Property(tries = 200)
	void sameSeedSameChoices(@ForAll long seed, @ForAll @IntRange(min = 1, max = 6) int replicas) {
		assertThat(trace(seed, replicas)).isEqualTo(trace(seed, replicas));
	}

	/** Whatever happens, and however the clock jumps, the account stays right. */
	private String trace(long seed, int replicas) {
		this.now = 1;
		Random events = new Random(seed);
		ReplicaChoice traced = choice(seed);
		Locality[] localities = new Locality[replicas];
		for (int i = 0; i < replicas; i++) {
			localities[i] = Locality.values()[events.nextInt(4)];
		}
		update(traced, localities);
		StringBuilder trace = new StringBuilder();
		List<Replica> open = new ArrayList<>();
		List<Integer> met = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			this.now += (events.nextInt(50) == 0) ? events.nextLong() : events.nextInt(5_000_000);
			if (open.isEmpty() || events.nextBoolean()) {
				Replica replica = traced.choose(open.isEmpty() ? List.of() : open.subList(0, 1));
				assertThat(replica).isNotNull();
				trace.append(replica.address());
				open.add(replica);
				met.add(replica.begin());
			}
			else {
				int index = events.nextInt(open.size());
				Replica replica = open.remove(index);
				traced.end(replica, met.remove(index), events.nextInt(100) - 10L,
						Outcome.values()[events.nextInt(Outcome.values().length)]);
			}
			int inFlight = traced.report().stream().mapToInt(ReplicaReport::inFlight).sum();
			assertThat(inFlight).isEqualTo(open.size());
			assertThat(traced.report()).allSatisfy((report) -> {
				assertThat(report.inFlight()).isNotNegative();
				assertThat(report.peakEwmaMicros()).isFinite().isNotNegative();
				assertThat(report.expectedMicros()).isFinite().isNotNegative();
			});
		}
		return trace.toString();
	}

	@Test
	void threadsKeepTheAccountWhileReplicasComeAndGo() throws Exception {
		ReplicaChoice shared = new ReplicaChoice();
		update(shared, Locality.HOST, Locality.ANY, Locality.ANY);
		int threads = 4;
		int perThread = 20_000;
		ExecutorService executor = Executors.newFixedThreadPool(threads + 1);
		AtomicBoolean stop = new AtomicBoolean();
		Replica first = shared.find("0");
		try {
			CountDownLatch start = new CountDownLatch(1);
			List<Future<Integer>> results = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				results.add(executor.submit(() -> {
					start.await();
					int toFirst = 0;
					for (int j = 0; j < perThread; j++) {
						Replica replica = shared.choose();
						int met = replica.begin();
						toFirst += (replica == first) ? 1 : 0;
						shared.end(replica, met, ThreadLocalRandom.current().nextLong(MILLI),
								Outcome.values()[ThreadLocalRandom.current().nextInt(4)]);
					}
					return toFirst;
				}));
			}
			Future<?> changes = executor.submit(() -> {
				while (!stop.get()) {
					update(shared, Locality.HOST, Locality.ANY, Locality.ANY, Locality.ZONE);
					shared.relocate((address) -> new Located(Locality.ANY, "moved"));
					update(shared, Locality.HOST, Locality.ANY, Locality.ANY);
				}
			});
			start.countDown();
			int toFirst = 0;
			for (Future<Integer> result : results) {
				toFirst += result.get(60, TimeUnit.SECONDS);
			}
			stop.set(true);
			changes.get(60, TimeUnit.SECONDS);
			assertThat(first.inFlight()).isZero();
			assertThat(first.calls()).isEqualTo(toFirst);
			assertThat(shared.report()).allSatisfy((report) -> assertThat(report.inFlight()).isZero());
		}
		finally {
			stop.set(true);
			executor.shutdownNow();
		}
	}

}
