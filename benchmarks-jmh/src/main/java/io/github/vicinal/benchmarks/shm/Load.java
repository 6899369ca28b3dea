package io.github.vicinal.benchmarks.shm;

import java.util.Locale;

/**
 * Load of callers.
 *
 * @param callers number of threads that call
 * @param paced whether one call starts each millisecond, whether or not the one before
 * has ended; otherwise each caller calls again as soon as it has its answer
 * @param bytes how long requests and answers are
 * @param workMicros for how long the handler computes
 */
record Load(int callers, boolean paced, int bytes, int workMicros) {

	/** The time between two paced calls. */
	static final long PACE_NANOS = 1_000_000;

	private static final int KIB = 1024;

	static Load closed(int callers, int bytes) {
		return new Load(callers, false, bytes, 0);
	}

	static Load paced(int bytes) {
		return new Load(1, true, bytes, 0);
	}

	/** More work is ready than there are processors for, tenfold. */
	static Load oversubscribed(int processors, int bytes) {
		return new Load(10 * processors, false, bytes, 5);
	}

	String size() {
		return (this.bytes >= KIB * KIB) ? this.bytes / KIB / KIB + " MB"
				: (this.bytes >= KIB) ? this.bytes / KIB + " KB" : this.bytes + " B";
	}

	String describe() {
		if (this.paced) {
			return "paced 1/ms";
		}
		String callers = (this.callers == 1) ? "1 caller" : this.callers + " callers";
		return (this.workMicros > 0) ? callers + ", %d us of work".formatted(this.workMicros) : callers;
	}

	/** Writes the load as one word. */
	String encode() {
		return String.format(Locale.ROOT, "%d/%b/%d/%d", this.callers, this.paced, this.bytes, this.workMicros);
	}

	static Load decode(String text) {
		String[] fields = text.split("/");
		return new Load(Integer.parseInt(fields[0]), Boolean.parseBoolean(fields[1]), Integer.parseInt(fields[2]),
				Integer.parseInt(fields[3]));
	}

}
