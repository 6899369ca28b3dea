package io.github.vicinal.requestserver;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;

import io.github.vicinal.requestserver.RequestServerSettings.Threads;

/**
 * How many threads may execute requests. For {@link Threads.Auto} that follows Little's
 * law: with arrivals at the rate {@code r} and a service time {@code s}, {@code r * s}
 * requests are under way on average. Threads beyond what the processors can do at once,
 * {@code processors * s / cpu}, would only wait for each other. As long as no request has
 * ended, {@code s} is unknown, and the count stays as it is. Guarded by the server's
 * lock.
 */
final class ThreadCount {

	private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/** Arrivals are not even, so a quarter more than the mean. */
	private static final double HEADROOM = 1.25;

	/**
	 * Part of both sums that each measurement takes away. The ratio rests on the last 256
	 * measurements or so: rare long waits are among them, and a change shows within a few
	 * thousand requests.
	 */
	private static final double FADING = 1.0 / 256;

	/** One of so many executions is asked for its processor time. */
	static final int CPU_SAMPLE = 16;

	private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

	private final int processors;

	private final Threads threads;

	private int count;

	private long windowEnd;

	private long arrivals;

	/** Sums of what was measured, which fade with what follows; the time in ns. */
	private double cpuSum;

	private double serviceSum;

	ThreadCount(Threads threads, int processors, long now) {
		this.threads = threads;
		this.processors = processors;
		this.windowEnd = now + WINDOW_NANOS;
		this.count = most(threads);
		if (threads instanceof Threads.Auto auto) {
			this.count = Math.min(auto.most(), Math.max(auto.least(), processors));
		}
	}

	private static int most(Threads threads) {
		if (threads instanceof Threads.Fixed fixed) {
			return fixed.count();
		}
		return (threads instanceof Threads.Virtual virtual) ? virtual.most() : ((Threads.Auto) threads).most();
	}

	int count() {
		return this.count;
	}

	/**
	 * Notes an arrival, and returns whether there may be more threads now.
	 * @param serviceNanos how long requests take, 0 if none has ended yet
	 * @param now the time
	 */
	boolean arrived(long serviceNanos, long now) {
		if (!(this.threads instanceof Threads.Auto auto)) {
			return false;
		}
		this.arrivals++;
		long late = now - this.windowEnd;
		if (late < -WINDOW_NANOS) {
			// The clock was set back.
			this.windowEnd = now + WINDOW_NANOS;
		}
		if (late < 0) {
			return false;
		}
		if (serviceNanos > 0) {
			double rate = (double) this.arrivals / (WINDOW_NANOS + late);
			double useful = this.processors / Math.max(cpuShare(), 1e-3);
			double wanted = Math.ceil(Math.min(rate * serviceNanos * HEADROOM, useful)) + 1;
			this.count = (int) Math.max(auto.least(), Math.min(auto.most(), wanted));
		}
		this.arrivals = 0;
		this.windowEnd = now + WINDOW_NANOS;
		return true;
	}

	/**
	 * Notes for how long a processor was busy during a service time. Times are summed up:
	 * a mean of shares would count one long wait no more than one short computation.
	 */
	void cpu(long cpuNanos, long serviceNanos) {
		this.cpuSum += Math.min(cpuNanos, serviceNanos) - this.cpuSum * FADING;
		this.serviceSum += serviceNanos - this.serviceSum * FADING;
	}

	private double cpuShare() {
		return (this.serviceSum > 0) ? this.cpuSum / this.serviceSum : 1;
	}

	/** Returns the processor time of the current thread, or -1 if it is not known. */
	static long cpuNanos() {
		return THREADS.isCurrentThreadCpuTimeSupported() ? THREADS.getCurrentThreadCpuTime() : -1;
	}

}
