package io.github.vicinal.requestserver;

/**
 * Tells a standing queue from a burst. There is overload once no request of a whole
 * window waited for less than the target, and the queue did not shrink as one does that
 * will be empty within {@value #BURST_WINDOWS} windows, and is longer than chance
 * explains: since nobody waited, {@code n} arrivals and as many ends of service make a
 * queue of the order of {@code sqrt(n * (1 + c))}, with {@code c} the squared coefficient
 * of variation of service times, although all of them could be served. After CoDel (RFC
 * 8289), which looks at the smallest sojourn, as that is what a good queue brings back to
 * zero. With priorities, the sojourn is that of the oldest waiter of all classes: the
 * highest class waits briefly while the queue of a lower one stands.
 * <p>
 * While there is overload, requests are rejected, so that waits are short and tell
 * nothing any more. What came, rejected or not, does: overload is over after a window in
 * which less came than could be served, and in which the queue was empty once. Not
 * thread-safe.
 */
final class OverloadDetector {

	static final int BURST_WINDOWS = 10;

	/** Fewer requests than could be served in a window tell nothing about a rate. */
	private static final int WINDOW_REQUESTS = 32;

	/**
	 * How many standard deviations a queue must be longer than chance explains. With
	 * three, one queue in a thousand that would have gone by itself is taken for
	 * overload.
	 */
	private static final double DEVIATIONS = 3;

	private final long intervalNanos;

	private final ServiceTimes times;

	/** Requests that came since nobody waited. */
	private long arrivalsSinceEmpty;

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
	 */
	void arrived(boolean empty) {
		this.arrivals++;
		this.arrivalsSinceEmpty++;
		if (empty) {
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
	 * @param waiting how many others wait
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
	 * Returns how many may wait by chance although fewer come than can be served. So many
	 * arrivals at random vary by their square root, and as many ends of service by their
	 * coefficient of variation times that.
	 */
	private double explained() {
		return DEVIATIONS * Math.sqrt(this.arrivalsSinceEmpty * (1 + this.times.spread()));
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
