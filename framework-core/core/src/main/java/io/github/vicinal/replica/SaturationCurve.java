package io.github.vicinal.replica;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Expected latency of a replica by the number of calls in flight to it. Thread-safe;
 * recording and reading are lock-free, and the curve is fitted by one thread at a time
 * while others go on with the last one.
 * <p>
 * Latency cannot fall when more calls are in flight, so the estimates are made monotone
 * by pooling neighbours that contradict that (isotonic regression by the pool-adjacent-
 * violators algorithm; Barlow and others, 1972), or that differ by less than their
 * standard error. That makes one good estimate out of the many poor ones of a replica
 * that has servers to spare.
 * <p>
 * An estimate of few samples is uncertain. Its optimistic and pessimistic values differ
 * by its standard error, which grows again while no samples come. A replica that is
 * judged by the optimistic value is tried now and then, with just as many calls as it
 * takes to know better ("optimism in the face of uncertainty").
 */
final class SaturationCurve {

	/** Result while nothing is known. */
	static final float UNKNOWN = 0;

	/** Numbers up to this one have a cell each. */
	private static final int EXACT = 16;

	/** Cells for each power of two above. */
	private static final int STEPS = 4;

	private static final int DOUBLINGS = 8;

	static final int CELLS = EXACT + DOUBLINGS * STEPS;

	/** A cell with fewer samples, or parts of an old one, says nothing. */
	private static final float MIN_SAMPLES = 0.5f;

	/**
	 * Standard error of a tail score of one sample, in mean deviations; 3.8 for
	 * exponential latencies.
	 */
	private static final float ERROR = 4;

	/**
	 * Waiting counts for more than a way of the same length, since it varies.
	 */
	private static final float WAITING = 1.75f;

	private final LatencyEstimates cells = new LatencyEstimates(CELLS);

	/** The fitted curve at best: tail scores in nanoseconds, floats. */
	private final AtomicIntegerArray best = new AtomicIntegerArray(CELLS);

	/** The fitted curve at worst. */
	private final AtomicIntegerArray worst = new AtomicIntegerArray(CELLS);

	/** From this cell on nothing is known. */
	private volatile int frontier;

	private final AtomicBoolean fitting = new AtomicBoolean();

	/** Pooled cells; used by the thread that fits. */
	private final float[] poolTail = new float[CELLS];

	private final float[] poolWeight = new float[CELLS];

	private final int[] poolFirst = new int[CELLS];

	/** Mean deviation of all cells; used by the thread that fits. */
	private float deviation;

	void record(int inFlight, float nanos, int tick) {
		this.cells.record(cell(inFlight), nanos, tick);
	}

	/** Returns whether a latency at this number of calls in flight adds information. */
	boolean isNew(int inFlight) {
		return cell(inFlight) >= this.frontier;
	}

	/**
	 * Returns the optimistic tail score in nanoseconds at this number of calls in flight.
	 */
	float atBest(int inFlight) {
		return Float.intBitsToFloat(this.best.get(cell(inFlight)));
	}

	/** Returns the same at worst. */
	float atWorst(int inFlight) {
		return Float.intBitsToFloat(this.worst.get(cell(inFlight)));
	}

	/** Fits the curve, unless another thread does. */
	void fit(int tick) {
		if (this.fitting.compareAndSet(false, true)) {
			try {
				publish(pool(tick), tick);
			}
			finally {
				this.fitting.set(false);
			}
		}
	}

	/** Few samples deviate less from their own mean than many do. */
	private float meanDeviation(int tick) {
		float sum = 0;
		float weights = 0;
		for (int cell = 0; cell < CELLS; cell++) {
			float weight = this.cells.weight(cell, tick);
			sum += weight * this.cells.deviation(cell);
			weights += weight;
		}
		return (weights > 0) ? sum / weights : 0;
	}

	private int pool(int tick) {
		this.deviation = meanDeviation(tick);
		int pools = 0;
		for (int cell = 0; cell < CELLS; cell++) {
			float weight = this.cells.weight(cell, tick);
			if (weight < MIN_SAMPLES) {
				continue;
			}
			this.poolTail[pools] = this.cells.tail(cell);
			this.poolWeight[pools] = weight;
			this.poolFirst[pools] = cell;
			pools++;
			while (pools > 1 && isFlat(pools - 2, pools - 1)) {
				merge(pools - 2, pools - 1);
				pools--;
			}
		}
		return pools;
	}

	/** Returns whether the curve does not rise between two pools, as far as is known. */
	private boolean isFlat(int lower, int upper) {
		return this.poolTail[upper] - this.poolTail[lower] <= Math.max(error(lower), error(upper));
	}

	private void merge(int into, int from) {
		float sum = this.poolWeight[into] + this.poolWeight[from];
		float part = this.poolWeight[from] / sum;
		this.poolTail[into] += part * (this.poolTail[from] - this.poolTail[into]);
		this.poolWeight[into] = sum;
	}

	private void publish(int pools, int tick) {
		if (pools == 0) {
			forget();
			return;
		}
		int unknown = CELLS;
		while (unknown > 0 && this.cells.weight(unknown - 1, tick) < MIN_SAMPLES) {
			unknown--;
		}
		this.frontier = unknown;
		int trusted = lowest(unknown);
		float base = this.poolTail[0] + error(0);
		int pool = 0;
		for (int cell = 0; cell < CELLS; cell++) {
			if (pool + 1 < pools && cell >= this.poolFirst[pool + 1]) {
				pool++;
			}
			float error = error(pool);
			float tail = this.poolTail[pool];
			tail += (WAITING - 1) * Math.max(0, tail - base);
			if (cell > unknown) {
				// Beyond the observed range calls are assumed to wait for each other.
				tail = tail * lowest(cell) / trusted;
			}
			this.best.set(cell, Float.floatToRawIntBits(Math.max(1, tail - error)));
			this.worst.set(cell, Float.floatToRawIntBits(tail + error));
		}
	}

	private void forget() {
		this.frontier = 0;
		for (int cell = 0; cell < CELLS; cell++) {
			this.best.set(cell, Float.floatToRawIntBits(UNKNOWN));
			this.worst.set(cell, Float.floatToRawIntBits(UNKNOWN));
		}
	}

	/** Returns the standard error of a pool's tail score. */
	private float error(int pool) {
		return ERROR * this.deviation / (float) Math.sqrt(this.poolWeight[pool]);
	}

	static int cell(int inFlight) {
		if (inFlight <= EXACT) {
			return Math.max(inFlight, 1) - 1;
		}
		int exponent = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(inFlight);
		int step = (inFlight >>> (exponent - 2)) & (STEPS - 1);
		return Math.min(EXACT - 1 + (exponent - STEPS) * STEPS + step, CELLS - 1);
	}

	/** Returns the lowest number of calls in flight that a cell is for. */
	static int lowest(int cell) {
		if (cell < EXACT) {
			return cell + 1;
		}
		int above = cell - (EXACT - 1);
		int exponent = STEPS + above / STEPS;
		return (1 << exponent) + ((above % STEPS) << (exponent - 2));
	}

}
