package io.github.vicinal.benchmarks.selector;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.IntUnaryOperator;

import io.github.vicinal.choice.Decision;
import io.github.vicinal.selection.PathSelector;
import io.github.vicinal.selection.PathSelector.PathSwitch;

/**
 * Callers in a closed loop over simulated paths: each makes its next call when the last
 * one has come back. Seeded, with a virtual clock: equal seeds, equal results.
 */
final class Simulation {

	/** Duration of calls that are never answered. */
	static final long NEVER = Long.MAX_VALUE / 4;

	/** Behaviour of the paths. */
	interface World {

		/**
		 * Returns how long a call takes.
		 * @param path the path
		 * @param bytes the size of the call
		 * @param inFlight calls on the path, this one included
		 * @param nanos the time
		 */
		long cost(int path, int bytes, int inFlight, long nanos);

		/**
		 * Returns how long a call is at the server, beyond its cost.
		 * @param nanos the time
		 */
		default long service(long nanos) {
			return 1;
		}

	}

	/** Chooses a path for each call. */
	interface Chooser {

		int choose(int bytes, int callers, long nanos);

	}

	private record Call(long begin, long end, int path, int bytes, int ticket, long service, long order) {
	}

	private final PathSelector selector;

	private final World world;

	private final List<Decision> decisions = new ArrayList<>();

	private final List<PathSwitch> switches = new ArrayList<>();

	private final PriorityQueue<Call> running = new PriorityQueue<>((one, other) -> {
		int byEnd = Long.compare(one.end, other.end);
		return (byEnd != 0) ? byEnd : Long.compare(one.order, other.order);
	});

	private final int[] inFlight;

	private final Random random;

	private IntUnaryOperator sizes = (chance) -> 100;

	/** Lead of the callers' clock over the simulation's. */
	private long clockOffset;

	private long now = 1_000_000;

	private long calls;

	private long order;

	private long busyNanos;

	private int hanging;

	Simulation(int paths, World world, long seed) {
		this.world = world;
		this.random = new Random(seed);
		this.inFlight = new int[paths];
		List<String> names = new ArrayList<>();
		for (int i = 0; i < paths; i++) {
			names.add(String.valueOf((char) ('A' + i)));
		}
		this.selector = new PathSelector(names, 1, PathSelector.Settings.defaults(true), (change) -> {
			this.switches.add(change);
			this.decisions.add(change.decision());
		});
		for (int i = 0; i < paths; i++) {
			this.selector.opened(i, this.now);
		}
	}

	Simulation sizes(IntUnaryOperator drawn) {
		this.sizes = drawn;
		return this;
	}

	PathSelector selector() {
		return this.selector;
	}

	long now() {
		return this.now;
	}

	long clock() {
		return this.now + this.clockOffset;
	}

	void jump(long nanos) {
		this.clockOffset += nanos;
	}

	long calls() {
		return this.calls;
	}

	/** The sum of what the calls took. */
	long busyNanos() {
		return this.busyNanos;
	}

	List<Decision> decisions() {
		return this.decisions;
	}

	List<PathSwitch> switches() {
		return this.switches;
	}

	/** Runs callers until a time, or a number of calls. */
	void run(int callers, long untilNanos, long untilCalls, Chooser chooser) {
		while (this.running.size() + this.hanging < callers) {
			start(callers, chooser);
		}
		while (this.calls < untilCalls && !this.running.isEmpty() && this.running.peek().end <= untilNanos) {
			Call call = this.running.poll();
			this.now = call.end;
			end(call);
			if (this.running.size() + this.hanging < callers) {
				start(callers, chooser);
			}
		}
		if (this.calls < untilCalls) {
			this.now = Math.max(this.now, untilNanos);
		}
	}

	/** One more caller that makes one call at this moment; returns the path it took. */
	int arrive(long nanos, boolean idempotent) {
		while (!this.running.isEmpty() && this.running.peek().end <= nanos) {
			Call call = this.running.poll();
			this.now = call.end;
			end(call);
		}
		this.now = nanos;
		int path = this.selector.choose(100, idempotent, clock());
		begin(path, 100);
		return path;
	}

	Chooser bySelector() {
		return (bytes, callers, nanos) -> this.selector.choose(bytes, true, clock());
	}

	private void start(int callers, Chooser chooser) {
		int bytes = this.sizes.applyAsInt(this.random.nextInt(1 << 20));
		int path = chooser.choose(bytes, callers, this.now);
		if (path == PathSelector.NONE) {
			throw new IllegalStateException("No path is open");
		}
		begin(path, bytes);
	}

	private void begin(int path, int bytes) {
		int ticket = this.selector.begin(path, 0, bytes);
		long cost = this.world.cost(path, bytes, ++this.inFlight[path], this.now);
		if (cost >= NEVER) {
			this.hanging++;
			return;
		}
		long service = this.world.service(this.now);
		this.running.add(new Call(clock(), this.now + cost + service, path, bytes, ticket, service, this.order++));
	}

	private void end(Call call) {
		this.inFlight[call.path]--;
		this.calls++;
		this.selector.end(call.path, call.ticket, true);
		long measured = clock() - call.begin;
		this.busyNanos += measured;
		if (call.ticket != PathSelector.UNTIMED) {
			this.selector.record(call.path, 0, call.bytes, call.bytes, true, measured, call.service, clock());
		}
	}

}
