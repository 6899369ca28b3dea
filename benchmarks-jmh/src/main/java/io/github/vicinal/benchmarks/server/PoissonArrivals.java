package io.github.vicinal.benchmarks.server;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * Sends requests at times that do not depend on the answers: exponential gaps of a given
 * rate, the same for the same seed. A request that is sent late keeps its time, so that
 * its delay counts.
 */
final class PoissonArrivals {

	private final double ratePerSecond;

	private final Random random;

	PoissonArrivals(double ratePerSecond, long seed) {
		this.ratePerSecond = ratePerSecond;
		this.random = new Random(seed);
	}

	/**
	 * Sends for a while.
	 * @param nanos for how long
	 * @param sender sends one request, given the time at which it was due
	 * @return the number of requests that were sent
	 */
	long run(long nanos, LongConsumer sender) {
		long start = System.nanoTime();
		double due = 0;
		long sent = 0;
		while (true) {
			due += -Math.log(1 - this.random.nextDouble()) / this.ratePerSecond * TimeUnit.SECONDS.toNanos(1);
			if (due >= nanos) {
				return sent;
			}
			long at = start + (long) due;
			for (long left = at - System.nanoTime(); left > 0; left = at - System.nanoTime()) {
				LockSupport.parkNanos(left);
			}
			sender.accept(at);
			sent++;
		}
	}

}
