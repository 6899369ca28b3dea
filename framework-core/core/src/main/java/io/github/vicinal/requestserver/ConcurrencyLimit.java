package io.github.vicinal.requestserver;

/**
 * Finds the number of requests that may run at once: twice the smallest number that
 * reaches the maximum throughput. The resource that holds requests up (a pool, a lock,
 * the processors) need not be known. More requests would only wait for that resource,
 * where the queue with its priorities and its overload control does not see them.
 * <p>
 * While no request waits, requests end at the rate at which they arrive, which says
 * nothing about the limit. The limit then keeps its value, which is the maximum at first.
 * While the queue stands, the limit determines the rate, and two limits can be compared:
 * <ul>
 * <li><b>lowered</b>: a quarter of the limit runs for a while, or as many as the rate
 * would need if requests took as little time as they once did, if that is fewer. If the
 * rate keeps {@value #KEEP} of what it was, twice that number is the new limit, and the
 * next try goes lower. Else it <b>climbs</b>: the number doubles until it is enough, or
 * doubling brings nothing.</li>
 * <li><b>raised</b>: the double limit runs for a while, and is kept if the rate rises to
 * {@value #GAIN} of what it was.</li>
 * </ul>
 * When neither helps there is a pause, which doubles, from {@value #PAUSE_WINDOWS}
 * windows up to {@value #LONGEST_PAUSE} times as long. It ends early when the rate
 * changes; when it collapses, the limit returns to the maximum, since the contended
 * resource has become slower and may bear more requests.
 * <p>
 * Both thresholds lie between the outcomes that halving and doubling have below and above
 * the knee (a factor of 2 or more, and 1), so a rate need not be exact. Its error is
 * estimated by the method of batch means: rates of batches of {@value #BATCH} ends vary
 * as much as chance makes them, whatever the distribution of service times is. Guarded by
 * the server's lock.
 */
final class ConcurrencyLimit {

	/** Factor by which the rate must rise for a doubled limit to be kept. */
	static final double GAIN = 1.15;

	/** Share of the rate that a lowered limit must keep. */
	static final double KEEP = 0.9;

	/** Number of ended requests in a batch. */
	private static final int BATCH = 8;

	private static final int LEAST_BATCHES = 6;

	private static final int MOST_BATCHES = 64;

	/** A measurement ends after this number of windows, however exact it is. */
	private static final int LONGEST_WINDOWS = 10;

	/** The relative error with which the rate before an experiment must be known. */
	private static final double EXACT = 0.05;

	/**
	 * The part of permits that must go to requests that waited, for the queue to stand.
	 */
	private static final double SATURATED = 0.8;

	/** The distance from the threshold, in standard errors, that decides early. */
	private static final double DEVIATIONS = 3;

	/** The relative change of the rate that makes void what is known about limits. */
	private static final double CHANGED = 0.25;

	/**
	 * The part of the rate below which the limit is the most again: what requests wait
	 * for has become slower then, and may bear more of them.
	 */
	private static final double COLLAPSED = 0.5;

	/** The length of the first pause, in windows. */
	private static final int PAUSE_WINDOWS = 10;

	/** The length of the longest pause, in first ones. */
	private static final int LONGEST_PAUSE = 32;

	private enum Step {

		/** No experiment. */
		REST,

		/** Tries fewer. */
		LOWERED,

		/** Goes back up, as fewer were too few. */
		CLIMBING,

		/** Tries more. */
		RAISED

	}

	private final int least;

	private final int most;

	private final long windowNanos;

	private final ServiceTimes times;

	private int limit;

	/** The limit before the experiment. */
	private int before;

	private Step step = Step.REST;

	/** Whether the number of running requests has yet to follow the limit. */
	private boolean settling;

	/** The rate at the limit before the experiment, in ends per ns. */
	private double rate;

	/** The rate at half of the limit, while it climbs. */
	private double lowerRate;

	/** When the measurement began, or the change of the limit. */
	private long since;

	/** The number of requests that had ended by then. */
	private long endsThen;

	/**
	 * Rates of batches of ends: how many, their mean and the sum of squared deviations.
	 */
	private int batches;

	private double batchMean;

	private double batchSquares;

	private long batchSince;

	private long batchEnds;

	/** Permits that went to requests that waited, since then. */
	private long handed;

	private long pauseUntil;

	/** The length of the next pause, in first ones. */
	private int pause = 1;

	/** Whether the next experiment tries a lower limit. */
	private boolean lowerNext;

	/** Whether a larger limit is known not to raise the rate. */
	private boolean confirmed;

	ConcurrencyLimit(int least, int most, long windowNanos, ServiceTimes times, long now) {
		this.least = least;
		this.most = most;
		this.windowNanos = windowNanos;
		this.times = times;
		this.limit = most;
		this.since = now;
		this.batchSince = now;
		this.pauseUntil = now;
	}

	int limit() {
		return this.limit;
	}

	/** Returns whether a larger limit is known to bring nothing. */
	boolean confirmed() {
		return this.confirmed || this.limit == this.most;
	}

	/**
	 * Returns the time between two ends at the limit, which is known once a larger one
	 * has brought nothing; else 0.
	 */
	long paceNanos() {
		return (this.confirmed && this.rate > 0) ? (long) (1 / this.rate) : 0;
	}

	/** Notes that a permit went to a request that waited. */
	void handedOver() {
		this.handed++;
	}

	/**
	 * Allows the most again, as everything that runs hangs: others may need something
	 * else.
	 * @return whether that allows more than before
	 */
	boolean hung(long now) {
		if (this.limit == this.most) {
			return false;
		}
		this.limit = this.most;
		this.rate = 0;
		this.confirmed = false;
		this.pause = 1;
		rest(now);
		return true;
	}

	/**
	 * Looks at a request that comes.
	 * @param running how many run
	 * @param waiting how many wait
	 * @param now the time
	 */
	void arrived(int running, int waiting, long now) {
		if (this.least == this.most) {
			return;
		}
		long lasts = now - this.since;
		if (lasts < 0) {
			begin(now);
			return;
		}
		long window = Math.max(this.windowNanos, this.times.meanNanos());
		if (this.settling) {
			settle(running, waiting, lasts >= window, now);
			return;
		}
		long ends = this.times.ended();
		batch(ends, now);
		if (lasts >= window && ends - this.endsThen >= this.limit
				&& decided((double) (ends - this.endsThen) / lasts, lasts >= LONGEST_WINDOWS * window)) {
			measured((double) (ends - this.endsThen) / lasts, this.handed >= SATURATED * (ends - this.endsThen), now);
		}
	}

	private void batch(long ends, long now) {
		if (ends - this.batchEnds >= BATCH && now - this.batchSince > 0) {
			double measured = (double) (ends - this.batchEnds) / (now - this.batchSince);
			this.batches++;
			double deviation = measured - this.batchMean;
			this.batchMean += deviation / this.batches;
			this.batchSquares += deviation * (measured - this.batchMean);
			this.batchEnds = ends;
			this.batchSince = now;
		}
	}

	/** Returns whether chance cannot explain on which side of the threshold a rate is. */
	private boolean decided(double measured, boolean late) {
		if (this.batches < LEAST_BATCHES || this.batches >= MOST_BATCHES || late) {
			return this.batches >= LEAST_BATCHES;
		}
		double error = Math.sqrt(this.batchSquares / (this.batches - 1) / this.batches);
		if (this.step == Step.REST) {
			return error <= EXACT * measured;
		}
		double threshold = this.rate * ((this.step == Step.RAISED) ? GAIN : KEEP);
		return Math.abs(measured - threshold) > DEVIATIONS * error;
	}

	private void settle(int running, int waiting, boolean late, long now) {
		boolean fewer = this.step == Step.LOWERED;
		if (fewer ? running <= this.limit : running >= this.limit && waiting > 0) {
			this.settling = false;
			begin(now);
		}
		else if (!fewer && late) {
			// Demand does not reach the limit, so nothing can be measured.
			rest(now);
		}
	}

	private void measured(double measured, boolean saturated, long now) {
		boolean enough = measured >= KEEP * this.rate;
		switch (this.step) {
			case REST -> {
				begin(now);
				if (saturated) {
					compare(measured, now);
				}
			}
			case LOWERED -> {
				this.confirmed |= enough;
				if (enough) {
					this.rate = Math.max(this.rate, measured);
					this.limit = 2 * this.limit;
					lower(now);
				}
				else {
					climb(measured, now);
				}
			}
			case CLIMBING -> {
				boolean gained = measured >= GAIN * this.lowerRate;
				if (enough || !saturated || !gained || 2 * this.limit >= this.before) {
					this.confirmed |= enough || !gained;
					if (gained) {
						this.limit = Math.min(this.before, 2 * this.limit);
					}
					rest(now);
				}
				else {
					climb(measured, now);
				}
			}
			case RAISED -> {
				if (!saturated) {
					rest(now);
				}
				else if (measured >= GAIN * this.rate) {
					this.rate = measured;
					raise(now);
				}
				else {
					this.confirmed = true;
					this.lowerNext = true;
					change(Step.REST, this.before, now);
				}
			}
		}
	}

	private void compare(double measured, long now) {
		if (Math.abs(measured - this.rate) > CHANGED * this.rate) {
			// Another resource limits the rate now.
			this.pause = 1;
			this.pauseUntil = now;
			this.confirmed = false;
		}
		boolean collapsed = measured < COLLAPSED * this.rate;
		this.rate = measured;
		if (collapsed) {
			this.lowerNext = false;
			this.limit = this.most;
			return;
		}
		if (now - this.pauseUntil < 0) {
			return;
		}
		if (this.lowerNext || this.limit == this.most) {
			lower(now);
		}
		else {
			raise(now);
		}
	}

	private void raise(long now) {
		this.before = this.limit;
		if (this.limit == this.most) {
			rest(now);
			return;
		}
		change(Step.RAISED, Math.min(this.most, 2 * this.limit), now);
	}

	/**
	 * Tries a quarter of the limit, or fewer if requests once took less time: by Little's
	 * law, the rate times that time is what would be needed if they still did.
	 */
	private void lower(long now) {
		this.before = this.limit;
		double needed = this.rate * this.times.leastMeanNanos();
		int lower = Math.max(this.least, Math.min(this.limit / 4, (int) Math.ceil(needed)));
		if (2 * lower >= this.limit) {
			rest(now);
			return;
		}
		change(Step.LOWERED, lower, now);
	}

	private void climb(double measured, long now) {
		this.lowerRate = measured;
		change(Step.CLIMBING, Math.min(this.before, 2 * this.limit), now);
	}

	private void change(Step next, int to, long now) {
		this.step = next;
		this.limit = to;
		this.settling = next != Step.REST;
		begin(now);
	}

	private void rest(long now) {
		this.step = Step.REST;
		this.settling = false;
		this.lowerNext = false;
		this.pauseUntil = now + this.windowNanos * PAUSE_WINDOWS * this.pause;
		this.pause = Math.min(LONGEST_PAUSE, 2 * this.pause);
		begin(now);
	}

	private void begin(long now) {
		this.since = now;
		this.endsThen = this.times.ended();
		this.batches = 0;
		this.batchMean = 0;
		this.batchSquares = 0;
		this.batchSince = now;
		this.batchEnds = this.endsThen;
		this.handed = 0;
	}

}
