package io.github.vicinal.cache.policy;

import java.util.Arrays;

/**
 * Estimates how often keys were used lately: a count-min sketch of 4-bit counters, all
 * halved after some times as many uses as the cache has entries. 8 to 16 bytes per entry;
 * in caches below {@value #ROOMY} entries up to 64, at most 32 kB: there several times as
 * many keys are asked for as there are entries, and would share counters.
 * <p>
 * Source: G. Einziger, R. Friedman, B. Manes, TinyLFU: a highly efficient cache admission
 * policy (2017), sections 3.2 and 3.3.
 *
 * @since 0.1.0
 */
public final class FrequencySketch {

	/**
	 * Approximate number of words of the sketch of a small cache, if that is not too
	 * much.
	 */
	private static final int ROOMY = 4096;

	private static final int MAX_WORDS_PER_ENTRY = 8;

	/** The largest estimate. */
	static final int MAX = 15;

	private static final long HALF = 0x7777777777777777L;

	/** Words that are halved with one use. */
	private static final int AGING_SLICE = 4096;

	private static final long FIELD = 0xF;

	private final double sampleFactor;

	private long[] table;

	private int mask;

	private int sampleSize;

	private int uses;

	/** From where on counts are still to be halved; the end if they all are. */
	private int agingAt;

	/**
	 * Creates an empty sketch.
	 * @param capacity entries of the cache, at least 1
	 * @param sampleFactor after how many uses per entry all counts are halved
	 */
	public FrequencySketch(int capacity, double sampleFactor) {
		this(capacity, sampleFactor, wordsPerEntry(capacity));
	}

	/**
	 * Creates an empty sketch of another size than is usual for the capacity.
	 * @param capacity entries of the cache, at least 1
	 * @param sampleFactor after how many uses per entry all counts are halved
	 * @param wordsPerEntry number of words of sixteen counters, rounded up to a power of
	 * two in all
	 */
	public FrequencySketch(int capacity, double sampleFactor, int wordsPerEntry) {
		int words = words(capacity, wordsPerEntry);
		this.sampleFactor = sampleFactor;
		this.table = new long[words];
		this.mask = words - 1;
		this.agingAt = words;
		this.sampleSize = sampleSize(capacity);
	}

	private static int words(int capacity, int wordsPerEntry) {
		long wanted = Math.max(8, Math.min((long) capacity * wordsPerEntry, 1 << 28));
		return Integer.highestOneBit((int) wanted * 2 - 1);
	}

	private int sampleSize(int capacity) {
		return (int) Math.min(Integer.MAX_VALUE, Math.max(64, this.sampleFactor * capacity));
	}

	/**
	 * Adapts to a cache that has become larger or smaller. No estimate becomes lower. The
	 * sketch of a cache that has become smaller keeps its width.
	 * @param capacity entries of the cache, at least 1
	 */
	public void resize(int capacity) {
		this.sampleSize = sampleSize(capacity);
		widen(words(capacity, wordsPerEntry(capacity)));
	}

	/**
	 * Adapts to a cache that has become larger or smaller, to a width other than usual.
	 * No estimate becomes lower.
	 * @param capacity entries of the cache, at least 1
	 * @param wordsPerEntry number of words of sixteen counters, rounded up to a power of
	 * two in all
	 */
	public void resize(int capacity, int wordsPerEntry) {
		int words = words(capacity, wordsPerEntry);
		this.sampleSize = sampleSize(capacity);
		widen(words);
		while (this.table.length > words) {
			halve();
		}
	}

	/**
	 * The place of a key in a table twice as wide is the one that it had, or the same in
	 * the other half: so each half begins with all counts.
	 */
	private void widen(int words) {
		int narrow = this.table.length;
		if (words <= narrow) {
			return;
		}
		finishAging();
		long[] wide = Arrays.copyOf(this.table, words);
		for (int length = narrow; length < words; length *= 2) {
			System.arraycopy(wide, 0, wide, length, length);
		}
		use(wide);
	}

	private void halve() {
		finishAging();
		int half = this.table.length / 2;
		long[] narrow = new long[half];
		for (int i = 0; i < half; i++) {
			for (int shift = 0; shift < Long.SIZE; shift += 4) {
				long field = FIELD << shift;
				long one = this.table[i] & field;
				long other = this.table[i + half] & field;
				narrow[i] |= (Long.compareUnsigned(one, other) > 0) ? one : other;
			}
		}
		use(narrow);
	}

	private void finishAging() {
		while (this.agingAt < this.table.length) {
			age();
		}
	}

	private void use(long[] changed) {
		this.table = changed;
		this.mask = changed.length - 1;
		this.agingAt = changed.length;
	}

	/**
	 * Returns the number of words that suit a cache.
	 * @param capacity its entries, at least 1
	 * @return from 1 to 8 per entry
	 */
	public static int wordsPerEntry(int capacity) {
		return Math.max(1, Math.min(MAX_WORDS_PER_ENTRY, ROOMY / capacity));
	}

	/** Each of the four rows has its own multiplier; the top bits are the best mixed. */
	private int index(int hash, int row) {
		long mixed = (hash ^ (row * 0x5851F42DL)) * 0x9E3779B97F4A7C15L;
		mixed = (mixed ^ (mixed >>> 29)) * 0xBF58476D1CE4E5B9L;
		return (int) (mixed >>> 36);
	}

	/**
	 * Estimates how often a key was used.
	 * @param hash its hash
	 * @return from 0 to 15, rarely too low
	 */
	public int estimate(int hash) {
		int least = MAX;
		for (int row = 0; row < 4; row++) {
			int at = index(hash, row);
			int shift = shift(at, row);
			least = Math.min(least, (int) (this.table[at & this.mask] >>> shift) & MAX);
		}
		return least;
	}

	/** A row has four of a word's sixteen counters; other bits choose among them. */
	private static int shift(int at, int row) {
		return (row * 4 + (at >>> 26 & 3)) * 4;
	}

	/**
	 * Counts a use.
	 * @param hash the hash of the key
	 */
	public void add(int hash) {
		boolean added = false;
		for (int row = 0; row < 4; row++) {
			int at = index(hash, row);
			int shift = shift(at, row);
			long word = this.table[at & this.mask];
			if ((word >>> shift & MAX) < MAX) {
				this.table[at & this.mask] = word + (1L << shift);
				added = true;
			}
		}
		if (added && ++this.uses >= this.sampleSize) {
			this.uses /= 2;
			this.agingAt = 0;
		}
		if (this.agingAt < this.table.length) {
			age();
		}
	}

	/** In slices, so that no access waits for all of a large cache. */
	private void age() {
		int end = Math.min(this.table.length, this.agingAt + AGING_SLICE);
		for (int i = this.agingAt; i < end; i++) {
			this.table[i] = (this.table[i] >>> 1) & HALF;
		}
		this.agingAt = end;
	}

}
