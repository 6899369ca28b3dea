package io.github.vicinal.benchmarks.shm;

import java.nio.ByteBuffer;

/**
 * Work of a handler before it answers; the request's first four bytes give its length.
 */
final class Work {

	private static final long MULTIPLIER = 6364136223846793005L;

	private static final int CALIBRATION_STEPS = 20_000_000;

	@SuppressWarnings("UnusedVariable")
	private static volatile long sink;

	private Work() {
	}

	/**
	 * Computes for as long as a request says. Steps are counted, not time: a thread that
	 * was not running has not worked.
	 * @param request begins with the number of steps
	 */
	static void run(byte[] request) {
		int steps = (request[0] & 0xff) << 24 | (request[1] & 0xff) << 16 | (request[2] & 0xff) << 8
				| (request[3] & 0xff);
		if (steps > 0) {
			compute(steps);
		}
	}

	/**
	 * Computes for as long as a request says.
	 * @param steps the request's first four bytes
	 */
	static void run(int steps) {
		if (steps > 0) {
			compute(steps);
		}
	}

	private static void compute(int steps) {
		long value = steps;
		for (int i = 0; i < steps; i++) {
			value = value * MULTIPLIER + 1;
		}
		sink = value;
	}

	/** Returns the number of steps that take a microsecond on this machine. */
	static double stepsPerMicro() {
		double best = 0;
		for (int i = 0; i < 5; i++) {
			long start = System.nanoTime();
			compute(CALIBRATION_STEPS);
			best = Math.max(best, CALIBRATION_STEPS * 1e3 / (System.nanoTime() - start));
		}
		return best;
	}

	/** Returns a request of a size, with a number of steps. */
	static byte[] request(int bytes, int steps) {
		byte[] request = new byte[bytes];
		for (int i = 0; i < bytes; i++) {
			request[i] = (byte) (i * 31);
		}
		ByteBuffer.wrap(request).putInt(steps);
		return request;
	}

}
