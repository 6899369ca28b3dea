package io.github.vicinal.selection;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts calls that begin and end, on stripes of their own cache lines, so that callers
 * do not contend. Thread-safe.
 * <p>
 * Each count is an atomic addition, and none is lost. A call ends on the stripe of the
 * thread that ends it, which may be another one than it began on: only sums mean
 * something. A sum is taken without stopping the callers, ends before beginnings, so that
 * it never shows more calls ended than begun.
 */
final class CallStripes {

	/** Longs per stripe: two cache lines, as processors prefetch pairs. */
	private static final int STRIDE = 16;

	private static final int BEGUN = 0;

	private static final int ENDED = 1;

	private static final int MAX_STRIPES = 16;

	private static final int STRIPES = Math.min(MAX_STRIPES,
			Integer.highestOneBit(2 * Runtime.getRuntime().availableProcessors() - 1));

	private static final int SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(STRIPES);

	/** Neighbouring thread ids fall on different stripes. */
	private static final long SPREAD = 0x9E3779B97F4A7C15L;

	private final AtomicLongArray counts = new AtomicLongArray((STRIPES + 1) * STRIDE);

	/** Returns the stripe of the calling thread, as an offset. */
	private static int stripe() {
		int stripe = (STRIPES == 1) ? 0 : (int) ((Thread.currentThread().getId() * SPREAD) >>> SHIFT);
		return (stripe + 1) * STRIDE;
	}

	/** Counts a call that begins; returns its number on the stripe, from 1. */
	long begin() {
		return this.counts.incrementAndGet(stripe() + BEGUN);
	}

	/**
	 * Counts something of which it does not matter if one is lost; returns its number on
	 * the stripe, from 1.
	 */
	long tick() {
		int index = stripe() + BEGUN;
		long next = this.counts.getPlain(index) + 1;
		this.counts.setPlain(index, next);
		return next;
	}

	void end() {
		this.counts.getAndIncrement(stripe() + ENDED);
	}

	long begun() {
		return sum(BEGUN);
	}

	long ended() {
		return sum(ENDED);
	}

	private long sum(int which) {
		long sum = 0;
		for (int i = 1; i <= STRIPES; i++) {
			sum += this.counts.get(i * STRIDE + which);
		}
		return sum;
	}

}
