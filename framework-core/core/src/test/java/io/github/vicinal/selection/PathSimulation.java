package io.github.vicinal.selection;

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.choice.Decision;
import io.github.vicinal.selection.PathSelector.PathSwitch;

/**
 * Callers in a closed loop over simulated paths to a simulated server, with a virtual
 * clock. Equal seeds give equal results.
 */
final class PathSimulation {

	static final long MICRO = 1_000;

	static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

	static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	/** Behaviour of the paths and the server. */
	abstract static class World {

		/** Returns the mean cost of a call by a path in nanoseconds. */
		abstract double path(int path, int bytes, int inFlight, long now);

		/** Returns by how much the cost of this call differs from the mean. */
		double noise(int path, long now, Random random) {
			return 0.5 - 0.5 * Math.log(1 - random.nextDouble());
		}

		abstract double service(int method, long now, Random random);

		/**
		 * Returns a multiple of the cost of a path that has not been used for a while.
		 */
		double cold() {
			return 2;
		}

	}

	private record Call(long begun, long end, int path, int method, int bytes, int ticket, long service) {
	}

	private static final List<String> NAMES = List.of("shm", "uds", "http", "other");

	private final PriorityQueue<Call> running = new PriorityQueue<>(Comparator.comparingLong(Call::end));

	private final World world;

	private final int paths;

	private final int methods;

	private final Random random;

	private final int[] inFlight;

	private final long[] usedAt;

	private final PathSelector selector;

	private int[] sizes = { 200 };

	private long thinkNanos;

	private long now = SECOND;

	private long calls;

	private double spent;

	private double lost;

	private int switches;

	private int wrong;

	private int takenBack;

	private boolean lastWrong;

	private long firstSwitchCall = -1;

	private long firstSwitchNanos = -1;

	PathSimulation(int paths, int methods, World world, long seed) {
		this.paths = paths;
		this.methods = methods;
		this.world = world;
		this.random = new Random(seed);
		this.inFlight = new int[paths];
		this.usedAt = new long[paths];
		this.selector = new PathSelector(NAMES.subList(0, paths), methods, PathSelector.Settings.defaults(true),
				this::record);
		for (int i = paths - 1; i >= 0; i--) {
			this.selector.opened(i, this.now);
		}
	}

	PathSimulation sizes(int... bytes) {
		this.sizes = bytes;
		return this;
	}

	/** Pauses callers between calls. */
	PathSimulation think(long nanos) {
		this.thinkNanos = nanos;
		return this;
	}

	private void record(PathSwitch change) {
		Decision decision = change.decision();
		switch (decision.kind()) {
			case OPENED -> {
			}
			case LOSS -> {
				this.takenBack++;
				this.switches--;
				this.wrong -= this.lastWrong ? 1 : 0;
			}
			default -> {
				this.switches++;
				if (this.firstSwitchCall < 0) {
					this.firstSwitchCall = this.calls;
					this.firstSwitchNanos = this.now - SECOND;
				}
				int load = this.running.size() + 1;
				int bytes = (change.sizeClass() < 0) ? 200
						: (int) Math.min(CallSizeClass.largest(change.sizeClass()), this.sizes[this.sizes.length - 1]);
				this.lastWrong = this.world.path(NAMES.indexOf(decision.to()), bytes, load, this.now) > this.world
					.path(NAMES.indexOf(decision.from()), bytes, load, this.now);
				this.wrong += this.lastWrong ? 1 : 0;
			}
		}
	}

	/** Runs so many callers for some time. */
	PathSimulation run(int callers, long nanos) {
		long until = this.now + nanos;
		while (this.now < until) {
			while (this.running.size() < callers) {
				begin();
			}
			Call call = this.running.remove();
			this.now = Math.max(this.now, call.end());
			end(call);
		}
		return this;
	}

	private void begin() {
		int method = (int) (this.calls % this.methods);
		int bytes = this.sizes[this.random.nextInt(this.sizes.length)];
		long at = this.now + this.thinkNanos;
		int path = this.selector.choose(bytes, true, at);
		int ticket = this.selector.begin(path, method, bytes);
		int load = ++this.inFlight[path];
		double mean = this.world.path(path, bytes, load, at);
		double best = Double.MAX_VALUE;
		for (int i = 0; i < this.paths; i++) {
			best = Math.min(best, this.world.path(i, bytes, this.running.size() + 1, at));
		}
		double cold = (at - this.usedAt[path] > MILLI) ? this.world.cold() : 1;
		this.usedAt[path] = at;
		double cost = mean * cold * this.world.noise(path, at, this.random);
		long service = (long) this.world.service(method, at, this.random);
		this.spent += cost + service;
		this.lost += mean * ((path == this.selector.current(bytes)) ? 1 : cold) - best;
		this.running.add(new Call(at, at + (long) cost + service, path, method, bytes, ticket, service));
		this.calls++;
	}

	private void end(Call call) {
		this.inFlight[call.path()]--;
		this.usedAt[call.path()] = this.now;
		this.selector.end(call.path(), call.ticket(), true);
		if (call.ticket() != PathSelector.UNTIMED) {
			this.selector.record(call.path(), call.method(), call.bytes(), call.bytes(), true, this.now - call.begun(),
					call.service(), this.now);
		}
	}

	PathSelector selector() {
		return this.selector;
	}

	/** Returns the calls before the first switch, -1 if there was none. */
	long firstSwitchCall() {
		return this.firstSwitchCall;
	}

	long firstSwitchNanos() {
		return this.firstSwitchNanos;
	}

	/**
	 * Returns how many switches went to a path that was worse, and were not taken back.
	 */
	int wrongSwitches() {
		return this.wrong;
	}

	int switches() {
		return this.switches;
	}

	/** Returns what the calls cost beyond the best path, as a share of all their time. */
	double loss() {
		return this.lost / this.spent;
	}

	long calls() {
		return this.calls;
	}

	@Override
	public String toString() {
		return "%d calls, %d switches, %d wrong, %d taken back, %d probes, loss %.3f %%".formatted(this.calls,
				this.switches, this.wrong, this.takenBack, this.selector.probes(), 100 * loss());
	}

}
