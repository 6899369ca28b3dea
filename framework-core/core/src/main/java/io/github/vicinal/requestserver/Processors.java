package io.github.vicinal.requestserver;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

import com.sun.management.OperatingSystemMXBean;

/**
 * The processors that requests run on, as this process sees them. Used by one thread at a
 * time.
 */
class Processors {

	/**
	 * Shortest time over which a share is measured. The system counts in ticks of 10 ms,
	 * and for a container in periods of 100 ms.
	 */
	private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	private boolean asked;

	private long askedNanos;

	private long usedNanos;

	private double load;

	/** Returns their number. */
	int count() {
		return Runtime.getRuntime().availableProcessors();
	}

	/**
	 * Returns which share of them was in use lately; 0 or less if that is unknown.
	 */
	double load() {
		long now = System.nanoTime();
		if ((!this.asked || now - this.askedNanos >= LEAST_NANOS)
				&& ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
			long used = system.getProcessCpuTime();
			double own = this.asked ? (double) (used - this.usedNanos) / (now - this.askedNanos) / count() : 0;
			// What other processes use is counted since anybody asked for it, which may
			// have been a moment ago. What this one uses is always known.
			double all = system.getCpuLoad();
			this.load = (all >= own) ? all : own;
			this.asked = true;
			this.askedNanos = now;
			this.usedNanos = used;
		}
		return this.load;
	}

}
