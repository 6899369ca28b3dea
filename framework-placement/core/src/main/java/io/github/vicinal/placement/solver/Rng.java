package io.github.vicinal.placement.solver;

/**
 * A fast pseudo-random generator (xorshift128+) whose sequence depends on the seed alone,
 * on every JDK.
 */
final class Rng {

	private static final double DOUBLE_UNIT = 0x1.0p-53;

	private long s0;

	private long s1;

	Rng(long seed) {
		this.s0 = mix(seed + 0x9E3779B97F4A7C15L);
		this.s1 = mix(seed + 0x3C6EF372FE94F82AL);
		if ((this.s0 | this.s1) == 0) {
			this.s1 = 1;
		}
	}

	private static long mix(long value) {
		long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
		z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
		return z ^ (z >>> 31);
	}

	long nextLong() {
		long x = this.s0;
		long y = this.s1;
		this.s0 = y;
		x ^= x << 23;
		this.s1 = x ^ y ^ (x >>> 18) ^ (y >>> 5);
		return this.s1 + y;
	}

	/** Returns a number from 0 up to, not including, a positive bound. */
	int nextInt(int bound) {
		return (int) (((nextLong() >>> 32) * bound) >>> 32);
	}

	/** Returns a number from 0 up to, not including, 1. */
	double nextDouble() {
		return (nextLong() >>> 11) * DOUBLE_UNIT;
	}

	int[] permutation(int n) {
		int[] order = new int[n];
		for (int i = 0; i < n; i++) {
			int j = nextInt(i + 1);
			order[i] = order[j];
			order[j] = i;
		}
		return order;
	}

}
