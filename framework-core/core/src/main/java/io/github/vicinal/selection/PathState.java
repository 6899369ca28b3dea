package io.github.vicinal.selection;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.choice.PeakEwma;

/**
 * State of one path in a {@link PathSelector}: its calls in flight, the cost of its
 * calls, and whether it still answers.
 * <p>
 * Counts of calls and {@link #mask} are for all threads; the rest is guarded by the
 * selector's lock.
 */
final class PathState {

	/** Result of a check of the calls in flight. */
	enum Look {

		/** Nothing new. */
		SAME,

		/** Calls do not come back any more. */
		BECAME_LATE,

		/**
		 * On a path that was late a call has come back, or none is in flight any more.
		 */
		ANSWERED_AGAIN

	}

	/**
	 * Time that calls may be late beyond their own length: longer than most pauses of a
	 * process, and shorter than a user notices.
	 */
	static final int GRACE_MILLIS = 50;

	/** Time that a method may take while no call of it has come back yet. */
	static final int UNKNOWN_MILLIS = 2_000;

	/**
	 * Number of calls on the fastest paths of which one is timed: each pair needs a timed
	 * call since the probe before. Timing costs some 100 ns, so that is 6 ns a call. Of
	 * as many timed calls, the CPU time of one is read.
	 */
	static final int FASTEST_STRIDE = SelectionRule.MIN_INTERVAL;

	/**
	 * Length of a call from which all are timed: timing costs some 100 ns, below 0.1 % of
	 * it.
	 */
	private static final double TIMED_NANOS = 128_000;

	private static final double MEAN_WEIGHT = 1.0 / SelectionRule.TRIAL_CALLS;

	final CallStripes calls = new CallStripes();

	/** Calls that ended without an answer. */
	private final AtomicLong unanswered = new AtomicLong();

	/** Calls in flight of methods that have never been timed. */
	private final AtomicInteger unknown = new AtomicInteger();

	/** Mean time of calls by class of sizes, the server's included, NaN if unknown. */
	private final double[] costs = new double[CallSizeClass.COUNT];

	private final double[] bytes = new double[CallSizeClass.COUNT];

	final PeakEwma peak = newPeak();

	/** One call in {@code mask + 1} is timed; written under the lock, read by all. */
	volatile int mask;

	boolean open;

	/** Whether it is left when calls by it do not come back. */
	boolean watched = true;

	/** Whether calls by it did not come back. */
	boolean late;

	/** Whether the peer says how long calls take at the server. */
	boolean measured;

	/** The caller's CPU time of a call. */
	double cpu = Double.NaN;

	private double mean = Double.NaN;

	private long answeredSeen;

	/** Calls in flight that other calls have overtaken. */
	private long excused;

	/** Time of the last check that found nothing wrong. */
	private long fineAt;

	PathState() {
		Arrays.fill(this.costs, Double.NaN);
	}

	/** Returns an average of latencies in nanoseconds. */
	static PeakEwma newPeak() {
		return new PeakEwma(TimeUnit.SECONDS.toNanos(PeakEwma.DECAY_SECONDS));
	}

	/** Whether new calls may take it. */
	boolean isUsable() {
		return this.open && !this.late;
	}

	void beginUnknown() {
		this.unknown.incrementAndGet();
	}

	void endUnknown() {
		this.unknown.decrementAndGet();
	}

	void end(boolean answered) {
		if (!answered) {
			this.unanswered.incrementAndGet();
		}
		this.calls.end();
	}

	long inFlight() {
		long ended = this.calls.ended();
		return Math.max(0, this.calls.begun() - ended);
	}

	void open(long now) {
		this.open = true;
		this.late = false;
		long ended = this.calls.ended();
		fine(this.calls.begun() - ended, ended - this.unanswered.get(), now);
	}

	void close() {
		this.open = false;
		this.measured = false;
		Arrays.fill(this.costs, Double.NaN);
		this.mean = Double.NaN;
	}

	/**
	 * Records a call that was answered.
	 * @param known whether the peer said how long it was at the server
	 */
	void record(int sizeClass, long carried, boolean known, long nanos, long now) {
		this.measured |= known;
		this.mean = follow(this.mean, nanos);
		int stride = Integer.highestOneBit((int) Math.min(FASTEST_STRIDE, 1 + TIMED_NANOS / (this.mean + 1)));
		if (stride - 1 != this.mask) {
			this.mask = stride - 1;
		}
		this.peak.record(nanos, now);
		boolean first = Double.isNaN(this.costs[sizeClass]);
		this.costs[sizeClass] = follow(this.costs[sizeClass], nanos);
		this.bytes[sizeClass] = follow(first ? Double.NaN : this.bytes[sizeClass], carried);
	}

	private static double follow(double mean, double sample) {
		return Double.isNaN(mean) ? sample : mean + MEAN_WEIGHT * (sample - mean);
	}

	/**
	 * Returns what a byte costs, between the smallest and the largest sizes, and the
	 * rest.
	 */
	double[] perByteAndFixed() {
		int smallest = -1;
		int largest = -1;
		for (int i = 0; i < this.costs.length; i++) {
			if (!Double.isNaN(this.costs[i])) {
				smallest = (smallest < 0) ? i : smallest;
				largest = i;
			}
		}
		if (smallest < 0) {
			return new double[] { 0, Double.NaN };
		}
		double spread = this.bytes[largest] - this.bytes[smallest];
		double perByte = (spread > 0) ? Math.max(0, (this.costs[largest] - this.costs[smallest]) / spread) : 0;
		return new double[] { perByte, Math.max(0, this.costs[smallest] - perByte * this.bytes[smallest]) };
	}

	void recordCpu(long nanos) {
		this.cpu = follow(this.cpu, nanos);
	}

	/**
	 * Checks the calls in flight.
	 * @param slowestNanos what the slowest method takes
	 * @param trusted whether the time since the last look proves anything
	 * @param hasOther whether calls could go elsewhere
	 * @param now the time
	 */
	Look look(double slowestNanos, boolean trusted, boolean hasOther, long now) {
		long ended = this.calls.ended();
		long inFlight = this.calls.begun() - ended;
		// Counted before its end, so that no end is taken for an answer.
		long answered = ended - this.unanswered.get();
		boolean cameBack = answered > this.answeredSeen;
		if (cameBack || inFlight <= this.excused || !trusted) {
			fine(inFlight, Math.max(answered, this.answeredSeen), now);
			if (this.late && (cameBack || inFlight == 0)) {
				this.late = false;
				return Look.ANSWERED_AGAIN;
			}
			return Look.SAME;
		}
		long grace = TimeUnit.MILLISECONDS.toNanos((this.unknown.get() > 0) ? UNKNOWN_MILLIS : GRACE_MILLIS);
		if (!this.late && hasOther && now - this.fineAt > SelectionRule.MUCH_LONGER * slowestNanos + grace) {
			this.late = true;
			return Look.BECAME_LATE;
		}
		return Look.SAME;
	}

	private void fine(long inFlight, long answered, long now) {
		this.answeredSeen = answered;
		this.excused = inFlight;
		this.fineAt = now;
	}

}
