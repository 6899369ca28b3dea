package io.github.vicinal.requestserver;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.ToDoubleFunction;

import io.github.vicinal.requestserver.RequestServerSettings.Threads;

/**
 * The queue of a request server in virtual time: requests come at random times, those
 * with a permit take a service time each. The same seed gives the same outcome.
 */
final class Simulation {

	private static final double NANOS = 1e9;

	/**
	 * Processors of the machine. Requests compute if as many get on at once, else they
	 * wait for something else.
	 */
	private static final int PROCESSORS = 2;

	/** The version of events in which the queue is looked at. */
	private static final int LOOK = -1;

	private final Map<Double, Runnable> changes = new HashMap<>();

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private final Random random;

	private final PermitQueue queue;

	private ToDoubleFunction<Random> serviceSeconds;

	/** With more running than processors, each takes its part of them. */
	private int processors;

	/**
	 * Whether processors are given to one after the other, as a pool's connections are.
	 */
	private boolean pooled;

	/** Number of running requests that halve the speed of each, 0 if none do. */
	private double halving;

	/** Number of requests that advance at once on their way in. */
	private int entrances;

	/** Processor time of each on its way in. */
	private double intakeSeconds;

	private final Deque<Work> incoming = new ArrayDeque<>();

	private final List<Double> intakes = new ArrayList<>();

	private final double warmSeconds;

	private final List<Work> running = new ArrayList<>();

	/** Speed of processors, 1 if requests take their service times. */
	private double pace = 1;

	private double now;

	private long offset;

	private double advanced;

	private int version;

	private final List<Double> waits = new ArrayList<>();

	private final List<Double> responses = new ArrayList<>();

	private double slotSeconds;

	/** Processor time that was used, in seconds. */
	private double used;

	/** Share of the processors that something else keeps busy. */
	private double othersLoad;

	private int refused;

	private final Map<Priority, List<Double>> responsesByPriority = new EnumMap<>(Priority.class);

	private final Map<Priority, List<Double>> refusalsByPriority = new EnumMap<>(Priority.class);

	private final List<Double> refusedAt = new ArrayList<>();

	private final List<Double> endedAt = new ArrayList<>();

	private int longestQueue;

	/** Whether the queue is going to be looked at, as the server's timer does. */
	private boolean watching;

	Simulation(int threads, int processors, ToDoubleFunction<Random> serviceSeconds, double warmSeconds, long seed) {
		this(RequestServerSettings.of("simulated", new Threads.Fixed(threads)), processors, serviceSeconds, warmSeconds,
				seed);
	}

	Simulation(RequestServerSettings settings, int processors, ToDoubleFunction<Random> serviceSeconds,
			double warmSeconds, long seed) {
		this.random = new Random(seed);
		this.queue = new PermitQueue(settings, () -> (long) (this.now * NANOS) + this.offset, new Busy());
		this.serviceSeconds = serviceSeconds;
		this.processors = processors;
		this.warmSeconds = warmSeconds;
	}

	/** Lets only so many of those that run get on, while the others wait. */
	Simulation pooled() {
		this.pooled = true;
		return this;
	}

	/**
	 * Makes requests slow each other down gradually: so many running ones halve the speed
	 * of each, and the rate approaches that number in a service time.
	 */
	Simulation contended(double halving) {
		this.halving = halving;
		return this;
	}

	/**
	 * Lets requests take processors on their way in, beside those that run, as sending,
	 * receiving and parsing them does.
	 */
	Simulation intake(int threads, double seconds) {
		this.entrances = threads;
		this.intakeSeconds = seconds;
		return this;
	}

	/** Keeps a share of the processors busy with something else. */
	Simulation beside(double load) {
		this.othersLoad = load;
		return this;
	}

	/** Adds requests with exponential gaps. */
	Simulation load(double from, double until, double perSecond) {
		return load(from, until, perSecond, Priority.NORMAL);
	}

	/** Adds requests of a priority with exponential gaps. */
	Simulation load(double from, double until, double perSecond, Priority priority) {
		for (double at = from + gap(perSecond); at < until; at += gap(perSecond)) {
			this.events.add(new Event(at, 0, null, priority));
		}
		return this;
	}

	private double gap(double perSecond) {
		return -Math.log(1 - this.random.nextDouble()) / perSecond;
	}

	/** Adds requests that come at once. */
	Simulation burst(double at, int count) {
		for (int i = 0; i < count; i++) {
			this.events.add(new Event(at, 0, null, Priority.NORMAL));
		}
		return this;
	}

	/** Sets the server's clock forward or back. */
	Simulation clockJumps(double at, Duration by) {
		this.events.add(new Event(at, 0, by, Priority.NORMAL));
		return this;
	}

	/** Changes something at a time. */
	Simulation at(double at, Runnable change) {
		this.changes.put(at, change);
		this.events.add(new Event(at, 0, Duration.ZERO, Priority.NORMAL));
		return this;
	}

	/** Changes how many get on at once. */
	void widen(int many) {
		this.processors = many;
	}

	/** Changes how long requests take from now on. */
	void serve(ToDoubleFunction<Random> seconds) {
		this.serviceSeconds = seconds;
	}

	/** Changes how fast processors are from now on, for those that run, too. */
	void accelerate(double factor) {
		this.pace = factor;
	}

	Outcome run() {
		double end = 0;
		for (Event event = this.events.poll(); event != null; event = this.events.poll()) {
			if (event.version() > 0 && event.version() != this.version) {
				continue;
			}
			advance(event.at());
			end = event.at();
			if (event.version() == LOOK) {
				this.watching = false;
				look();
			}
			else if (event.jump() != null) {
				this.offset += event.jump().toNanos();
				this.changes.getOrDefault(event.at(), () -> {
				}).run();
			}
			else if (event.version() == 0) {
				come(event.priority());
			}
			else {
				finish();
			}
			this.longestQueue = Math.max(this.longestQueue, this.queue.waiting());
			schedule();
			if (!this.watching && this.queue.waiting() > 0) {
				look();
			}
		}
		return new Outcome(this.waits, this.responses, this.refused, this.slotSeconds, end, this.longestQueue,
				this.queue.running(), this.queue.waiting(), this.queue.snapshot().overloads());
	}

	private void look() {
		long next = this.queue.look();
		if (next >= 0) {
			this.watching = true;
			this.events.add(new Event(this.now + next / NANOS, LOOK, null, Priority.NORMAL));
		}
	}

	/** Lets what runs get on, at the speed that the processors allow. */
	private void advance(double to) {
		this.now = to;
		double speed = speed();
		double done = (to - this.advanced) * speed;
		List<Work> active = active();
		for (Work work : active) {
			work.left -= done;
		}
		double own = (this.processors == PROCESSORS && !this.pooled) ? done / this.pace * active.size() : 0;
		this.used += Math.max(own, this.othersLoad * PROCESSORS * (to - this.advanced));
		if (to > this.warmSeconds) {
			this.slotSeconds += this.running.size() * (to - Math.max(this.advanced, this.warmSeconds));
		}
		this.advanced = to;
	}

	/** Those that get on. */
	private List<Work> active() {
		if (this.pooled) {
			return this.running.subList(0, Math.min(this.processors, this.running.size()));
		}
		if (this.incoming.isEmpty()) {
			return this.running;
		}
		List<Work> active = new ArrayList<>(this.running);
		this.incoming.stream().limit(this.entrances).forEach(active::add);
		return active;
	}

	private double speed() {
		int active = this.running.size() + Math.min(this.entrances, this.incoming.size());
		if (this.halving > 0) {
			return this.pace / (1 + active / this.halving);
		}
		return this.pace * (this.pooled ? 1 : Math.min(1, (double) this.processors / Math.max(1, active)));
	}

	private void schedule() {
		this.version++;
		double least = Double.MAX_VALUE;
		for (Work work : active()) {
			least = Math.min(least, work.left);
		}
		if (least < Double.MAX_VALUE) {
			this.events.add(new Event(this.now + Math.max(0, least) / speed(), this.version, null, Priority.NORMAL));
		}
	}

	private void come(Priority priority) {
		Work work = new Work(this.now, priority);
		if (this.entrances == 0) {
			arrive(work);
			return;
		}
		work.left = this.intakeSeconds;
		work.comesIn = true;
		this.incoming.addLast(work);
	}

	private void arrive(Work work) {
		if (work.arrived >= this.warmSeconds) {
			this.intakes.add(this.now - work.arrived);
		}
		if (this.queue.tryEnter()) {
			work.granted();
			return;
		}
		switch (this.queue.enter(work)) {
			case GRANTED -> work.granted();
			case REFUSED -> work.rejected(this.queue.rejection(work.why));
			case QUEUED -> {
			}
		}
	}

	private void finish() {
		Work done = Collections.min(active(), (one, other) -> Double.compare(one.left, other.left));
		if (done.comesIn) {
			done.comesIn = false;
			this.incoming.remove(done);
			arrive(done);
			return;
		}
		this.running.remove(done);
		this.endedAt.add(this.now);
		if (done.arrived >= this.warmSeconds) {
			this.responses.add(this.now - done.arrived);
			of(this.responsesByPriority, done.priority()).add(this.now - done.arrived);
			this.waits.add(done.started - done.arrived);
		}
		this.queue.served((long) ((this.now - done.started) * NANOS), 1);
		Ticket next = this.queue.leave(List.of());
		if (next != null) {
			next.granted();
		}
	}

	private static List<Double> of(Map<Priority, List<Double>> lists, Priority priority) {
		return lists.computeIfAbsent(priority, (key) -> new ArrayList<>());
	}

	int refused(Priority priority) {
		return of(this.refusalsByPriority, priority).size();
	}

	double responseQuantile(Priority priority, double quantile) {
		return Outcome.quantile(of(this.responsesByPriority, priority), quantile);
	}

	/** Returns when requests were rejected, in seconds. */
	List<Double> refusedAt() {
		return this.refusedAt;
	}

	/** Returns the number of requests that ended in some time. */
	long ended(double from, double until) {
		return this.endedAt.stream().filter((at) -> at >= from && at < until).count();
	}

	/** Returns the number of requests that were rejected in some time. */
	long refused(double from, double until) {
		return this.refusedAt.stream().filter((at) -> at >= from && at < until).count();
	}

	/** Returns how long requests waited that were rejected in the end. */
	double refusalQuantile(Priority priority, double quantile) {
		return Outcome.quantile(of(this.refusalsByPriority, priority), quantile);
	}

	/** Returns how long requests took until the server saw them. */
	double intakeQuantile(double quantile) {
		return Outcome.quantile(this.intakes, quantile);
	}

	int limit() {
		return this.queue.limit();
	}

	boolean overloaded() {
		return this.queue.snapshot().overloaded();
	}

	/** Lets time pass in which nothing happens. */
	void idle(double seconds) {
		this.now += seconds;
	}

	/** Processors in use since they were asked for. */
	private final class Busy extends Processors {

		private double askedAt;

		private double usedThen;

		@Override
		int count() {
			return PROCESSORS;
		}

		@Override
		double load() {
			double share = (Simulation.this.used - this.usedThen) / PROCESSORS
					/ Math.max(1e-9, Simulation.this.now - this.askedAt);
			this.askedAt = Simulation.this.now;
			this.usedThen = Simulation.this.used;
			return share;
		}

	}

	private final class Work extends Ticket {

		private final double arrived;

		private double started;

		private double left;

		private boolean comesIn;

		Work(double arrived, Priority priority) {
			super("load", List.of(), priority, NO_DEADLINE);
			this.arrived = arrived;
		}

		@Override
		void granted() {
			this.started = Simulation.this.now;
			this.left = Simulation.this.serviceSeconds.applyAsDouble(Simulation.this.random);
			Simulation.this.running.add(this);
		}

		@Override
		void rejected(Rejection rejection) {
			if (this.arrived >= Simulation.this.warmSeconds) {
				Simulation.this.refused++;
				Simulation.this.refusedAt.add(Simulation.this.now);
				of(Simulation.this.refusalsByPriority, priority()).add(Simulation.this.now - this.arrived);
			}
		}

	}

	/** Something that happens; an end of service counts only in its version. */
	private record Event(double at, int version, Duration jump, Priority priority) implements Comparable<Event> {

		@Override
		public int compareTo(Event other) {
			return Double.compare(this.at, other.at);
		}

	}

	/** Outcomes of requests that arrived after the warm-up, in seconds. */
	record Outcome(List<Double> waits, List<Double> responses, int refused, double slotSeconds, double end,
			int longestQueue, int running, int waiting, long overloads) {

		/** Returns which part of the time the permits were in use. */
		double busy(int threads, double from, double until) {
			return this.slotSeconds / threads / (until - from);
		}

		double responseQuantile(double quantile) {
			return quantile(this.responses, quantile);
		}

		double waitQuantile(double quantile) {
			return quantile(this.waits, quantile);
		}

		private static double quantile(List<Double> values, double quantile) {
			List<Double> sorted = new ArrayList<>(values);
			Collections.sort(sorted);
			return sorted.get((int) Math.min(sorted.size() - 1, sorted.size() * quantile));
		}

	}

}
