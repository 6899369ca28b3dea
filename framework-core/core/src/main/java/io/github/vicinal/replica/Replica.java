package io.github.vicinal.replica;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

import io.github.vicinal.choice.PeakEwma;

/**
 * One of several instances that may answer a call, and what is known of it from the calls
 * of this process. Thread-safe; what a call does is lock-free and allocates nothing.
 *
 * @since 0.1.0
 */
public final class Replica {

	/** Calls in flight that a replica gets before it has answered one. */
	private static final int FIRST_WINDOW = 2;

	private static final int MAX_WINDOW = 1 << 16;

	private static final int FIRST_PAUSE_MILLIS = 128;

	private static final int MAX_PAUSE_DOUBLINGS = 6;

	/**
	 * A replica that cost a caller a time-out is paused for this multiple of it, so that
	 * trials cost at most a tenth of the time.
	 */
	private static final int PAUSE_PER_LOSS = 10;

	private static final int MAX_PAUSE_MILLIS = 1 << 19;

	/**
	 * Failures that take longer are not left to calls to find out: see
	 * {@link #isSuspect}.
	 */
	private static final int SLOW_FAILURE_MILLIS = 256;

	/** Interval between two probes of a replica. */
	private static final int PROBE_MILLIS = 1024;

	/** Pause of a replica after a probe found it unreachable, at least. */
	private static final int UNREACHABLE_MILLIS = 8 * PROBE_MILLIS;

	/** Interval between fits of the curve, in ticks. */
	private static final int FIT_TICKS = 32;

	/** The overall estimates have one cell. */
	private static final int ALL = 0;

	/** The first answers of a replica say nothing of those that follow. */
	private static final int UNMEASURED = 3;

	/** Assumed cost of a call while none was measured but some are in flight. */
	private static final float UNKNOWN_NANOS = 1e9f;

	private final String address;

	private volatile Locality locality;

	private volatile String why;

	private final AtomicInteger inFlight = new AtomicInteger();

	private final PeakEwma peak = new PeakEwma(TimeUnit.SECONDS.toMillis(PeakEwma.DECAY_SECONDS));

	private final LatencyEstimates overall = new LatencyEstimates(1);

	private final SaturationCurve curve = new SaturationCurve();

	/** Time at which the curve was fitted, in ticks. */
	private volatile int fitted;

	/**
	 * Number of calls in flight that the replica has proven to bear; grows with each
	 * answer and is halved by each refusal.
	 */
	private final AtomicInteger window = new AtomicInteger(FIRST_WINDOW);

	/** Window size above which the window grows by one per window of answers. */
	private volatile int threshold = MAX_WINDOW;

	private final AtomicInteger failuresInARow = new AtomicInteger();

	private volatile boolean paused;

	private volatile int pausedUntilMillis;

	private volatile int pausedSinceMillis;

	/** Whether the last failure took long, so that another one had better be avoided. */
	private volatile boolean suspect;

	/** Whether a probe could not reach the address. */
	private volatile boolean unreachable;

	private volatile int nextProbeMillis;

	/** Time of the replica's last answer. */
	private volatile int answeredMillis;

	private volatile boolean answered;

	private final LongAdder calls = new LongAdder();

	private final LongAdder refusals = new LongAdder();

	private final LongAdder failures = new LongAdder();

	private volatile boolean visited;

	/**
	 * Answers that are not measured, since they pay for connections and class loading.
	 */
	private volatile int unmeasured = UNMEASURED;

	Replica(String address, Locality locality, String why) {
		this.address = address;
		this.locality = locality;
		this.why = why;
	}

	/**
	 * Returns the address.
	 * @return what the replica was added as
	 */
	public String address() {
		return this.address;
	}

	/**
	 * Returns how near the replica is.
	 * @return the latest that is known
	 */
	public Locality locality() {
		return this.locality;
	}

	String why() {
		return this.why;
	}

	void locate(Locality latest, String reason) {
		this.why = reason;
		this.locality = latest;
	}

	/**
	 * Notes that a call begins.
	 * @return the number of calls in flight, this one included, to be given back at its
	 * end
	 */
	public int begin() {
		this.calls.increment();
		if (!this.visited) {
			this.visited = true;
		}
		return this.inFlight.incrementAndGet();
	}

	/**
	 * Returns the number of calls in flight.
	 * @return at least 0
	 */
	public int inFlight() {
		return this.inFlight.get();
	}

	void end(int met, long nanos, Outcome outcome, int millis, int tick) {
		this.inFlight.decrementAndGet();
		float latency = Math.max(nanos, 1);
		switch (outcome) {
			case ANSWERED -> answered(met, latency, millis, tick);
			case FAILED -> {
				this.failures.increment();
				answered(met, Math.max(latency, this.overall.tail(ALL)), millis, tick);
			}
			case REFUSED -> {
				this.refusals.increment();
				this.failuresInARow.set(0);
				int reduced = Math.max(1, Math.min(this.window.get(), met) / 2);
				this.threshold = reduced;
				this.window.set(reduced);
			}
			case ABANDONED -> {
			}
			case TIMED_OUT -> {
				int began = millis - millis(nanos);
				if (this.answered && this.answeredMillis - began > 0) {
					// No answer: otherwise a call that times out would vouch for the
					// next one.
					this.failures.increment();
					measure(met, Math.max(latency, this.overall.tail(ALL)), millis, tick);
				}
				else {
					unanswered(latency, nanos, millis);
				}
			}
			case UNANSWERED -> unanswered(latency, nanos, millis);
		}
	}

	private static int millis(long nanos) {
		return (int) Math.min(nanos >> 20, MAX_PAUSE_MILLIS);
	}

	private void unanswered(float latency, long nanos, int millis) {
		this.failures.increment();
		this.peak.record(Math.max(latency, this.overall.tail(ALL)), millis);
		pause(this.failuresInARow.incrementAndGet(), millis, millis(nanos));
	}

	private void answered(int met, float latency, int millis, int tick) {
		if (this.answeredMillis != millis || !this.answered) {
			this.answeredMillis = millis;
			this.answered = true;
		}
		if (this.suspect) {
			this.suspect = false;
			this.unreachable = false;
		}
		if (this.paused) {
			this.paused = false;
		}
		if (this.failuresInARow.get() != 0) {
			this.failuresInARow.set(0);
		}
		measure(met, latency, millis, tick);
		int current = this.window.get();
		if (current < MAX_WINDOW && met >= current / 2
				&& (current < this.threshold || Math.floorMod(this.calls.intValue(), current) == 0)) {
			this.window.compareAndSet(current, current + 1);
		}
	}

	private void measure(int met, float latency, int millis, int tick) {
		int left = this.unmeasured;
		if (left > 0) {
			// Two threads may skip one answer more or less.
			this.unmeasured = left - 1;
			return;
		}
		this.peak.record(latency, millis);
		this.overall.record(ALL, latency, tick);
		this.curve.record(met, latency, tick);
		if (this.curve.isNew(met)) {
			this.curve.fit(tick);
		}
	}

	/** A replica that recovers starts slowly again. */
	private void pause(int failures, int millis, int lostMillis) {
		this.threshold = MAX_WINDOW;
		this.window.set(1);
		int pause = FIRST_PAUSE_MILLIS << Math.min(failures - 1, MAX_PAUSE_DOUBLINGS);
		if (lostMillis >= SLOW_FAILURE_MILLIS) {
			pause = Math.max(pause, Math.min(lostMillis * PAUSE_PER_LOSS, MAX_PAUSE_MILLIS));
			this.nextProbeMillis = millis;
			this.suspect = true;
		}
		this.pausedSinceMillis = millis;
		this.pausedUntilMillis = millis + pause;
		this.paused = true;
	}

	/**
	 * Returns whether somebody should find out if the replica can be reached, for which
	 * no call has to wait.
	 */
	boolean isSuspect(int millis) {
		return this.suspect && this.paused && millis - this.nextProbeMillis >= 0;
	}

	/** Notes that a probe begins. */
	void probing(int millis) {
		this.nextProbeMillis = millis + PROBE_MILLIS;
	}

	/**
	 * Notes what a probe found. A process that hangs accepts connections all the same, so
	 * only a replica that could not be reached before has come back.
	 */
	void probed(boolean reachable, int millis) {
		if (!this.paused) {
			return;
		}
		if (reachable) {
			if (this.unreachable) {
				this.unreachable = false;
				this.pausedUntilMillis = millis;
			}
		}
		else {
			this.unreachable = true;
			int until = millis + UNREACHABLE_MILLIS;
			// After that time a call has to try: it may reach the replica in a way that
			// the probe cannot.
			if (until - this.pausedUntilMillis > 0 && until - this.pausedSinceMillis < MAX_PAUSE_MILLIS) {
				this.pausedUntilMillis = until;
			}
		}
	}

	/** Returns whether the replica gets no calls, except for one when a pause ends. */
	boolean isPaused(int millis) {
		return this.paused && (millis - this.pausedUntilMillis < 0 || this.inFlight.get() > 0);
	}

	boolean isVisited() {
		return this.visited;
	}

	/** Returns whether the replica may take one more call. */
	boolean hasRoom(int millis) {
		return this.inFlight.get() < this.window.get() && !isPaused(millis);
	}

	/** Returns what a call would cost: latency times calls in flight. */
	float cost(int millis) {
		int current = this.inFlight.get();
		float latency = (float) this.peak.value(millis);
		return Float.isNaN(latency) ? UNKNOWN_NANOS * current : latency * (current + 1);
	}

	/**
	 * Returns what latency the next call must expect at best, as a tail score in
	 * nanoseconds, or {@link SaturationCurve#UNKNOWN}.
	 */
	float atBest(int tick) {
		fit(tick);
		return this.curve.atBest(this.inFlight.get() + 1);
	}

	/**
	 * Returns the same at worst; what is too old for the curve is better than nothing.
	 */
	float atWorst(int tick) {
		fit(tick);
		float worst = this.curve.atWorst(this.inFlight.get() + 1);
		return (worst != SaturationCurve.UNKNOWN) ? worst : this.overall.tail(ALL);
	}

	private void fit(int tick) {
		if (tick - this.fitted >= FIT_TICKS) {
			this.fitted = tick;
			this.curve.fit(tick);
		}
	}

	float meanNanos() {
		return this.overall.mean(ALL);
	}

	long calls() {
		return this.calls.sum();
	}

	long refusals() {
		return this.refusals.sum();
	}

	long failures() {
		return this.failures.sum();
	}

	int window() {
		return this.window.get();
	}

	/** Returns the peak EWMA of the latency, 0 if there is none. */
	float peakNanos(int millis) {
		float nanos = (float) this.peak.value(millis);
		return Float.isNaN(nanos) ? 0 : nanos;
	}

}
