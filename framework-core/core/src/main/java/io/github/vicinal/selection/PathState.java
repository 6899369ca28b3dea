package io.github.vicinal.selection;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.vicinal.choice.LinearCost;
import io.github.vicinal.choice.PeakEwma;

/**
 * What a {@link PathSelector} knows of one path: its calls in flight, what calls by it
 * cost, and whether it still answers.
 * <p>
 * Counts of calls and {@link #mask} are for all threads; the rest is guarded by the
 * selector's lock.
 */
final class PathState {

	/** What a look at the calls in flight has shown. */
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

	static final int GRACE_MILLIS = 50;

	/** How long a method may take of which no call has come back yet. */
	static final int UNKNOWN_MILLIS = 2_000;

	private static final double LATE_FACTOR = 10;

	/** On the fastest paths one call in so many is timed. */
	static final int FASTEST_STRIDE = 16;

	private static final int FAST_STRIDE = 8;

	private static final int MEDIUM_STRIDE = 4;

	private static final double FASTEST_NANOS = 8_000;

	private static final double FAST_NANOS = 32_000;

	private static final double MEDIUM_NANOS = 128_000;

	private static final double MEAN_WEIGHT = 1.0 / 16;

	/** A call in flight as a size: one, up to 4, 16, 64 and so on are classes. */
	private static final long LOAD_UNIT = LinearCost.largest(0);

	final CallStripes calls = new CallStripes();

	/** Calls that ended without an answer. */
	private final AtomicLong unanswered = new AtomicLong();

	/** Calls in flight of methods that have never been timed. */
	private final AtomicInteger unknown = new AtomicInteger();

	/** What a call costs by its size. */
	final LinearCost line = new LinearCost();

	/** What a call costs by the calls in flight, in the place of its size. */
	private final LinearCost load = new LinearCost();

	final PeakEwma peak;

	/** One call in so many plus one is timed; written under the lock, read by all. */
	volatile int mask;

	boolean open;

	/** Whether it is left when calls by it do not come back. */
	boolean watched = true;

	/** Calls by it did not come back. */
	boolean late;

	/** The caller's CPU time of a call. */
	double cpu = Double.NaN;

	private double mean = Double.NaN;

	private long answeredSeen;

	/** Calls in flight that other calls have overtaken. */
	private long excused;

	/** The last look at which nothing was wrong. */
	private long fineAt;

	PathState(long peakDecayNanos) {
		this.peak = new PeakEwma(peakDecayNanos);
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
		this.line.forget();
		this.load.forget();
	}

	/** Records a call that was answered. */
	void record(long bytes, long nanos, long now) {
		this.mean = Double.isNaN(this.mean) ? nanos : this.mean + MEAN_WEIGHT * (nanos - this.mean);
		int stride = stride(this.mean);
		if (stride - 1 != this.mask) {
			this.mask = stride - 1;
		}
		this.line.record(bytes, nanos);
		this.load.record((inFlight() + 1) * LOAD_UNIT, nanos);
		this.peak.record(nanos, now);
	}

	private static int stride(double nanos) {
		if (nanos < FAST_NANOS) {
			return (nanos < FASTEST_NANOS) ? FASTEST_STRIDE : FAST_STRIDE;
		}
		return (nanos < MEDIUM_NANOS) ? MEDIUM_STRIDE : 1;
	}

	void recordCpu(long nanos) {
		this.cpu = Double.isNaN(this.cpu) ? nanos : this.cpu + MEAN_WEIGHT * (nanos - this.cpu);
	}

	/**
	 * Returns how many times as much a call costs at another load.
	 * @param from calls in flight
	 * @param to calls in flight
	 * @return a factor above 0, 1 if it is not known
	 */
	double growth(double from, double to) {
		// For a load that the path has never had, a line would extrapolate noise.
		if (!this.load.knowsSlope() || !hasHad(from) || !hasHad(to)) {
			return 1;
		}
		return this.load.at(to * LOAD_UNIT) / this.load.at(from * LOAD_UNIT);
	}

	private boolean hasHad(double inFlight) {
		return !Double.isNaN(this.load.meanBytes(LinearCost.sizeClass((long) (inFlight * LOAD_UNIT))));
	}

	/**
	 * Looks after the calls in flight.
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
		if (!this.late && hasOther && now - this.fineAt > LATE_FACTOR * slowestNanos + grace) {
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
