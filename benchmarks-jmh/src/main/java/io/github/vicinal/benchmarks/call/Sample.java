package io.github.vicinal.benchmarks.call;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import com.sun.management.OperatingSystemMXBean;
import io.github.vicinal.benchmarks.ProcessCpu;
import io.github.vicinal.benchmarks.SteadyState;
import org.HdrHistogram.Histogram;

/**
 * Result of one variant in one repeat.
 *
 * @param p50Micros median latency in microseconds
 * @param p99Micros 99th percentile in microseconds
 * @param cpuMicros CPU time per call of both processes, in microseconds
 * @param calls calls made
 */
record Sample(double p50Micros, double p99Micros, double cpuMicros, long calls) {

	private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(60);

	/**
	 * A load.
	 *
	 * @param callers threads that call
	 * @param batch calls that are timed together, for calls that are about as short as
	 * reading the clock
	 * @param pauseNanos time between the starts of two calls of a thread, 0 for none
	 */
	record Load(int callers, int batch, long pauseNanos) {

		String describe() {
			return (this.pauseNanos > 0) ? "1 caller, paced 1/ms"
					: (this.callers == 1) ? "1 caller" : this.callers + " callers";
		}

	}

	static Sample take(Runnable call, Load load, double seconds, long serverPid) throws InterruptedException {
		List<Histogram> histograms = new ArrayList<>();
		List<Thread> threads = new ArrayList<>();
		CountDownLatch start = new CountDownLatch(1);
		long durationNanos = (long) (seconds * 1e9);
		for (int i = 0; i < load.callers(); i++) {
			Histogram histogram = new Histogram(1, MAX_NANOS, 3);
			histograms.add(histogram);
			Thread thread = new Thread(() -> run(call, load, durationNanos, histogram, start), "caller-" + i);
			threads.add(thread);
			thread.start();
		}
		double before = cpu(serverPid);
		start.countDown();
		for (Thread thread : threads) {
			thread.join();
		}
		double used = cpu(serverPid) - before;
		Histogram all = new Histogram(1, MAX_NANOS, 3);
		histograms.forEach(all::add);
		long calls = all.getTotalCount() * load.batch();
		return new Sample(all.getValueAtPercentile(50) / 1e3 / load.batch(),
				all.getValueAtPercentile(99) / 1e3 / load.batch(), used / calls, calls);
	}

	/**
	 * Calls, in windows of one second, until the CPU time per call is steady.
	 * @param call the call
	 * @param load how it is made
	 * @param serverPid the server's process, 0 for none
	 * @return seconds that it took, or -1 if there was no steady state within the time
	 */
	static int warmUp(Runnable call, Load load, long serverPid) throws InterruptedException {
		return SteadyState.await(() -> take(call, load, 1, serverPid).cpuMicros());
	}

	private static void run(Runnable call, Load load, long durationNanos, Histogram histogram, CountDownLatch start) {
		try {
			start.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return;
		}
		long begin = System.nanoTime();
		long planned = begin;
		while (planned - begin < durationNanos) {
			if (load.pauseNanos() > 0) {
				for (long wait = planned - System.nanoTime(); wait > 0; wait = planned - System.nanoTime()) {
					LockSupport.parkNanos(wait);
				}
			}
			long from = System.nanoTime();
			for (int i = 0; i < load.batch(); i++) {
				call.run();
			}
			long to = System.nanoTime();
			// Paced calls count from when they started: what is asked is the cost of a
			// call
			// that finds everything asleep, and a thread that is woken late is no part of
			// it.
			histogram.recordValue(Math.min(to - from, MAX_NANOS));
			planned = (load.pauseNanos() > 0) ? Math.max(planned + load.pauseNanos(), to) : to;
		}
	}

	private static double cpu(long serverPid) {
		double own = ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e3;
		return (serverPid > 0) ? own + ProcessCpu.micros(serverPid) : own;
	}

	static Sample median(List<Sample> samples) {
		return new Sample(median(samples.stream().mapToDouble(Sample::p50Micros).toArray()),
				median(samples.stream().mapToDouble(Sample::p99Micros).toArray()),
				median(samples.stream().mapToDouble(Sample::cpuMicros).toArray()),
				samples.stream().mapToLong(Sample::calls).sum());
	}

	static double median(double[] values) {
		double[] sorted = values.clone();
		java.util.Arrays.sort(sorted);
		int middle = sorted.length / 2;
		return (sorted.length % 2 == 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
	}

}
