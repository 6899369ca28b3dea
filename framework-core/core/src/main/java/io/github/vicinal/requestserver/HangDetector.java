package io.github.vicinal.requestserver;

/**
 * Notices that requests wait while none ends: everything that has a permit hangs, and no
 * permit may come back for long. That is so once requests have waited, without one that
 * ended, for the interval and for longer than any request of late has taken.
 * <p>
 * Time counts as it is looked at, each time at most {@link #mostBetweenLooks}. So neither
 * a process that was paused nor a clock that jumps looks like handlers that hang. Not
 * thread-safe.
 */
final class HangDetector {

	/** Number of looks per interval. */
	private static final int LOOKS = 4;

	/**
	 * Number of intervals that requests may take while little is known about them. The
	 * first ones load classes and connect; but two servers that wait for each other's
	 * permits from the first call on must come free before their clients give up.
	 */
	private static final int UNKNOWN_INTERVALS = 100;

	/** Shortest interval that a timer can keep, in nanoseconds. */
	private static final long LEAST_NANOS = 1_000_000;

	private final long intervalNanos;

	private final ServiceTimes times;

	/** Time of the last look. */
	private long looked;

	/** Time without an end while requests waited, in nanoseconds. */
	private long withoutEnd;

	/** Number of requests that had ended at the last look. */
	private long ended;

	HangDetector(long intervalNanos, ServiceTimes times) {
		this.intervalNanos = intervalNanos;
		this.times = times;
	}

	/** Notes that a permit came back, or that the first request waits. */
	void progress(long now) {
		this.looked = now;
		this.withoutEnd = 0;
		this.ended = this.times.ended();
	}

	/** Looks at the time while requests wait, or come and find no permit. */
	void look(long now) {
		if (this.times.ended() != this.ended) {
			progress(now);
			return;
		}
		long passed = now - this.looked;
		if (passed != 0) {
			this.looked = now;
			this.withoutEnd += Math.max(0, Math.min(passed, 2 * mostBetweenLooks()));
		}
	}

	/** Returns whether everything that runs seems to hang. */
	boolean hangs() {
		return this.withoutEnd >= limitNanos();
	}

	/** Returns the time without an end while requests waited. */
	long withoutEndNanos() {
		return this.withoutEnd;
	}

	/**
	 * Returns after which time to look again: when it will be known at the earliest, but
	 * often enough for the time to count.
	 */
	long nextLookNanos() {
		long left = limitNanos() - this.withoutEnd;
		return (left > 0) ? Math.min(left, mostBetweenLooks()) : mostBetweenLooks();
	}

	private long mostBetweenLooks() {
		return Math.max(LEAST_NANOS, this.intervalNanos / LOOKS);
	}

	private long limitNanos() {
		long longest = this.times.known() ? this.times.longestNanos() : UNKNOWN_INTERVALS * this.intervalNanos;
		return Math.max(this.intervalNanos, longest);
	}

}
