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
 * windows up to {@value #LONGEST_PAUSE} times as long. An experiment with fewer than were
 * found ends at once when requests wait for it that are critical.
 * <p>
 * A rate that falls by a quarter while requests wait, beyond chance, or to nothing, means
 * that they need something else than before. Nothing is known about the limit then, so
 * overload control rejects nothing, and the limit is raised by a factor of {@value #JUMP}
 * at once. If the rate is then what it was, something held requests up for a moment only,
 * and the limit becomes what it was, too.
 * <p>
 * A rate that a larger limit has not raised is <b>familiar</b> at this limit for as long
 * as the longest pause, and so are those between two of them. The rate may change between
 * familiar ones, as the capacity of the resource does, and nothing else follows from
 * that.
 * <p>
 * <b>Processors</b> are also needed by threads that receive and parse requests. While
 * many handlers compute, these threads get their share only now and then, so requests
 * wait in sockets and not for a permit. The limit is therefore also lowered without a
 * queue, to a quarter of those that run, when {@value #CROWD} or more run for each
 * processor and the processors are busy. If the rate falls, it returns to what it was.
 * Busy processors also make rates vary, as other processes and rejections take their part
 * of them. A rate that has changed while they are busy is therefore only measured again:
 * rejections go on, and a larger limit is kept if the rate rises to 1.4 times what it
 * was. If so few end that a measurement takes more than {@value #LONGEST_WINDOWS}
 * windows, busy processors are no explanation.
 * <p>
 * Both thresholds lie between the outcomes that halving and doubling have below and above
 * the knee (a factor of 2 or more, and 1), so a rate need not be exact. Its error is
 * estimated by the method of batch means: rates of batches of {@value #BATCH} ends vary
 * as much as chance makes them, whatever the distribution of service times is. Guarded by
 * the server's lock.
 */
final class ConcurrencyLimit {

	/**
	 * Factor by which the rate must rise for a raised limit to be kept. Doubling yields a
	 * factor of 2 below the knee and of 1 above it; the smaller the threshold, the less
	 * throughput is given away between the two.
	 */
	static final double GAIN = 1.15;

	/**
	 * Share of the rate that a lowered limit must keep. The limit becomes twice the
	 * lowered one, which makes up for the rest.
	 */
	static final double KEEP = 0.9;

	/**
	 * Number of ended requests in a batch: rates of batches are nearly independent once
	 * each request of a few that run has ended.
	 */
	private static final int BATCH = 8;

	/** Number of batches from which their variance is an estimate: 48 ends. */
	private static final int LEAST_BATCHES = 6;

	/**
	 * Number of batches after which a measurement ends: 512 ends, whose rate is known
	 * within 5 % with exponential service times.
	 */
	private static final int MOST_BATCHES = 64;

	/**
	 * Number of windows after which a measurement ends, however exact it is. A lowered
	 * limit without a queue is given up after as many, as others wait meanwhile.
	 */
	private static final int LONGEST_WINDOWS = 10;

	/**
	 * Middle between the outcomes of halving or doubling: 1, and 2 or 1/2. It replaces
	 * {@link #GAIN} and {@link #KEEP} where a rate is not exact enough for them.
	 */
	private static final double MIDDLE = Math.sqrt(2);

	/**
	 * Relative error with which the rate before an experiment must be known: half the
	 * distance from 1 to {@link #KEEP}.
	 */
	private static final double EXACT = 0.05;

	/**
	 * Share of permits that must go to requests that waited, for the queue to stand. The
	 * queue may be empty now and then by chance.
	 */
	private static final double SATURATED = 0.8;

	/**
	 * Distance from a threshold, in standard errors, that decides early: chance exceeds
	 * it once in 700 times.
	 */
	private static final double DEVIATIONS = 3;

	/**
	 * Relative change of the rate that makes void what is known about limits. It is
	 * larger than what {@link #GAIN} and {@link #KEEP} call no change.
	 */
	private static final double CHANGED = 0.25;

	/**
	 * Factor by which the limit is raised when the rate has fallen: requests of another
	 * kind may need far more, and wait until they have it.
	 */
	private static final int JUMP = 8;

	/**
	 * Number of running requests for each processor from which they are a crowd: a thread
	 * that becomes runnable, such as one that receives a request, may have to wait for
	 * the time slices of so many others.
	 */
	private static final int CROWD = 8;

	/** Share of the processors in use from which they may be what requests wait for. */
	private static final double BUSY = 0.9;

	/**
	 * Number of looks per window below which time does not fully count, as in
	 * {@link HangDetector}: nothing ends in a process that is paused, either.
	 */
	private static final int LOOKS = 4;

	/**
	 * Length of the first pause, in windows. An experiment takes a few windows, so it is
	 * the smaller part of the time.
	 */
	private static final int PAUSE_WINDOWS = 10;

	/** Length of the longest pause, in first ones: half a minute by default. */
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

	private final Processors processors;

	/** Number of running requests that are a crowd. */
	private final int crowd;

	private int limit;

	/** The limit before the experiment. */
	private int before;

	private Step step = Step.REST;

	/** Whether the number of running requests has yet to follow the limit. */
	private boolean settling;

	/** The rate at the limit before the experiment, in ends per ns. */
	private double rate;

	/** The squared coefficient of variation of service times at that limit. */
	private double variation;

	/**
	 * Limit and rate before the rate fell, 0 if it has not, or is known to be another.
	 */
	private int usualLimit;

	private double usualRate;

	/**
	 * Time at which the usual limit returned, as the rate had fallen for a moment only.
	 */
	private long returned;

	/**
	 * Limit for which rates are familiar: a larger one did not raise them. The resource
	 * that holds requests up varies between these rates.
	 */
	private int familiarLimit;

	private double leastFamiliar;

	private double mostFamiliar;

	/** Time at which the rates are forgotten. */
	private long familiarUntil;

	/** Whether the limit was lowered although no requests waited. */
	private boolean crowded;

	/** Time of the last look. */
	private long looked;

	/** Time in which requests have waited without a break, as it was looked at, in ns. */
	private long waitedNanos;

	/** The number of requests that had ended when that began. */
	private long endsBeforeWait;

	/** The rate at half of the limit, while it climbs. */
	private double lowerRate;

	/** Start of the measurement, or of the change of the limit. */
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

	/** Whether the processors were in use when that was last asked. */
	private boolean busy;

	/** How often too few have ended, during this measurement. */
	private int fewer;

	ConcurrencyLimit(int least, int most, long windowNanos, ServiceTimes times, Processors processors, long now) {
		this.least = least;
		this.most = most;
		this.windowNanos = windowNanos;
		this.times = times;
		this.processors = processors;
		this.crowd = (least < most) ? CROWD * processors.count() : Integer.MAX_VALUE;
		this.limit = most;
		this.since = now;
		this.looked = now;
		this.batchSince = now;
		this.pauseUntil = now;
		this.returned = now - PAUSE_WINDOWS * windowNanos;
		this.familiarUntil = now;
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
		return this.confirmed ? latestPaceNanos() : 0;
	}

	/**
	 * Returns the time between two ends when that was measured last, though a larger
	 * limit may bring more; 0 if it is not known.
	 */
	long latestPaceNanos() {
		return (this.rate > 0) ? (long) (1 / this.rate) : 0;
	}

	/** Notes that a permit went to a request that waited. */
	void handedOver() {
		this.handed++;
	}

	private boolean lowered() {
		return this.step == Step.LOWERED || this.step == Step.CLIMBING;
	}

	/**
	 * Ends an experiment with fewer permits than were found, for which requests wait that
	 * are not to wait.
	 */
	void giveUp(long now) {
		if (lowered() && this.confirmed && !this.settling) {
			this.limit = this.before;
			rest(now);
		}
	}

	/**
	 * Allows more, as everything that runs hangs: others may need something else. While
	 * the processors are busy it may only be slow, and the limit rises in small steps.
	 * @return whether that allows more than before
	 */
	boolean hung(long now) {
		if (this.limit == this.most) {
			return false;
		}
		if (lowered()) {
			this.limit = this.before;
			rest(now);
		}
		else if (isBusy()) {
			raise(2, now);
		}
		else {
			suspect(0, now);
		}
		return true;
	}

	/** Returns whether requests must be looked at as they end, too. */
	boolean crowd(int running) {
		return running >= this.crowd;
	}

	/**
	 * Observes a request that comes, or one of a crowd that ends.
	 * @param running number of requests that run
	 * @param waiting number of requests that wait
	 * @param now the time
	 */
	void look(int running, int waiting, long now) {
		if (this.least == this.most) {
			return;
		}
		long passed = now - this.looked;
		long lasts = now - this.since;
		long window = Math.max(this.windowNanos, this.times.meanNanos());
		this.looked = now;
		if (passed < 0 || lasts < 0 || (this.step == Step.REST && passed > window)) {
			// The clock has jumped, or the process was paused.
			begin(now);
			return;
		}
		if (this.settling) {
			settle(running, waiting, lasts, window, now);
			return;
		}
		long ends = this.times.ended();
		waited(waiting, ends, passed);
		if (endsTooFew(ends)) {
			fewer(ends, now);
			return;
		}
		if (this.usualRate > 0 && ends == this.endsThen) {
			// What holds requests up still does.
			begin(now);
			return;
		}
		batch(ends, now);
		if (lasts >= window && ends - this.endsThen >= Math.min(this.limit, running)
				&& decided((double) (ends - this.endsThen) / lasts, lasts >= LONGEST_WINDOWS * window)) {
			measured((double) (ends - this.endsThen) / lasts, this.handed >= SATURATED * (ends - this.endsThen),
					running, now);
		}
	}

	private void waited(int waiting, long ends, long passed) {
		if (waiting > 0) {
			this.waitedNanos += Math.min(passed, this.windowNanos / LOOKS);
		}
		else {
			this.waitedNanos = 0;
			this.endsBeforeWait = ends;
		}
	}

	/**
	 * Returns whether the known rate has fallen while requests wait, and chance cannot
	 * explain it: the number of ends varies by its square root times the coefficient of
	 * variation of service times, and those that run may all end together.
	 */
	private boolean endsTooFew(long ends) {
		boolean known = (this.step == Step.REST) ? this.confirmed : this.step == Step.LOWERED && this.crowded;
		double expected = (1 - CHANGED) * this.rate * this.waitedNanos;
		return known && this.waitedNanos >= this.windowNanos && ends - this.endsBeforeWait < expected - this.limit
				- DEVIATIONS * Math.sqrt(expected * this.variation);
	}

	private void fewer(long ends, long now) {
		double measured = (double) (ends - this.endsBeforeWait) / this.waitedNanos;
		if (this.step == Step.LOWERED) {
			this.limit = this.before;
			rest(now);
		}
		else if (isFamiliar(this.limit, measured, now)) {
			this.rate = measured;
			begin(now);
		}
		else if (isBusy() && this.fewer < LONGEST_WINDOWS) {
			this.fewer++;
			this.waitedNanos = 0;
			this.endsBeforeWait = ends;
		}
		else {
			suspect(measured, now);
		}
	}

	/** Returns whether it is known that a larger limit does not raise a rate. */
	private boolean isFamiliar(int atLimit, double measured, long now) {
		return atLimit == this.familiarLimit && now - this.familiarUntil < 0 && measured >= KEEP * this.leastFamiliar
				&& KEEP * measured <= this.mostFamiliar;
	}

	/** Notes that a larger limit does not raise a rate. */
	private void familiarize(int atLimit, double measured, long now) {
		boolean known = atLimit == this.familiarLimit && now - this.familiarUntil < 0;
		this.leastFamiliar = known ? Math.min(this.leastFamiliar, measured) : measured;
		this.mostFamiliar = known ? Math.max(this.mostFamiliar, measured) : measured;
		this.familiarLimit = atLimit;
		this.familiarUntil = now + LONGEST_PAUSE * PAUSE_WINDOWS * this.windowNanos;
	}

	/** Returns whether the processors are in use, and notes it. */
	private boolean isBusy() {
		this.busy = this.processors.load() >= BUSY;
		return this.busy;
	}

	/**
	 * Supposes that requests need something else than before, which a larger limit will
	 * show, unless the rate becomes what it was: then something held them up for a
	 * moment. If it has just been taken for that, it was something else.
	 */
	private void suspect(double measured, long now) {
		if (this.usualRate == 0 && this.confirmed && now - this.returned >= PAUSE_WINDOWS * this.windowNanos) {
			this.usualLimit = (this.step == Step.RAISED) ? this.before : this.limit;
			this.usualRate = this.rate;
		}
		changed(now);
		known(measured);
		raise(JUMP, now);
	}

	/** Makes void what is known about limits: another resource limits the rate now. */
	private void changed(long now) {
		this.pause = 1;
		this.pauseUntil = now;
		this.confirmed = false;
		this.rate = 0;
	}

	/**
	 * Measures the rate anew before the next experiment, as it may have fallen since the
	 * measurement began. The limit stays in force: if the processors have become slower,
	 * it is as good as before.
	 */
	private void changedSpeed(long now) {
		this.pause = 1;
		this.pauseUntil = now;
		this.lowerNext = false;
		this.rate = 0;
		begin(now);
	}

	/** Takes the mean with what is known, as neither is exact. */
	private void known(double measured) {
		this.rate = (this.rate > 0) ? (this.rate + measured) / 2 : measured;
		this.variation = this.times.spread();
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

	/** Returns whether a measurement is to end. */
	private boolean decided(double measured, boolean late) {
		if (this.batches < LEAST_BATCHES || this.batches >= MOST_BATCHES || late) {
			return this.batches >= LEAST_BATCHES;
		}
		return (this.step == Step.REST) ? error() <= EXACT * measured
				: isExact(measured, this.rate * ((this.step == Step.RAISED) ? GAIN : KEEP));
	}

	/** Returns the standard error of the rate that is measured. */
	private double error() {
		return Math.sqrt(this.batchSquares / (this.batches - 1) / this.batches);
	}

	/** Returns whether chance cannot explain on which side of a threshold a rate is. */
	private boolean isExact(double measured, double threshold) {
		return this.batches >= MOST_BATCHES || Math.abs(measured - threshold) > DEVIATIONS * error();
	}

	/** Returns whether a rate is at least about as high as another one. */
	private boolean keeps(double measured, double other) {
		return measured >= other * (isExact(measured, KEEP * other) ? KEEP : 1 / MIDDLE);
	}

	/**
	 * Returns whether a rate is clearly higher than another one. While the processors are
	 * busy, an error of the rate is no measure of how much it varies.
	 */
	private boolean gains(double measured, double other) {
		return measured >= other * ((!this.busy && isExact(measured, GAIN * other)) ? GAIN : MIDDLE);
	}

	private void settle(int running, int waiting, long lasts, long window, long now) {
		boolean fewer = this.step == Step.LOWERED;
		if (fewer ? running <= this.limit : running >= this.limit && waiting > 0) {
			this.settling = false;
			begin(now);
		}
		else if (fewer && lasts >= LONGEST_WINDOWS * this.windowNanos && this.crowded) {
			// Others must not wait for long while these end.
			this.limit = this.before;
			rest(now);
		}
		else if (!fewer && lasts >= ((this.usualRate > 0) ? LONGEST_WINDOWS : 1) * window) {
			// Demand does not reach the limit, so nothing can be measured.
			rest(now);
		}
	}

	private void measured(double measured, boolean saturated, int running, long now) {
		isBusy();
		switch (this.step) {
			case REST -> {
				if (saturated) {
					compare(measured, now);
				}
				else if (crowd(running) && now - this.pauseUntil >= 0 && this.busy) {
					known(measured);
					this.before = this.limit;
					this.crowded = true;
					change(Step.LOWERED, Math.max(this.least, running / 4), now);
				}
				else {
					begin(now);
				}
			}
			case LOWERED -> {
				if (keeps(measured, this.rate)) {
					this.confirmed = true;
					this.crowded = false;
					// A rate that is a little lower each time must not be taken for the
					// rate.
					known(Math.max(this.rate, measured));
					this.limit = Math.min(this.before, 2 * this.limit);
					lower(now);
				}
				else if (this.crowded) {
					this.limit = this.before;
					rest(now);
				}
				else {
					climb(measured, now);
				}
			}
			case CLIMBING -> {
				boolean enough = keeps(measured, this.rate);
				boolean gained = gains(measured, this.lowerRate);
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
			case RAISED -> raised(measured, saturated, now);
		}
	}

	private void raised(double measured, boolean saturated, long now) {
		if (!saturated) {
			rest(now);
		}
		else if (measured >= KEEP * this.usualRate && measured < GAIN * this.usualRate) {
			this.limit = this.usualLimit;
			this.rate = this.usualRate;
			this.confirmed = true;
			this.returned = now;
			rest(now);
		}
		else if (gains(measured, this.rate) && isFamiliar(this.before, measured, now)) {
			// The capacity has risen, which the limit had no part in.
			this.limit = this.before;
			this.rate = measured;
			this.confirmed = true;
			rest(now);
		}
		else if (gains(measured, this.rate)) {
			this.rate = measured;
			raise(2, now);
		}
		else {
			this.confirmed = true;
			familiarize(this.before, measured, now);
			this.lowerNext = true;
			this.usualRate = 0;
			change(Step.REST, this.before, now);
		}
	}

	private void compare(double measured, long now) {
		double chance = DEVIATIONS * error();
		boolean fell = measured + chance < (1 - CHANGED) * this.rate;
		boolean rose = !fell && measured - chance > (1 + CHANGED) * this.rate;
		if (this.confirmed && (fell || rose) && isFamiliar(this.limit, measured, now)) {
			this.rate = measured;
			begin(now);
			return;
		}
		if (rose) {
			if (this.busy) {
				this.rate = measured;
				this.pause = 1;
				this.pauseUntil = now;
			}
			else if (this.rate == 0) {
				this.rate = measured;
			}
			else {
				changed(now);
			}
		}
		if (now - this.pauseUntil < 0 && !fell) {
			known(measured);
			begin(now);
		}
		else if (fell && this.busy) {
			changedSpeed(now);
		}
		else if (fell) {
			suspect(measured, now);
		}
		else {
			known(measured);
			if (this.lowerNext || this.limit == this.most) {
				lower(now);
			}
			else {
				raise(2, now);
			}
		}
	}

	private void raise(int factor, long now) {
		this.before = this.limit;
		if (this.limit == this.most) {
			rest(now);
			return;
		}
		change(Step.RAISED, (int) Math.min(this.most, (long) factor * this.limit), now);
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
		this.crowded = false;
		this.lowerNext = false;
		this.usualRate = 0;
		this.pauseUntil = now + this.windowNanos * PAUSE_WINDOWS * this.pause;
		this.pause = Math.min(LONGEST_PAUSE, 2 * this.pause);
		begin(now);
	}

	private void begin(long now) {
		this.since = now;
		this.endsThen = this.times.ended();
		this.waitedNanos = 0;
		this.endsBeforeWait = this.endsThen;
		this.fewer = 0;
		this.batches = 0;
		this.batchMean = 0;
		this.batchSquares = 0;
		this.batchSince = now;
		this.batchEnds = this.endsThen;
		this.handed = 0;
	}

}
