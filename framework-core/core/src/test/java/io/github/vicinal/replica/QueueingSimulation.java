package io.github.vicinal.replica;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Replicas with a queue and some servers each, in simulated time: Poisson arrivals, a
 * distribution of service times, and a way to each replica that takes its time. All
 * randomness comes from the seed.
 */
final class QueueingSimulation {

	/** Ways to choose replicas. */
	enum Way {

		/** In turn. */
		UNIFORM,

		/** Always the first one. */
		NEAREST_ONLY,

		/** By {@link ReplicaChoice}. */
		CHOICE

	}

	/** Distributions of the service time with a mean of 1. */
	enum Service implements ToDoubleFunction<SplittableRandom> {

		CONSTANT {
			@Override
			public double applyAsDouble(SplittableRandom random) {
				return 1;
			}
		},

		EXPONENTIAL {
			@Override
			public double applyAsDouble(SplittableRandom random) {
				return -Math.log(1 - random.nextDouble());
			}
		},

		/** Nine of ten are short. */
		BIMODAL {
			@Override
			public double applyAsDouble(SplittableRandom random) {
				return (random.nextInt(10) == 0) ? 5.5 : 0.5;
			}
		}

	}

	/**
	 * Parameters of a simulation.
	 *
	 * @param replicas how many; the first one is near
	 * @param servers of each
	 * @param service the distribution of the service time
	 * @param serviceMillis its mean
	 * @param nearMillis the way to the near replica and back
	 * @param farMillis the way to the others and back
	 * @param load arrivals, as a part of what the near replica alone can do
	 * @param calls how many are counted, after half as many that are not
	 */
	record Setup(int replicas, int servers, Service service, double serviceMillis, double nearMillis, double farMillis,
			double load, int calls) {
	}

	/**
	 * Result of a simulation.
	 *
	 * @param nearShare part of the calls that went to the near replica
	 * @param p50Millis median latency
	 * @param p99Millis 99 % quantile
	 */
	record Result(double nearShare, double p50Millis, double p99Millis) {
	}

	private static final int ARRIVAL = 0;

	private static final int AT_REPLICA = 1;

	private static final int SERVED = 2;

	private static final int ANSWERED = 3;

	private record Event(double at, long order, int kind, Call call) implements Comparable<Event> {

		@Override
		public int compareTo(Event other) {
			int byTime = Double.compare(this.at, other.at);
			return (byTime != 0) ? byTime : Long.compare(this.order, other.order);
		}

	}

	private static final class Call {

		double start;

		double work;

		int replica;

		int met;

		boolean counts;

	}

	private final Setup setup;

	private final Way way;

	private final SplittableRandom arrivals;

	private final SplittableRandom services;

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private final ReplicaChoice choice;

	private final int[] busy;

	private final ArrayDeque<Call>[] queues;

	private double now;

	private long order;

	private int turn;

	@SuppressWarnings({ "unchecked", "rawtypes" })
	private QueueingSimulation(Setup setup, Way way, long seed) {
		this.setup = setup;
		this.way = way;
		SplittableRandom seeds = new SplittableRandom(seed);
		this.arrivals = seeds.split();
		this.services = seeds.split();
		SplittableRandom choices = seeds.split();
		this.choice = new ReplicaChoice(() -> choices, () -> (long) (this.now * 1e6));
		this.busy = new int[setup.replicas()];
		this.queues = new ArrayDeque[setup.replicas()];
		Arrays.setAll(this.queues, (i) -> new ArrayDeque<>());
		this.choice.update(IntStream.range(0, setup.replicas()).mapToObj(String::valueOf).toList(),
				(address) -> new ReplicaChoice.Located(address.equals("0") ? Locality.HOST : Locality.ANY, ""));
	}

	static Result run(Setup setup, Way way, long seed) {
		return new QueueingSimulation(setup, way, seed).run();
	}

	private Result run() {
		double gap = this.setup.serviceMillis() / this.setup.servers() / this.setup.load();
		int warmUp = this.setup.calls() / 2;
		int total = warmUp + this.setup.calls();
		double[] latencies = new double[this.setup.calls()];
		int arrived = 0;
		int counted = 0;
		int near = 0;
		push(gap, ARRIVAL, new Call());
		while (counted < this.setup.calls()) {
			Event event = this.events.remove();
			this.now = event.at();
			Call call = event.call();
			switch (event.kind()) {
				case ARRIVAL -> {
					call.start = this.now;
					call.work = this.setup.service().applyAsDouble(this.services) * this.setup.serviceMillis();
					call.counts = arrived >= warmUp;
					choose(call);
					near += (call.counts && call.replica == 0) ? 1 : 0;
					push(this.now + way(call) / 2, AT_REPLICA, call);
					if (++arrived < total) {
						push(this.now - Math.log(1 - this.arrivals.nextDouble()) * gap, ARRIVAL, new Call());
					}
				}
				case AT_REPLICA -> {
					if (this.busy[call.replica] < this.setup.servers()) {
						this.busy[call.replica]++;
						push(this.now + call.work, SERVED, call);
					}
					else {
						this.queues[call.replica].add(call);
					}
				}
				case SERVED -> {
					push(this.now + way(call) / 2, ANSWERED, call);
					Call next = this.queues[call.replica].poll();
					if (next != null) {
						push(this.now + next.work, SERVED, next);
					}
					else {
						this.busy[call.replica]--;
					}
				}
				default -> {
					double latency = this.now - call.start;
					if (this.way == Way.CHOICE) {
						Replica replica = this.choice.find(String.valueOf(call.replica));
						this.choice.end(replica, call.met, (long) (latency * 1e6), Outcome.ANSWERED);
					}
					if (call.counts) {
						latencies[counted++] = latency;
					}
				}
			}
		}
		Arrays.sort(latencies);
		return new Result((double) near / this.setup.calls(), latencies[latencies.length / 2],
				latencies[(int) (latencies.length * 0.99)]);
	}

	private void choose(Call call) {
		switch (this.way) {
			case UNIFORM -> call.replica = this.turn++ % this.setup.replicas();
			case NEAREST_ONLY -> call.replica = 0;
			case CHOICE -> {
				Replica replica = this.choice.choose();
				call.met = replica.begin();
				call.replica = Integer.parseInt(replica.address());
			}
		}
	}

	private double way(Call call) {
		return (call.replica == 0) ? this.setup.nearMillis() : this.setup.farMillis();
	}

	private void push(double at, int kind, Call call) {
		this.events.add(new Event(at, this.order++, kind, call));
	}

}
