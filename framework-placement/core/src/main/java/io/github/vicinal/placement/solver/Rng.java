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
		long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
		mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
		return mixed ^ (mixed >>> 31);
	}

	long nextLong() {
		long older = this.s0;
		long newer = this.s1;
		this.s0 = newer;
		older ^= older << 23;
		this.s1 = older ^ newer ^ (older >>> 18) ^ (newer >>> 5);
		return this.s1 + newer;
	}

	/** Returns a number from 0 up to, not including, a positive bound. */
	int nextInt(int bound) {
		return (int) (((nextLong() >>> 32) * bound) >>> 32);
	}

	/** Returns a number from 0 up to, not including, 1. */
	double nextDouble() {
		return (nextLong() >>> 11) * DOUBLE_UNIT;
	}

	int[] permutation(int count) {
		int[] order = new int[count];
		for (int i = 0; i < count; i++) {
			int j = nextInt(i + 1);
			order[i] = order[j];
			order[j] = i;
		}
		return order;
	}

}
