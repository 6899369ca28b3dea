package io.github.vicinal.replica;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

/**
 * Chooses among the replicas of a service, see the package. Thread-safe. Choosing and
 * what belongs to a call are lock-free and allocate nothing; choosing takes a time that
 * grows with the number of replicas only where most of them have no room, or until each
 * was called once.
 * <p>
 * The caller keeps the account of each call:
 *
 * <pre class="code">
 * Replica replica = choice.choose();
 * int met = replica.begin();
 * long start = System.nanoTime();
 * ... // call replica.address()
 * choice.end(replica, met, System.nanoTime() - start, Outcome.ANSWERED);
 * </pre>
 *
 * Some calls go elsewhere to learn: one of 256 to a farther class, more of them until
 * that is known; one of 256 to the nearest class although it is saturated; and one of
 * four to a replica that was never called.
 *
 * @since 0.1.0
 */
public final class ReplicaChoice {

	/** Number of calls of which one goes to a farther class, to learn its cost. */
	private static final int PROBES = 256;

	/** The same, until enough is known. */
	private static final int FIRST_PROBES = 32;

	/**
	 * The random number with which a call goes to the nearest class, whatever it costs.
	 */
	private static final int NEAR_PROBE = PROBES - 1;

	/** Calls to farther classes that are enough. */
	private static final int KNOWN_CALLS = 32;

	/**
	 * Relative excess of the expected latency from which a nearer replica is left;
	 * estimates vary.
	 */
	private static final float MARGIN = 0.05f;

	/**
	 * Number of calls of which one counts them, which saves the others a shared write.
	 */
	private static final int COUNTING = 16;

	/** Milliseconds for a tick, beside calls: what is known ages without calls, too. */
	private static final int TICK_SHIFT = 4;

	private final Supplier<? extends RandomGenerator> random;

	private final LongSupplier clock;

	/** Calls, about. */
	private final AtomicInteger counted = new AtomicInteger();

	private volatile Replicas replicas = Replicas.of(List.of());

	/** Creates a choice without replicas, for use in production. */
	public ReplicaChoice() {
		this(ThreadLocalRandom::current, System::nanoTime);
	}

	/**
	 * Creates a choice without replicas. With a given random source and clock, and calls
	 * from one thread, all choices are determined.
	 * @param random random numbers for the calling thread
	 * @param clock nanoseconds, as of {@link System#nanoTime()}
	 */
	public ReplicaChoice(Supplier<? extends RandomGenerator> random, LongSupplier clock) {
		this.random = random;
		this.clock = clock;
	}

	/**
	 * Replicas by class.
	 *
	 * @param all all of them
	 * @param classes those of each class that has any, nearest first
	 * @param visited whether each was called, as far as somebody has looked
	 */
	@SuppressWarnings("ArrayRecordComponent")
	private record Replicas(Replica[] all, Replica[][] classes, AtomicBoolean visited) {

		static Replicas of(Collection<Replica> all) {
			Map<Locality, List<Replica>> classes = new EnumMap<>(Locality.class);
			for (Replica replica : all) {
				classes.computeIfAbsent(replica.locality(), (key) -> new ArrayList<>()).add(replica);
			}
			return new Replicas(all.toArray(Replica[]::new),
					classes.values().stream().map((list) -> list.toArray(Replica[]::new)).toArray(Replica[][]::new),
					new AtomicBoolean());
		}

	}

	/**
	 * Sets the replicas. Those that were there before keep their statistics.
	 * @param addresses their addresses, each once
	 * @param locator returns the locality of a replica
	 */
	public synchronized void update(Collection<String> addresses, Locator locator) {
		Map<String, Replica> known = new LinkedHashMap<>();
		for (Replica replica : this.replicas.all()) {
			known.put(replica.address(), replica);
		}
		Map<String, Replica> next = new LinkedHashMap<>();
		for (String address : addresses) {
			Located located = locator.locate(address);
			Replica replica = known.get(address);
			if (replica == null) {
				replica = new Replica(address, located.locality(), located.why());
			}
			else {
				replica.locate(located.locality(), located.why());
			}
			next.put(address, replica);
		}
		this.replicas = Replicas.of(next.values());
	}

	/**
	 * Updates the localities of the replicas.
	 * @param locator returns the locality of a replica
	 */
	public void relocate(Locator locator) {
		for (Replica replica : this.replicas.all()) {
			Located located = locator.locate(replica.address());
			if (located.locality() != replica.locality() || !located.why().equals(replica.why())) {
				synchronized (this) {
					for (Replica each : this.replicas.all()) {
						Located latest = locator.locate(each.address());
						each.locate(latest.locality(), latest.why());
					}
					this.replicas = Replicas.of(List.of(this.replicas.all()));
				}
				return;
			}
		}
	}

	/**
	 * Returns the locality of a replica.
	 *
	 * @since 0.1.0
	 */
	@FunctionalInterface
	public interface Locator {

		/**
		 * Locates a replica.
		 * @param address its address
		 * @return how near it is
		 */
		Located locate(String address);

	}

	/**
	 * Location of a replica.
	 *
	 * @param locality how near
	 * @param why the reason for that, for people
	 * @since 0.1.0
	 */
	public record Located(Locality locality, String why) {
	}

	/**
	 * Chooses a replica.
	 * @return a replica, or {@code null} if there is none
	 */
	public @Nullable Replica choose() {
		return choose(List.of());
	}

	/**
	 * Chooses a replica for a call that others did not execute.
	 * @param except the others, which are taken only if there are none but them; not
	 * changed meanwhile
	 * @return a replica, or {@code null} if there is none
	 */
	public @Nullable Replica choose(List<Replica> except) {
		Replicas current = this.replicas;
		Replica[] all = current.all();
		if (all.length <= 1) {
			return (all.length == 1) ? all[0] : null;
		}
		RandomGenerator randoms = this.random.get();
		int millis = millis();
		int number = randoms.nextInt();
		if ((number & (COUNTING - 1)) == 0) {
			this.counted.addAndGet(COUNTING);
		}
		int tick = tick(millis);
		if ((number >>> 30) == 0 && !current.visited().get()) {
			Replica unvisited = unvisited(current, except, millis);
			if (unvisited != null) {
				return unvisited;
			}
		}
		Replica[][] classes = current.classes();
		int probe = (number >>> 4) & (PROBES - 1);
		int nearest = (classes.length > 1 && probes(classes, probe)) ? 1 : 0;
		Replica best = null;
		for (int i = nearest; i < classes.length; i++) {
			Replica candidate = cheaper(classes[i], except, randoms, millis);
			if (candidate != null && (best == null || (probe != NEAR_PROBE && pays(best, candidate, tick)))) {
				best = candidate;
			}
		}
		return (best != null) ? best : leastBad(all, except, randoms, millis);
	}

	/** Returns whether a call had better go farther away. */
	private static boolean pays(Replica near, Replica far, int tick) {
		float there = far.atWorst(tick);
		return there != SaturationCurve.UNKNOWN && near.atBest(tick) > there * (1 + MARGIN);
	}

	private static @Nullable Replica unvisited(Replicas current, List<Replica> except, int millis) {
		boolean any = false;
		for (Replica replica : current.all()) {
			if (!replica.isVisited()) {
				any = true;
				if (!isOneOf(except, replica) && replica.hasRoom(millis)) {
					return replica;
				}
			}
		}
		current.visited().set(!any);
		return null;
	}

	private static boolean probes(Replica[][] classes, int number) {
		if (number == 0 || number >= PROBES / FIRST_PROBES) {
			return number == 0;
		}
		long calls = 0;
		for (int i = 1; i < classes.length; i++) {
			for (Replica replica : classes[i]) {
				calls += replica.calls();
			}
		}
		return calls < KNOWN_CALLS;
	}

	/** Power of two choices among those that have room. */
	private static @Nullable Replica cheaper(Replica[] replicas, List<Replica> except, RandomGenerator randoms,
			int millis) {
		int length = replicas.length;
		int first = (length == 1) ? 0 : randoms.nextInt(length);
		Replica one = room(replicas, first, length, -1, except, millis);
		if (one == null || length == 1) {
			return one;
		}
		int second = randoms.nextInt(length - 1);
		Replica other = room(replicas, (second >= first) ? second + 1 : second, length, first, except, millis);
		return (other == null || other == one || one.cost(millis) <= other.cost(millis)) ? one : other;
	}

	/** Returns the first replica with room from an index on, around the end. */
	private static @Nullable Replica room(Replica[] replicas, int from, int length, int skip, List<Replica> except,
			int millis) {
		for (int i = 0; i < length; i++) {
			int index = (from + i) % length;
			Replica replica = replicas[index];
			if (index != skip && !isOneOf(except, replica) && replica.hasRoom(millis)) {
				return replica;
			}
		}
		return null;
	}

	/** No replica has room: the cheapest that is not paused, if there are any. */
	private static Replica leastBad(Replica[] all, List<Replica> except, RandomGenerator randoms, int millis) {
		int from = randoms.nextInt(all.length);
		Replica best = null;
		Replica any = null;
		for (int i = 0; i < all.length; i++) {
			Replica replica = all[(from + i) % all.length];
			if (isOneOf(except, replica)) {
				continue;
			}
			any = (any != null) ? any : replica;
			if (!replica.isPaused(millis) && (best == null || replica.cost(millis) < best.cost(millis))) {
				best = replica;
			}
		}
		if (best != null) {
			return best;
		}
		return (any != null) ? any : all[from];
	}

	private static boolean isOneOf(List<Replica> some, Replica replica) {
		return !some.isEmpty() && some.contains(replica);
	}

	/**
	 * Notes that a call has ended.
	 * @param replica the replica that it went to
	 * @param met what {@link Replica#begin()} returned
	 * @param nanos how long the call took
	 * @param outcome its outcome
	 */
	public void end(Replica replica, int met, long nanos, Outcome outcome) {
		int millis = millis();
		replica.end(met, nanos, outcome, millis, tick(millis));
	}

	/**
	 * Finds out whether replicas can be reached that cost callers time-outs, so that no
	 * call has to.
	 * @param probe asked for each such replica, at most once in a second; it must not
	 * block, and says later what it found
	 */
	public void probe(Probe probe) {
		int millis = millis();
		for (Replica replica : this.replicas.all()) {
			if (replica.isSuspect(millis)) {
				replica.probing(millis);
				probe.start(replica.address(), (reachable) -> replica.probed(reachable, millis()));
			}
		}
	}

	/**
	 * Finds out whether a replica can be reached.
	 *
	 * @since 0.1.0
	 */
	@FunctionalInterface
	public interface Probe {

		/**
		 * Starts a probe.
		 * @param address the replica's address
		 * @param result notified whether it can be reached, on any thread
		 */
		void start(String address, Consumer<Boolean> result);

	}

	private int tick(int millis) {
		return this.counted.get() + (millis >> TICK_SHIFT);
	}

	/** Milliseconds of the clock, about: a power of two is cheaper. */
	private int millis() {
		return (int) (this.clock.getAsLong() >> 20);
	}

	/**
	 * Returns the replica of an address.
	 * @param address the address
	 * @return the replica, or {@code null} if there is none
	 */
	public @Nullable Replica find(String address) {
		for (Replica replica : this.replicas.all()) {
			if (replica.address().equals(address)) {
				return replica;
			}
		}
		return null;
	}

	/**
	 * Returns a replica by its position, for those who choose themselves.
	 * @param index a number from 0 on, in the order of the last update
	 * @return the replica, or {@code null} if there are fewer
	 */
	public @Nullable Replica at(int index) {
		Replica[] all = this.replicas.all();
		return (index < all.length) ? all[index] : null;
	}

	/**
	 * Describes all replicas.
	 * @return nearest first
	 */
	public List<ReplicaReport> report() {
		int millis = millis();
		Replicas current = this.replicas;
		long total = 0;
		for (Replica replica : current.all()) {
			total += replica.calls();
		}
		List<ReplicaReport> reports = new ArrayList<>();
		for (int i = 0; i < current.classes().length; i++) {
			for (Replica replica : current.classes()[i]) {
				long calls = replica.calls();
				reports.add(new ReplicaReport(replica.address(), replica.locality(), replica.why(), replica.inFlight(),
						replica.peakNanos(millis) / 1e3, replica.meanNanos() / 1e3, replica.atWorst(tick(millis)) / 1e3,
						calls, (total > 0) ? (double) calls / total : 0, replica.refusals(), replica.failures(),
						replica.isPaused(millis) ? "paused" : "open"));
			}
		}
		return reports;
	}

}
