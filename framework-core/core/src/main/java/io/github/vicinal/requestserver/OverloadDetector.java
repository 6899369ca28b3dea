package io.github.vicinal.requestserver;

/**
 * Distinguishes a standing queue from a burst. Overload begins when three conditions
 * meet: no request of a whole window waited for less than the target; the queue does not
 * shrink fast enough to be empty within {@value #BURST_WINDOWS} windows; and it is longer
 * than chance explains. After {@code n} arrivals since the queue was empty, chance alone
 * explains a length of the order of {@code sqrt(n * (a + c))}, where {@code a} and
 * {@code c} are the squared coefficients of variation of the times between arrivals and
 * of service times. Requests that come in batches have a large {@code a}. The rule
 * follows CoDel (RFC 8289), which looks at the smallest sojourn because a good queue
 * brings it back to zero. With priorities, the sojourn is that of the oldest waiter of
 * all classes, since the highest class waits briefly even while the queue of a lower one
 * stands.
 * <p>
 * During overload requests are rejected, so waits are short and say nothing about demand.
 * Arrivals do, rejected or not: overload ends after a window in which fewer requests
 * arrived than could be served, and in which the queue was empty once. Not thread-safe.
 */
final class OverloadDetector {

	static final int BURST_WINDOWS = 10;

	/** Minimum number of requests per window from which a rate can be estimated. */
	private static final int WINDOW_REQUESTS = 32;

	/**
	 * Number of standard deviations by which a queue must exceed what chance explains.
	 * With three, one in a thousand queues that would have drained by themselves is taken
	 * for overload.
	 */
	private static final double DEVIATIONS = 3;

	private final long intervalNanos;

	private final ServiceTimes times;

	/** Requests that came since nobody waited. */
	private long arrivalsSinceEmpty;

	/** Arrival of the last request. */
	private long lastArrival;

	/** Times between arrivals since then. */
	private long gapsSince;

	private long gapCount;

	private double gaps;

	private double gapSquares;

	/** Unevenness of the arrivals before that. */
	private double lastUnevenness = 1;

	/** Those of them that were rejected, and would wait otherwise. */
	private long rejectedSinceEmpty;

	/** Since when no request waited for less than the target, or overload lasts. */
	private long since;

	private int waitingThen;

	private long arrivals;

	private boolean emptied;

	private boolean standing;

	private boolean overloaded;

	private long episodes;

	OverloadDetector(long intervalNanos, ServiceTimes times) {
		this.intervalNanos = intervalNanos;
		this.times = times;
	}

	/**
	 * Notes that a request came, whether it was rejected or not.
	 * @param empty whether nothing waited until now
	 * @param now the time
	 */
	void arrived(boolean empty, long now) {
		double gap = Math.max(0, now - this.lastArrival);
		this.lastArrival = now;
		this.arrivals++;
		this.arrivalsSinceEmpty++;
		if (this.gapCount >= WINDOW_REQUESTS && now - this.gapsSince >= this.intervalNanos) {
			this.lastUnevenness = unevenness();
			resetGaps(now);
		}
		this.gapCount++;
		this.gaps += gap;
		this.gapSquares += gap * gap;
		if (empty) {
			resetGaps(now);
			this.lastUnevenness = 1;
			this.arrivalsSinceEmpty = 1;
			this.rejectedSinceEmpty = 0;
			this.emptied = true;
			this.standing &= this.overloaded;
		}
	}

	/** Notes that a request was rejected that would wait, or has waited. */
	void rejected() {
		this.rejectedSinceEmpty++;
	}

	/**
	 * Notes that a request is taken from the queue.
	 * @param sojournNanos how long it waited
	 * @param waiting number of others that wait
	 * @param paceNanos the time in which one request can be served
	 * @param now the time
	 */
	void taken(long sojournNanos, int waiting, long paceNanos, long now) {
		if (this.overloaded) {
			return;
		}
		if (sojournNanos <= this.times.targetNanos()) {
			this.standing = false;
		}
		else if (!this.standing || now - this.since < 0) {
			begin(waiting, now);
		}
		else if (now - this.since >= window(paceNanos)) {
			long shrunk = (long) this.waitingThen - waiting;
			if (shrunk * BURST_WINDOWS >= waiting) {
				begin(waiting, now);
			}
			else if (waiting + this.rejectedSinceEmpty > explained()) {
				this.overloaded = true;
				this.episodes++;
				begin(waiting, now);
			}
		}
	}

	/**
	 * Notes how long the oldest request has waited so far. Its wait can only grow, so a
	 * long one counts like that of a request that is taken, while a short one says
	 * nothing. Parameters as in {@link #taken}.
	 */
	void waits(long ageNanos, int waiting, long paceNanos, long now) {
		if (ageNanos > this.times.targetNanos()) {
			taken(ageNanos, waiting, paceNanos, now);
		}
	}

	/**
	 * Returns after which time a queue that stands is known to be overload, if it still
	 * does; a negative number if there is nothing to wait for.
	 */
	long nextLookNanos(long paceNanos, long now) {
		return (this.standing && !this.overloaded) ? this.since + window(paceNanos) - now : -1;
	}

	/** Notes that nobody waits although a permit is free. */
	void idle() {
		this.emptied = true;
		this.standing &= this.overloaded;
	}

	/**
	 * Returns the number of requests that may wait by chance although fewer arrive than
	 * can be served. Random arrivals vary by the square root of their number, and ends of
	 * service by their coefficient of variation times that.
	 */
	private double explained() {
		return DEVIATIONS * Math.sqrt(this.arrivalsSinceEmpty * (unevenness() + this.times.spread()));
	}

	/**
	 * Returns the squared coefficient of variation of the times between the last
	 * arrivals, at least {@value #WINDOW_REQUESTS} if there were so many: 1 if they are
	 * random, about twice the size of batches. Even arrivals count as random. Older ones
	 * are left out, because one long pause would make all later arrivals look uneven.
	 */
	private double unevenness() {
		if (this.gapCount < WINDOW_REQUESTS) {
			return this.lastUnevenness;
		}
		return (this.gaps > 0) ? Math.max(1, this.gapCount * this.gapSquares / (this.gaps * this.gaps) - 1)
				: this.gapCount;
	}

	private void resetGaps(long now) {
		this.gapsSince = now;
		this.gapCount = 0;
		this.gaps = 0;
		this.gapSquares = 0;
	}

	private long window(long paceNanos) {
		return Math.max(this.intervalNanos, WINDOW_REQUESTS * paceNanos);
	}

	private void begin(int waiting, long now) {
		this.standing = true;
		this.since = now;
		this.waitingThen = waiting;
		this.arrivals = 0;
		this.emptied = false;
	}

	/**
	 * Returns whether there is overload.
	 * @param paceNanos the time in which one request can be served
	 * @param now the time
	 */
	boolean overloaded(long paceNanos, long now) {
		long lasts = now - this.since;
		if (this.overloaded && (lasts < 0 || lasts >= window(paceNanos))) {
			this.overloaded = lasts < 0 || !this.emptied || this.arrivals * paceNanos >= lasts;
			begin(0, now);
			this.standing = this.overloaded;
		}
		return this.overloaded;
	}

	/** Returns how often overload has begun. */
	long episodes() {
		return this.episodes;
	}

}
