package io.github.vicinal.benchmarks.selector;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;

import com.sun.management.ThreadMXBean;
import io.github.vicinal.selection.PathSelector;

/**
 * Cost that the selector adds to a call: choosing, counting, timing and recording, around
 * an empty call. A channel counts and times for its report beside that.
 */
final class Bookkeeping {

	private static final int ROUNDS = 9;

	private static final int METHOD = 0;

	private static final int BYTES = 900;

	private static long sink;

	private Bookkeeping() {
	}

	/**
	 * Result.
	 *
	 * @param nanos per call
	 * @param bytes allocated per call
	 */
	record Cost(double nanos, double bytes) {
	}

	/**
	 * Measures.
	 * @param timed what a call is said to take, in nanoseconds: slow calls are all timed
	 */
	static Cost measure(boolean quick, long timed) {
		PathSelector selector = new PathSelector(List.of("shm", "uds", "http"), 4, PathSelector.Settings.defaults(true),
				(change) -> sink++);
		for (int path = 2; path >= 0; path--) {
			selector.opened(path, System.nanoTime());
		}
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		int calls = quick ? 1_000_000 : 5_000_000;
		double[] nanos = new double[ROUNDS];
		double bytes = 0;
		for (int round = 0; round < ROUNDS; round++) {
			long allocated = threads.getCurrentThreadAllocatedBytes();
			// CPU time: what other processes take away is not bookkeeping.
			long start = threads.getCurrentThreadCpuTime();
			for (int i = 0; i < calls; i++) {
				call(selector, timed);
			}
			nanos[round] = (threads.getCurrentThreadCpuTime() - start) / (double) calls;
			bytes = (threads.getCurrentThreadAllocatedBytes() - allocated) / (double) calls;
		}
		Arrays.sort(nanos);
		// The record of decisions is not part of a call.
		return new Cost(nanos[ROUNDS / 2], Math.floor(bytes * 100) / 100);
	}

	private static void call(PathSelector selector, long timed) {
		int path = selector.choose(BYTES, true, System.nanoTime());
		int ticket = selector.begin(path, 0, BYTES);
		long start = (ticket != PathSelector.UNTIMED) ? System.nanoTime() : 0;
		selector.end(path, ticket, true);
		if (ticket != PathSelector.UNTIMED) {
			long now = System.nanoTime();
			long cost = (timed > 0) ? timed * (1 + path) : (now - start) * (1 + path);
			selector.record(path, METHOD, BYTES, BYTES, true, cost, 1, now);
		}
	}

}
